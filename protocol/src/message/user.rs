//! User messages: prompts and tool results.

use super::origin::MessageOrigin;
use crate::content::{Content, ContentBlock, ToolResultBlock};
use crate::json::Json;
use crate::open::{append_text, object, open_enum};
use bytes::Bytes;
use std::borrow::Cow;

object! {
    /// A prompt of the user, a tool result, or a message that the agent
    /// inserted for the user.
    #[derive(Default)]
    pub struct UserMessage: tolerant tags("type" = "user") {
        /// The role and the content.
        pub message: UserBody,
        /// The ID of the tool call that started the sub-agent of this message.
        pub parent_tool_use_id: Option<String>,
        /// The ID of this message. The agent reports the delivery state under
        /// this ID.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
        /// The priority with which the agent picks up the message.
        pub priority: Option<Priority>,
        /// Whether the host composed the message. The agent then uses the text
        /// verbatim, without file expansion and commands.
        pub client_composed: Option<bool>,
        /// Whether the message starts a model request. `false` only adds it to
        /// the conversation.
        pub should_query: Option<bool> = "shouldQuery",
        /// Whether the agent wrote the message, not a user.
        pub is_synthetic: Option<bool> = "isSynthetic",
        /// Whether the message is an echo of an earlier one.
        pub is_replay: Option<bool> = "isReplay",
        /// The tool result, in the tool's own format.
        pub tool_use_result: Option<Json>,
        /// Additional data about each tool result.
        pub tool_result_meta: Option<Vec<ToolResultMeta>>,
        /// The origin of the message, if it is not a user.
        pub origin: Option<MessageOrigin>,
        /// Pasted content that is separate from the text. Each entry is
        /// appended to the text.
        pub pasted_content: Option<Vec<Content>>,
        /// Pasted content that is still part of the text.
        pub inline_pastes: Option<Vec<String>>,
        /// The attached files. Set only in an echo.
        pub file_attachments: Option<Vec<Json>>,
        /// The time of the message, as RFC 3339.
        pub timestamp: Option<String>,
        /// The ID of the sub-agent of this message.
        pub agent_id: Option<String>,
        /// The kind of the sub-agent of this message.
        pub subagent_type: Option<String>,
        /// The task of the sub-agent of this message.
        pub task_description: Option<String>,
    }
}

object! {
    /// The role and the content of a user message.
    pub struct UserBody {
        /// The role, `user`.
        pub role: Option<String>,
        /// The content. The agent accepts a message without content.
        pub content: Option<Content>,
    }
}

object! {
    /// Additional data about a tool result.
    pub struct ToolResultMeta {
        /// The ID of the tool call.
        pub id: String,
        /// The decision about the permission, with its source.
        pub permission_decision: Option<PermissionDecision>,
        /// The reason why the tool did not run, such as `user-rejected`.
        pub non_execution_kind: Option<String>,
    }
}

object! {
    /// A decision about a permission, with its source.
    #[derive(Default)]
    pub struct PermissionDecision {
        /// The decision: `accept` or `reject`.
        pub decision: Option<String>,
        /// The source of the decision, such as `config`, `hook` or `user_reject`.
        pub source: Option<String>,
        /// The kind of reason, such as `mode`.
        pub reason_type: Option<String>,
    }
}

open_enum! {
    /// When the agent picks up a message. The default is `next`.
    pub enum Priority {
        /// Interrupts the running turn.
        Now = "now",
        /// Joins the running turn after the current tool calls.
        Next = "next",
        /// Waits for the end of the running turn.
        Later = "later",
    }
}

impl Default for UserBody {
    /// Creates an empty message of the user. It has a role, because without one
    /// the agent would exit.
    fn default() -> Self {
        Self {
            role: Some("user".to_owned()),
            content: None,
            extra: Default::default(),
        }
    }
}

impl UserMessage {
    /// Creates a prompt with this content, which is a text or blocks.
    ///
    /// ```
    /// use agentwire_protocol::message::UserMessage;
    ///
    /// let prompt = UserMessage::new("Say hello");
    /// let line = serde_json::to_string(&prompt)?;
    /// assert_eq!(
    ///     line,
    ///     r#"{"type":"user","message":{"role":"user","content":"Say hello"},"parent_tool_use_id":null}"#
    /// );
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn new(content: impl Into<Content>) -> Self {
        let mut message = Self {
            message: UserBody {
                content: Some(content.into()),
                ..UserBody::default()
            },
            ..Self::default()
        };
        // The agent requires this member. A prompt has no parent.
        let parent = &"parent_tool_use_id";
        message.extra.push_declared(parent, Json::null());
        message
    }

    /// Creates a prompt with this text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(text.into())
    }

    /// Appends a content block, such as an image, a document or a text.
    ///
    /// ```
    /// use agentwire_protocol::content::ContentBlock;
    /// use agentwire_protocol::message::UserMessage;
    ///
    /// let prompt = UserMessage::text("Compare").with(ContentBlock::text("this"));
    /// assert_eq!(prompt.blocks().len(), 2);
    /// ```
    #[must_use]
    pub fn with(mut self, block: impl Into<ContentBlock>) -> Self {
        let content = self.message.content.take();
        let mut blocks = content.map_or_else(Vec::new, Content::into_blocks);
        blocks.push(block.into());
        self.message.content = Some(Content::Blocks(blocks));
        self
    }

    /// Sets whether to send a model request. `false` only adds the message to the
    /// conversation, and the agent sends a result with no turns.
    #[must_use]
    pub fn should_query(mut self, should_query: bool) -> Self {
        self.should_query = Some(should_query);
        self
    }

    /// Marks the message as written by a program, not by a person.
    #[must_use]
    pub fn synthetic(mut self) -> Self {
        self.is_synthetic = Some(true);
        self
    }

    /// Sets when the agent picks up the message. The default is `next`. As
    /// measured on the real CLI:
    ///
    /// | priority | sent before or while a tool runs | sent while the last text of the turn is written |
    /// |---|---|---|
    /// | `now` | the running tool finishes, then the turn ends; the message is the next turn | the turn is interrupted at once; the message is the next turn |
    /// | `next` | added to the running turn after the current tool calls; both prompts share one result | the message is the next turn |
    /// | `later` | the message is a turn after the running one | likewise |
    ///
    /// Queued messages with the same priority become one turn with one result,
    /// in the order in which they were sent. All messages with the priority
    /// `now` are picked up before those with `next`, and these before those
    /// with `later`. A turn that a `now` message interrupts ends with the
    /// subtype `success`, and a `terminal_reason` of `aborted_streaming` or
    /// `aborted_tools`.
    #[must_use]
    pub fn priority(mut self, priority: Priority) -> Self {
        self.priority = Some(priority);
        self
    }

    /// Sets the message ID. The agent reports the delivery status of messages
    /// that have an ID.
    #[must_use]
    pub fn uuid(mut self, uuid: impl Into<String>) -> Self {
        self.uuid = Some(uuid.into());
        self
    }

    /// Makes the agent pass the text to the model unchanged
    /// (`client_composed`). In other prompts, the agent adds the contents of
    /// the file to `@path`, and runs a text that begins with `/word` as a
    /// command. Use this for every text that your user did not type as a
    /// prompt, such as a web page, a ticket or the output of another model:
    /// such a text could otherwise read files and run commands.
    #[must_use]
    pub fn verbatim(mut self) -> Self {
        self.client_composed = Some(true);
        self
    }

    /// Returns the content blocks. A text is converted to one text block.
    #[must_use]
    pub fn blocks(&self) -> Cow<'_, [ContentBlock]> {
        let content = self.message.content.as_ref();
        content.map_or(Cow::Borrowed(&[]), Content::blocks)
    }

    /// Returns an iterator over the tool results in the content.
    pub fn tool_results(&self) -> impl Iterator<Item = &ToolResultBlock> {
        let content = self.message.content.iter();
        content.flat_map(Content::tool_results)
    }

    /// Returns the line of a prompt that has a text and nothing else, under this ID. It equals that
    /// of [`encode_form`](crate::codec::encode_form), which takes four times the instructions.
    pub(crate) fn plain_line(&self, id: &str) -> Option<Bytes> {
        let Self {
            message:
                UserBody {
                    role: Some(role),
                    content: Some(Content::Text(text)),
                    extra: other,
                },
            parent_tool_use_id: None,
            uuid: None,
            session_id: None,
            priority: None,
            client_composed: None,
            should_query: None,
            is_synthetic: None,
            is_replay: None,
            tool_use_result: None,
            tool_result_meta: None,
            origin: None,
            pasted_content: None,
            inline_pastes: None,
            file_attachments: None,
            timestamp: None,
            agent_id: None,
            subagent_type: None,
            task_description: None,
            extra,
        } = self
        else {
            return None;
        };
        if role != "user" || !other.is_clean() || !extra.is_null("parent_tool_use_id") {
            return None;
        }
        let parts = [
            r#"{"type":"user","message":{"role":"user","content":"#,
            r#"},"uuid":"#,
            ",\"parent_tool_use_id\":null}\n",
        ];
        let size = parts.iter().map(|it| it.len()).sum::<usize>();
        // Exact, unless a string has characters that are escaped.
        let mut line = Vec::with_capacity(size + text.len() + id.len() + 4);
        line.extend_from_slice(parts[0].as_bytes());
        append_text(text, &mut line);
        line.extend_from_slice(parts[1].as_bytes());
        append_text(id, &mut line);
        line.extend_from_slice(parts[2].as_bytes());
        Some(line.into())
    }
}

impl From<&str> for UserMessage {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<&String> for UserMessage {
    fn from(text: &String) -> Self {
        Self::new(text)
    }
}

impl From<String> for UserMessage {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::codec::encode_form;
    use crate::open::Field as _;
    use proptest::prelude::*;
    use serde_json::json;

    fn line_of(mut message: UserMessage, id: &str) -> Bytes {
        message.uuid = Some(id.to_owned());
        encode_form(message.form())
    }

    proptest! {
        #[test]
        fn the_line_of_a_plain_prompt_is_that_of_every_message(text in any::<String>(), id in any::<String>()) {
            let message = UserMessage::text(text);
            prop_assert_eq!(message.plain_line(&id), Some(line_of(message, &id)));
        }
    }

    #[test]
    fn a_message_with_anything_else_is_no_plain_prompt() {
        let plain = json!({
            "type": "user", "message": { "role": "user", "content": "a" }, "parent_tool_use_id": null,
        });
        let read =
            |json: &serde_json::Value| serde_json::from_value::<UserMessage>(json.clone()).unwrap();
        assert_eq!(
            read(&plain).plain_line("i"),
            Some(line_of(read(&plain), "i"))
        );
        for (place, member, value) in [
            ("", "parent_tool_use_id", json!("toolu_1")),
            ("", "uuid", json!(null)),
            ("", "session_id", json!("")),
            ("", "priority", json!("now")),
            ("", "isReplay", json!(false)),
            ("", "pasted_content", json!([])),
            ("", "new_member", json!(1)),
            ("/message", "role", json!("assistant")),
            (
                "/message",
                "content",
                json!([{ "type": "text", "text": "a" }]),
            ),
            ("/message", "content", json!(null)),
            ("/message", "content", json!(1)),
            ("/message", "new_member", json!(null)),
        ] {
            let mut other = plain.clone();
            other.pointer_mut(place).unwrap()[member] = value;
            assert_eq!(read(&other).plain_line("i"), None, "{other}");
        }
        for missing in ["/message/role", "/message/content", "/parent_tool_use_id"] {
            let (place, member) = missing.rsplit_once('/').unwrap();
            let mut other = plain.clone();
            let object = other.pointer_mut(place).unwrap();
            object.as_object_mut().unwrap().remove(member);
            assert_eq!(read(&other).plain_line("i"), None, "{other}");
        }
    }
}

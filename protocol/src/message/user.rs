//! User messages: prompts, and the answers of tools.

use super::origin::MessageOrigin;
use crate::content::{Content, ContentBlock};
use crate::json::Json;
use crate::open::{object, open_enum};

object! {
    /// What a user said, a tool answered, or the agent put in a user's mouth.
    #[derive(Default)]
    pub struct UserMessage: tolerant tags("type" = "user") {
        /// What was said.
        pub message: UserBody,
        /// The tool call that started the sub-agent of this message.
        pub parent_tool_use_id: Option<String>,
        /// The message's id. The agent reports what becomes of a message
        /// under it.
        pub uuid: Option<String>,
        /// The session ID.
        pub session_id: Option<String>,
        /// When the agent is to take it up.
        pub priority: Option<Priority>,
        /// Whether the host composed it: the agent then takes the text as it
        /// is, without file expansion and without commands.
        pub client_composed: Option<bool>,
        /// `false` adds it to the conversation without asking the model.
        pub should_query: Option<bool> = "shouldQuery",
        /// Whether the agent wrote it, and not a person.
        pub is_synthetic: Option<bool> = "isSynthetic",
        /// Whether it is an echo of what was said before.
        pub is_replay: Option<bool> = "isReplay",
        /// What a tool answered, as data of that tool.
        pub tool_use_result: Option<Json>,
        /// What the agent adds about each tool result.
        pub tool_result_meta: Option<Vec<ToolResultMeta>>,
        /// What made the message, where it was not a person.
        pub origin: Option<MessageOrigin>,
        /// What the user pasted, apart from the text: each entry is put
        /// behind it.
        pub pasted_content: Option<Vec<Content>>,
        /// What the user pasted into the text, where it still is.
        pub inline_pastes: Option<Vec<String>>,
        /// Files that came with it, in an echo.
        pub file_attachments: Option<Vec<Json>>,
        /// When it was said, as RFC 3339.
        pub timestamp: Option<String>,
        /// The sub-agent it belongs to.
        pub agent_id: Option<String>,
        /// That sub-agent's kind.
        pub subagent_type: Option<String>,
        /// That sub-agent's task.
        pub task_description: Option<String>,
    }
}

object! {
    /// The role and the content of a user message.
    pub struct UserBody {
        /// `user`.
        pub role: Option<String>,
        /// What was said. The agent takes a message without content.
        pub content: Option<Content>,
    }
}

object! {
    /// What the agent adds about a tool result.
    pub struct ToolResultMeta {
        /// The call that it answers.
        pub id: String,
        /// How it was decided whether the tool may run.
        pub permission_decision: Option<PermissionDecision>,
        /// Why the tool did not run, such as `user-rejected`.
        pub non_execution_kind: Option<String>,
    }
}

object! {
    /// How it was decided whether a tool may run.
    #[derive(Default)]
    pub struct PermissionDecision {
        /// What was decided: `accept` or `reject`.
        pub decision: Option<String>,
        /// Who decided, such as `config`, `hook` or `user_reject`.
        pub source: Option<String>,
        /// What it was decided by, such as `mode`.
        pub reason_type: Option<String>,
    }
}

open_enum! {
    /// When the agent is to take a message up. Without one it is `next`.
    pub enum Priority {
        /// At once: what runs is cut off.
        Now = "now",
        /// As soon as a tool is done, into the running turn.
        Next = "next",
        /// After the running turn.
        Later = "later",
    }
}

impl Default for UserBody {
    /// Nothing, said by the user: without a role the agent would exit.
    fn default() -> Self {
        Self {
            role: Some("user".to_owned()),
            content: None,
            extra: Default::default(),
        }
    }
}

impl UserMessage {
    /// A prompt with this content: a text, or blocks.
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
        // The agent expects the member, and a prompt has no parent.
        message.extra.set("parent_tool_use_id", Json::null());
        message
    }

    /// A prompt with this text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(text.into())
    }

    /// Adds a content block behind what is there: an image, a document, a
    /// text.
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
        let mut blocks = match self.message.content.take() {
            Some(Content::Blocks(blocks)) => blocks,
            Some(Content::Text(text)) => vec![ContentBlock::text(text)],
            None => vec![],
        };
        blocks.push(block.into());
        self.message.content = Some(Content::Blocks(blocks));
        self
    }

    /// Whether the model is asked. `false` only adds the message to the
    /// conversation: the agent answers with a result of no turns.
    #[must_use]
    pub fn should_query(mut self, should_query: bool) -> Self {
        self.should_query = Some(should_query);
        self
    }

    /// Says that a program wrote it, and not a person.
    #[must_use]
    pub fn synthetic(mut self) -> Self {
        self.is_synthetic = Some(true);
        self
    }

    /// Sets when the agent is to take it up.
    #[must_use]
    pub fn priority(mut self, priority: Priority) -> Self {
        self.priority = Some(priority);
        self
    }

    /// Sets the message's id.
    #[must_use]
    pub fn uuid(mut self, uuid: impl Into<String>) -> Self {
        self.uuid = Some(uuid.into());
        self
    }

    /// Has the agent take the text as it is: `@path` is not replaced by a
    /// file's text, and a leading `/word` is no command. For every text that
    /// a person did not type at this agent.
    #[must_use]
    pub fn verbatim(mut self) -> Self {
        self.client_composed = Some(true);
        self
    }

    /// The content's blocks; none when it is just a text.
    #[must_use]
    pub fn blocks(&self) -> &[ContentBlock] {
        self.message.content.as_ref().map_or(&[], Content::blocks)
    }
}

impl From<&str> for UserMessage {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<String> for UserMessage {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

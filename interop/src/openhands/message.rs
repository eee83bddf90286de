//! OpenHands' message.

use super::{Content, MessageToolCall};
use crate::lenient::lenient_union;
use crate::{Encrypted, TextOr};
use agentwire_protocol::open::{object, open_enum};
use std::borrow::Cow;

object! {
    /// A message.
    pub struct Message {
        /// Who says it.
        pub role: Role,
        /// What is said. A text stands for a list with one text, nothing for
        /// an empty list.
        pub content: Option<TextOr<Vec<Content>>>,
        /// The tools that the model calls.
        pub tool_calls: Option<Vec<MessageToolCall>>,
        /// The call that a tool answers.
        pub tool_call_id: Option<String>,
        /// The tool that answers.
        pub name: Option<String>,
        /// What the model thought, from models that tell it.
        pub reasoning_content: Option<String>,
        /// What the model thought, as the Messages API has it.
        pub thinking_blocks: Option<Vec<ThinkingBlock>>,
        /// What the model thought, as Responses has it.
        pub responses_reasoning_item: Option<ReasoningItem>,
        /// In old messages; a member of [`ChatOptions`](super::ChatOptions) now.
        pub cache_enabled: Option<bool>,
        /// In old messages; a member of [`ChatOptions`](super::ChatOptions) now.
        pub vision_enabled: Option<bool>,
        /// In old messages; a member of [`ChatOptions`](super::ChatOptions) now.
        pub function_calling_enabled: Option<bool>,
        /// In old messages; a member of [`ChatOptions`](super::ChatOptions) now.
        pub force_string_serializer: Option<bool>,
        /// In old messages; a member of [`ChatOptions`](super::ChatOptions) now.
        pub send_reasoning_content: Option<bool>,
    }
}

open_enum! {
    /// Who says something.
    pub enum Role {
        /// A user.
        User = "user",
        /// The program, beside the conversation.
        System = "system",
        /// The model.
        Assistant = "assistant",
        /// A tool.
        Tool = "tool",
    }
}

lenient_union! {
    /// What the model thought, as the Messages API has it. It needs no `type`.
    pub enum ThinkingBlock {
        /// Thinking.
        "thinking" or "thinking" => Thinking(Thinking),
        /// Encrypted thinking.
        "redacted_thinking" or "data" => Redacted(RedactedThinking),
    }
}

object! {
    /// Thinking.
    pub struct Thinking {
        /// `thinking`, or nothing.
        pub kind: Option<String> = "type",
        /// The thinking.
        pub thinking: String,
        /// The API's signature, without which it does not take thinking back.
        pub signature: Option<String>,
    }
}

object! {
    /// Encrypted thinking.
    pub struct RedactedThinking {
        /// `redacted_thinking`, or nothing.
        pub kind: Option<String> = "type",
        /// The encrypted thinking.
        pub data: String,
    }
}

object! {
    /// What the model thought, as Responses has it.
    #[derive(Default)]
    pub struct ReasoningItem {
        /// The id of the item.
        pub id: Option<String>,
        /// Its summary.
        pub summary: Option<Vec<String>>,
        /// The thoughts themselves, from models that tell them.
        pub content: Option<Vec<String>>,
        /// All of it, encrypted.
        pub encrypted_content: Option<Encrypted>,
        /// How far it is.
        pub status: Option<String>,
    }
}

impl Message {
    /// A message in which nothing is said yet.
    #[must_use]
    pub fn new(role: Role) -> Self {
        Self {
            role,
            content: None,
            tool_calls: None,
            tool_call_id: None,
            name: None,
            reasoning_content: None,
            thinking_blocks: None,
            responses_reasoning_item: None,
            cache_enabled: None,
            vision_enabled: None,
            function_calling_enabled: None,
            force_string_serializer: None,
            send_reasoning_content: None,
            extra: Default::default(),
        }
    }

    /// Its contents as a list: a text is one content.
    #[must_use]
    pub fn contents(&self) -> Cow<'_, [Content]> {
        match &self.content {
            None => Cow::Borrowed(&[]),
            Some(TextOr::Text(text)) => Cow::Owned(vec![Content::text(text)]),
            Some(TextOr::Other(contents)) => Cow::Borrowed(contents),
        }
    }

    /// Whether one of its contents is an image.
    #[must_use]
    pub fn contains_image(&self) -> bool {
        match &self.content {
            Some(TextOr::Other(contents)) => contents.iter().any(|it| it.as_image().is_some()),
            _ => false,
        }
    }
}

impl ThinkingBlock {
    /// Thinking, with its signature where it has one.
    pub fn thinking(thinking: impl Into<String>, signature: Option<String>) -> Self {
        Self::Thinking(Thinking {
            kind: Some("thinking".to_owned()),
            thinking: thinking.into(),
            signature,
            extra: Default::default(),
        })
    }

    /// Encrypted thinking.
    pub fn redacted(data: impl Into<String>) -> Self {
        Self::Redacted(RedactedThinking {
            kind: Some("redacted_thinking".to_owned()),
            data: data.into(),
            extra: Default::default(),
        })
    }
}

//! The messages of OpenHands.

use super::{Content, MessageToolCall};
use crate::lenient::lenient_union;
use crate::{Encrypted, TextOr};
use agentwire_protocol::open::{object, open_enum};
use std::borrow::Cow;

object! {
    /// A message.
    pub struct Message {
        /// The role.
        pub role: Role,
        /// The content. A text stands for a list with one text. Default: empty.
        pub content: Option<TextOr<Vec<Content>>>,
        /// The tool calls.
        pub tool_calls: Option<Vec<MessageToolCall>>,
        /// The ID of the call, for a result.
        pub tool_call_id: Option<String>,
        /// The name of the tool, for a result.
        pub name: Option<String>,
        /// The reasoning.
        pub reasoning_content: Option<String>,
        /// The reasoning as blocks of the Messages API.
        pub thinking_blocks: Option<Vec<ThinkingBlock>>,
        /// The reasoning as an item of Responses.
        pub responses_reasoning_item: Option<ReasoningItem>,
        /// Whether prompts are cached. Deprecated by [`ChatOptions`](super::ChatOptions).
        pub cache_enabled: Option<bool>,
        /// Whether the model sees images. Deprecated by [`ChatOptions`](super::ChatOptions).
        pub vision_enabled: Option<bool>,
        /// Whether the model calls functions. Deprecated by [`ChatOptions`](super::ChatOptions).
        pub function_calling_enabled: Option<bool>,
        /// Whether content is a text. Deprecated by [`ChatOptions`](super::ChatOptions).
        pub force_string_serializer: Option<bool>,
        /// Whether reasoning is sent back. Deprecated by [`ChatOptions`](super::ChatOptions).
        pub send_reasoning_content: Option<bool>,
    }
}

open_enum! {
    /// The role of a message.
    pub enum Role {
        /// A user.
        User = "user",
        /// The system.
        System = "system",
        /// The model.
        Assistant = "assistant",
        /// A tool.
        Tool = "tool",
    }
}

lenient_union! {
    /// Thinking of the Messages API, with an optional `type`.
    pub enum ThinkingBlock {
        /// Thinking.
        "thinking" or "thinking" => Thinking(Thinking),
        /// Redacted thinking.
        "redacted_thinking" or "data" => Redacted(RedactedThinking),
    }
}

object! {
    /// Thinking.
    pub struct Thinking {
        /// The type, `thinking`. Optional.
        pub kind: Option<String> = "type",
        /// The thinking.
        pub thinking: String,
        /// The signature. The API accepts only signed thinking.
        pub signature: Option<String>,
    }
}

object! {
    /// Redacted thinking.
    pub struct RedactedThinking {
        /// The type, `redacted_thinking`. Optional.
        pub kind: Option<String> = "type",
        /// The encrypted data.
        pub data: String,
    }
}

object! {
    /// The reasoning as an item of Responses.
    #[derive(Default)]
    pub struct ReasoningItem {
        /// The ID of the item.
        pub id: Option<String>,
        /// The summary.
        pub summary: Option<Vec<String>>,
        /// The reasoning itself.
        pub content: Option<Vec<String>>,
        /// The encrypted reasoning.
        pub encrypted_content: Option<Encrypted>,
        /// The status.
        pub status: Option<String>,
    }
}

impl Message {
    /// Creates an empty message.
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

    /// Returns the contents as a list.
    #[must_use]
    pub fn contents(&self) -> Cow<'_, [Content]> {
        match &self.content {
            None => Cow::Borrowed(&[]),
            Some(TextOr::Text(text)) => Cow::Owned(vec![Content::text(text)]),
            Some(TextOr::Other(contents)) => Cow::Borrowed(contents),
        }
    }

    /// Returns whether the message contains an image.
    #[must_use]
    pub fn contains_image(&self) -> bool {
        match &self.content {
            Some(TextOr::Other(contents)) => contents.iter().any(|it| it.as_image().is_some()),
            _ => false,
        }
    }
}

impl ThinkingBlock {
    /// Creates a thinking block.
    pub fn thinking(thinking: impl Into<String>, signature: Option<String>) -> Self {
        Self::Thinking(Thinking {
            kind: Some("thinking".to_owned()),
            thinking: thinking.into(),
            signature,
            extra: Default::default(),
        })
    }

    /// Creates a redacted thinking block.
    pub fn redacted(data: impl Into<String>) -> Self {
        Self::Redacted(RedactedThinking {
            kind: Some("redacted_thinking".to_owned()),
            data: data.into(),
            extra: Default::default(),
        })
    }
}

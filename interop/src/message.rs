//! The message that all systems convert to and from.

use agentwire_protocol::content::{Content, ContentBlock};
use agentwire_protocol::message::{AssistantBody, AssistantMessage, UserMessage};
use agentwire_protocol::open::{object, union};
use std::borrow::Cow;

union! {
    /// A message of a conversation with an agent CLI, as on the wire. A message of the assistant
    /// has all of its blocks.
    pub enum Message by "type" {
        /// A system prompt, which is not on the wire.
        "instructions" => Instructions(Instructions),
        /// A user message, or results of tools.
        "user" => User(Box<UserMessage>),
        /// A message of the model.
        "assistant" => Assistant(Box<AssistantMessage>),
    }
}

object! {
    /// A system prompt.
    pub struct Instructions tags("type" = "instructions") {
        /// The text.
        pub text: String,
    }
}

impl Message {
    /// Creates a system prompt.
    pub fn instructions(text: impl Into<String>) -> Self {
        Self::Instructions(Instructions {
            text: text.into(),
            extra: Default::default(),
        })
    }

    /// Creates a user message, or results of tools.
    pub fn user(content: impl Into<Content>) -> Self {
        let mut message = UserMessage::default();
        message.message.content = Some(content.into());
        Self::User(Box::new(message))
    }

    /// Creates a message of the model.
    pub fn assistant(blocks: Vec<ContentBlock>) -> Self {
        let mut body = AssistantBody::default();
        body.role = Some("assistant".to_owned());
        body.content = blocks;
        let mut message = AssistantMessage::default();
        message.message = Box::new(body);
        Self::Assistant(Box::new(message))
    }

    /// Removes unsigned thinking, which the Messages API does not accept. The reasoning of another
    /// system becomes unsigned thinking.
    ///
    /// ```
    /// use agentwire_interop::Message;
    /// use agentwire_protocol::content::ContentBlock;
    ///
    /// let thought = ContentBlock::thinking("Hm.");
    /// let message = Message::assistant(vec![thought, ContentBlock::text("Yes.")]);
    /// assert_eq!(message.without_unsigned_thinking().blocks().len(), 1);
    /// ```
    #[must_use]
    pub fn without_unsigned_thinking(mut self) -> Self {
        if let Self::Assistant(message) = &mut self {
            message.message.content.retain(|block| match block {
                ContentBlock::Thinking(thinking) => thinking.signature.is_some(),
                _ => true,
            });
        }
        self
    }

    /// Returns the content as blocks. Instructions and unknown messages have none.
    #[must_use]
    pub fn blocks(&self) -> Cow<'_, [ContentBlock]> {
        match self {
            Self::User(message) => message.blocks(),
            Self::Assistant(message) => Cow::Borrowed(&message.message.content),
            Self::Instructions(_) | Self::Unknown(_) => Cow::Borrowed(&[]),
        }
    }
}

//! A message of ours: what every other system's messages are made of and
//! made into.

use agentwire_protocol::content::{Content, ContentBlock};
use agentwire_protocol::message::{AssistantBody, AssistantMessage, UserMessage};
use agentwire_protocol::open::{object, union};
use std::borrow::Cow;

union! {
    /// One message of a conversation with an agent CLI.
    ///
    /// Users' and assistants' messages are those of the wire. An assistant's
    /// message is a whole one: on the wire each of its blocks is a message of
    /// its own.
    pub enum Message by "type" {
        /// What the model is told beside the conversation. It is not on the
        /// wire, where a session has it as an option.
        "instructions" => Instructions(Instructions),
        /// What a user said, or tools answered.
        "user" => User(Box<UserMessage>),
        /// What the model said.
        "assistant" => Assistant(Box<AssistantMessage>),
    }
}

object! {
    /// What the model is told beside the conversation: a system prompt.
    pub struct Instructions tags("type" = "instructions") {
        /// The text.
        pub text: String,
    }
}

impl Message {
    /// A system prompt.
    pub fn instructions(text: impl Into<String>) -> Self {
        Self::Instructions(Instructions {
            text: text.into(),
            extra: Default::default(),
        })
    }

    /// What a user said, or tools answered: a text, or blocks.
    pub fn user(content: impl Into<Content>) -> Self {
        let mut message = UserMessage::default();
        message.message.content = Some(content.into());
        Self::User(Box::new(message))
    }

    /// What the model said, as blocks.
    pub fn assistant(blocks: Vec<ContentBlock>) -> Self {
        let mut body = AssistantBody::default();
        body.role = Some("assistant".to_owned());
        body.content = blocks;
        let mut message = AssistantMessage::default();
        message.message = Box::new(body);
        Self::Assistant(Box::new(message))
    }

    /// Leaves out thinking that nobody signed: the Messages API does not take
    /// it. What another system called reasoning is such thinking here.
    ///
    /// ```
    /// use agentwire_interop::Message;
    /// use agentwire_protocol::content::ContentBlock;
    ///
    /// let thought = ContentBlock::thinking("Hm.");
    /// let said = Message::assistant(vec![thought, ContentBlock::text("Yes.")]);
    /// assert_eq!(said.without_unsigned_thinking().blocks().len(), 1);
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

    /// Its content as blocks: a text is one block; instructions, and messages
    /// of a kind that nobody knows, have none.
    #[must_use]
    pub fn blocks(&self) -> Cow<'_, [ContentBlock]> {
        match self {
            Self::User(message) => message.blocks(),
            Self::Assistant(message) => Cow::Borrowed(&message.message.content),
            Self::Instructions(_) | Self::Unknown(_) => Cow::Borrowed(&[]),
        }
    }
}

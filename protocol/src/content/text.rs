//! Text, thinking, and the content that is a text or blocks.

use super::{CacheControl, Citation, ContentBlock};
use crate::open::{Error, Field, Form, Reader, Written, deserialize, object, serialize_written};
#[cfg(feature = "audit")]
use crate::untyped::{Pointer, Untyped};

use serde::{Deserialize, Deserializer};

object! {
    /// Text.
    pub struct TextBlock tags("type" = "text") {
        /// The text.
        pub text: String,
        /// The citations in the text.
        pub citations: Option<Vec<Citation>>,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// The model's thinking.
    pub struct ThinkingBlock tags("type" = "thinking") {
        /// The thinking.
        pub thinking: String,
        /// The API's signature. The API rejects thinking without it.
        pub signature: Option<String>,
    }
}

object! {
    /// Thinking that the API returns encrypted.
    pub struct RedactedThinkingBlock tags("type" = "redacted_thinking") {
        /// The encrypted thinking.
        pub data: String,
    }
}

/// The content of a message or of a tool result: a text, or blocks.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Just a text.
    Text(String),
    /// Blocks, in order.
    Blocks(Vec<ContentBlock>),
}

impl Content {
    /// Returns all text; the texts of several blocks are joined by newlines.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Blocks(blocks) => {
                let texts: Vec<&str> = blocks.iter().filter_map(ContentBlock::as_text).collect();
                texts.join("\n")
            }
        }
    }

    /// Returns the blocks; empty if the content is a text.
    #[must_use]
    pub fn blocks(&self) -> &[ContentBlock] {
        match self {
            Self::Text(_) => &[],
            Self::Blocks(blocks) => blocks,
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<ContentBlock>> for Content {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        Self::Blocks(blocks)
    }
}

impl Field for Content {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        *self = match reader.peek() {
            Some(b'"') => Self::Text(reader.value()?),
            Some(b'[') => Self::Blocks(reader.value()?),
            _ => return Err(reader.unexpected("a string or a list of content blocks")),
        };
        Ok(())
    }

    fn empty() -> Self {
        Self::Text(String::new())
    }
}

#[cfg(feature = "schema")]
crate::schema::one_of!(Content = "The content of a message or of a tool result: a text, or blocks.": String, Vec<ContentBlock>);

#[cfg(feature = "audit")]
impl Untyped for Content {
    fn collect_untyped(&self, at: &mut Pointer, found: &mut Vec<String>) {
        if let Self::Blocks(blocks) = self {
            blocks.collect_untyped(at, found);
        }
    }
}

impl Written for Content {
    fn form(&self) -> Form<'_> {
        match self {
            Self::Text(text) => Form::Text(text),
            Self::Blocks(blocks) => blocks.form(),
        }
    }
}

serialize_written!(Content);

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer)
    }
}

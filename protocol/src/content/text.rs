//! Text, thinking, and the content type that holds a text or blocks.

use super::{CacheControl, Citation, ContentBlock, ToolResultBlock};
use crate::open::{choice, object};

use std::borrow::Cow;

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
        /// The API's signature. The API rejects thinking without a signature.
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

/// The content of a message or of a tool result.
pub enum Content {
    /// A text without blocks.
    Text(String),
    /// Blocks, in order.
    Blocks(Vec<ContentBlock>),
}

impl Content {
    /// Returns all text. The texts of several blocks are joined by newlines.
    #[must_use]
    pub fn text(&self) -> String {
        self.texts().collect::<Vec<_>>().join("\n")
    }

    /// Returns an iterator over the text, or over the texts of the blocks.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let (text, blocks) = self.parts();
        text.into_iter()
            .chain(blocks.iter().filter_map(ContentBlock::as_text))
    }

    /// Returns an iterator over the tool results. A text has none.
    pub fn tool_results(&self) -> impl Iterator<Item = &ToolResultBlock> {
        let (_, blocks) = self.parts();
        blocks.iter().filter_map(ContentBlock::as_tool_result)
    }

    /// Returns the blocks. A text is converted to one text block.
    ///
    /// ```
    /// use agentwire_protocol::content::{Content, ContentBlock};
    ///
    /// let content = Content::from("Hello");
    /// assert_eq!(*content.blocks(), [ContentBlock::text("Hello")]);
    /// ```
    #[must_use]
    pub fn blocks(&self) -> Cow<'_, [ContentBlock]> {
        match self {
            Self::Text(text) => Cow::Owned(vec![ContentBlock::text(text)]),
            Self::Blocks(blocks) => Cow::Borrowed(blocks),
        }
    }

    /// Returns the blocks. A text is converted to one text block.
    #[must_use]
    pub fn into_blocks(self) -> Vec<ContentBlock> {
        match self {
            Self::Text(text) => vec![ContentBlock::text(text)],
            Self::Blocks(blocks) => blocks,
        }
    }

    fn parts(&self) -> (Option<&str>, &[ContentBlock]) {
        match self {
            Self::Text(text) => (Some(text), &[]),
            Self::Blocks(blocks) => (None, blocks),
        }
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Content {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
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

choice! {
    Content by |reader| match reader.peek() {
        Some(b'"') => Ok(0),
        Some(b'[') => Ok(1),
        _ => Err(reader.unexpected("a string or a list of content blocks")),
    };
    untyped None;
    Text(String), Blocks(Vec<ContentBlock>),
}

#[cfg(feature = "schema")]
crate::schema::one_of!(Content = "The content of a message or of a tool result: a text, or blocks.": String, Vec<ContentBlock>);

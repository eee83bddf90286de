//! Fetching pages and searching the web.

use super::artifact::ArtifactRead;
use crate::json::Number;
use crate::open::{Error, Field, Form, Reader, Written, deserialize, object, serialize_written};
#[cfg(feature = "audit")]
use crate::untyped::{Pointer, Untyped};
use serde::{Deserialize, Deserializer};

object! {
    /// A page to fetch.
    pub struct WebFetchInput {
        /// Where it is.
        pub url: String,
        /// What a model is to make of it.
        pub prompt: String,
        /// The character of the page's text to begin with.
        pub offset: Option<u64>,
    }
}

object! {
    /// What came of fetching a page.
    pub struct WebFetchOutput {
        /// Bytes that were fetched.
        pub bytes: Option<u64>,
        /// The status code of HTTP.
        pub code: Option<u64>,
        /// The status code in words.
        pub code_text: Option<String> = "codeText",
        /// What a model made of the page.
        pub result: String,
        /// Milliseconds that it took.
        pub duration_ms: Option<Number> = "durationMs",
        /// Where the page is.
        pub url: Option<String>,
        /// The artifact that the page is.
        pub artifact_read: Option<ArtifactRead> = "artifactRead",
    }
}

object! {
    /// Something to look for on the web.
    pub struct WebSearchInput {
        /// What to look for.
        pub query: String,
        /// Where only.
        pub allowed_domains: Option<Vec<String>>,
        /// Where not.
        pub blocked_domains: Option<Vec<String>>,
    }
}

object! {
    /// What was found on the web.
    pub struct WebSearchOutput {
        /// What was looked for.
        pub query: Option<String>,
        /// What was found, with what the model said between.
        pub results: Vec<WebSearchItem>,
        /// Seconds that it took.
        pub duration_seconds: Option<Number> = "durationSeconds",
        /// How many searches it took.
        pub search_count: Option<u64> = "searchCount",
    }
}

/// A part of what a web search gave.
#[derive(Debug, Clone, PartialEq)]
pub enum WebSearchItem {
    /// Pages.
    Hits(WebSearchHits),
    /// What the model said.
    Text(String),
}

object! {
    /// The pages that one search found.
    pub struct WebSearchHits {
        /// The call of the API's search.
        pub tool_use_id: Option<String>,
        /// The pages.
        pub content: Vec<WebSearchHit>,
    }
}

object! {
    /// A page that was found.
    pub struct WebSearchHit {
        /// Its title.
        pub title: Option<String>,
        /// Where it is.
        pub url: String,
        /// Text of it. Hooks get it, and a message does not.
        pub snippet: Option<String>,
    }
}

impl Written for WebSearchItem {
    fn form(&self) -> Form<'_> {
        match self {
            Self::Hits(hits) => hits.form(),
            Self::Text(text) => Form::Text(text),
        }
    }
}

serialize_written!(WebSearchItem);

impl<'de> Deserialize<'de> for WebSearchItem {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer)
    }
}

impl Field for WebSearchItem {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        *self = match reader.peek() {
            Some(b'"') => Self::Text(reader.value()?),
            Some(b'{') => Self::Hits(reader.value()?),
            _ => return Err(reader.unexpected("pages or a text")),
        };
        Ok(())
    }

    fn empty() -> Self {
        Self::Text(String::new())
    }
}

#[cfg(feature = "schema")]
crate::schema::one_of!(WebSearchItem = "Pages that were found, or a text.": WebSearchHits, String);

#[cfg(feature = "audit")]
impl Untyped for WebSearchItem {
    fn collect_untyped(&self, at: &mut Pointer, found: &mut Vec<String>) {
        if let Self::Hits(hits) = self {
            hits.collect_untyped(at, found);
        }
    }
}

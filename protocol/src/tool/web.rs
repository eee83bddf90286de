//! Tools that fetch pages and search the web.

use super::artifact::ArtifactRead;
use crate::json::Number;
use crate::open::{choice, object};

object! {
    /// The input of `WebFetch`.
    pub struct WebFetchInput {
        /// The URL.
        pub url: String,
        /// The prompt that a model runs on the page.
        pub prompt: String,
        /// The offset in the page's text at which the content starts, in
        /// characters.
        pub offset: Option<u64>,
    }
}

object! {
    /// The output of `WebFetch`.
    pub struct WebFetchOutput {
        /// The number of fetched bytes.
        pub bytes: Option<u64>,
        /// The HTTP status code.
        pub code: Option<u64>,
        /// The text of the HTTP status.
        pub code_text: Option<String> = "codeText",
        /// The model's response to the prompt.
        pub result: String,
        /// The duration in milliseconds.
        pub duration_ms: Option<Number> = "durationMs",
        /// The URL of the page.
        pub url: Option<String>,
        /// The version of the artifact that was read, if the page is an
        /// artifact.
        pub artifact_read: Option<ArtifactRead> = "artifactRead",
    }
}

object! {
    /// The input of `WebSearch`.
    pub struct WebSearchInput {
        /// The query.
        pub query: String,
        /// The domains to search. If set, no other domains are searched.
        pub allowed_domains: Option<Vec<String>>,
        /// The domains to exclude.
        pub blocked_domains: Option<Vec<String>>,
    }
}

object! {
    /// The output of `WebSearch`.
    pub struct WebSearchOutput {
        /// The query.
        pub query: Option<String>,
        /// The results, interleaved with text of the model.
        pub results: Vec<WebSearchItem>,
        /// The duration in seconds.
        pub duration_seconds: Option<Number> = "durationSeconds",
        /// The number of searches.
        pub search_count: Option<u64> = "searchCount",
    }
}

/// An item of a web search's results.
pub enum WebSearchItem {
    /// Pages of a search.
    Hits(WebSearchHits),
    /// Text of the model.
    Text(String),
}

object! {
    /// The pages found by one search.
    pub struct WebSearchHits {
        /// The ID of the API's search call.
        pub tool_use_id: Option<String>,
        /// The pages.
        pub content: Vec<WebSearchHit>,
    }
}

object! {
    /// A page in the search results.
    pub struct WebSearchHit {
        /// The title.
        pub title: Option<String>,
        /// The URL.
        pub url: String,
        /// An excerpt. Hooks receive it; messages omit it.
        pub snippet: Option<String>,
    }
}

choice! {
    WebSearchItem by |reader| match reader.peek() {
        Some(b'"') => Ok(0),
        Some(b'{') => Ok(1),
        _ => Err(reader.unexpected("pages or a text")),
    };
    untyped None;
    Text(String), Hits(WebSearchHits),
}

#[cfg(feature = "schema")]
crate::schema::one_of!(WebSearchItem = "Pages that were found, or a text.": WebSearchHits, String);

//! Results of the API's web search and web fetch.

use super::ContentBlock;
use crate::json::Json;
use crate::open::{choice, object, open_enum, string_of, union};

/// The results of the API's web search, or an error.
///
/// On the wire, results are a list and an error is an object.
#[non_exhaustive]
pub enum WebSearchContent {
    /// The pages that the search found.
    Results(Vec<WebSearchFinding>),
    /// The search failed.
    Error(WebSearchError),
    /// A form unknown to this version.
    Unknown(Json),
}

choice! {
    WebSearchContent by |reader| {
        if reader.peek() == Some(b'[') {
            return Ok(1);
        }
        match string_of(reader.look_for("type")?).as_deref() {
            Some("web_search_tool_result_error") => Ok(2),
            _ => Ok(0),
        }
    };
    untyped Some(0);
    Unknown(Json), Results(Vec<WebSearchFinding>), Error(WebSearchError),
}

#[cfg(feature = "schema")]
crate::schema::one_of!(WebSearchContent = "The results of the API's web search, or an error.": Vec<WebSearchFinding>, WebSearchError, crate::json::Members);

union! {
    /// A finding of a web search.
    pub enum WebSearchFinding by "type" {
        /// A page.
        "web_search_result" => Page(WebSearchResult),
    }
}

object! {
    /// A page that a web search found.
    pub struct WebSearchResult tags("type" = "web_search_result") {
        /// The URL of the page.
        pub url: String,
        /// The title of the page.
        pub title: Option<String>,
        /// The content, encrypted so that only the API can read it.
        pub encrypted_content: Option<String>,
        /// The last change of the page, as text.
        pub page_age: Option<String>,
    }
}

object! {
    /// The error of a web search.
    pub struct WebSearchError tags("type" = "web_search_tool_result_error") {
        /// The error code.
        pub error_code: WebSearchErrorCode,
    }
}

open_enum! {
    /// How a web search failed.
    pub enum WebSearchErrorCode {
        /// The input is invalid.
        InvalidToolInput = "invalid_tool_input",
        /// The tool is unavailable.
        Unavailable = "unavailable",
        /// The usage limit was reached.
        MaxUsesExceeded = "max_uses_exceeded",
        /// Too many requests.
        TooManyRequests = "too_many_requests",
        /// The search query is too long.
        QueryTooLong = "query_too_long",
        /// The request is too large.
        RequestTooLarge = "request_too_large",
    }
}

union! {
    /// The result of the API's web fetch, or an error.
    pub enum WebFetchContent by "type" {
        /// The page.
        "web_fetch_result" => Result(WebFetchResult),
        /// The fetch failed.
        "web_fetch_tool_result_error" => Error(WebFetchError),
    }
}

object! {
    /// A page that was fetched.
    pub struct WebFetchResult tags("type" = "web_fetch_result"); boxed {
        /// The URL of the page.
        pub url: String,
        /// The content, a [`DocumentBlock`](super::DocumentBlock).
        pub content: Box<ContentBlock>,
        /// The time of the fetch, as ISO 8601.
        pub retrieved_at: Option<String>,
    }
}

object! {
    /// The error of a web fetch.
    pub struct WebFetchError tags("type" = "web_fetch_tool_result_error") {
        /// The error code.
        pub error_code: WebFetchErrorCode,
    }
}

open_enum! {
    /// How a web fetch failed.
    pub enum WebFetchErrorCode {
        /// The input is invalid.
        InvalidToolInput = "invalid_tool_input",
        /// The URL is too long.
        UrlTooLong = "url_too_long",
        /// The URL may not be fetched.
        UrlNotAllowed = "url_not_allowed",
        /// The URL did not occur in the conversation.
        UrlNotInPriorContext = "url_not_in_prior_context",
        /// The page cannot be reached.
        UrlNotAccessible = "url_not_accessible",
        /// The page is of a kind that cannot be read.
        UnsupportedContentType = "unsupported_content_type",
        /// Too many requests.
        TooManyRequests = "too_many_requests",
        /// The usage limit was reached.
        MaxUsesExceeded = "max_uses_exceeded",
        /// The tool is unavailable.
        Unavailable = "unavailable",
        /// The page is too large.
        ContentTooLarge = "content_too_large",
    }
}

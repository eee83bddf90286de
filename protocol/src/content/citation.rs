//! A citation in a text.

use crate::open::{object, union};

union! {
    /// A citation in a text.
    pub enum Citation by "type" {
        /// Characters of a document.
        "char_location" => CharLocation(CharLocation),
        /// Pages of a document.
        "page_location" => PageLocation(PageLocation),
        /// Content blocks of a document.
        "content_block_location" => ContentBlockLocation(ContentBlockLocation),
        /// A page that the API's web search found.
        "web_search_result_location" => WebSearchResultLocation(WebSearchResultLocation),
        /// A search result from the host.
        "search_result_location" => SearchResultLocation(SearchResultLocation),
    }
}

object! {
    /// Characters of a document.
    pub struct CharLocation tags("type" = "char_location") {
        /// The cited text.
        pub cited_text: String,
        /// The index of the document, counted from 0.
        pub document_index: u64,
        /// The document's title.
        pub document_title: Option<String>,
        /// The document's id at the API.
        pub file_id: Option<String>,
        /// The index of the first character.
        pub start_char_index: u64,
        /// The index after the last character.
        pub end_char_index: u64,
    }
}

object! {
    /// Pages of a document.
    pub struct PageLocation tags("type" = "page_location") {
        /// The cited text.
        pub cited_text: String,
        /// The index of the document, counted from 0.
        pub document_index: u64,
        /// The document's title.
        pub document_title: Option<String>,
        /// The document's id at the API.
        pub file_id: Option<String>,
        /// The number of the first page, counted from 1.
        pub start_page_number: u64,
        /// The number of the page after the last cited one.
        pub end_page_number: u64,
    }
}

object! {
    /// Content blocks of a document.
    pub struct ContentBlockLocation tags("type" = "content_block_location") {
        /// The cited text.
        pub cited_text: String,
        /// The index of the document, counted from 0.
        pub document_index: u64,
        /// The document's title.
        pub document_title: Option<String>,
        /// The document's id at the API.
        pub file_id: Option<String>,
        /// The index of the first block.
        pub start_block_index: u64,
        /// The index after the last block.
        pub end_block_index: u64,
    }
}

object! {
    /// A page that the API's web search found.
    pub struct WebSearchResultLocation tags("type" = "web_search_result_location") {
        /// The cited text.
        pub cited_text: String,
        /// The page's title.
        pub title: Option<String>,
        /// The URL of the page.
        pub url: String,
        /// The API's encrypted index of the position.
        pub encrypted_index: String,
    }
}

object! {
    /// A search result from the host.
    pub struct SearchResultLocation tags("type" = "search_result_location") {
        /// The cited text.
        pub cited_text: String,
        /// The index of the search result, counted from 0.
        pub search_result_index: u64,
        /// The source.
        pub source: String,
        /// The title of the source.
        pub title: Option<String>,
        /// The index of the first block.
        pub start_block_index: u64,
        /// The index after the last block.
        pub end_block_index: u64,
    }
}

object! {
    /// The configuration of citations.
    pub struct CitationsConfig {
        /// Whether the model may cite the block.
        pub enabled: Option<bool>,
    }
}

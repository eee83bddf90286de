//! Images, documents and search results, and where they are.

use super::{CacheControl, CitationsConfig, Content, ContentBlock};
use crate::open::{object, open_enum, union};

object! {
    /// An image.
    pub struct ImageBlock tags("type" = "image") {
        /// Where the image is.
        pub source: Source,
        /// What the API may do to it.
        pub transformations: Option<ImageTransformations>,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// What the API may do to an image.
    #[derive(Default)]
    pub struct ImageTransformations {
        /// What it does to one that is too large for the model.
        pub oversized_image: Option<OversizedImage>,
    }
}

open_enum! {
    /// What the API does to an image that is too large for the model.
    pub enum OversizedImage {
        /// It makes it smaller, without a word.
        Downsize = "downsize",
        /// It refuses the request.
        Error = "error",
    }
}

object! {
    /// A document.
    pub struct DocumentBlock tags("type" = "document") {
        /// Where the document is.
        pub source: Source,
        /// Its title.
        pub title: Option<String>,
        /// What the model is told about it.
        pub context: Option<String>,
        /// Whether the model may cite it.
        pub citations: Option<CitationsConfig>,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// A search result that the host gives.
    pub struct SearchResultBlock tags("type" = "search_result") {
        /// What was found.
        pub content: Vec<ContentBlock>,
        /// Where it was found.
        pub source: String,
        /// Its title.
        pub title: String,
        /// Whether the model may cite it.
        pub citations: Option<CitationsConfig>,
        /// Where the API may cache the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

union! {
    /// Where an image or a document is.
    pub enum Source by "type" {
        /// In the block itself, as base64.
        "base64" => Base64(Base64Source),
        /// At a URL.
        "url" => Url(UrlSource),
        /// Among the files that were uploaded to the API.
        "file" => File(FileSource),
        /// In the block itself, as text.
        "text" => Text(TextSource),
        /// In the block itself, as content.
        "content" => Content(ContentSource),
    }
}

object! {
    /// Bytes in the block itself.
    pub struct Base64Source tags("type" = "base64") {
        /// What the bytes are, such as `image/png`.
        pub media_type: String,
        /// The bytes as base64.
        pub data: String,
    }
}

object! {
    /// Something at a URL.
    pub struct UrlSource tags("type" = "url") {
        /// The URL.
        pub url: String,
    }
}

object! {
    /// A file that was uploaded to the API.
    pub struct FileSource tags("type" = "file") {
        /// The file's id at the API.
        pub file_id: String,
    }
}

object! {
    /// Text in the block itself.
    pub struct TextSource tags("type" = "text") {
        /// What the text is: `text/plain`.
        pub media_type: String,
        /// The text.
        pub data: String,
    }
}

object! {
    /// Content in the block itself.
    pub struct ContentSource tags("type" = "content") {
        /// The content.
        pub content: Content,
    }
}

//! Images, documents and search results, and their sources.

use super::{CacheControl, CitationsConfig, Content, ContentBlock};
use crate::open::{object, open_enum, union};
use base64::engine::{Engine, general_purpose::STANDARD};

object! {
    /// An image.
    pub struct ImageBlock tags("type" = "image") {
        /// The source of the image.
        pub source: Source,
        /// How the API may transform the image.
        pub transformations: Option<ImageTransformations>,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// How the API may transform an image.
    #[derive(Default)]
    pub struct ImageTransformations {
        /// How the API handles an image that is too large for the model.
        pub oversized_image: Option<OversizedImage>,
    }
}

open_enum! {
    /// How the API handles an image that is too large for the model.
    pub enum OversizedImage {
        /// The image is downsized without an error.
        Downsize = "downsize",
        /// The request is rejected.
        Error = "error",
    }
}

object! {
    /// A document.
    pub struct DocumentBlock tags("type" = "document") {
        /// The source of the document.
        pub source: Source,
        /// The title of the document.
        pub title: Option<String>,
        /// Context for the model.
        pub context: Option<String>,
        /// Whether the model may cite the document.
        pub citations: Option<CitationsConfig>,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

object! {
    /// A search result that the host provides.
    pub struct SearchResultBlock tags("type" = "search_result") {
        /// The content of the result.
        pub content: Vec<ContentBlock>,
        /// The source.
        pub source: String,
        /// The title of the search result.
        pub title: String,
        /// Whether the model may cite the search result.
        pub citations: Option<CitationsConfig>,
        /// A cache breakpoint for the prompt.
        pub cache_control: Option<CacheControl>,
    }
}

union! {
    /// The source of an image or a document.
    pub enum Source by "type" {
        /// Bytes in the block itself, as base64.
        "base64" => Base64(Base64Source),
        /// A resource at a URL.
        "url" => Url(UrlSource),
        /// A file uploaded to the API.
        "file" => File(FileSource),
        /// Text in the block itself.
        "text" => Text(TextSource),
        /// Content blocks in the block itself.
        "content" => Content(ContentSource),
    }
}

object! {
    /// Bytes in the block itself.
    pub struct Base64Source tags("type" = "base64") {
        /// The media type, such as `image/png`.
        pub media_type: String,
        /// The bytes as base64.
        pub data: String,
    }
}

object! {
    /// A resource at a URL.
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
        /// The media type: `text/plain`.
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

/// The `data` of a [`Base64Source`] is not base64.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the data is not base64: {0}")]
pub struct NotBase64(base64::DecodeError);

impl ImageBlock {
    /// Creates an image block from bytes, a URL, or an uploaded file.
    pub fn new(source: impl Into<Source>) -> Self {
        Self {
            source: source.into(),
            transformations: None,
            cache_control: None,
            extra: Default::default(),
        }
    }
}

impl DocumentBlock {
    /// Creates a document block from this source.
    pub fn new(source: impl Into<Source>) -> Self {
        Self {
            source: source.into(),
            title: None,
            context: None,
            citations: None,
            cache_control: None,
            extra: Default::default(),
        }
    }

    /// Sets the title of the document.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets context for the model.
    #[must_use]
    pub fn context(mut self, context: impl Into<String>) -> Self {
        self.context = Some(context.into());
        self
    }

    /// Lets the model cite the document.
    #[must_use]
    pub fn cited(mut self) -> Self {
        self.citations = Some(CitationsConfig {
            enabled: Some(true),
            extra: Default::default(),
        });
        self
    }
}

impl Source {
    /// Creates a source from bytes. The API accepts images of the types
    /// `image/png`, `image/jpeg`, `image/gif` and `image/webp`, and documents
    /// of the type `application/pdf`.
    pub fn bytes(media_type: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        Base64Source::new(media_type, bytes).into()
    }

    /// Creates a source from a URL. The API fetches it.
    pub fn url(url: impl Into<String>) -> Self {
        Self::Url(UrlSource {
            url: url.into(),
            extra: Default::default(),
        })
    }

    /// Creates a source from text, for a document.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextSource {
            media_type: "text/plain".to_owned(),
            data: text.into(),
            extra: Default::default(),
        })
    }

    /// Creates a source from the API's ID of an uploaded file.
    pub fn uploaded(file_id: impl Into<String>) -> Self {
        Self::File(FileSource {
            file_id: file_id.into(),
            extra: Default::default(),
        })
    }
}

impl Base64Source {
    /// Encodes bytes of this media type.
    ///
    /// ```
    /// use agentwire_protocol::content::Base64Source;
    ///
    /// let source = Base64Source::new("image/png", b"\x89PNG");
    /// assert_eq!(source.data, "iVBORw==");
    /// assert_eq!(source.decode()?, b"\x89PNG");
    /// # Ok::<(), agentwire_protocol::content::NotBase64>(())
    /// ```
    pub fn new(media_type: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        Self {
            media_type: media_type.into(),
            data: STANDARD.encode(bytes),
            extra: Default::default(),
        }
    }

    /// Decodes the bytes.
    ///
    /// # Errors
    ///
    /// If the data is not padded base64 of the standard alphabet.
    pub fn decode(&self) -> Result<Vec<u8>, NotBase64> {
        STANDARD.decode(&self.data).map_err(NotBase64)
    }
}

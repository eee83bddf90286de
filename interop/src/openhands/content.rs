//! Content of messages: texts and images.

use crate::chat::{ImagePart, Part, TextPart};
use crate::lenient::lenient_union;
use agentwire_protocol::content::CacheControl;
use agentwire_protocol::open::object;

lenient_union! {
    /// A part of content, with an optional `type`.
    pub enum Content {
        /// Text.
        "text" or "text" => Text(TextContent),
        /// Images.
        "image" or "image_urls" => Image(ImageContent),
    }
}

object! {
    /// Text.
    pub struct TextContent {
        /// Whether the prompt is cached up to this content.
        pub cache_prompt: Option<bool>,
        /// The type, `text`. Optional.
        pub kind: Option<String> = "type",
        /// The text.
        pub text: String,
        /// An option that is deprecated and has no effect.
        pub enable_truncation: Option<bool>,
    }
}

object! {
    /// Images.
    pub struct ImageContent {
        /// Whether the prompt is cached up to this content.
        pub cache_prompt: Option<bool>,
        /// The type, `image`. Optional.
        pub kind: Option<String> = "type",
        /// The URLs, or data URLs.
        pub image_urls: Vec<String>,
    }
}

impl TextContent {
    /// Creates a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            cache_prompt: None,
            kind: Some("text".to_owned()),
            text: text.into(),
            enable_truncation: None,
            extra: Default::default(),
        }
    }

    /// Converts the text to a part of Chat Completions.
    #[must_use]
    pub fn to_llm_dict(&self) -> Part {
        let mut part = TextPart::new(&*self.text);
        part.cache_control = ephemeral(self.cache_prompt);
        part.into()
    }
}

impl ImageContent {
    /// Creates images with these URLs.
    pub fn new(image_urls: Vec<String>) -> Self {
        Self {
            cache_prompt: None,
            kind: Some("image".to_owned()),
            image_urls,
            extra: Default::default(),
        }
    }

    /// Converts each image to a part of Chat Completions. The last part has the cache mark.
    #[must_use]
    pub fn to_llm_dict(&self) -> Vec<Part> {
        let mut images: Vec<_> = self.image_urls.iter().map(ImagePart::new).collect();
        if let Some(last) = images.last_mut() {
            last.cache_control = ephemeral(self.cache_prompt);
        }
        images.into_iter().map(Part::from).collect()
    }
}

impl Content {
    /// Creates a text.
    pub fn text(text: impl Into<String>) -> Self {
        TextContent::new(text).into()
    }

    /// Returns the text, if the content is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&TextContent> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the images, if the content consists of images.
    #[must_use]
    pub fn as_image(&self) -> Option<&ImageContent> {
        match self {
            Self::Image(image) => Some(image),
            _ => None,
        }
    }

    /// Returns whether the prompt is cached up to this content.
    #[must_use]
    pub fn cache_prompt(&self) -> bool {
        let cache_prompt = match self {
            Self::Text(text) => text.cache_prompt,
            Self::Image(image) => image.cache_prompt,
            Self::Unknown(_) => None,
        };
        cache_prompt == Some(true)
    }

    /// Converts the content to parts of Chat Completions. Unknown content is converted to no part.
    #[must_use]
    pub fn to_llm_dict(&self) -> Vec<Part> {
        match self {
            Self::Text(text) => vec![text.to_llm_dict()],
            Self::Image(image) => image.to_llm_dict(),
            Self::Unknown(_) => vec![],
        }
    }
}

/// Returns contents as texts for people. Images are represented by their number.
#[must_use]
pub fn content_to_str(contents: &[Content]) -> Vec<String> {
    contents
        .iter()
        .filter_map(|content| match content {
            Content::Text(text) => Some(text.text.clone()),
            Content::Image(image) => Some(format!("[Image: {} URLs]", image.image_urls.len())),
            Content::Unknown(_) => None,
        })
        .collect()
}

/// Returns the cache control for a cache mark.
pub(super) fn ephemeral(cache_prompt: Option<bool>) -> Option<CacheControl> {
    (cache_prompt == Some(true)).then(CacheControl::ephemeral)
}

//! Texts and images.

use crate::chat::{ImagePart, Part, TextPart};
use crate::lenient::lenient_union;
use agentwire_protocol::content::CacheControl;
use agentwire_protocol::open::object;

lenient_union! {
    /// A part of what is said. It needs no `type`.
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
        /// Whether the prompt may be cached up to here.
        pub cache_prompt: Option<bool>,
        /// `text`, or nothing.
        pub kind: Option<String> = "type",
        /// The text.
        pub text: String,
        /// In old messages, and without meaning.
        pub enable_truncation: Option<bool>,
    }
}

object! {
    /// Images.
    pub struct ImageContent {
        /// Whether the prompt may be cached up to here.
        pub cache_prompt: Option<bool>,
        /// `image`, or nothing.
        pub kind: Option<String> = "type",
        /// Their URLs, or data URLs.
        pub image_urls: Vec<String>,
    }
}

impl TextContent {
    /// A text.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            cache_prompt: None,
            kind: Some("text".to_owned()),
            text: text.into(),
            enable_truncation: None,
            extra: Default::default(),
        }
    }

    /// The part of a chat message that it is.
    #[must_use]
    pub fn to_llm_dict(&self) -> Part {
        let mut part = TextPart::new(&*self.text);
        part.cache_control = ephemeral(self.cache_prompt);
        part.into()
    }
}

impl ImageContent {
    /// Images at these URLs.
    pub fn new(image_urls: Vec<String>) -> Self {
        Self {
            cache_prompt: None,
            kind: Some("image".to_owned()),
            image_urls,
            extra: Default::default(),
        }
    }

    /// The parts of a chat message that it is, one for each image. The prompt
    /// is cached up to the last.
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
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        TextContent::new(text).into()
    }

    /// The text, when it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&TextContent> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The images, when it is images.
    #[must_use]
    pub fn as_image(&self) -> Option<&ImageContent> {
        match self {
            Self::Image(image) => Some(image),
            _ => None,
        }
    }

    /// Whether the prompt may be cached up to here.
    #[must_use]
    pub fn cache_prompt(&self) -> bool {
        let cache_prompt = match self {
            Self::Text(text) => text.cache_prompt,
            Self::Image(image) => image.cache_prompt,
            Self::Unknown(_) => None,
        };
        cache_prompt == Some(true)
    }

    /// The parts of a chat message that it is. A kind that nobody knows is
    /// none.
    #[must_use]
    pub fn to_llm_dict(&self) -> Vec<Part> {
        match self {
            Self::Text(text) => vec![text.to_llm_dict()],
            Self::Image(image) => image.to_llm_dict(),
            Self::Unknown(_) => vec![],
        }
    }
}

/// The contents as texts for people; of images, how many there are.
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

/// For the API, a prompt is cached for minutes.
pub(super) fn ephemeral(cache_prompt: Option<bool>) -> Option<CacheControl> {
    (cache_prompt == Some(true)).then(CacheControl::ephemeral)
}

//! The parts of content.

use super::{RedactedThinking, Thinking};
use crate::TextOr;
use agentwire_protocol::Json;
use agentwire_protocol::content::{CacheControl, CitationsConfig, Source};
use agentwire_protocol::open::{object, open_enum, union};

union! {
    /// A part of content.
    pub enum Part by "type" {
        /// Text.
        "text" => Text(TextPart),
        /// An image.
        "image_url" => Image(ImagePart),
        /// A file.
        "file" => File(FilePart),
        /// A refusal.
        "refusal" => Refusal(RefusalPart),
        /// Audio.
        "input_audio" => Audio(AudioPart),
        /// A video.
        "video_url" => Video(VideoPart),
        /// A document of the Messages API.
        "document" => Document(DocumentPart),
        /// Thinking of the Messages API.
        "thinking" => Thinking(Thinking),
        /// Redacted thinking of the Messages API.
        "redacted_thinking" => RedactedThinking(RedactedThinking),
        /// A reference to a tool.
        "tool_reference" => ToolReference(ToolReferencePart),
    }
}

object! {
    /// Text.
    pub struct TextPart tags("type" = "text") {
        /// The text.
        pub text: String,
        /// Cache control.
        pub cache_control: Option<CacheControl>,
        /// Cache control of OpenAI.
        pub prompt_cache_breakpoint: Option<Json>,
    }
}

object! {
    /// An image.
    pub struct ImagePart tags("type" = "image_url") {
        /// The location, or only the URL.
        pub image_url: TextOr<ImageUrl>,
        /// Cache control.
        pub cache_control: Option<CacheControl>,
        /// Cache control of OpenAI.
        pub prompt_cache_breakpoint: Option<Json>,
    }
}

object! {
    /// The location of an image.
    pub struct ImageUrl {
        /// The URL, or a data URL.
        pub url: String,
        /// The resolution for the model.
        pub detail: Option<Detail>,
        /// The media type, such as `image/png`.
        pub format: Option<String>,
    }
}

open_enum! {
    /// The resolution of an image for the model.
    pub enum Detail {
        /// The model decides.
        Auto = "auto",
        /// Low resolution.
        Low = "low",
        /// High resolution.
        High = "high",
        /// Original resolution.
        Original = "original",
    }
}

object! {
    /// A file.
    pub struct FilePart tags("type" = "file") {
        /// The file.
        pub file: File,
        /// Cache control.
        pub cache_control: Option<CacheControl>,
        /// Cache control of OpenAI.
        pub prompt_cache_breakpoint: Option<Json>,
    }
}

object! {
    /// A file.
    #[derive(Default)]
    pub struct File {
        /// The content, as a data URL.
        pub file_data: Option<String>,
        /// The ID of an uploaded file.
        pub file_id: Option<String>,
        /// The name of the file.
        pub filename: Option<String>,
        /// The media type, such as `application/pdf`.
        pub format: Option<String>,
        /// The resolution for the model.
        pub detail: Option<Detail>,
        /// Metadata of a video.
        pub video_metadata: Option<Json>,
    }
}

object! {
    /// A refusal.
    pub struct RefusalPart tags("type" = "refusal") {
        /// The text.
        pub refusal: String,
    }
}

object! {
    /// Audio.
    pub struct AudioPart tags("type" = "input_audio") {
        /// The audio.
        pub input_audio: InputAudio,
        /// Cache control of OpenAI.
        pub prompt_cache_breakpoint: Option<Json>,
    }
}

object! {
    /// Audio in base64.
    pub struct InputAudio {
        /// The data in base64.
        pub data: String,
        /// The format, `wav` or `mp3`.
        pub format: Option<String>,
    }
}

object! {
    /// A video.
    pub struct VideoPart tags("type" = "video_url") {
        /// The location, or only the URL.
        pub video_url: TextOr<VideoUrl>,
    }
}

object! {
    /// The location of a video.
    pub struct VideoUrl {
        /// The URL, or a data URL.
        pub url: String,
        /// The resolution for the model.
        pub detail: Option<Detail>,
    }
}

object! {
    /// A document of the Messages API.
    pub struct DocumentPart tags("type" = "document") {
        /// The source.
        pub source: Source,
        /// The title.
        pub title: Option<String>,
        /// The context for the model.
        pub context: Option<String>,
        /// Whether citations are enabled.
        pub citations: Option<CitationsConfig>,
    }
}

object! {
    /// A reference to a tool.
    pub struct ToolReferencePart tags("type" = "tool_reference") {
        /// The name of the tool.
        pub tool_name: String,
    }
}

impl TextPart {
    /// Creates a text part.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            cache_control: None,
            prompt_cache_breakpoint: None,
            extra: Default::default(),
        }
    }
}

impl ImagePart {
    /// Creates an image with this URL.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            image_url: TextOr::Other(ImageUrl {
                url: url.into(),
                detail: None,
                extra: Default::default(),
                format: None,
            }),
            cache_control: None,
            prompt_cache_breakpoint: None,
            extra: Default::default(),
        }
    }

    /// Returns the URL.
    #[must_use]
    pub fn url(&self) -> &str {
        match &self.image_url {
            TextOr::Text(url) => url,
            TextOr::Other(image) => &image.url,
        }
    }
}

//! Parts of a message's content.

use super::{RedactedThinking, Thinking};
use crate::TextOr;
use agentwire_protocol::Json;
use agentwire_protocol::content::{CacheControl, CitationsConfig, Source};
use agentwire_protocol::open::{object, open_enum, union};

union! {
    /// A part of a message's content.
    pub enum Part by "type" {
        /// Text.
        "text" => Text(TextPart),
        /// An image.
        "image_url" => Image(ImagePart),
        /// A file.
        "file" => File(FilePart),
        /// A refusal of the model's.
        "refusal" => Refusal(RefusalPart),
        /// Sound.
        "input_audio" => Audio(AudioPart),
        /// A video.
        "video_url" => Video(VideoPart),
        /// A document, as the Messages API has it.
        "document" => Document(DocumentPart),
        /// Thinking, as the Messages API has it.
        "thinking" => Thinking(Thinking),
        /// Encrypted thinking, as the Messages API has it.
        "redacted_thinking" => RedactedThinking(RedactedThinking),
        /// A tool, by its name.
        "tool_reference" => ToolReference(ToolReferencePart),
    }
}

object! {
    /// Text.
    pub struct TextPart tags("type" = "text") {
        /// The text.
        pub text: String,
        /// Where the prompt may be cached.
        pub cache_control: Option<CacheControl>,
        /// Where the prompt may be cached, in OpenAI's words.
        pub prompt_cache_breakpoint: Option<Json>,
    }
}

object! {
    /// An image.
    pub struct ImagePart tags("type" = "image_url") {
        /// Where it is. Some libraries have just the URL.
        pub image_url: TextOr<ImageUrl>,
        /// Where the prompt may be cached.
        pub cache_control: Option<CacheControl>,
        /// Where the prompt may be cached, in OpenAI's words.
        pub prompt_cache_breakpoint: Option<Json>,
    }
}

object! {
    /// Where an image is.
    pub struct ImageUrl {
        /// Its URL, or a data URL.
        pub url: String,
        /// How closely the model looks at it.
        pub detail: Option<Detail>,
        /// What it is, such as `image/png`.
        pub format: Option<String>,
    }
}

open_enum! {
    /// How closely a model looks at an image.
    pub enum Detail {
        /// The model decides.
        Auto = "auto",
        /// At a small copy.
        Low = "low",
        /// At all of it.
        High = "high",
        /// At all of it, in its own size.
        Original = "original",
    }
}

object! {
    /// A file.
    pub struct FilePart tags("type" = "file") {
        /// The file.
        pub file: File,
        /// Where the prompt may be cached.
        pub cache_control: Option<CacheControl>,
        /// Where the prompt may be cached, in OpenAI's words.
        pub prompt_cache_breakpoint: Option<Json>,
    }
}

object! {
    /// A file.
    #[derive(Default)]
    pub struct File {
        /// What is in it, as a data URL.
        pub file_data: Option<String>,
        /// The id of a file that was uploaded.
        pub file_id: Option<String>,
        /// Its name.
        pub filename: Option<String>,
        /// What it is, such as `application/pdf`.
        pub format: Option<String>,
        /// How closely the model looks at it.
        pub detail: Option<Detail>,
        /// What a provider wants to know of a video.
        pub video_metadata: Option<Json>,
    }
}

object! {
    /// A refusal of the model's.
    pub struct RefusalPart tags("type" = "refusal") {
        /// What it says.
        pub refusal: String,
    }
}

object! {
    /// Sound.
    pub struct AudioPart tags("type" = "input_audio") {
        /// The sound.
        pub input_audio: InputAudio,
        /// Where the prompt may be cached, in OpenAI's words.
        pub prompt_cache_breakpoint: Option<Json>,
    }
}

object! {
    /// Sound in base64.
    pub struct InputAudio {
        /// The bytes as base64.
        pub data: String,
        /// What they are: `wav` or `mp3`.
        pub format: Option<String>,
    }
}

object! {
    /// A video.
    pub struct VideoPart tags("type" = "video_url") {
        /// Where it is. Some libraries have just the URL.
        pub video_url: TextOr<VideoUrl>,
    }
}

object! {
    /// Where a video is.
    pub struct VideoUrl {
        /// Its URL, or a data URL.
        pub url: String,
        /// How closely the model looks at it.
        pub detail: Option<Detail>,
    }
}

object! {
    /// A document, as the Messages API has it.
    pub struct DocumentPart tags("type" = "document") {
        /// Where it is.
        pub source: Source,
        /// Its title.
        pub title: Option<String>,
        /// What the model is told about it.
        pub context: Option<String>,
        /// Whether the model may cite it.
        pub citations: Option<CitationsConfig>,
    }
}

object! {
    /// A tool, by its name.
    pub struct ToolReferencePart tags("type" = "tool_reference") {
        /// The tool.
        pub tool_name: String,
    }
}

impl TextPart {
    /// A text.
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
    /// The image at this URL.
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

    /// Its URL.
    #[must_use]
    pub fn url(&self) -> &str {
        match &self.image_url {
            TextOr::Text(url) => url,
            TextOr::Other(image) => &image.url,
        }
    }
}

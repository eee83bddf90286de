//! The parts of messages and outputs.

use crate::chat::Detail;
use agentwire_protocol::Json;
use agentwire_protocol::open::{object, union};

union! {
    /// A part of a message or an output.
    pub enum Part by "type" {
        /// Input text.
        "input_text" => InputText(InputText),
        /// Output text.
        "output_text" => OutputText(OutputText),
        /// An image.
        "input_image" => Image(InputImage),
        /// A file.
        "input_file" => File(InputFile),
        /// A refusal.
        "refusal" => Refusal(Refusal),
    }
}

object! {
    /// Input text.
    pub struct InputText tags("type" = "input_text") {
        /// The text.
        pub text: String,
        /// Cache control.
        pub prompt_cache_breakpoint: Option<Json>,
    }
}

object! {
    /// Output text.
    #[derive(Default)]
    pub struct OutputText tags("type" = "output_text") {
        /// The text. Some libraries omit it.
        pub text: Option<String>,
        /// The citations.
        pub annotations: Option<Vec<Json>>,
        /// The log probabilities of the text's tokens.
        pub logprobs: Option<Vec<Json>>,
    }
}

object! {
    /// An image.
    #[derive(Default)]
    pub struct InputImage tags("type" = "input_image") {
        /// The URL, or a data URL.
        pub image_url: Option<String>,
        /// The ID of an uploaded file.
        pub file_id: Option<String>,
        /// The resolution for the model.
        pub detail: Option<Detail>,
        /// Cache control.
        pub prompt_cache_breakpoint: Option<Json>,
    }
}

object! {
    /// A file.
    #[derive(Default)]
    pub struct InputFile tags("type" = "input_file") {
        /// The content, as a data URL.
        pub file_data: Option<String>,
        /// The ID of an uploaded file.
        pub file_id: Option<String>,
        /// The URL.
        pub file_url: Option<String>,
        /// The name of the file.
        pub filename: Option<String>,
        /// The resolution for the model.
        pub detail: Option<Detail>,
        /// Cache control.
        pub prompt_cache_breakpoint: Option<Json>,
    }
}

object! {
    /// A refusal.
    pub struct Refusal tags("type" = "refusal") {
        /// The text.
        pub refusal: String,
    }
}

impl InputText {
    /// Creates a part with input text.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            prompt_cache_breakpoint: None,
            extra: Default::default(),
        }
    }
}

impl OutputText {
    /// Creates a part with output text.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: Some(text.into()),
            ..Self::default()
        }
    }
}

impl InputImage {
    /// Creates an image with this URL.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            image_url: Some(url.into()),
            detail: Some(Detail::Auto),
            ..Self::default()
        }
    }
}

//! Parts of a message, and of what a tool answered.

use crate::chat::Detail;
use agentwire_protocol::Json;
use agentwire_protocol::open::{object, union};

union! {
    /// A part of a message, or of what a tool answered.
    pub enum Part by "type" {
        /// Text that goes into the model.
        "input_text" => InputText(InputText),
        /// Text that comes out of it.
        "output_text" => OutputText(OutputText),
        /// An image.
        "input_image" => Image(InputImage),
        /// A file.
        "input_file" => File(InputFile),
        /// A refusal of the model's.
        "refusal" => Refusal(Refusal),
    }
}

object! {
    /// Text that goes into the model.
    pub struct InputText tags("type" = "input_text") {
        /// The text.
        pub text: String,
        /// Where the prompt may be cached.
        pub prompt_cache_breakpoint: Option<Json>,
    }
}

object! {
    /// Text that comes out of the model.
    #[derive(Default)]
    pub struct OutputText tags("type" = "output_text") {
        /// The text. Some libraries let it be missing.
        pub text: Option<String>,
        /// What it cites.
        pub annotations: Option<Vec<Json>>,
        /// How likely each token was.
        pub logprobs: Option<Vec<Json>>,
    }
}

object! {
    /// An image.
    #[derive(Default)]
    pub struct InputImage tags("type" = "input_image") {
        /// Its URL, or a data URL.
        pub image_url: Option<String>,
        /// The id of a file that was uploaded.
        pub file_id: Option<String>,
        /// How closely the model looks at it.
        pub detail: Option<Detail>,
        /// Where the prompt may be cached.
        pub prompt_cache_breakpoint: Option<Json>,
    }
}

object! {
    /// A file.
    #[derive(Default)]
    pub struct InputFile tags("type" = "input_file") {
        /// What is in it, as a data URL.
        pub file_data: Option<String>,
        /// The id of a file that was uploaded.
        pub file_id: Option<String>,
        /// Its URL.
        pub file_url: Option<String>,
        /// Its name.
        pub filename: Option<String>,
        /// How closely the model looks at it.
        pub detail: Option<Detail>,
        /// Where the prompt may be cached.
        pub prompt_cache_breakpoint: Option<Json>,
    }
}

object! {
    /// A refusal of the model's.
    pub struct Refusal tags("type" = "refusal") {
        /// What it says.
        pub refusal: String,
    }
}

impl InputText {
    /// A text.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            prompt_cache_breakpoint: None,
            extra: Default::default(),
        }
    }
}

impl OutputText {
    /// A text.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: Some(text.into()),
            ..Self::default()
        }
    }
}

impl InputImage {
    /// The image at this URL; the model decides how closely it looks.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            image_url: Some(url.into()),
            detail: Some(Detail::Auto),
            ..Self::default()
        }
    }
}

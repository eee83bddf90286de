//! The parts of messages, reasoning and outputs.

use super::shapes::shapes;
use crate::TextOr;
use crate::chat::TextPart;
use crate::responses::{InputFile, InputImage, InputText, OutputText, Refusal};
use agentwire_protocol::open::{object, union};
use agentwire_protocol::{Json, Members};
use std::borrow::Cow;

union! {
    /// A part of a message, of reasoning or of an output.
    pub enum Part by "type" {
        /// Input text.
        "input_text" => InputText(InputText),
        /// An input image.
        "input_image" => InputImage(InputImage),
        /// An input file. OpenAI only.
        "input_file" => InputFile(InputFile),
        /// Output text.
        "output_text" => OutputText(OutputText),
        /// A refusal. OpenAI only.
        "refusal" => Refusal(Refusal),
        /// Text of Chat Completions, which the library reads.
        "text" => Text(TextPart),
        /// A part of a summary of reasoning.
        "summary_text" => SummaryText(SummaryText),
        /// A part of reasoning. OpenAI only.
        "reasoning_text" => ReasoningText(ReasoningText),
        /// A screenshot.
        "computer_screenshot" => Screenshot(ComputerScreenshot),
    }
}

object! {
    /// A part of a summary of reasoning.
    #[derive(Default)]
    pub struct SummaryText tags("type" = "summary_text") {
        /// The text.
        pub text: Option<String>,
    }
}

object! {
    /// Reasoning.
    #[derive(Default)]
    pub struct ReasoningText tags("type" = "reasoning_text") {
        /// The text.
        pub text: Option<String>,
    }
}

object! {
    /// A screenshot.
    #[derive(Default)]
    pub struct ComputerScreenshot tags("type" = "computer_screenshot") {
        /// The URL, usually a data URL.
        pub image_url: Option<String>,
        /// The ID of an uploaded file. OpenAI only.
        pub file_id: Option<String>,
    }
}

/// The content of a message, which is a text or a list of parts.
pub type MessageContent = TextOr<Vec<Part>>;

/// The arguments of a call. They are JSON in a text, which may be malformed, or an object, which
/// the library accepts.
pub type Arguments = TextOr<Members>;

shapes! {
    /// The output of a call.
    pub enum Output ("a text, a part, a list of parts or null") {
        /// A text, which is the result of a function or the error of a computer.
        text => Text(String),
        /// A part, which is a screenshot or `{"terminated": true}`.
        object => Part(Part),
        /// A list of parts. OpenAI only.
        list => Parts(Vec<Part>),
        /// The value `null`. Undocumented.
        null => Null(Json),
    }
}

impl Part {
    /// Creates a part with input text.
    pub fn input_text(text: impl Into<String>) -> Self {
        InputText::new(text).into()
    }

    /// Creates a part with an input image.
    pub fn input_image(image_url: impl Into<String>) -> Self {
        let part = InputImage {
            image_url: Some(image_url.into()),
            ..InputImage::default()
        };
        part.into()
    }

    /// Creates a part with output text.
    pub fn output_text(text: impl Into<String>) -> Self {
        OutputText::new(text).into()
    }

    /// Creates a part of a summary.
    pub fn summary_text(text: impl Into<String>) -> Self {
        let part = SummaryText {
            text: Some(text.into()),
            ..SummaryText::default()
        };
        part.into()
    }

    /// Returns the text of a part of any text type.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::InputText(part) => Some(&part.text),
            Self::OutputText(part) => part.text.as_deref(),
            Self::Refusal(part) => Some(&part.refusal),
            Self::Text(part) => Some(&part.text),
            Self::SummaryText(part) => part.text.as_deref(),
            Self::ReasoningText(part) => part.text.as_deref(),
            _ => None,
        }
    }

    /// Returns the URL of an image.
    #[must_use]
    pub fn image_url(&self) -> Option<&str> {
        match self {
            Self::InputImage(part) => part.image_url.as_deref(),
            Self::Screenshot(part) => part.image_url.as_deref(),
            _ => None,
        }
    }
}

/// Returns the text of content. The texts of parts are joined by newlines.
pub(super) fn content_text(content: &MessageContent) -> String {
    match content {
        TextOr::Text(text) => text.clone(),
        TextOr::Other(parts) => joined(parts),
    }
}

/// Returns the arguments as a text.
pub(super) fn arguments_text(arguments: &Arguments) -> Cow<'_, str> {
    match arguments {
        TextOr::Text(text) => Cow::Borrowed(text),
        TextOr::Other(object) => {
            let json = Json::from_value(object).unwrap_or_default();
            Cow::Owned(json.get().to_owned())
        }
    }
}

/// Joins the texts of parts by newlines.
pub(super) fn joined(parts: &[Part]) -> String {
    let texts: Vec<&str> = parts.iter().filter_map(Part::text).collect();
    texts.join("\n")
}

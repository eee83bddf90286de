//! What messages, reasoning and outputs are made of.

use super::shapes::shapes;
use crate::chat::TextPart;
use crate::responses::{InputFile, InputImage, InputText, OutputText, Refusal};
use agentwire_protocol::open::{object, union};
use agentwire_protocol::{Json, Members};
use std::borrow::Cow;

union! {
    /// A part of a message, of a reasoning, or of an output.
    pub enum Part by "type" {
        /// Text for the model.
        "input_text" => InputText(InputText),
        /// An image for the model.
        "input_image" => InputImage(InputImage),
        /// A file for the model. OpenAI's.
        "input_file" => InputFile(InputFile),
        /// What the model said.
        "output_text" => OutputText(OutputText),
        /// What the model said in place of an answer. OpenAI's.
        "refusal" => Refusal(Refusal),
        /// Text, as Chat Completions has it. The library reads it.
        "text" => Text(TextPart),
        /// What the model thought, in short.
        "summary_text" => SummaryText(SummaryText),
        /// What the model thought. OpenAI's.
        "reasoning_text" => ReasoningText(ReasoningText),
        /// What is on the screen.
        "computer_screenshot" => Screenshot(ComputerScreenshot),
    }
}

object! {
    /// What the model thought, in short.
    #[derive(Default)]
    pub struct SummaryText tags("type" = "summary_text") {
        /// The text.
        pub text: Option<String>,
    }
}

object! {
    /// What the model thought.
    #[derive(Default)]
    pub struct ReasoningText tags("type" = "reasoning_text") {
        /// The text.
        pub text: Option<String>,
    }
}

object! {
    /// What is on the screen.
    #[derive(Default)]
    pub struct ComputerScreenshot tags("type" = "computer_screenshot") {
        /// Where the image is: a URL, mostly a `data:` one.
        pub image_url: Option<String>,
        /// The file that it is, where it was uploaded. OpenAI's.
        pub file_id: Option<String>,
    }
}

shapes! {
    /// What a message says.
    pub enum MessageContent ("a text or a list of parts") {
        /// Just a text.
        text => Text(String),
        /// Parts, in order.
        list => Parts(Vec<Part>),
    }
}

shapes! {
    /// What a call gave.
    pub enum Output ("a text, a part, a list of parts or null") {
        /// A text: what a function gave, or why a computer failed.
        text => Text(String),
        /// One thing: a screenshot, or `{"terminated": true}`.
        object => Part(Part),
        /// Several things. OpenAI's.
        list => Parts(Vec<Part>),
        /// `null`, which no documentation has. The library tells a model `None`.
        null => Null(Json),
    }
}

shapes! {
    /// The arguments of a call.
    pub enum Arguments ("a text or an object") {
        /// JSON as a text, as documented. It may be broken.
        text => Text(String),
        /// An object. The library takes it.
        object => Object(Members),
    }
}

impl Part {
    /// Text for the model.
    pub fn input_text(text: impl Into<String>) -> Self {
        InputText::new(text).into()
    }

    /// An image for the model.
    pub fn input_image(image_url: impl Into<String>) -> Self {
        let part = InputImage {
            image_url: Some(image_url.into()),
            ..InputImage::default()
        };
        part.into()
    }

    /// What the model said.
    pub fn output_text(text: impl Into<String>) -> Self {
        OutputText::new(text).into()
    }

    /// What the model thought.
    pub fn summary_text(text: impl Into<String>) -> Self {
        let part = SummaryText {
            text: Some(text.into()),
            ..SummaryText::default()
        };
        part.into()
    }

    /// The text, when it is one of whatever kind.
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

    /// Where the image is, when it is one.
    #[must_use]
    pub fn image_url(&self) -> Option<&str> {
        match self {
            Self::InputImage(part) => part.image_url.as_deref(),
            Self::Screenshot(part) => part.image_url.as_deref(),
            _ => None,
        }
    }

    /// The same, to change it.
    pub fn image_url_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::InputImage(part) => part.image_url.as_mut(),
            Self::Screenshot(part) => part.image_url.as_mut(),
            _ => None,
        }
    }
}

impl MessageContent {
    /// All text in it, texts of several parts joined by newlines.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Parts(parts) => joined(parts),
        }
    }
}

impl Arguments {
    /// As JSON text.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text),
            Self::Object(object) => {
                let json = Json::from_value(object).unwrap_or_default();
                Cow::Owned(json.get().to_owned())
            }
        }
    }
}

/// The texts of parts, joined by newlines.
pub(super) fn joined(parts: &[Part]) -> String {
    let texts: Vec<&str> = parts.iter().filter_map(Part::text).collect();
    texts.join("\n")
}

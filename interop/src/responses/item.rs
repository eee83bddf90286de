//! Items of the Responses API.

use super::Part;
use crate::lenient::lenient_union;
use crate::{Encrypted, TextOr};
use agentwire_protocol::Json;
use agentwire_protocol::open::{object, open_enum};

/// The content of a message, or the output of a tool: a text, or parts.
pub type Content = TextOr<Vec<Part>>;

lenient_union! {
    /// One item of what goes into a model or comes out of it. A message needs
    /// no `type`.
    pub enum Item {
        /// A message.
        "message" or "role" => Message(Message),
        /// A call of a function.
        "function_call" => FunctionCall(FunctionCall),
        /// What a function answered.
        "function_call_output" => FunctionCallOutput(FunctionCallOutput),
        /// What the model thought.
        "reasoning" => Reasoning(Reasoning),
    }
}

object! {
    /// A message.
    pub struct Message {
        /// `message`, or nothing.
        pub kind: Option<String> = "type",
        /// The id of what a model said.
        pub id: Option<String>,
        /// Who says it.
        pub role: Role,
        /// The content.
        pub content: Option<Content>,
        /// How far it is.
        pub status: Option<Status>,
        /// Whether it is all there is to say.
        pub phase: Option<Phase>,
    }
}

open_enum! {
    /// Who says something.
    pub enum Role {
        /// A user.
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// The program, beside the conversation.
        System = "system",
        /// The same, under its newer name.
        Developer = "developer",
    }
}

open_enum! {
    /// How far an item is.
    pub enum Status {
        /// It is being made.
        InProgress = "in_progress",
        /// It is whole.
        Completed = "completed",
        /// It was cut off.
        Incomplete = "incomplete",
    }
}

open_enum! {
    /// Whether a message is all there is to say.
    pub enum Phase {
        /// More is to come.
        Commentary = "commentary",
        /// It is the answer.
        FinalAnswer = "final_answer",
    }
}

object! {
    /// A call of a function.
    #[derive(Default)]
    pub struct FunctionCall {
        /// `function_call`.
        pub kind: Option<String> = "type",
        /// The id of the item.
        pub id: Option<String>,
        /// The id that the answer refers to.
        pub call_id: Option<String>,
        /// The function.
        pub name: Option<String>,
        /// The namespace that the function is in.
        pub namespace: Option<String>,
        /// Its arguments, as a model wrote them: JSON, if all went well.
        pub arguments: Option<String>,
        /// How far it is.
        pub status: Option<Status>,
        /// Who called: the model, or a program that it wrote.
        pub caller: Option<Json>,
    }
}

object! {
    /// What a function answered.
    #[derive(Default)]
    pub struct FunctionCallOutput {
        /// `function_call_output`.
        pub kind: Option<String> = "type",
        /// The id of the item.
        pub id: Option<String>,
        /// The call that it answers.
        pub call_id: Option<String>,
        /// The answer: a text, or parts.
        pub output: Option<Content>,
        /// The function.
        pub name: Option<String>,
        /// The namespace that the function is in.
        pub namespace: Option<String>,
        /// How far it is.
        pub status: Option<Status>,
        /// Who called: the model, or a program that it wrote.
        pub caller: Option<Json>,
    }
}

object! {
    /// What the model thought.
    #[derive(Default)]
    pub struct Reasoning {
        /// `reasoning`.
        pub kind: Option<String> = "type",
        /// The id of the item.
        pub id: Option<String>,
        /// Its summary.
        pub summary: Option<Vec<SummaryText>>,
        /// The thoughts themselves, from models that tell them.
        pub content: Option<Vec<ReasoningText>>,
        /// All of it, encrypted.
        pub encrypted_content: Option<Encrypted>,
        /// How far it is.
        pub status: Option<Status>,
    }
}

object! {
    /// A part of a summary.
    #[derive(Default)]
    pub struct SummaryText {
        /// `summary_text`.
        pub kind: Option<String> = "type",
        /// The text.
        pub text: Option<String>,
    }
}

object! {
    /// A part of what the model thought.
    #[derive(Default)]
    pub struct ReasoningText {
        /// `reasoning_text`.
        pub kind: Option<String> = "type",
        /// The text.
        pub text: Option<String>,
    }
}

impl Message {
    /// A message.
    pub fn new(role: Role, content: impl Into<Content>) -> Self {
        Self {
            content: Some(content.into()),
            ..Self::of(role)
        }
    }

    /// A message in which nothing is said yet.
    #[must_use]
    pub fn of(role: Role) -> Self {
        Self {
            kind: Some("message".to_owned()),
            id: None,
            role,
            content: None,
            status: None,
            phase: None,
            extra: Default::default(),
        }
    }
}

impl FunctionCall {
    /// A call with these arguments, which should be JSON.
    pub fn new(
        call_id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self {
            kind: Some("function_call".to_owned()),
            call_id: Some(call_id.into()),
            name: Some(name.into()),
            arguments: Some(arguments.into()),
            ..Self::default()
        }
    }
}

impl FunctionCallOutput {
    /// The answer to a call.
    pub fn new(call_id: impl Into<String>, output: impl Into<Content>) -> Self {
        Self {
            kind: Some("function_call_output".to_owned()),
            call_id: Some(call_id.into()),
            output: Some(output.into()),
            ..Self::default()
        }
    }
}

impl Reasoning {
    /// What the model thought, in these words.
    pub fn new(summary: impl IntoIterator<Item = String>) -> Self {
        Self {
            kind: Some("reasoning".to_owned()),
            summary: Some(summary.into_iter().map(SummaryText::new).collect()),
            ..Self::default()
        }
    }
}

impl SummaryText {
    /// A part of a summary.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            kind: Some("summary_text".to_owned()),
            text: Some(text.into()),
            extra: Default::default(),
        }
    }
}

impl ReasoningText {
    /// A part of what the model thought.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            kind: Some("reasoning_text".to_owned()),
            text: Some(text.into()),
            extra: Default::default(),
        }
    }
}

//! The items of the Responses API.

use super::Part;
use crate::lenient::lenient_union;
use crate::{Encrypted, TextOr};
use agentwire_protocol::Json;
use agentwire_protocol::open::{object, open_enum};

/// The content of a message or the output of a tool, which is a text or a list of parts.
pub type Content = TextOr<Vec<Part>>;

lenient_union! {
    /// An item of a request or a response. The `type` of a message is optional.
    pub enum Item {
        /// A message.
        "message" or "role" => Message(Message),
        /// A function call.
        "function_call" => FunctionCall(FunctionCall),
        /// The output of a function.
        "function_call_output" => FunctionCallOutput(FunctionCallOutput),
        /// Reasoning.
        "reasoning" => Reasoning(Reasoning),
    }
}

object! {
    /// A message.
    pub struct Message {
        /// The type, `message`. Optional.
        pub kind: Option<String> = "type",
        /// The ID, which the API sets.
        pub id: Option<String>,
        /// The role.
        pub role: Role,
        /// The content.
        pub content: Option<Content>,
        /// The status.
        pub status: Option<Status>,
        /// The phase, which is commentary or final answer.
        pub phase: Option<Phase>,
    }
}

open_enum! {
    /// The role of a message.
    pub enum Role {
        /// A user.
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// The system.
        System = "system",
        /// The system, for newer models.
        Developer = "developer",
    }
}

open_enum! {
    /// The status of an item.
    pub enum Status {
        /// The item is in progress.
        InProgress = "in_progress",
        /// The item is completed.
        Completed = "completed",
        /// The item is truncated.
        Incomplete = "incomplete",
    }
}

open_enum! {
    /// The phase of a message.
    pub enum Phase {
        /// Commentary before the final answer.
        Commentary = "commentary",
        /// The final answer.
        FinalAnswer = "final_answer",
    }
}

object! {
    /// A function call.
    #[derive(Default)]
    pub struct FunctionCall {
        /// The type, `function_call`.
        pub kind: Option<String> = "type",
        /// The ID of the item.
        pub id: Option<String>,
        /// The ID of the call.
        pub call_id: Option<String>,
        /// The name of the function.
        pub name: Option<String>,
        /// The namespace of the function.
        pub namespace: Option<String>,
        /// The arguments as JSON in a text, which may be malformed.
        pub arguments: Option<String>,
        /// The status.
        pub status: Option<Status>,
        /// The caller, which is the model or a program of the model.
        pub caller: Option<Json>,
    }
}

object! {
    /// The output of a function.
    #[derive(Default)]
    pub struct FunctionCallOutput {
        /// The type, `function_call_output`.
        pub kind: Option<String> = "type",
        /// The ID of the item.
        pub id: Option<String>,
        /// The ID of the call.
        pub call_id: Option<String>,
        /// The output, which is a text or a list of parts.
        pub output: Option<Content>,
        /// The name of the function.
        pub name: Option<String>,
        /// The namespace of the function.
        pub namespace: Option<String>,
        /// The status.
        pub status: Option<Status>,
        /// The caller, which is the model or a program of the model.
        pub caller: Option<Json>,
    }
}

object! {
    /// Reasoning.
    #[derive(Default)]
    pub struct Reasoning {
        /// The type, `reasoning`.
        pub kind: Option<String> = "type",
        /// The ID of the item.
        pub id: Option<String>,
        /// The summary.
        pub summary: Option<Vec<SummaryText>>,
        /// The reasoning itself.
        pub content: Option<Vec<ReasoningText>>,
        /// The encrypted reasoning.
        pub encrypted_content: Option<Encrypted>,
        /// The status.
        pub status: Option<Status>,
    }
}

object! {
    /// A part of a summary.
    #[derive(Default)]
    pub struct SummaryText {
        /// The type, `summary_text`.
        pub kind: Option<String> = "type",
        /// The text.
        pub text: Option<String>,
    }
}

object! {
    /// A part of reasoning.
    #[derive(Default)]
    pub struct ReasoningText {
        /// The type, `reasoning_text`.
        pub kind: Option<String> = "type",
        /// The text.
        pub text: Option<String>,
    }
}

impl Message {
    /// Creates a message.
    pub fn new(role: Role, content: impl Into<Content>) -> Self {
        Self {
            content: Some(content.into()),
            ..Self::of(role)
        }
    }

    /// Creates an empty message.
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
    /// Creates a call with JSON arguments.
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
    /// Creates the output of a call.
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
    /// Creates reasoning with a summary.
    pub fn new(summary: impl IntoIterator<Item = String>) -> Self {
        Self {
            kind: Some("reasoning".to_owned()),
            summary: Some(summary.into_iter().map(SummaryText::new).collect()),
            ..Self::default()
        }
    }
}

impl SummaryText {
    /// Creates a part of a summary.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            kind: Some("summary_text".to_owned()),
            text: Some(text.into()),
            extra: Default::default(),
        }
    }
}

impl ReasoningText {
    /// Creates a part of reasoning.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            kind: Some("reasoning_text".to_owned()),
            text: Some(text.into()),
            extra: Default::default(),
        }
    }
}

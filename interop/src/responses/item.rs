//! Items of the Responses API.

use super::Part;
use crate::lenient::lenient_union;
use crate::{Encrypted, TextOr};
use agentwire_protocol::Json;
use agentwire_protocol::open::{object, open_enum};

/// Content of a message, or the output of a tool.
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
        /// `message`, optional.
        pub kind: Option<String> = "type",
        /// The ID, set by the API.
        pub id: Option<String>,
        /// The role.
        pub role: Role,
        /// The content.
        pub content: Option<Content>,
        /// The status.
        pub status: Option<Status>,
        /// Commentary or final answer.
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
        /// A system prompt, for newer models.
        Developer = "developer",
    }
}

open_enum! {
    /// The status of an item.
    pub enum Status {
        /// In progress.
        InProgress = "in_progress",
        /// Completed.
        Completed = "completed",
        /// Truncated.
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
        /// `function_call`.
        pub kind: Option<String> = "type",
        /// The ID of the item.
        pub id: Option<String>,
        /// The ID of the call.
        pub call_id: Option<String>,
        /// The function.
        pub name: Option<String>,
        /// The namespace of the function.
        pub namespace: Option<String>,
        /// The arguments: JSON, which may be malformed.
        pub arguments: Option<String>,
        /// The status.
        pub status: Option<Status>,
        /// The caller: the model, or a program of it.
        pub caller: Option<Json>,
    }
}

object! {
    /// The output of a function.
    #[derive(Default)]
    pub struct FunctionCallOutput {
        /// `function_call_output`.
        pub kind: Option<String> = "type",
        /// The ID of the item.
        pub id: Option<String>,
        /// The ID of the call.
        pub call_id: Option<String>,
        /// The output: a text or parts.
        pub output: Option<Content>,
        /// The function.
        pub name: Option<String>,
        /// The namespace of the function.
        pub namespace: Option<String>,
        /// The status.
        pub status: Option<Status>,
        /// The caller: the model, or a program of it.
        pub caller: Option<Json>,
    }
}

object! {
    /// Reasoning.
    #[derive(Default)]
    pub struct Reasoning {
        /// `reasoning`.
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
        /// `summary_text`.
        pub kind: Option<String> = "type",
        /// The text.
        pub text: Option<String>,
    }
}

object! {
    /// A part of reasoning.
    #[derive(Default)]
    pub struct ReasoningText {
        /// `reasoning_text`.
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

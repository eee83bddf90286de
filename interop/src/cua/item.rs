//! Items of a conversation.

use super::{Action, Arguments, MessageContent, Output, Part};
use crate::TextOr;
use agentwire_protocol::open::{choice, object, open_enum, string_of};
use agentwire_protocol::{Json, Members};

/// An item of a conversation. The `type` of a message may be absent.
#[non_exhaustive]
pub enum Item {
    /// A message.
    Message(MessageItem),
    /// Reasoning.
    Reasoning(ReasoningItem),
    /// A call of the computer.
    ComputerCall(Box<ComputerCall>),
    /// The result of a call of the computer.
    ComputerCallOutput(ComputerCallOutput),
    /// A call of a function.
    FunctionCall(FunctionCall),
    /// The result of a function.
    FunctionCallOutput(FunctionCallOutput),
    /// An unknown item.
    Unknown(Members),
}

open_enum! {
    /// The role of a message.
    pub enum Role {
        /// The user.
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// The system.
        System = "system",
        /// The system, for newer models of OpenAI.
        Developer = "developer",
    }
}

open_enum! {
    /// The status of an item, as documented or as at OpenAI.
    pub enum Status {
        /// The item is completed.
        Completed = "completed",
        /// The item failed.
        Failed = "failed",
        /// The item is pending.
        Pending = "pending",
        /// The item is in progress. OpenAI only.
        InProgress = "in_progress",
        /// The item is truncated. OpenAI only.
        Incomplete = "incomplete",
    }
}

object! {
    /// A message.
    #[derive(Default)]
    pub struct MessageItem {
        /// The type, `message`. The library also accepts `user`, and messages without a type.
        pub kind: Option<String> = "type",
        /// The role.
        pub role: Option<Role>,
        /// The content.
        pub content: Option<MessageContent>,
        /// The ID of the item. OpenAI only.
        pub id: Option<String>,
        /// The status. OpenAI only.
        pub status: Option<Status>,
        /// The phase, which is commentary or final answer. OpenAI only.
        pub phase: Option<String>,
    }
}

object! {
    /// Reasoning.
    #[derive(Default)]
    pub struct ReasoningItem tags("type" = "reasoning") {
        /// The summary.
        pub summary: Option<Vec<Part>>,
        /// The reasoning. OpenAI only.
        pub content: Option<Vec<Part>>,
        /// The encrypted reasoning. OpenAI only.
        pub encrypted_content: Option<String>,
        /// The reasoning as a text. The library reads it if there is no summary.
        pub reasoning: Option<String>,
        /// The ID of the item. OpenAI only.
        pub id: Option<String>,
        /// The status. OpenAI only.
        pub status: Option<Status>,
    }
}

object! {
    /// A call of the computer.
    pub struct ComputerCall tags("type" = "computer_call") {
        /// The ID of the call.
        pub call_id: String,
        /// The status.
        pub status: Option<Status>,
        /// The action.
        pub action: Option<Action>,
        /// Several actions of one call. OpenAI only.
        pub actions: Option<Vec<Action>>,
        /// The ID of the item. OpenAI only.
        pub id: Option<String>,
        /// The safety checks to acknowledge first. OpenAI only.
        pub pending_safety_checks: Option<Vec<SafetyCheck>>,
    }
}

object! {
    /// A safety check.
    pub struct SafetyCheck {
        /// The ID.
        pub id: String,
        /// The code.
        pub code: Option<String>,
        /// The message.
        pub message: Option<String>,
    }
}

object! {
    /// The result of a call of the computer.
    pub struct ComputerCallOutput tags("type" = "computer_call_output") {
        /// The ID of the call.
        pub call_id: String,
        /// The result, which is a screenshot.
        pub output: Output,
        /// The acknowledged safety checks. OpenAI only.
        pub acknowledged_safety_checks: Option<Vec<SafetyCheck>>,
        /// The ID of the item. OpenAI only.
        pub id: Option<String>,
        /// The status. OpenAI only.
        pub status: Option<Status>,
    }
}

object! {
    /// A call of a function.
    pub struct FunctionCall tags("type" = "function_call") {
        /// The ID of the call.
        pub call_id: String,
        /// The status.
        pub status: Option<Status>,
        /// The name of the function.
        pub name: String,
        /// The arguments.
        pub arguments: Arguments,
        /// The ID of the item. OpenAI only.
        pub id: Option<String>,
        /// The caller, which is the model or a program. OpenAI only.
        pub caller: Option<Json>,
        /// The namespace of the function. OpenAI only.
        pub namespace: Option<String>,
    }
}

object! {
    /// The result of a function.
    pub struct FunctionCallOutput tags("type" = "function_call_output") {
        /// The ID of the call.
        pub call_id: String,
        /// The result.
        pub output: Output,
        /// The ID of the item. OpenAI only.
        pub id: Option<String>,
        /// The status. OpenAI only.
        pub status: Option<Status>,
        /// The caller, which is the model or a program. OpenAI only.
        pub caller: Option<Json>,
        /// The name of the function. OpenAI only.
        pub name: Option<String>,
        /// The namespace of the function. OpenAI only.
        pub namespace: Option<String>,
    }
}

impl Item {
    /// Creates a message.
    pub fn message(role: Role, content: impl Into<MessageContent>) -> Self {
        let message = MessageItem {
            kind: Some("message".to_owned()),
            role: Some(role),
            content: Some(content.into()),
            ..MessageItem::default()
        };
        Self::Message(message)
    }

    /// Creates reasoning with a summary, if the text is not empty.
    pub fn reasoning(text: &str) -> Self {
        let parts = (!text.is_empty()).then(|| Part::summary_text(text));
        let reasoning = ReasoningItem {
            summary: Some(parts.into_iter().collect()),
            ..ReasoningItem::default()
        };
        Self::Reasoning(reasoning)
    }

    /// Creates a call of the computer.
    pub fn computer_call(call_id: impl Into<String>, action: Action) -> Self {
        Self::ComputerCall(Box::new(ComputerCall {
            call_id: call_id.into(),
            status: Some(Status::Completed),
            action: Some(action),
            actions: None,
            id: None,
            pending_safety_checks: None,
            extra: Default::default(),
        }))
    }

    /// Creates the result of a call, which is a screenshot at this URL.
    pub fn screenshot(call_id: impl Into<String>, image_url: impl Into<String>) -> Self {
        Self::ComputerCallOutput(ComputerCallOutput {
            call_id: call_id.into(),
            output: Output::Part(Part::input_image(image_url)),
            acknowledged_safety_checks: None,
            id: None,
            status: None,
            extra: Default::default(),
        })
    }

    /// Creates a call of a function with JSON arguments.
    pub fn function_call(
        call_id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self::FunctionCall(FunctionCall {
            call_id: call_id.into(),
            status: Some(Status::Completed),
            name: name.into(),
            arguments: TextOr::Text(arguments.into()),
            id: None,
            caller: None,
            namespace: None,
            extra: Default::default(),
        })
    }

    /// Creates the result of a function.
    pub fn function_call_output(call_id: impl Into<String>, output: impl Into<Output>) -> Self {
        Self::FunctionCallOutput(FunctionCallOutput {
            call_id: call_id.into(),
            output: output.into(),
            id: None,
            status: None,
            caller: None,
            name: None,
            namespace: None,
            extra: Default::default(),
        })
    }

    /// Returns the ID of the call, if the item is a call or a result.
    #[must_use]
    pub fn call_id(&self) -> Option<&str> {
        match self {
            Self::ComputerCall(call) => Some(&call.call_id),
            Self::ComputerCallOutput(output) => Some(&output.call_id),
            Self::FunctionCall(call) => Some(&call.call_id),
            Self::FunctionCallOutput(output) => Some(&output.call_id),
            _ => None,
        }
    }

    /// Returns the output, if the item is a result.
    #[must_use]
    pub fn output(&self) -> Option<&Output> {
        match self {
            Self::ComputerCallOutput(output) => Some(&output.output),
            Self::FunctionCallOutput(output) => Some(&output.output),
            _ => None,
        }
    }
}

choice! {
    Item by |reader| Ok(match reader.look_for("type")? {
        Some(tag) => match string_of(Some(tag)).as_deref() {
            Some("reasoning") => 2,
            Some("computer_call") => 3,
            Some("computer_call_output") => 4,
            Some("function_call") => 5,
            Some("function_call_output") => 6,
            Some("message" | "user") => 1,
            _ => 0,
        },
        None if reader.look_for("role")?.is_some() => 1,
        None => 0,
    });
    untyped None;
    Unknown(Members),
    Message(MessageItem),
    Reasoning(ReasoningItem),
    ComputerCall(Box<ComputerCall>),
    ComputerCallOutput(ComputerCallOutput),
    FunctionCall(FunctionCall),
    FunctionCallOutput(FunctionCallOutput),
}

crate::one_of_schema!(
    Item,
    &["One item of a conversation."],
    [
        MessageItem,
        ReasoningItem,
        ComputerCall,
        ComputerCallOutput,
        FunctionCall,
        FunctionCallOutput
    ],
    unknown_kind
);

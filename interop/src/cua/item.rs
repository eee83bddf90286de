//! The items of a conversation.

use super::{Action, Arguments, MessageContent, Output, Part};
use agentwire_protocol::open::{choice, object, open_enum, string_of};
use agentwire_protocol::{Json, Members};

/// One item of a conversation.
///
/// A message may come without its `type`. What has a type that nobody knows,
/// or neither a type nor a role, is kept whole.
#[non_exhaustive]
pub enum Item {
    /// What somebody said.
    Message(MessageItem),
    /// What the model thought.
    Reasoning(ReasoningItem),
    /// The model does something with the computer.
    ComputerCall(Box<ComputerCall>),
    /// What came of it.
    ComputerCallOutput(ComputerCallOutput),
    /// The model calls a function.
    FunctionCall(FunctionCall),
    /// What the function gave.
    FunctionCallOutput(FunctionCallOutput),
    /// An item of a kind that this version does not know, with all its
    /// members.
    Unknown(Members),
}

open_enum! {
    /// Who says something.
    pub enum Role {
        /// The user.
        User = "user",
        /// The model.
        Assistant = "assistant",
        /// Who set the model up.
        System = "system",
        /// The same, in OpenAI's newer words.
        Developer = "developer",
    }
}

open_enum! {
    /// How far an item has come: in the words of the documentation, and in
    /// OpenAI's.
    pub enum Status {
        /// It is done.
        Completed = "completed",
        /// It went wrong.
        Failed = "failed",
        /// It is not done yet.
        Pending = "pending",
        /// It is not done yet. OpenAI's.
        InProgress = "in_progress",
        /// It was cut off. OpenAI's.
        Incomplete = "incomplete",
    }
}

object! {
    /// What somebody said.
    #[derive(Default)]
    pub struct MessageItem {
        /// `message`. The library takes messages without it, and `user`.
        pub kind: Option<String> = "type",
        /// Who said it.
        pub role: Option<Role>,
        /// What was said.
        pub content: Option<MessageContent>,
        /// The item's id. OpenAI's.
        pub id: Option<String>,
        /// How far it has come. OpenAI's.
        pub status: Option<Status>,
        /// Whether it is the answer, or said on the way to it. OpenAI's.
        pub phase: Option<String>,
    }
}

object! {
    /// What the model thought.
    #[derive(Default)]
    pub struct ReasoningItem tags("type" = "reasoning") {
        /// What it thought, in short.
        pub summary: Option<Vec<Part>>,
        /// What it thought. OpenAI's.
        pub content: Option<Vec<Part>>,
        /// The same, for nobody but the API. OpenAI's.
        pub encrypted_content: Option<String>,
        /// What it thought, where there is no summary. The library reads it.
        pub reasoning: Option<String>,
        /// The item's id. OpenAI's.
        pub id: Option<String>,
        /// How far it has come. OpenAI's.
        pub status: Option<Status>,
    }
}

object! {
    /// The model does something with the computer.
    pub struct ComputerCall tags("type" = "computer_call") {
        /// The id that the output refers to.
        pub call_id: String,
        /// How far it has come.
        pub status: Option<Status>,
        /// What it does.
        pub action: Option<Action>,
        /// What it does, where it is several things. OpenAI's.
        pub actions: Option<Vec<Action>>,
        /// The item's id. OpenAI's.
        pub id: Option<String>,
        /// What somebody has to agree to first. OpenAI's.
        pub pending_safety_checks: Option<Vec<SafetyCheck>>,
    }
}

object! {
    /// Something that somebody has to agree to.
    pub struct SafetyCheck {
        /// Its id.
        pub id: String,
        /// Its kind.
        pub code: Option<String>,
        /// What it is about.
        pub message: Option<String>,
    }
}

object! {
    /// What came of a call of the computer.
    pub struct ComputerCallOutput tags("type" = "computer_call_output") {
        /// The call.
        pub call_id: String,
        /// What came of it: a screenshot.
        pub output: Output,
        /// What was agreed to. OpenAI's.
        pub acknowledged_safety_checks: Option<Vec<SafetyCheck>>,
        /// The item's id. OpenAI's.
        pub id: Option<String>,
        /// How far it has come. OpenAI's.
        pub status: Option<Status>,
    }
}

object! {
    /// The model calls a function.
    pub struct FunctionCall tags("type" = "function_call") {
        /// The id that the output refers to.
        pub call_id: String,
        /// How far it has come.
        pub status: Option<Status>,
        /// The function.
        pub name: String,
        /// Its arguments.
        pub arguments: Arguments,
        /// The item's id. OpenAI's.
        pub id: Option<String>,
        /// Who called: the model, or a program. OpenAI's.
        pub caller: Option<Json>,
        /// Where the function's name belongs to. OpenAI's.
        pub namespace: Option<String>,
    }
}

object! {
    /// What a function gave.
    pub struct FunctionCallOutput tags("type" = "function_call_output") {
        /// The call.
        pub call_id: String,
        /// What it gave.
        pub output: Output,
        /// The item's id. OpenAI's.
        pub id: Option<String>,
        /// How far it has come. OpenAI's.
        pub status: Option<Status>,
        /// Who called: the model, or a program. OpenAI's.
        pub caller: Option<Json>,
        /// The function. OpenAI's.
        pub name: Option<String>,
        /// Where the function's name belongs to. OpenAI's.
        pub namespace: Option<String>,
    }
}

impl Item {
    /// What somebody said.
    pub fn message(role: Role, content: impl Into<MessageContent>) -> Self {
        let message = MessageItem {
            kind: Some("message".to_owned()),
            role: Some(role),
            content: Some(content.into()),
            ..MessageItem::default()
        };
        Self::Message(message)
    }

    /// What the model thought; nothing of it, when the text is empty.
    pub fn reasoning(text: &str) -> Self {
        let parts = (!text.is_empty()).then(|| Part::summary_text(text));
        let reasoning = ReasoningItem {
            summary: Some(parts.into_iter().collect()),
            ..ReasoningItem::default()
        };
        Self::Reasoning(reasoning)
    }

    /// The model does something with the computer.
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

    /// What came of it: a screenshot at this URL.
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

    /// The model calls a function with arguments, which are JSON.
    pub fn function_call(
        call_id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self::FunctionCall(FunctionCall {
            call_id: call_id.into(),
            status: Some(Status::Completed),
            name: name.into(),
            arguments: Arguments::Text(arguments.into()),
            id: None,
            caller: None,
            namespace: None,
            extra: Default::default(),
        })
    }

    /// What the function gave.
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

    /// The call that it is, or answers.
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

    /// What it answers a call with, when it does.
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

//! The types of agents' messages (`bridgic.core.agentic.types`).

use agentwire_protocol::Json;
use agentwire_protocol::open::{choice, object, open_enum, union};

union! {
    /// A message of an agent.
    pub enum ChatMessage by "role" {
        /// A system prompt.
        "system" => System(SystemMessage),
        /// A user message.
        "user" => User(UserTextMessage),
        /// A message of the model.
        "assistant" => Assistant(AssistantTextMessage),
        /// The result of a tool.
        "tool" => Tool(ToolMessage),
    }
}

object! {
    /// A system prompt.
    #[derive(Default)]
    pub struct SystemMessage tags("role" = "system") {
        /// The text.
        pub content: String,
    }
}

object! {
    /// A user message.
    #[derive(Default)]
    pub struct UserTextMessage tags("role" = "user") {
        /// The text.
        pub content: String,
    }
}

object! {
    /// A message of the model, which may be empty.
    #[derive(Default)]
    pub struct AssistantTextMessage tags("role" = "assistant") {
        /// The text.
        pub content: Option<String>,
        /// The tool calls.
        pub tool_calls: Option<Vec<FunctionToolCall>>,
    }
}

object! {
    /// The result of a tool.
    #[derive(Default)]
    pub struct ToolMessage tags("role" = "tool") {
        /// The result.
        pub content: String,
        /// The ID of the call.
        pub tool_call_id: String,
    }
}

object! {
    /// A tool call. OpenAI has the same type.
    pub struct FunctionToolCall {
        /// The ID of the call.
        pub id: String,
        /// The type, always `function`.
        pub kind: ToolCallKind = "type",
        /// The function.
        pub function: Function,
    }
}

open_enum! {
    /// The type of a call.
    pub enum ToolCallKind {
        /// A function.
        Function = "function",
    }
}

object! {
    /// The function of a call.
    pub struct Function {
        /// The name of the function.
        pub name: String,
        /// The arguments.
        pub arguments: Arguments,
    }
}

/// The arguments of a call.
pub enum Arguments {
    /// JSON in a text, which may be malformed.
    Text(String),
    /// Any other value. The library's types forbid it, but its own conversion requires it.
    Value(Json),
}

impl FunctionToolCall {
    /// Creates a function call.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            kind: ToolCallKind::Function,
            function: Function {
                name: name.into(),
                arguments: Arguments::Text(arguments.into()),
                extra: Default::default(),
            },
            extra: Default::default(),
        }
    }
}

impl ChatMessage {
    /// Creates a system prompt.
    pub fn system(content: impl Into<String>) -> Self {
        Self::System(SystemMessage {
            content: content.into(),
            ..SystemMessage::default()
        })
    }

    /// Creates a user message.
    pub fn user(content: impl Into<String>) -> Self {
        Self::User(UserTextMessage {
            content: content.into(),
            ..UserTextMessage::default()
        })
    }

    /// Creates a message of the model. Without calls, `tool_calls` is absent, as OpenAI requires.
    pub fn assistant(content: Option<String>, tool_calls: Vec<FunctionToolCall>) -> Self {
        Self::Assistant(AssistantTextMessage {
            content,
            tool_calls: Some(tool_calls).filter(|calls| !calls.is_empty()),
            ..AssistantTextMessage::default()
        })
    }

    /// Creates the result of a call.
    pub fn tool(tool_call_id: impl Into<String>, content: impl Into<String>) -> Self {
        Self::Tool(ToolMessage {
            content: content.into(),
            tool_call_id: tool_call_id.into(),
            ..ToolMessage::default()
        })
    }
}

impl From<&str> for Arguments {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

choice! {
    Arguments by |reader| Ok(usize::from(reader.peek() == Some(b'"')));
    untyped None;
    Value(Json), Text(String),
}

crate::one_of_schema!(Arguments, &[" The arguments of a call."], [String, Json]);

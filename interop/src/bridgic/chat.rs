//! The messages of Bridgic's agents: `bridgic.core.agentic.types`.

use agentwire_protocol::Json;
use agentwire_protocol::open::{choice, object, open_enum, union};

union! {
    /// A message of Bridgic's agents.
    pub enum ChatMessage by "role" {
        /// What the model is told beside the conversation.
        "system" => System(SystemMessage),
        /// What a user said.
        "user" => User(UserTextMessage),
        /// What the model said, and the tools it called.
        "assistant" => Assistant(AssistantTextMessage),
        /// What a tool answered.
        "tool" => Tool(ToolMessage),
    }
}

object! {
    /// What the model is told beside the conversation.
    #[derive(Default)]
    pub struct SystemMessage tags("role" = "system") {
        /// The text.
        pub content: String,
    }
}

object! {
    /// What a user said.
    #[derive(Default)]
    pub struct UserTextMessage tags("role" = "user") {
        /// The text.
        pub content: String,
    }
}

object! {
    /// What the model said, and the tools it called. It may be neither.
    #[derive(Default)]
    pub struct AssistantTextMessage tags("role" = "assistant") {
        /// The text.
        pub content: Option<String>,
        /// The tools it called.
        pub tool_calls: Option<Vec<FunctionToolCall>>,
    }
}

object! {
    /// What a tool answered.
    #[derive(Default)]
    pub struct ToolMessage tags("role" = "tool") {
        /// The answer.
        pub content: String,
        /// The call that it answers.
        pub tool_call_id: String,
    }
}

object! {
    /// The model calls a tool. OpenAI's calls have the same shape.
    pub struct FunctionToolCall {
        /// The id that the answer refers to.
        pub id: String,
        /// What is called, always a function.
        pub kind: ToolCallKind = "type",
        /// The function.
        pub function: Function,
    }
}

open_enum! {
    /// What a call calls.
    pub enum ToolCallKind {
        /// A function.
        Function = "function",
    }
}

object! {
    /// A function that is called.
    pub struct Function {
        /// Its name.
        pub name: String,
        /// What it is given.
        pub arguments: Arguments,
    }
}

/// What a function is given.
pub enum Arguments {
    /// JSON as a text, as the model wrote it, which may be no JSON at all.
    Text(String),
    /// Not a text. The types forbid it, but it is the only way in which the
    /// library's own conversion takes a call.
    Value(Json),
}

impl FunctionToolCall {
    /// A call of a function.
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
    /// What the model is told beside the conversation.
    pub fn system(content: impl Into<String>) -> Self {
        Self::System(SystemMessage {
            content: content.into(),
            ..SystemMessage::default()
        })
    }

    /// What a user said.
    pub fn user(content: impl Into<String>) -> Self {
        Self::User(UserTextMessage {
            content: content.into(),
            ..UserTextMessage::default()
        })
    }

    /// What the model said, and the tools it called. Without calls there is
    /// no list of them, as OpenAI wants it.
    pub fn assistant(content: Option<String>, tool_calls: Vec<FunctionToolCall>) -> Self {
        Self::Assistant(AssistantTextMessage {
            content,
            tool_calls: Some(tool_calls).filter(|calls| !calls.is_empty()),
            ..AssistantTextMessage::default()
        })
    }

    /// What a tool answered to the call with this id.
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

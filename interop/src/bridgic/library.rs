//! Converts like functions of bridgic-core.

use super::block::{Block, Message, Role};
use super::chat::{Arguments, ChatMessage, FunctionToolCall};
use super::failure::CannotConvert;
use super::tool::{ToolCall, is_object};
use crate::arguments;
use agentwire_protocol::Members;

impl Message {
    /// Creates a message with one text.
    pub fn from_text(text: impl Into<String>, role: Role) -> Self {
        Self::new(role, vec![Block::text(text)])
    }

    /// Creates a message of the model from a text, if it is not empty, and calls.
    ///
    /// # Errors
    ///
    /// [`CannotConvert::NoId`] if a call has no ID, and [`CannotConvert::Arguments`] if arguments
    /// are not an object.
    pub fn from_tool_call(
        calls: impl IntoIterator<Item = ToolCall>,
        text: Option<&str>,
    ) -> Result<Self, CannotConvert> {
        let text = text.filter(|text| !text.is_empty());
        let mut blocks: Vec<_> = text.map(Block::text).into_iter().collect();
        for call in calls {
            let Some(id) = call.id else {
                return Err(CannotConvert::NoId { tool: call.name });
            };
            let arguments = call
                .arguments
                .unwrap_or_else(|| serde_json::json!({}).into());
            if !is_object(&arguments) {
                return Err(CannotConvert::Arguments { call: id });
            }
            blocks.push(Block::tool_call(id, call.name, arguments));
        }
        Ok(Self::new(Role::Ai, blocks))
    }

    /// Creates a message with the result of a call.
    pub fn from_tool_result(id: impl Into<String>, content: impl Into<String>) -> Self {
        Self::new(Role::Tool, vec![Block::tool_result(id, content)])
    }
}

impl ChatMessage {
    /// Converts the message to a message of blocks, like the library's
    /// `transform_chat_message_to_llm_message`. A `name`, which the library does not declare, is
    /// moved to `extras`. Other undeclared members are removed.
    ///
    /// # Errors
    ///
    /// [`CannotConvert::Arguments`] if arguments are not a JSON object (a blank text counts as an
    /// empty object), and [`CannotConvert::UnknownRole`].
    pub fn to_message(&self) -> Result<Message, CannotConvert> {
        match self {
            Self::System(message) => Ok(named(
                Message::from_text(&*message.content, Role::System),
                &message.extra,
            )),
            Self::User(message) => Ok(named(
                Message::from_text(&*message.content, Role::User),
                &message.extra,
            )),
            Self::Assistant(message) => {
                let calls = message.tool_calls.iter().flatten();
                let calls: Vec<_> = calls.map(tool_call).collect::<Result<_, _>>()?;
                let made = Message::from_tool_call(calls, message.content.as_deref())?;
                Ok(named(made, &message.extra))
            }
            Self::Tool(message) => Ok(Message::from_tool_result(
                &*message.tool_call_id,
                &*message.content,
            )),
            Self::Unknown(members) => Err(CannotConvert::UnknownRole(
                members.get_str("role").unwrap_or_default(),
            )),
        }
    }
}

/// Converts a call. Its arguments become an object.
fn tool_call(call: &FunctionToolCall) -> Result<ToolCall, CannotConvert> {
    let arguments = match &call.function.arguments {
        Arguments::Text(text) => arguments::object(text),
        Arguments::Value(value) => Some(value.clone()).filter(is_object),
    };
    match arguments {
        Some(arguments) => Ok(ToolCall::new(&*call.id, &*call.function.name, arguments)),
        None => Err(CannotConvert::Arguments {
            call: call.id.clone(),
        }),
    }
}

/// Copies the undeclared `name` of a chat message, if the name is a text.
fn named(mut message: Message, members: &Members) -> Message {
    let name = members.get_str("name").filter(|name| !name.is_empty());
    if let (Some(name), Some(extras)) = (name, &mut message.extras) {
        extras.set("name", &*name);
    }
    message
}

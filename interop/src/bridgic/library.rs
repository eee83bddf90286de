//! The conversions that bridgic-core has itself.

use super::block::{Block, Message, Role};
use super::chat::{Arguments, ChatMessage, FunctionToolCall};
use super::failure::CannotConvert;
use super::tool::{ToolCall, is_object};
use crate::{Compat, arguments};
use agentwire_protocol::{Json, Members};

impl Message {
    /// A message with one text.
    pub fn from_text(text: impl Into<String>, role: Role) -> Self {
        Self::new(role, vec![Block::text(text)])
    }

    /// A model's message with these calls, and before them a text, unless it
    /// is empty.
    ///
    /// # Errors
    ///
    /// [`CannotConvert::NoId`] for a call without an id, and
    /// [`CannotConvert::Arguments`] where arguments are not an object.
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

    /// A tool's message: what it answered to the call with this id.
    pub fn from_tool_result(id: impl Into<String>, content: impl Into<String>) -> Self {
        Self::new(Role::Tool, vec![Block::tool_result(id, content)])
    }
}

impl ChatMessage {
    /// The message of blocks that this is: the library's
    /// `transform_chat_message_to_llm_message`. A `name`, which is not among
    /// the members that the library declares, goes into `extras`; what else
    /// is not declared is left out.
    ///
    /// The library takes the arguments of a call as they are, although they
    /// are a text and its block wants an object: so it refuses every message
    /// with a call. With [`Compat::Library`] that is
    /// [`CannotConvert::Arguments`]. It also forgets the name of the model's
    /// messages.
    ///
    /// # Errors
    ///
    /// [`CannotConvert::Arguments`] where arguments are no JSON object (a
    /// blank text is an empty one), and [`CannotConvert::UnknownRole`].
    pub fn to_message(&self, compat: Compat) -> Result<Message, CannotConvert> {
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
                let calls: Vec<_> = calls
                    .map(|call| tool_call(call, compat))
                    .collect::<Result<_, _>>()?;
                let made = Message::from_tool_call(calls, message.content.as_deref())?;
                Ok(match compat {
                    Compat::Right => named(made, &message.extra),
                    Compat::Library => made,
                })
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

/// The call with its arguments as an object.
fn tool_call(call: &FunctionToolCall, compat: Compat) -> Result<ToolCall, CannotConvert> {
    let arguments = match (&call.function.arguments, compat) {
        (Arguments::Text(text), Compat::Right) => arguments::object(text),
        (Arguments::Text(_), Compat::Library) => None,
        (Arguments::Value(value), _) => Some(value.clone()).filter(is_object),
    };
    match arguments {
        Some(arguments) => Ok(ToolCall::new(&*call.id, &*call.function.name, arguments)),
        None => Err(CannotConvert::Arguments {
            call: call.id.clone(),
        }),
    }
}

/// The message with the name that a chat message has beside what is declared.
fn named(mut message: Message, members: &Members) -> Message {
    if let (Some(name), Some(extras)) = (members.get("name"), &mut message.extras)
        && is_true(name)
    {
        extras.set("name", name.clone());
    }
    message
}

/// Whether Python takes a value for true.
fn is_true(value: &Json) -> bool {
    match value.get() {
        "null" | "false" | r#""""# => false,
        text if text.starts_with('{') => value.read::<Members>().is_ok_and(|it| !it.is_empty()),
        text if text.starts_with('[') => value.read::<Vec<Json>>().is_ok_and(|it| !it.is_empty()),
        text => text.parse::<f64>() != Ok(0.0),
    }
}

//! Converts like functions of `bridgic-llms-openai`, to requests and from replies of Chat
//! Completions.

use super::block::{Block, Message, Role};
use super::chat::{Arguments, FunctionToolCall};
use super::failure::CannotConvert;
use super::tool::{Tool, ToolCall};
use crate::arguments;
use agentwire_protocol::{Json, Members};
use serde::Serialize;

impl Message {
    /// Converts the message to messages of Chat Completions. They are JSON, because `extras` can
    /// add any member. Each result of a tool is a message. A text next to results is a user
    /// message.
    ///
    /// # Errors
    ///
    /// [`CannotConvert::UnknownRole`], [`CannotConvert::UnknownBlock`], [`CannotConvert::NoResult`]
    /// if a tool's message has no result, [`CannotConvert::Extras`] if `extras` contains a member
    /// that the message itself has, and [`CannotConvert::MisplacedCall`].
    pub fn to_chat(&self) -> Result<Vec<Json>, CannotConvert> {
        let (mut texts, mut results, mut calls) = (Vec::new(), Vec::new(), Vec::new());
        for block in self.blocks() {
            match block {
                Block::Text(block) => texts.push(&*block.text),
                Block::ToolResult(block) => results.push(block),
                Block::ToolCall(call) => calls.push(call),
                Block::Unknown(block) => {
                    let kind = block.get_str("block_type");
                    return Err(CannotConvert::UnknownBlock(kind.unwrap_or_default()));
                }
            }
        }
        let role = match (self.role(), calls.first()) {
            (Role::Unknown(role), _) => return Err(CannotConvert::UnknownRole((**role).into())),
            (Role::System | Role::User | Role::Tool, Some(call)) => {
                let tool = call.name.clone();
                return Err(CannotConvert::MisplacedCall { tool });
            }
            (Role::Tool, _) if results.is_empty() => return Err(CannotConvert::NoResult),
            (Role::Tool, _) => &Role::User,
            (role, _) => role,
        };
        let mut made = Vec::new();
        for result in &results {
            let mut message = Draft::new(&Role::Tool, &result.content);
            message.set("tool_call_id", &result.id);
            made.push(message);
        }
        if made.is_empty() || !texts.is_empty() || !calls.is_empty() {
            let mut message = Draft::new(role, &texts.join("\n\n"));
            if !calls.is_empty() {
                let calls = calls.iter().map(|call| {
                    FunctionToolCall::new(&*call.id, &*call.name, call.arguments.get())
                });
                message.set("tool_calls", &calls.collect::<Vec<_>>());
            }
            made.push(message);
        }
        made.into_iter().map(|it| it.finish(self)).collect()
    }
}

/// A message of Chat Completions under construction.
struct Draft(Members);

impl Draft {
    fn new(role: &Role, content: &str) -> Self {
        let mut draft = Self(Members::default());
        draft.set("content", content);
        draft.set("role", role);
        draft
    }

    fn set<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) {
        // Texts and lists of calls can always be serialized.
        self.0
            .set(name, Json::from_value(value).unwrap_or_default());
    }

    /// Adds the `extras` and returns the message.
    fn finish(mut self, message: &Message) -> Result<Json, CannotConvert> {
        for (name, value) in message.extras.iter().flat_map(Members::iter) {
            if self.0.get(name).is_some() {
                return Err(CannotConvert::Extras(name.to_owned()));
            }
            self.0.set(name.to_owned(), value.clone());
        }
        Ok(Json::from_value(&self.0).unwrap_or_default())
    }
}

/// Converts calls of Chat Completions. Their IDs are preserved.
///
/// # Errors
///
/// [`CannotConvert::Arguments`] if arguments are not a JSON object. Blank arguments
/// are an empty object.
pub fn tool_calls_from_openai(calls: &[FunctionToolCall]) -> Result<Vec<ToolCall>, CannotConvert> {
    let convert = |call: &FunctionToolCall| {
        let read = match &call.function.arguments {
            Arguments::Text(text) => arguments::object(text),
            Arguments::Value(_) => None,
        };
        let arguments = read.ok_or_else(|| CannotConvert::Arguments {
            call: call.id.clone(),
        })?;
        Ok(ToolCall::new(&*call.id, &*call.function.name, arguments))
    };
    calls.iter().map(convert).collect()
}

impl Tool {
    /// Returns the tool in the form in which a request of Chat Completions declares it, with the
    /// whole schema.
    #[must_use]
    pub fn to_openai(&self) -> Json {
        let mut function = Members::default();
        function.set("name", &*self.name);
        function.set("description", &*self.description);
        function.set("parameters", self.parameters.clone());
        let mut tool = Members::default();
        tool.set("type", "function");
        tool.set("function", Json::from_value(&function).unwrap_or_default());
        Json::from_value(&tool).unwrap_or_default()
    }
}

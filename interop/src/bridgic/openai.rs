//! The conversions that bridgic-llms-openai has: what OpenAI's Chat
//! Completions are asked with, and what they answer.

use super::block::{Block, Message, Role, ToolCallBlock};
use super::chat::{Arguments, FunctionToolCall};
use super::failure::CannotConvert;
use super::tool::{Tool, ToolCall};
use crate::{Compat, arguments, python};
use agentwire_protocol::{Json, Members};
use serde::Serialize;

impl Message {
    /// The Chat Completions messages that this is, as JSON: `extras` can give
    /// them any member.
    ///
    /// As a rule it is one. The library always makes one: of several answers
    /// of tools it keeps the texts, joined, under the id of the first; it
    /// leaves out calls in messages that are not the model's; and it writes
    /// arguments anew, as Python does, which costs digits of numbers and turns
    /// those beyond `f64` into `Infinity`. So does this with
    /// [`Compat::Library`]. Otherwise each answer is a message of its own, a
    /// call in the wrong place is an error, and arguments are as they are.
    ///
    /// # Errors
    ///
    /// [`CannotConvert::UnknownRole`], [`CannotConvert::UnknownBlock`],
    /// [`CannotConvert::NoResult`] for a tool's message without a result,
    /// [`CannotConvert::Extras`] where `extras` have a member that the message
    /// has itself, and [`CannotConvert::MisplacedCall`].
    pub fn to_chat(&self, compat: Compat) -> Result<Vec<Json>, CannotConvert> {
        let mut texts = Vec::new();
        let mut results = Vec::new();
        let mut calls = Vec::new();
        for block in self.blocks() {
            match block {
                Block::Text(block) => texts.push(&*block.text),
                Block::ToolResult(block) if compat == Compat::Library => {
                    texts.push(&*block.content);
                    results.push(block);
                }
                Block::ToolResult(block) => results.push(block),
                Block::ToolCall(call) => calls.push(call),
                Block::Unknown(block) => {
                    let kind = block.get_str("block_type");
                    return Err(CannotConvert::UnknownBlock(kind.unwrap_or_default()));
                }
            }
        }
        let role = self.role();
        match (role, calls.first()) {
            (Role::Unknown(role), _) => return Err(CannotConvert::UnknownRole((**role).into())),
            (Role::System | Role::User | Role::Tool, Some(call)) if compat == Compat::Right => {
                let tool = call.name.clone();
                return Err(CannotConvert::MisplacedCall { tool });
            }
            (Role::Tool, _) if results.is_empty() => return Err(CannotConvert::NoResult),
            _ => {}
        }
        let mut made = Vec::new();
        if compat == Compat::Right {
            for result in &results {
                let mut answer = Draft::new(&Role::Tool, &result.content);
                answer.set("tool_call_id", &result.id);
                made.push(answer);
            }
        }
        if made.is_empty() || !texts.is_empty() || !calls.is_empty() {
            // A text beside the answers of tools is what the user says.
            let role = match role {
                Role::Tool if compat == Compat::Right => &Role::User,
                role => role,
            };
            let mut message = Draft::new(role, &texts.join("\n\n"));
            if *role == Role::Ai && !calls.is_empty() {
                let calls = calls.iter().map(|call| openai_call(call, compat));
                message.set("tool_calls", &calls.collect::<Vec<_>>());
            }
            if let (Role::Tool, Some(result)) = (role, results.first()) {
                message.set("tool_call_id", &result.id);
            }
            made.push(message);
        }
        made.into_iter().map(|it| it.finish(self)).collect()
    }
}

/// A Chat Completions message in the making.
struct Draft(Members);

impl Draft {
    fn new(role: &Role, content: &str) -> Self {
        let mut draft = Self(Members::default());
        draft.set("content", content);
        draft.set("role", role);
        draft
    }

    fn set<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) {
        // Texts and lists of texts can be written.
        self.0
            .set(name, Json::from_value(value).unwrap_or_default());
    }

    /// The message with the `extras`.
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

fn openai_call(call: &ToolCallBlock, compat: Compat) -> FunctionToolCall {
    let arguments = match compat {
        Compat::Right => call.arguments.get().to_owned(),
        Compat::Library => python::dumps(&call.arguments),
    };
    FunctionToolCall::new(&*call.id, &*call.name, arguments)
}

/// The calls that OpenAI's are.
///
/// The library forgets their ids and makes up new ones, so an answer never
/// finds its call; with [`Compat::Library`] they come from `new_id`, which is
/// not asked otherwise. It also refuses a call whose arguments are a blank
/// text, which is how a call without arguments may come.
///
/// # Errors
///
/// [`CannotConvert::Arguments`] where arguments are no JSON object.
pub fn tool_calls_of_openai(
    calls: &[FunctionToolCall],
    compat: Compat,
    mut new_id: impl FnMut() -> String,
) -> Result<Vec<ToolCall>, CannotConvert> {
    let convert = |call: &FunctionToolCall| {
        let read = match &call.function.arguments {
            Arguments::Text(text) if text.trim().is_empty() && compat == Compat::Library => None,
            Arguments::Text(text) => arguments::object(text),
            // OpenAI never gives anything but a text.
            Arguments::Value(_) => None,
        };
        let arguments = read.ok_or_else(|| CannotConvert::Arguments {
            call: call.id.clone(),
        })?;
        let id = match compat {
            Compat::Right => call.id.clone(),
            Compat::Library => new_id(),
        };
        Ok(ToolCall::new(id, &*call.function.name, arguments))
    };
    calls.iter().map(convert).collect()
}

impl Tool {
    /// The tool as OpenAI is told of it.
    ///
    /// The library keeps of a schema only `properties` and `required`, and
    /// forbids other properties: what is under `$defs`, for one, is gone, and
    /// references to it lead nowhere. So does this with [`Compat::Library`].
    #[must_use]
    pub fn to_openai(&self, compat: Compat) -> Json {
        let parameters = match compat {
            Compat::Right => self.parameters.clone(),
            Compat::Library => {
                let old: Members = self.parameters.read().unwrap_or_default();
                let kept = |name: &str, empty: Json| old.get(name).cloned().unwrap_or(empty);
                let mut members = Members::default();
                members.set("type", "object");
                members.set(
                    "properties",
                    kept("properties", serde_json::json!({}).into()),
                );
                members.set("required", kept("required", serde_json::json!([]).into()));
                members.set("additionalProperties", serde_json::Value::Bool(false));
                Json::from_value(&members).unwrap_or_default()
            }
        };
        let mut function = Members::default();
        function.set("name", &*self.name);
        function.set("description", &*self.description);
        function.set("parameters", parameters);
        let mut tool = Members::default();
        tool.set("type", "function");
        tool.set("function", Json::from_value(&function).unwrap_or_default());
        Json::from_value(&tool).unwrap_or_default()
    }
}

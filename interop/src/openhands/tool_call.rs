//! The tool calls of OpenHands.

use crate::{chat, responses};
use agentwire_protocol::open::{object, open_enum};

object! {
    /// A tool call from any API.
    pub struct MessageToolCall {
        /// The ID of the call.
        pub id: String,
        /// The ID of the call's item of Responses.
        pub responses_item_id: Option<String>,
        /// The name of the tool.
        pub name: String,
        /// The arguments as JSON in a text, which may be malformed.
        pub arguments: String,
        /// The API from which the call comes.
        pub origin: Origin,
    }
}

open_enum! {
    /// An API.
    pub enum Origin {
        /// Chat Completions.
        Completion = "completion",
        /// Responses.
        Responses = "responses",
    }
}

/// The error of a conversion to a [`MessageToolCall`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolCallError {
    /// The call is of another type than `function`.
    #[error("a call of type `{0}`, which is not a function")]
    NotAFunction(String),
    /// The call has no ID.
    #[error("a call without an ID")]
    NoId,
    /// The call has no name.
    #[error("a call without a name")]
    NoName,
}

impl MessageToolCall {
    /// Creates a call with JSON arguments.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
        origin: Origin,
    ) -> Self {
        Self {
            id: id.into(),
            responses_item_id: None,
            name: name.into(),
            arguments: arguments.into(),
            origin,
            extra: Default::default(),
        }
    }

    /// Reads a call of Chat Completions.
    ///
    /// # Errors
    ///
    /// [`ToolCallError`] if the call is not a function call, or has no ID or no name.
    pub fn from_chat_tool_call(call: &chat::ToolCall) -> Result<Self, ToolCallError> {
        let (kind, function) = (call.kind(), &call.function);
        let function = match function {
            Some(function) if kind == "function" => function,
            _ => return Err(ToolCallError::NotAFunction(kind.to_owned())),
        };
        let name = function.name.as_deref().ok_or(ToolCallError::NoName)?;
        let id = call.id.as_deref().ok_or(ToolCallError::NoId)?;
        Ok(Self::new(
            id,
            name,
            function.arguments(),
            Origin::Completion,
        ))
    }

    /// Reads a call of Responses.
    ///
    /// # Errors
    ///
    /// [`ToolCallError`] if the call has no ID or no name.
    pub fn from_responses_function_call(
        item: &responses::FunctionCall,
    ) -> Result<Self, ToolCallError> {
        let text = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let item_id = text(&item.id);
        let id = text(&item.call_id).or_else(|| item_id.clone());
        let mut call = Self::new(
            id.ok_or(ToolCallError::NoId)?,
            text(&item.name).ok_or(ToolCallError::NoName)?,
            item.arguments.clone().unwrap_or_default(),
            Origin::Responses,
        );
        call.responses_item_id = item_id;
        Ok(call)
    }

    /// Converts the call to Chat Completions.
    #[must_use]
    pub fn to_chat_dict(&self) -> chat::ToolCall {
        chat::ToolCall::function(&*self.id, &*self.name, &*self.arguments)
    }

    /// Converts the call to Responses. The item has the item ID of Responses, or else the call ID,
    /// with the prefix `fc`.
    #[must_use]
    pub fn to_responses_dict(&self) -> responses::FunctionCall {
        let mut item = responses::FunctionCall::new(&*self.id, &*self.name, &*self.arguments);
        item.id = Some(match &self.responses_item_id {
            Some(id) if !id.is_empty() => id.clone(),
            _ if self.id.starts_with("fc") => self.id.clone(),
            _ => format!("fc_{}", self.id),
        });
        item
    }
}

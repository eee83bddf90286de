//! Calls of tools.

use crate::{chat, responses};
use agentwire_protocol::open::{object, open_enum};

object! {
    /// A call of a tool, from whichever API it came.
    pub struct MessageToolCall {
        /// The id that the answer refers to.
        pub id: String,
        /// The id of the item of Responses that it was, where that is known.
        pub responses_item_id: Option<String>,
        /// The tool.
        pub name: String,
        /// Its arguments as the model wrote them: JSON, if all went well.
        pub arguments: String,
        /// The API that it came from.
        pub origin: Origin,
    }
}

open_enum! {
    /// An API that calls of tools come from.
    pub enum Origin {
        /// Chat Completions.
        Completion = "completion",
        /// Responses.
        Responses = "responses",
    }
}

/// A call that [`MessageToolCall`] cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolCallError {
    /// It is not a call of a function.
    #[error("a call of the type `{0}`, and not of a function")]
    NotAFunction(String),
    /// It has no id.
    #[error("a call without an id")]
    NoId,
    /// It does not say what is called.
    #[error("a call without a name")]
    NoName,
}

impl MessageToolCall {
    /// A call with these arguments, which should be JSON.
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

    /// The call that a model made over Chat Completions.
    ///
    /// # Errors
    ///
    /// [`ToolCallError`] when it is not a call of a function, or has no id or
    /// no name.
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

    /// The call that a model made over Responses.
    ///
    /// # Errors
    ///
    /// [`ToolCallError`] when it has no id or no name.
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

    /// The call as Chat Completions has it.
    #[must_use]
    pub fn to_chat_dict(&self) -> chat::ToolCall {
        chat::ToolCall::function(&*self.id, &*self.name, &*self.arguments)
    }

    /// The call as Responses has it. The item has the id that it came with;
    /// else that of the call, which has to begin with `fc`.
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

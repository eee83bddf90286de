//! The formats of the APIs. Each has a file that reads requests and writes
//! messages.

mod chat;
mod gemini;
mod messages;
mod responses;

use super::message::{Event, Message};
use crate::scenario::ApiError;
use responses::DeclaredTools;
use serde_json::{Value, json};
use std::borrow::Cow;

/// The format of a request and its response, with options of the request for
/// the response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Format {
    /// Anthropic's Messages API.
    Messages,
    /// OpenAI's Chat Completions API.
    Chat {
        /// Whether the stream contains the token counts.
        usage: bool,
    },
    /// OpenAI's Responses API.
    Responses {
        /// The tools that are called in a way of their own.
        tools: DeclaredTools,
    },
    /// Google's Gemini API.
    Gemini,
}

impl Format {
    /// Returns the format of a path, with the wishes of the body.
    pub(super) fn new(path: &str, body: &Value) -> Self {
        if path.ends_with("/chat/completions") {
            let usage = body.pointer("/stream_options/include_usage");
            let usage = usage == Some(&Value::Bool(true));
            Self::Chat { usage }
        } else if path.ends_with("/responses") {
            let tools = DeclaredTools::new(body);
            Self::Responses { tools }
        } else if gemini_call(path).is_some() {
            Self::Gemini
        } else {
            Self::Messages
        }
    }

    /// Returns the body of a request with `messages` in the form of the Messages
    /// API.
    pub(super) fn read<'a>(&self, body: &'a Value) -> Cow<'a, Value> {
        let messages = match self {
            Self::Messages => return Cow::Borrowed(body),
            Self::Chat { .. } => chat::messages(body),
            Self::Responses { .. } => responses::messages(body),
            Self::Gemini => gemini::messages(body),
        };
        Cow::Owned(json!({ "messages": messages }))
    }

    /// Returns the events of the stream for an event of a message. A string is
    /// sent as it is.
    pub(super) fn events(&self, message: &Message, event: Event<'_>) -> Vec<Value> {
        match self {
            Self::Messages => messages::events(message, event),
            Self::Chat { usage } => chat::events(message, event, *usage),
            Self::Responses { tools } => responses::events(message, event, tools),
            Self::Gemini => gemini::events(message, event),
        }
    }

    /// Sets the number of an event in its stream, if the format has numbers.
    pub(super) fn set_number(&self, event: &mut Value, number: usize) {
        if let Self::Responses { .. } = self {
            event["sequence_number"] = number.into();
        }
    }

    /// Returns a whole message.
    pub(super) fn whole(&self, message: &Message) -> Value {
        match self {
            Self::Messages => messages::whole(message),
            Self::Chat { .. } => chat::whole(message),
            Self::Responses { tools } => responses::whole(message, tools),
            Self::Gemini => gemini::whole(message),
        }
    }

    /// Returns the body of an error response.
    pub(super) fn error(&self, error: &ApiError) -> Value {
        let (kind, message) = (&error.kind, &error.message);
        match self {
            Self::Messages => {
                json!({ "type": "error", "error": { "type": kind, "message": message } })
            }
            Self::Chat { .. } | Self::Responses { .. } => {
                // Sorted: some agents show the text of the body.
                json!({ "error": { "code": kind, "message": message, "param": null, "type": kind } })
            }
            Self::Gemini => gemini::error(error),
        }
    }

    /// Returns the body of a token count.
    pub(super) fn token_count(&self, tokens: usize) -> Value {
        match self {
            Self::Gemini => json!({ "totalTokens": tokens }),
            _ => json!({ "input_tokens": tokens }),
        }
    }
}

/// Returns the model and the method of a path of the Gemini API.
pub(super) fn gemini_call(path: &str) -> Option<(&str, &str)> {
    path.rsplit_once("/models/")?.1.split_once(':')
}

//! Frames of Codex: JSON-RPC messages without the member `jsonrpc`, one per
//! line.

use crate::wire::Notification;
use agentwire_protocol::Json;
use bytes::Bytes;
use serde::de::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// An unparsed notification or request of Codex.
#[derive(Clone)]
pub struct Frame {
    line: Bytes,
    method: Box<str>,
    params: Option<Range<usize>>,
    thread_id: Option<Box<str>>,
}

impl Frame {
    /// Returns the method.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// Returns the parameters, or `null` if there are none.
    #[must_use]
    pub fn params(&self) -> Json {
        Json::of_text(self.params_text())
    }

    /// Parses the frame as a notification.
    #[must_use]
    pub fn notification(&self) -> Notification {
        Notification::read(&self.method, &self.params())
    }

    /// Returns the thread ID in the parameters.
    #[must_use]
    pub fn thread_id(&self) -> Option<&str> {
        self.thread_id.as_deref()
    }

    /// Returns the line, without the newline.
    #[must_use]
    pub fn line(&self) -> &Bytes {
        &self.line
    }

    pub(super) fn params_text(&self) -> &str {
        let bytes = self.params.clone().and_then(|it| self.line.get(it));
        bytes
            .and_then(|it| std::str::from_utf8(it).ok())
            .unwrap_or("null")
    }

    /// Reads members of the parameters. Invalid members are absent.
    pub(super) fn head<'a, T: Deserialize<'a> + Default>(&'a self) -> T {
        serde_json::from_str(self.params_text()).unwrap_or_default()
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame")
            .field("method", &self.method)
            .field("thread_id", &self.thread_id)
            .field("length", &self.line.len())
            .finish()
    }
}

/// An error as the response to a request.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message} ({code})")]
#[non_exhaustive]
pub struct ErrorObject {
    /// The code of JSON-RPC. Codex uses -32600 for nearly everything.
    pub code: i64,
    /// The reason.
    pub message: String,
    /// Further data about the error.
    pub data: Option<Json>,
}

impl ErrorObject {
    /// Creates an error.
    #[must_use]
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            code,
            message,
            data: None,
        }
    }

    fn read(json: &str) -> Self {
        #[derive(serde::Deserialize, Default)]
        #[serde(default)]
        struct Members {
            #[serde(deserialize_with = "lenient")]
            code: Option<i64>,
            #[serde(deserialize_with = "lenient")]
            message: Option<String>,
            #[serde(deserialize_with = "lenient")]
            data: Option<Json>,
        }
        match serde_json::from_str::<Members>(json) {
            Ok(Members {
                code,
                message: Some(message),
                data,
            }) => Self {
                code: code.unwrap_or_default(),
                message,
                data,
            },
            // Nothing of an error is lost.
            _ => Self::new(0, json),
        }
    }
}

/// A line of Codex.
pub(super) enum Incoming {
    Notification(Frame),
    Request(Box<str>, Frame),
    Response(u64, Result<Json, ErrorObject>),
    /// A response to a request that has another kind of ID.
    UnknownResponse,
}

#[derive(serde::Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

impl Incoming {
    pub(super) fn read(line: &Bytes) -> Result<Self, String> {
        let envelope: Envelope<'_> = serde_json::from_slice(line).map_err(|it| it.to_string())?;
        let Some(method) = envelope.method else {
            let outcome = match (envelope.result, envelope.error) {
                (_, Some(error)) => Err(ErrorObject::read(error.get())),
                (Some(result), None) => Ok(Json::of_text(result.get())),
                (None, None) => return Err("it has no method, result or error".to_owned()),
            };
            let id = envelope.id.and_then(|it| it.get().parse().ok());
            return Ok(id.map_or(Self::UnknownResponse, |id| Self::Response(id, outcome)));
        };
        let params = envelope.params.map(|it| {
            let start = it.get().as_ptr() as usize - line.as_ptr() as usize;
            start..start + it.get().len()
        });
        let mut frame = Frame {
            line: line.clone(),
            method: method.into(),
            params,
            thread_id: None,
        };
        frame.thread_id = frame.head::<Place<'_>>().thread_id.map(Into::into);
        Ok(match envelope.id {
            Some(id) => Self::Request(id.get().into(), frame),
            None => Self::Notification(frame),
        })
    }
}

#[derive(serde::Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Place<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    thread_id: Option<Cow<'a, str>>,
}

/// Reads `null` as a value, not as an absent member.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Reads an invalid value as absent.
pub(super) fn lenient<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let raw = <&RawValue>::deserialize(deserializer)?;
    Ok(serde_json::from_str(raw.get()).ok())
}

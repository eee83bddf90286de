//! The envelopes of control requests, their responses and their cancellations.

use super::requests::AgentRequest;
use crate::codec::{encode, end_line};
use crate::json::Json;
use crate::open::{object, open_enum};
use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

object! {
    /// A control request of the agent.
    pub struct ControlRequest tags("type" = "control_request") {
        /// The ID that the response must carry.
        pub request_id: String,
        /// The request.
        pub request: AgentRequest,
    }
}

object! {
    /// The cancellation of a control request, which no longer needs a response.
    pub struct ControlCancel tags("type" = "control_cancel_request") {
        /// The ID of the request.
        pub request_id: String,
    }
}

object! {
    /// A control response.
    pub struct ControlResponse tags("type" = "control_response") {
        /// The response.
        pub response: Answer,
    }
}

object! {
    /// The response to a control request.
    pub struct Answer {
        /// Whether the request succeeded.
        pub subtype: AnswerKind,
        /// The ID of the request.
        pub request_id: String,
        /// The result of the request. Some requests have none.
        pub response: Option<Json>,
        /// The error, which is a text, or an object with a `message`.
        pub error: Option<Json>,
        /// The kind of error.
        pub error_code: Option<String>,
        /// The model that remains in use after a rejected `set_model`.
        pub model: Option<String>,
        /// Permission requests that were pending when the host connected. Each
        /// is a whole [`ControlRequest`].
        pub pending_permission_requests: Option<Vec<Json>>,
        /// Dialogs that were pending when the host connected.
        pub pending_user_dialog_requests: Option<Vec<Json>>,
        /// Elicitations that were pending when the host connected.
        pub pending_elicitation_requests: Option<Vec<Json>>,
    }
}

open_enum! {
    /// Whether a control request succeeded.
    pub enum AnswerKind {
        /// The request succeeded.
        Success = "success",
        /// The request failed.
        Error = "error",
    }
}

/// The error response to a control request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", .code.as_ref().map(|code| format!(" ({code})")).unwrap_or_default())]
#[non_exhaustive]
pub struct Refusal {
    /// The error message.
    pub message: String,
    /// The kind of error, such as `unsupported_request`. Not every agent sends
    /// it.
    pub code: Option<String>,
}

impl Answer {
    /// Creates a successful response.
    pub(crate) fn success(request_id: &str, response: Option<Json>) -> Self {
        Self {
            subtype: AnswerKind::Success,
            request_id: request_id.to_owned(),
            response,
            error: None,
            error_code: None,
            model: None,
            pending_permission_requests: None,
            pending_user_dialog_requests: None,
            pending_elicitation_requests: None,
            extra: Default::default(),
        }
    }

    /// Returns the requests of the agent that were pending when the host
    /// connected: permission requests, dialogs and elicitations. Only the
    /// response to `initialize` contains any. [`Host`](crate::host::Host)
    /// treats them like any other request of the agent.
    pub fn pending_requests(&self) -> impl Iterator<Item = serde_json::Result<ControlRequest>> {
        let members = self.pending_members();
        members.flat_map(|(_, requests)| requests.iter().map(Json::read))
    }

    /// Returns the pending requests as they were sent, by the name of the
    /// member that contains them.
    pub(crate) fn pending_members(&self) -> impl Iterator<Item = (&'static str, &[Json])> {
        [
            (
                "pending_permission_requests",
                &self.pending_permission_requests,
            ),
            (
                "pending_user_dialog_requests",
                &self.pending_user_dialog_requests,
            ),
            (
                "pending_elicitation_requests",
                &self.pending_elicitation_requests,
            ),
        ]
        .into_iter()
        .filter_map(|(name, asks)| Some((name, asks.as_deref()?)))
    }

    /// Returns the response, or the error if the request failed.
    ///
    /// # Errors
    ///
    /// If the request failed.
    pub fn into_result(self) -> Result<Self, Refusal> {
        match self.subtype {
            AnswerKind::Error => Err(Refusal {
                message: match &self.error {
                    None => "no reason was given".to_owned(),
                    Some(error) => error
                        .read::<String>()
                        .ok()
                        .or_else(|| error.member("message")?.read().ok())
                        .unwrap_or_else(|| error.get().to_owned()),
                },
                code: self.error_code,
            }),
            _ => Ok(self),
        }
    }

    /// Deserializes the result of the request. A response without a result is
    /// read as an empty object.
    ///
    /// # Errors
    ///
    /// If the result does not have the shape of `T`. The request itself has
    /// succeeded.
    pub fn read<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        match &self.response {
            Some(response) => response.read(),
            None => serde_json::from_str("{}"),
        }
    }
}

/// Encodes the line of a request.
///
/// # Errors
///
/// If the request cannot be written as JSON.
pub fn request<T: Serialize + ?Sized>(request_id: &str, request: &T) -> serde_json::Result<Bytes> {
    let head = r#"{"type":"control_request","request_id":"#;
    let mut line = start_line(head, request_id, r#","request":"#);
    serde_json::to_writer(&mut line, request)?;
    line.push(b'}');
    Ok(end_line(line))
}

/// Writes a line up to its payload. The caller writes the value, whose type
/// only the caller knows.
fn start_line(head: &str, request_id: &str, name: &str) -> Vec<u8> {
    let mut line = Vec::with_capacity(256);
    line.extend_from_slice(head.as_bytes());
    serde_json::to_writer(&mut line, request_id).expect("a string is always JSON");
    line.extend_from_slice(name.as_bytes());
    line
}

/// Encodes the success response to a request. Without data, the response has no
/// member `response`.
///
/// # Errors
///
/// If the data cannot be written as JSON.
pub fn success<T: Serialize + ?Sized>(
    request_id: &str,
    response: Option<&T>,
) -> serde_json::Result<Bytes> {
    let head = r#"{"type":"control_response","response":{"subtype":"success","request_id":"#;
    let name = response.map_or("", |_| r#","response":"#);
    let mut line = start_line(head, request_id, name);
    if let Some(response) = response {
        serde_json::to_writer(&mut line, response)?;
    }
    line.extend_from_slice(b"}}");
    Ok(end_line(line))
}

/// Encodes the error response to a request.
#[must_use]
pub fn failure(request_id: &str, refusal: &Refusal) -> Bytes {
    #[derive(Serialize)]
    struct Response<'a> {
        r#type: &'static str,
        response: Failure<'a>,
    }

    #[derive(Serialize)]
    struct Failure<'a> {
        subtype: &'static str,
        request_id: &'a str,
        error: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        error_code: Option<&'a str>,
    }
    encode(&Response {
        r#type: "control_response",
        response: Failure {
            subtype: "error",
            request_id,
            error: &refusal.message,
            error_code: refusal.code.as_deref(),
        },
    })
    .expect("strings are always JSON")
}

/// Encodes the line that cancels a request.
#[must_use]
pub fn cancel(request_id: &str) -> Bytes {
    #[derive(Serialize)]
    struct Line<'a> {
        r#type: &'static str,
        request_id: &'a str,
    }
    encode(&Line {
        r#type: "control_cancel_request",
        request_id,
    })
    .expect("strings are always JSON")
}

impl Refusal {
    /// Creates an error response without a code.
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            code: None,
        }
    }

    /// Sets the kind of error.
    #[must_use]
    pub fn code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into());
        self
    }
}

//! Scripted responses to control requests.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Responses to control requests, by subtype. They override the responses of
/// the fake agent.
pub type Responses = BTreeMap<String, Response>;

/// The response to a control request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, deny_unknown_fields)]
#[non_exhaustive]
pub enum Response {
    /// An error response.
    #[non_exhaustive]
    Error {
        /// The error message.
        error: String,
        /// The kind of error, such as `unsupported_request`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
    },
    /// A successful response.
    #[non_exhaustive]
    Success {
        /// The payload. `null` for a response without one.
        response: Value,
    },
}

/// The default rule that decides whether a tool call needs a permission
/// request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Permissions {
    /// Every call needs a permission request, unless its `ask` is `false`.
    #[default]
    Script,
    /// A call needs a permission request if the real CLI sends one. Read-only
    /// tools and shell commands run without a request, and so do edits in the
    /// mode `acceptEdits`.
    Cli,
}

impl Response {
    /// Creates a response with this payload. With `null`, the response has
    /// none.
    pub fn success(payload: impl Into<Value>) -> Self {
        Self::Success {
            response: payload.into(),
        }
    }

    /// Creates an error response.
    pub fn error(message: impl Into<String>) -> Self {
        Self::Error {
            error: message.into(),
            code: None,
        }
    }
}

impl Permissions {
    pub(crate) fn is_script(&self) -> bool {
        *self == Self::Script
    }
}

//! What the fake agent answers control requests about the world: files,
//! plans, titles.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Responses to control requests, by the subtype of the request. They replace
/// those that the fake agent has by itself.
pub type Responses = BTreeMap<String, Response>;

/// The response to a control request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged, deny_unknown_fields)]
#[non_exhaustive]
pub enum Response {
    /// The request is refused.
    #[non_exhaustive]
    Error {
        /// The message.
        error: String,
        /// The kind of error, such as `unsupported_request`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<String>,
    },
    /// The request succeeds.
    #[non_exhaustive]
    Success {
        /// The payload; `null` for none.
        response: Value,
    },
}

/// Who decides whether a tool call needs a permission request, if the scenario
/// says nothing else of the call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Permissions {
    /// Every call does, unless its `ask` is `false`.
    #[default]
    Script,
    /// Calls do that the real CLI would ask about: tools and shell commands that
    /// only read run without one, and so do edits in the mode `acceptEdits`.
    Cli,
}

impl Response {
    /// Creates a response with this payload; with `null`, one without.
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

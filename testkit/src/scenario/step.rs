//! The steps of a reply.

use super::fault::Fault;
use super::gate_name;
use super::load::Load;
use super::streamed::{Streamed, Thinking};
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::Duration;

/// A step of a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Step {
    /// A text block, streamed.
    Text(Streamed),
    /// A thinking block, streamed.
    Thinking(Thinking),
    /// A redacted thinking block: its data, in base64.
    RedactedThinking(String),
    /// A tool call. Consecutive calls belong to one reply.
    Tool(ToolCall),
    /// An error of the model's server. It must be the only step of its reply.
    Error(ApiError),
    /// A pause of this many milliseconds.
    WaitMs(u64),
    /// A pause until the test opens the gate of this name. The name consists of
    /// letters, digits, `-`, `_` and `.`.
    #[serde(deserialize_with = "gate_name::read")]
    Gate(String),
    /// A break of the connection to the model. It must be the last step of its
    /// reply. The agent repeats the request, or continues after the last
    /// complete block, and takes the next reply. A reply that begins with `cut`
    /// sends nothing. The real CLI may miss content directly before the break;
    /// a `wait_ms` in between avoids that.
    Cut,
    /// A request of the fake agent to the host: an object with a `subtype`,
    /// such as `elicitation` or `request_user_dialog`. After the response, a
    /// text block shows it as `answered: {…}` or `refused: why`. The scripted
    /// model ignores this step.
    #[serde(deserialize_with = "read_ask")]
    Ask(Value),
    /// A message of the fake agent: an object with a `type`, such as
    /// `rate_limit_event`. A message ID and the session ID are added. The
    /// scripted model ignores this step.
    #[serde(deserialize_with = "read_message")]
    Message(Map<String, Value>),
    /// A fault of the agent's process. The scripted model ignores this step.
    Fault(Fault),
    /// Many messages, and a text block with their number. The scripted model
    /// ignores this step.
    Load(Load),
}

/// A tool call, with its result on the fake agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// The tool's name in the CLI (`Bash`, `Read`, …).
    pub name: String,
    /// The tool's input, an object. Its members are sorted by name, also if a
    /// crate of the build makes `serde_json` preserve their order.
    #[serde(default, deserialize_with = "sorted")]
    pub input: Value,
    /// The result on the fake agent. The real CLI runs the tool.
    #[serde(default)]
    pub result: String,
    /// Whether the result is an error.
    #[serde(default)]
    pub is_error: bool,
    /// The duration of the tool in milliseconds on the fake agent.
    #[serde(default)]
    pub takes_ms: u64,
    /// The gate at which the tool waits on the fake agent before `takes_ms`
    /// begins. The real CLI ignores this member.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "gate_name::read_optional"
    )]
    pub gate: Option<String>,
    /// Whether the fake agent sends a permission request for the tool. The real
    /// CLI applies its own rules.
    #[serde(default = "yes")]
    pub ask: bool,
    /// Additional members of the fake agent's permission request, such as
    /// `permission_suggestions` or `blocked_path`. They override members of the
    /// same name. The real CLI ignores this member.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub question: Value,
    /// Whether the fake agent writes the file of an allowed `Write`. The fake
    /// agent's other tools change nothing. The real CLI runs the tool.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub writes: bool,
}

/// An error of the model's server, in the form of the Messages API.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ApiError {
    /// The HTTP status of the response.
    pub status: u16,
    /// The API's name for the error, such as `overloaded_error`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The API's message.
    pub message: String,
}

impl ToolCall {
    /// Creates a tool call that needs a permission request, with its result. Set other members
    /// with struct update syntax:
    ///
    /// ```
    /// use agentwire_testkit::{Step, ToolCall};
    /// use serde_json::json;
    ///
    /// let make = Step::Tool(ToolCall {
    ///     gate: Some("made".to_owned()),
    ///     ..ToolCall::new("Bash", json!({ "command": "make" }), "All up to date.")
    /// });
    /// ```
    pub fn new(name: impl Into<String>, mut input: Value, result: impl Into<String>) -> Self {
        input.sort_all_objects();
        Self {
            name: name.into(),
            input,
            result: result.into(),
            is_error: false,
            takes_ms: 0,
            gate: None,
            ask: true,
            question: Value::Null,
            writes: false,
        }
    }
}

fn yes() -> bool {
    true
}

/// Deserializes a request, which must have a `subtype`.
fn read_ask<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    let request = Value::deserialize(deserializer)?;
    if request["subtype"].is_string() {
        Ok(request)
    } else {
        Err(D::Error::custom(
            "`ask` must be an object with a string `subtype`",
        ))
    }
}

/// Deserializes a message, which must have a `type`.
fn read_message<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Map<String, Value>, D::Error> {
    let message = Map::deserialize(deserializer)?;
    if message.get("type").is_some_and(Value::is_string) {
        Ok(message)
    } else {
        Err(D::Error::custom(
            "`message` must be an object with a string `type`",
        ))
    }
}

impl Step {
    /// Creates a text block that is streamed word by word.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Streamed::Words(text.into()))
    }

    /// Creates a text block from these chunks, with a delay before each.
    pub fn chunks<S: Into<String>>(chunks: impl IntoIterator<Item = S>, delay: Duration) -> Self {
        Self::Text(Streamed::Chunks {
            chunks: chunks.into_iter().map(Into::into).collect(),
            delay_ms: u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
        })
    }

    /// Creates a thinking block that is streamed word by word.
    pub fn thinking(text: impl Into<String>) -> Self {
        Self::Thinking(Streamed::Words(text.into()).into())
    }

    /// Creates a redacted thinking block with this data (base64).
    pub fn redacted_thinking(data: impl Into<String>) -> Self {
        Self::RedactedThinking(data.into())
    }

    /// Creates a tool call that needs a permission request, with its result. [`ToolCall::new`]
    /// makes calls with a gate, a duration, an error or without a permission request.
    pub fn tool(name: impl Into<String>, input: Value, result: impl Into<String>) -> Self {
        Self::Tool(ToolCall::new(name, input, result))
    }

    /// Creates an error of the model's server.
    pub fn error(status: u16, kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Error(ApiError {
            status,
            kind: kind.into(),
            message: message.into(),
        })
    }

    /// Creates a pause until the test opens this gate. The name is validated
    /// when the scenario is read from JSON.
    pub fn gate(name: impl Into<String>) -> Self {
        Self::Gate(name.into())
    }

    /// Returns the gate at which this step, or its tool call, waits.
    pub(crate) fn gate_name(&self) -> Option<&str> {
        match self {
            Self::Gate(name) => Some(name),
            Self::Tool(call) => call.gate.as_deref(),
            _ => None,
        }
    }
}

fn sorted<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    let mut value = Value::deserialize(deserializer)?;
    value.sort_all_objects();
    Ok(value)
}

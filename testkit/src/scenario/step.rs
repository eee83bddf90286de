//! The pieces that a reply is made of.

use super::fault::Fault;
use super::gate_name;
use super::load::Load;
use super::streamed::{Streamed, Thinking};
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::time::Duration;

/// One piece of a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Step {
    /// A text block, streamed.
    Text(Streamed),
    /// A thinking block, streamed.
    Thinking(Thinking),
    /// A thinking block that nobody can read: its data, in base64.
    RedactedThinking(String),
    /// A tool call. Calls that follow each other belong to one reply.
    Tool(ToolCall),
    /// The model's server refuses the request. The only step of its reply.
    Error(ApiError),
    /// Silence for so many milliseconds.
    WaitMs(u64),
    /// Silence until the test opens the gate of this name; at once, if it has
    /// been opened before. The name is made of letters, digits, `-`, `_` and
    /// `.`.
    #[serde(deserialize_with = "gate_name::read")]
    Gate(String),
    /// The connection to the model breaks, after what was said. The last step
    /// of its reply. The agent asks the same again, or has the model go on
    /// where a block had come whole, and gets the next reply. A reply that
    /// begins with it does not begin at all. Otherwise the real CLI may or may
    /// not see what was said, unless there is some silence before the end.
    Cut,
    /// The fake agent asks the host something: a request as it is on the
    /// wire, an object with a `subtype`, such as `elicitation` or
    /// `request_user_dialog`. The reply goes on when it is answered, with a
    /// text block that shows how: `answered: {…}`, or `refused: why`. The
    /// scripted model passes over it.
    #[serde(deserialize_with = "read_ask")]
    Ask(Value),
    /// The fake agent sends a message as it is: an object with a `type`, such
    /// as `rate_limit_event`. An id and that of the session are added. The
    /// scripted model passes over it.
    #[serde(deserialize_with = "read_message")]
    Message(Map<String, Value>),
    /// Something goes wrong in the agent's process. Only the fake agent does
    /// it; the scripted model passes over it.
    Fault(Fault),
    /// Many messages, as fast as the pipe takes them, and then a text block
    /// that says how many they were. Only the fake agent sends them; the
    /// scripted model passes over it.
    Load(Load),
}

/// A tool call, and what the fake agent's tool answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// The tool, by the name that the CLI gives it (`Bash`, `Read`, …).
    pub name: String,
    /// The tool's input, an object.
    #[serde(default)]
    pub input: Value,
    /// What the tool answers on the fake agent. The real CLI runs its tool.
    #[serde(default)]
    pub result: String,
    /// Whether that answer is an error.
    #[serde(default)]
    pub is_error: bool,
    /// How many milliseconds the tool takes on the fake agent.
    #[serde(default)]
    pub takes_ms: u64,
    /// The gate that the tool waits for on the fake agent, when it may run;
    /// `takes_ms` begins when it is open. The real CLI knows nothing of it.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "gate_name::read_optional"
    )]
    pub gate: Option<String>,
    /// Whether the fake agent asks the host before it runs the tool. The real
    /// CLI decides that by its own rules.
    #[serde(default = "yes")]
    pub ask: bool,
    /// Members that the fake agent's question has beside the usual ones, such
    /// as `permission_suggestions` or `blocked_path`: an object. They replace
    /// those of the same name. The real CLI asks as it likes.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub question: Value,
    /// Whether the fake agent writes the file of a `Write`, if that is allowed.
    /// Otherwise its tools change nothing. The real CLI runs its tool.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub writes: bool,
}

/// An error of the model's server, as the Messages API reports it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ApiError {
    /// The HTTP status.
    pub status: u16,
    /// The API's name for the error, such as `overloaded_error`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The API's message.
    pub message: String,
}

fn yes() -> bool {
    true
}

/// A request that a host can know.
fn read_ask<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    let request = Value::deserialize(deserializer)?;
    if request["subtype"].is_string() {
        Ok(request)
    } else {
        Err(D::Error::custom(
            "an `ask` is an object with a `subtype`, a text",
        ))
    }
}

/// A message that a host can tell from others.
fn read_message<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Map<String, Value>, D::Error> {
    let message = Map::deserialize(deserializer)?;
    if message.get("type").is_some_and(Value::is_string) {
        Ok(message)
    } else {
        Err(D::Error::custom(
            "a `message` is an object with a `type`, a text",
        ))
    }
}

impl Step {
    /// A text block that is streamed word by word.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Streamed::Words(text.into()))
    }

    /// A text block in the given pieces, with a delay before each.
    pub fn chunks<S: Into<String>>(chunks: impl IntoIterator<Item = S>, delay: Duration) -> Self {
        Self::Text(Streamed::Chunks {
            chunks: chunks.into_iter().map(Into::into).collect(),
            delay_ms: u64::try_from(delay.as_millis()).unwrap_or(u64::MAX),
        })
    }

    /// A thinking block that is streamed word by word.
    pub fn thinking(text: impl Into<String>) -> Self {
        Self::Thinking(Streamed::Words(text.into()).into())
    }

    /// A thinking block that nobody can read, with this data (base64).
    pub fn redacted_thinking(data: impl Into<String>) -> Self {
        Self::RedactedThinking(data.into())
    }

    /// A tool call that the host is asked about, with what the tool answers.
    pub fn tool(name: impl Into<String>, input: Value, result: impl Into<String>) -> Self {
        Self::Tool(ToolCall {
            name: name.into(),
            input,
            result: result.into(),
            is_error: false,
            takes_ms: 0,
            gate: None,
            ask: true,
            question: Value::Null,
            writes: false,
        })
    }

    /// An error of the model's server.
    pub fn error(status: u16, kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self::Error(ApiError {
            status,
            kind: kind.into(),
            message: message.into(),
        })
    }

    /// Silence until the test opens this gate. Its name is checked where the
    /// scenario is read from JSON.
    pub fn gate(name: impl Into<String>) -> Self {
        Self::Gate(name.into())
    }

    /// The gate that this step, or the tool it calls, waits for.
    pub(crate) fn gate_name(&self) -> Option<&str> {
        match self {
            Self::Gate(name) => Some(name),
            Self::Tool(call) => call.gate.as_deref(),
            _ => None,
        }
    }
}

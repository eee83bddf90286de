//! What the agent needs its driver for.

use crate::json::Json;
use crate::message::UserMessage;

/// What the agent needs its driver for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A turn began: the model is to answer these prompts.
    TurnStarted {
        /// The prompts, in order.
        prompts: Vec<UserMessage>,
    },
    /// Whether a tool may run has been decided.
    ToolDecided {
        /// The call.
        tool_use_id: String,
        /// How.
        decision: Decision,
    },
    /// The result of a tool call has been sent.
    ToolFinished {
        /// The call.
        tool_use_id: String,
    },
    /// The turn goes on: the model is to be asked again.
    TurnContinued,
    /// The turn was cut off, and all that ends it has been sent.
    TurnAborted,
    /// The host answered what [`Agent::ask_host`](super::Agent::ask_host) asked.
    HostAnswered {
        /// What it answered; why it did not.
        answer: Result<Json, String>,
    },
    /// The process is to exit.
    Exit {
        /// The exit status.
        code: i32,
        /// What it says on standard error.
        complaint: Option<String>,
    },
}

/// Whether a tool may run.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// It may, with this input.
    Allowed(Json),
    /// It may not, and this is what the model is told.
    Denied(String),
}

//! Events of the agent, which its driver handles.

use crate::json::Json;
use crate::message::UserMessage;

/// An event that the driver must handle.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A turn started. The model should answer these prompts.
    TurnStarted {
        /// The prompts, in order.
        prompts: Vec<UserMessage>,
    },
    /// The permission decision on a tool call.
    ToolDecided {
        /// The ID of the tool call.
        tool_use_id: String,
        /// The decision.
        decision: Decision,
    },
    /// The result of a tool call has been sent.
    ToolFinished {
        /// The ID of the tool call.
        tool_use_id: String,
    },
    /// The turn continues. The model should be asked again.
    TurnContinued,
    /// The turn was aborted, and all of its remaining messages have been sent.
    TurnAborted,
    /// The host answered the request that
    /// [`Agent::ask_host`](super::Agent::ask_host) sent.
    HostAnswered {
        /// The response, or the reason why there is none.
        answer: Result<Json, String>,
    },
    /// The process should exit.
    Exit {
        /// The exit status.
        code: i32,
        /// The message for standard error.
        complaint: Option<String>,
    },
}

/// The permission decision on a tool call.
#[derive(Debug, Clone, PartialEq)]
pub enum Decision {
    /// Run the tool with this input.
    Allowed(Json),
    /// Do not run the tool. The text is the reason, for the model.
    Denied(String),
}

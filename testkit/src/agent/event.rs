//! Events of the agent, which its driver handles.

use agentwire_protocol::json::Json;
use agentwire_protocol::message::{ModelUsage, UserMessage};
use std::collections::BTreeMap;

/// An event that the driver must handle.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A turn started. Send these prompts to the model.
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
    /// The turn continues. Send another request to the model.
    TurnContinued,
    /// The turn was aborted, and all of its remaining messages have been sent.
    TurnAborted,
    /// The host responded to the request that
    /// [`Agent::ask_host`](super::Agent::ask_host) sent.
    HostAnswered {
        /// The response, or the reason why there is none.
        answer: Result<Json, String>,
    },
    /// The host sent a request that the agent does not handle itself. Respond
    /// with [`Agent::respond`](super::Agent::respond), now or later, and call
    /// [`Agent::handle_input`](super::Agent::handle_input) for the lines after
    /// it.
    Requested {
        /// The ID of the request.
        request_id: String,
        /// The request: an object with a `subtype`.
        request: Json,
    },
    /// The host stopped a task. The driver must end its work.
    TaskStopped {
        /// The ID of the task.
        task_id: String,
    },
    /// A prompt called one of the
    /// [declared commands](super::Declared::commands). Respond with
    /// [`Agent::finish_command`](super::Agent::finish_command).
    CommandCalled {
        /// The name of the command, without the slash.
        name: String,
        /// The text after the name.
        args: String,
    },
    /// A new session has begun, for `/clear`, after one with usage.
    Cleared {
        /// The ID of the session before it.
        session_id: String,
        /// The usage of that session, by model.
        model_usage: BTreeMap<String, ModelUsage>,
    },
    /// The process should exit.
    Exit {
        /// The exit status.
        code: i32,
        /// The message for standard error.
        message: Option<String>,
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

//! Summaries of requests of the agent, and why a callback gave no response.

use agentwire_protocol::Fault;
use agentwire_protocol::hook::HookKind;

/// A summary of a request of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RequestSummary {
    /// A permission request for a tool call.
    Permission {
        /// The tool.
        tool_name: String,
    },
    /// A hook call.
    Hook {
        /// The event.
        event: HookKind,
        /// Whether it is a [gate](crate::Hook::gate).
        is_gate: bool,
    },
    /// An MCP server requests input from the user.
    Elicitation {
        /// The server.
        server_name: String,
    },
    /// A dialog.
    Dialog {
        /// The kind of dialog.
        dialog_kind: String,
    },
}

impl RequestSummary {
    /// Describes the effect of the missing response.
    fn without_answer(&self) -> String {
        match self {
            Self::Permission { tool_name } => format!("`{tool_name}` was denied"),
            Self::Hook {
                event,
                is_gate: true,
            } => format!("the gate hook for `{event}` blocked"),
            Self::Hook { event, .. } => format!("the hook for `{event}` was skipped"),
            Self::Elicitation { server_name } => format!("`{server_name}` was declined"),
            Self::Dialog { dialog_kind } => format!("the dialog `{dialog_kind}` was dismissed"),
        }
    }
}

impl RequestSummary {
    /// Returns the option that sets its callback.
    fn option(&self) -> &'static str {
        match self {
            Self::Permission { .. } => "Options::on_permission",
            Self::Hook { .. } => "Options::hook",
            Self::Elicitation { .. } => "Options::on_elicitation",
            Self::Dialog { .. } => "Options::on_dialog",
        }
    }

    /// Describes the effect of the missing response, and its cause.
    pub(crate) fn failed(&self, failure: &CallbackFailure) -> String {
        let what = self.without_answer();
        match failure {
            CallbackFailure::NoCallback => format!("{what}: {failure}; set `{}`", self.option()),
            failure => format!("{what}: {failure}"),
        }
    }
}

/// The reason why a callback gave no response.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallbackFailure {
    /// The callback panicked with this message.
    #[error("its callback panicked: {0}")]
    Panicked(String),
    /// The callback returned this error.
    #[error("its callback failed: {0}")]
    Failed(String),
    /// The [`Responder`](crate::callback::Responder) was dropped.
    #[error("its responder was dropped without a response")]
    Dropped,
    /// The request was delivered to the client's stream
    /// ([`Options::requests_in_stream`](crate::Options::requests_in_stream)), and was discarded
    /// before it was read.
    #[error("it was discarded from the client's stream before it was read")]
    Unread,
    /// No callback is set.
    #[error("no callback is set")]
    NoCallback,
    /// A member of the request is invalid. The callback was not called.
    #[error("the request is invalid: {0}")]
    InvalidRequest(Fault),
    /// The callback's response is invalid, and was not sent.
    #[error("its callback returned an invalid response: {0}")]
    Invalid(String),
}

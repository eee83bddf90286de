//! What the agent asked of the host, and why there was no answer.

use agentwire_protocol::Fault;
use agentwire_protocol::hook::HookKind;

/// What the agent asked, in short.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Asked {
    /// May this tool run?
    Permission {
        /// The tool.
        tool_name: String,
    },
    /// A hook of this event is due.
    Hook {
        /// The event.
        event: HookKind,
        /// Whether it is a [gate](crate::Hook::gate).
        is_gate: bool,
    },
    /// An MCP server wants something from the user.
    Elicitation {
        /// The server.
        server_name: String,
    },
    /// A dialog is to be shown.
    Dialog {
        /// What kind of dialog.
        dialog_kind: String,
    },
}

impl Asked {
    /// What became of it without an answer, for people.
    fn without_answer(&self) -> String {
        match self {
            Self::Permission { tool_name } => format!("`{tool_name}` was denied"),
            Self::Hook {
                event,
                is_gate: true,
            } => format!("the gate of `{event}` stayed shut"),
            Self::Hook { event, .. } => format!("the hook of `{event}` was passed over"),
            Self::Elicitation { server_name } => format!("`{server_name}` was declined"),
            Self::Dialog { dialog_kind } => format!("the dialog `{dialog_kind}` was dismissed"),
        }
    }
}

impl Asked {
    /// The option that sets who answers it.
    fn option(&self) -> &'static str {
        match self {
            Self::Permission { .. } => "Options::on_permission",
            Self::Hook { .. } => "Options::hook",
            Self::Elicitation { .. } => "Options::on_elicitation",
            Self::Dialog { .. } => "Options::on_dialog",
        }
    }

    /// What became of it without an answer, and why.
    pub(crate) fn failed(&self, failure: &CallbackFailure) -> String {
        let what = self.without_answer();
        match failure {
            CallbackFailure::NoCallback => format!("{what}: {failure}; set `{}`", self.option()),
            failure => format!("{what}: {failure}"),
        }
    }
}

/// Why a callback gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallbackFailure {
    /// It panicked, and this is what the panic said.
    #[error("its callback panicked: {0}")]
    Panicked(String),
    /// It said that it failed, and why.
    #[error("its callback failed: {0}")]
    Failed(String),
    /// The [`Responder`](crate::Responder) was dropped.
    #[error("its responder was dropped without an answer")]
    Dropped,
    /// There is no callback.
    #[error("there is no callback for it")]
    NoCallback,
    /// The request has an invalid member, and the callback was not called.
    #[error("the request is invalid: {0}")]
    InvalidRequest(Fault),
    /// The agent would not understand the answer.
    #[error("the answer of its callback is invalid: {0}")]
    Invalid(String),
}

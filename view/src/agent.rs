//! The interface of hosts with several kinds of agents: [`Agent`].

use crate::view::View;
use std::fmt;
use std::pin::Pin;

/// The future of an [`Agent`].
pub type AgentFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, AgentError>> + Send + 'a>>;

/// An agent with an open session and its view, independent of the agent's protocol.
///
/// A host shows the [view](Self::read) and waits for [changes](Self::changed). Requests for
/// permission are entries ([`Approval`](crate::entry::Approval)) until the host
/// [responds](Self::respond).
///
/// Implementations: `agentwire::ClientAgent` for Claude Code, `agentwire_codex::CodexAgent` for
/// Codex, and `agentwire_acp::Agent` for agents that speak the Agent Client Protocol. An operation
/// that an agent does not support fails with [`AgentError::Unsupported`]; it is never replaced by a
/// weaker one.
pub trait Agent: fmt::Debug + Send + Sync {
    /// Sends a prompt, and waits for the end of its turn. Prompts run in the order of the calls;
    /// the prompt is sent even if the future is dropped.
    ///
    /// # Errors
    ///
    /// If the turn fails, or the session ends before.
    fn prompt(&self, text: &str) -> AgentFuture<'static, ()>;

    /// Stops the turn, and withdraws queued prompts. Pending approvals are denied.
    ///
    /// # Errors
    ///
    /// If the agent refuses to stop, or the session has ended.
    fn cancel(&self) -> AgentFuture<'_, ()>;

    /// Responds to a permission request.
    ///
    /// # Errors
    ///
    /// [`AgentError::NoRequest`] if the request is not pending, and
    /// [`AgentError::Unsupported`] if the agent cannot apply the decision: then the call is
    /// denied.
    fn respond(&self, request_id: &str, decision: Decision) -> AgentFuture<'_, ()>;

    /// Sets the permission mode. Each kind of agent has its own modes.
    ///
    /// # Errors
    ///
    /// If there is no such mode, or the agent has no modes.
    fn set_mode(&self, mode: &str) -> AgentFuture<'_, ()>;

    /// Sets the model.
    ///
    /// # Errors
    ///
    /// If there is no such model, or the agent does not let the host choose.
    fn set_model(&self, model: &str) -> AgentFuture<'_, ()>;

    /// Calls `read` with the view.
    fn read(&self, read: &mut dyn FnMut(&View));

    /// Waits until the view has a change after the one with this number.
    ///
    /// # Errors
    ///
    /// [`AgentError::Ended`] if the session has ended without such a change.
    fn changed(&self, number: u64) -> AgentFuture<'_, ()>;

    /// Closes the session. Ends the agent's process and its child processes.
    ///
    /// # Errors
    ///
    /// If processes remain.
    fn close(&self) -> AgentFuture<'_, ()>;
}

/// The response to a permission request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// Allows the call.
    Allow,
    /// Allows the call and similar calls from now on, if the agent offers that.
    AllowAlways,
    /// Allows the call with another input, a JSON object.
    AllowWith(String),
    /// Denies the call, with a message for the model if it is not empty.
    Deny(String),
}

/// An error of an [`Agent`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum AgentError {
    /// The agent does not support the operation, which the text names.
    Unsupported(String),
    /// There is no pending request with this ID.
    NoRequest(String),
    /// The agent refused the operation, or the turn failed. The text is the agent's reason.
    Failed(String),
    /// The turn was cancelled.
    Cancelled,
    /// The session has ended, for this reason.
    Ended(String),
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(what) => write!(f, "the agent does not support {what}"),
            Self::NoRequest(id) => write!(f, "no request {id} is pending"),
            Self::Failed(why) => f.write_str(why),
            Self::Cancelled => f.write_str("the turn was cancelled"),
            Self::Ended(why) => write!(f, "the session has ended: {why}"),
        }
    }
}

impl std::error::Error for AgentError {}

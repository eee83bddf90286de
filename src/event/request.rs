//! Requests of the agent in the client's stream.

use agentwire_protocol::mcp::McpElicitation;
use agentwire_protocol::permission::CanUseTool;
use std::fmt;

/// A pending request of the agent.
///
/// Respond with [`Handle::respond`](crate::Handle::respond) and the
/// [`request_id`](Self::request_id). The agent waits for the response. If the event is never
/// read, because it was discarded beyond
/// [`Options::unread_hard_limit`](crate::Options::unread_hard_limit) or the session was closed,
/// the request is denied.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PendingRequest {
    /// The request ID.
    pub request_id: Box<str>,
    /// The request.
    pub request: RequestKind,
    /// The size on the wire, in bytes.
    pub(crate) size: usize,
}

/// The kind of a request of the agent.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RequestKind {
    /// Permission to run a tool. The response is a [`PermissionResult`](crate::PermissionResult).
    /// Questions and plans of the model are permission requests for `AskUserQuestion` and
    /// `ExitPlanMode`.
    Permission(Box<CanUseTool>),
    /// Input that an MCP server requests from the user. The response is an
    /// [`McpElicitationResult`](agentwire_protocol::mcp::McpElicitationResult).
    Elicitation(Box<McpElicitation>),
}

/// The action to take if a request is dropped before it was read.
pub(crate) struct Unanswered(Option<Box<dyn FnOnce() + Send + Sync>>);

impl Unanswered {
    pub(crate) fn new(deny: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(deny)))
    }

    /// Disarms the action: the event was read.
    pub(crate) fn was_read(mut self) {
        self.0 = None;
    }
}

impl Drop for Unanswered {
    fn drop(&mut self) {
        if let Some(deny) = self.0.take() {
            deny();
        }
    }
}

impl fmt::Debug for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unanswered").finish_non_exhaustive()
    }
}

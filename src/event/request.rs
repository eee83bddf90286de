//! Requests of the agent in the client's stream.

use agentwire_protocol::mcp::McpElicitation;
use agentwire_protocol::permission::CanUseTool;
use std::fmt;

/// A request of the agent that waits for a response.
///
/// Respond with [`Handle::respond`](crate::Handle::respond) and the
/// [`request_id`](Self::request_id). The agent waits until then. If you never
/// read the event, because it was dropped beyond
/// [`Options::unread_hard_limit`](crate::Options::unread_hard_limit) or the session
/// was closed, the request is denied.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PendingRequest {
    /// The request ID.
    pub request_id: Box<str>,
    /// The request.
    pub request: RequestKind,
    /// The bytes that it has on the wire.
    pub(crate) size: usize,
}

/// What the agent requests.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RequestKind {
    /// A permission to run a tool; answered with a
    /// [`PermissionResult`](crate::PermissionResult). Questions and plans of the
    /// model are permission requests for `AskUserQuestion` and `ExitPlanMode`.
    Permission(Box<CanUseTool>),
    /// Input that an MCP server requests from the user; answered with an
    /// [`McpElicitationResult`](agentwire_protocol::mcp::McpElicitationResult).
    Elicitation(Box<McpElicitation>),
}

/// What is done about a request whose event is dropped before it was read.
pub(crate) struct Unanswered(Option<Box<dyn FnOnce() + Send + Sync>>);

impl Unanswered {
    pub(crate) fn new(deny: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(deny)))
    }

    /// The event was read.
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

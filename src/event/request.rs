//! Requests of the agent in the streams of a session.

use agentwire_protocol::dialog::RequestUserDialog;
use agentwire_protocol::mcp::McpElicitation;
use agentwire_protocol::permission::CanUseTool;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A pending request of the agent.
///
/// Respond with [`Handle::respond`](crate::Handle::respond) and the
/// [`request_id`](Self::request_id). The agent waits for the response. The first response counts;
/// every other one fails with [`Error::NoPendingRequest`](crate::Error::NoPendingRequest).
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
    /// A dialog for the user. The response is a
    /// [`UserDialogResult`](agentwire_protocol::dialog::UserDialogResult). Only its callback
    /// ([`Options::on_dialog`](crate::Options::on_dialog)) receives it, never a stream.
    Dialog(Box<RequestUserDialog>),
}

/// Denies a request that no stream delivers. Each stream with the request has a copy, until the
/// request is read or discarded there.
#[derive(Clone)]
pub(crate) struct Unanswered(Arc<Deny>);

struct Deny {
    was_read: AtomicBool,
    deny: Option<Box<dyn FnOnce() + Send + Sync>>,
}

impl Unanswered {
    pub(crate) fn new(deny: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self(Arc::new(Deny {
            was_read: AtomicBool::new(false),
            deny: Some(Box::new(deny)),
        }))
    }

    /// Records that a stream has delivered the request.
    pub(crate) fn was_read(self) {
        self.0.was_read.store(true, Ordering::Release);
    }
}

impl Drop for Deny {
    fn drop(&mut self) {
        if !*self.was_read.get_mut()
            && let Some(deny) = self.deny.take()
        {
            deny();
        }
    }
}

impl fmt::Debug for Unanswered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unanswered").finish_non_exhaustive()
    }
}

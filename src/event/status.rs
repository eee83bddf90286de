//! The status of a session.

use super::request::PendingRequest;
use crate::command::TurnWatch;
use agentwire_protocol::host::Activity;

/// The status of a session, in the channel that [`Handle::status`](crate::Handle::status) returns.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SessionStatus {
    /// The session ID; see [`Handle::session_id`](crate::Handle::session_id).
    pub session_id: Option<Box<str>>,
    /// Whether the session is idle, busy, or requires action.
    pub activity: Activity,
    /// Whether the session has ended; see [`Handle::is_closed`](crate::Handle::is_closed).
    pub is_closed: bool,
    /// The requests of the agent without a response; see
    /// [`Handle::pending_requests`](crate::Handle::pending_requests).
    pub pending_requests: Vec<PendingRequest>,
    /// The running turn, or the last one.
    pub(crate) turn: Option<TurnWatch>,
}

impl SessionStatus {
    /// Returns the status of a new session.
    pub(crate) fn new(session_id: Option<&str>) -> Self {
        Self {
            session_id: session_id.map(Into::into),
            activity: Activity::Idle,
            is_closed: false,
            pending_requests: Vec::new(),
            turn: None,
        }
    }
}

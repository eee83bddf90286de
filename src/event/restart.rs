//! Restarts of the agent.

use super::error::{Error, SessionEnd};
use agentwire_protocol::host;
use std::sync::Arc;

/// A restart: the session continues in another process of the agent.
///
/// # What a new process does not have
///
/// - Pending requests of the agent: permissions, hooks, dialogs, calls of in-process tools.
///   Their callbacks' tokens are cancelled. The model may repeat the call under another ID.
/// - Background tasks, and scheduled wake-ups.
/// - Control requests without a response: they fail with
///   [`RequestFailure::Restarted`](host::RequestFailure::Restarted). Requests that only read
///   are sent again.
/// - Permission rules added for this session by a response to a permission request. Rules set
///   by `apply_flag_settings` are restored.
/// - The environment of shell commands, such as variables and the directory.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Restart {
    /// The number of the new process in the session: 2 or more.
    pub process: u64,
    /// The process ID of the agent, if it is known.
    pub pid: Option<u32>,
    /// The reason why the agent was restarted.
    pub reason: RestartReason,
    /// The number of attempts, including the successful one.
    pub attempts: u32,
    /// The turn, messages and requests of the earlier process, and whether they continue.
    pub handover: host::Handover,
    /// The settings that were restored, by the subtype of their request.
    pub restored: Vec<Box<str>>,
    /// The settings that were not restored, with the errors.
    pub not_restored: Vec<(Box<str>, Error)>,
}

/// The reason why the agent was restarted.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum RestartReason {
    /// The agent was asleep.
    Slept,
    /// The earlier process exited.
    Ended(Arc<SessionEnd>),
}

impl Restart {
    /// Returns the approximate size, in bytes.
    pub(super) fn size(&self) -> usize {
        let handover = &self.handover;
        let parts =
            handover.messages.len() + handover.tool_calls.len() + handover.incoming_requests.len();
        let parts = parts + handover.background.len() + self.restored.len();
        let stderr = match &self.reason {
            RestartReason::Ended(end) => end.stderr.len(),
            RestartReason::Slept => 0,
        };
        stderr + parts * 64
    }
}

/// Compares errors by their text.
impl PartialEq for Restart {
    fn eq(&self, other: &Self) -> bool {
        let not_restored = |it: &Self| -> Vec<_> {
            let all = it.not_restored.iter();
            all.map(|(subtype, error)| (subtype.clone(), error.to_string()))
                .collect()
        };
        (self.process, self.pid, self.attempts) == (other.process, other.pid, other.attempts)
            && self.reason.to_string() == other.reason.to_string()
            && self.handover == other.handover
            && self.restored == other.restored
            && not_restored(self) == not_restored(other)
    }
}

impl std::fmt::Display for RestartReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Slept => f.write_str("it was asleep"),
            Self::Ended(end) => end.fmt(f),
        }
    }
}

//! The activity of a session: whether it is working or idle.
//!
//! The activity is derived from the session states that the agent reports, or
//! from turns if the agent reports no states.

use super::classify::FrameClass;
use crate::message::SessionState;

/// The activity of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Activity {
    /// No turn is running and no message is pending.
    Idle,
    /// A turn is running, or a message is waiting for its turn.
    Running,
    /// The agent is waiting for the user's response to a permission request, an
    /// elicitation of an MCP server, or a dialog. Hooks and tools that run
    /// inside the host do not count.
    RequiresAction,
}

/// Pending work that determines the activity together with the agent's reports.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    /// Whether a turn is running.
    pub(super) turn: bool,
    /// Whether a pending request requires the user.
    pub(super) incoming_requests: bool,
    /// Whether a user message is still pending.
    pub(super) messages: bool,
}

/// The state from which the activity is derived.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// The last state that the agent reported, if it reports states.
    reported: Option<SessionState>,
    last: Option<Activity>,
}

impl Work {
    pub(super) fn activity(&self, open: Open) -> Activity {
        if open.incoming_requests {
            Activity::RequiresAction
        } else if self.agent_works(open.turn) || open.messages {
            Activity::Running
        } else {
            Activity::Idle
        }
    }

    /// Returns whether the agent is working, according to its own report if it
    /// sends one.
    pub(super) fn agent_works(&self, turn_runs: bool) -> bool {
        match &self.reported {
            Some(state) => *state != SessionState::Idle,
            None => turn_runs,
        }
    }

    /// Returns whether the agent has reported that it is idle.
    pub(super) fn agent_is_idle(&self) -> bool {
        self.reported == Some(SessionState::Idle)
    }

    /// Returns whether the agent reports session states.
    pub(super) fn is_reported(&self) -> bool {
        self.reported.is_some()
    }

    /// Returns the activity if it changed since the last call.
    pub(super) fn poll_change(&mut self, open: Open) -> Option<Activity> {
        let activity = self.activity(open);
        let before = self.last.replace(activity).unwrap_or(Activity::Idle);
        (activity != before).then_some(activity)
    }

    /// Handles the end of a turn. Until the agent's next report, the activity
    /// is derived from turns: after a `PermissionRequest` hook that timed out,
    /// the agent was observed to report `requires_action` without a pending
    /// request, and never `idle`.
    pub(super) fn handle_end(&mut self, awaits_user: bool) {
        if self.reported == Some(SessionState::RequiresAction) && !awaits_user {
            self.reported = None;
        }
    }

    /// Resets the state for another process, which has reported nothing yet.
    pub(super) fn begin_process(&mut self) {
        self.reported = None;
    }

    /// Handles the end of the session.
    pub(super) fn end(&mut self) {
        self.reported = None;
        self.last = Some(Activity::Idle);
    }

    pub(super) fn handle(&mut self, class: &FrameClass) {
        if let FrameClass::State(state) = class {
            self.reported = Some(state.clone());
        }
    }
}

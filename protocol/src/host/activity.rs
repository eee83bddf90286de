//! Whether the session works or rests.
//!
//! The agent's session states tell; for an agent that reports none, its turns.

use super::sign::Sign;
use crate::message::SessionState;

/// What a session is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Activity {
    /// No turn runs and no message waits.
    Idle,
    /// A turn runs, or a message waits for its turn.
    Running,
    /// Somebody is to answer: whether a tool may run, what an MCP server wants
    /// to know, what a dialog asks. Hooks and tools that run inside the host
    /// are not meant.
    RequiresAction,
}

/// What else is open between the two sides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Open {
    /// Whether a turn runs.
    pub(super) turn: bool,
    /// Whether an ask waits for people.
    pub(super) asks: bool,
    /// Whether a user message is not dealt with yet.
    pub(super) messages: bool,
}

/// What the session is doing, as far as the host can tell.
#[derive(Debug, Default)]
pub(super) struct Work {
    /// The last state that the agent reported, if it reports any.
    reported: Option<SessionState>,
    last: Option<Activity>,
}

impl Work {
    pub(super) fn activity(&self, open: Open) -> Activity {
        if open.asks {
            Activity::RequiresAction
        } else if self.agent_works(open.turn) || open.messages {
            Activity::Running
        } else {
            Activity::Idle
        }
    }

    /// Whether the agent is at work: by its own word, if it gives it.
    pub(super) fn agent_works(&self, turn_runs: bool) -> bool {
        match &self.reported {
            Some(state) => *state != SessionState::Idle,
            None => turn_runs,
        }
    }

    /// Whether the agent says that it rests.
    pub(super) fn agent_rests(&self) -> bool {
        self.reported == Some(SessionState::Idle)
    }

    /// Whether the agent says what it is doing.
    pub(super) fn is_reported(&self) -> bool {
        self.reported.is_some()
    }

    /// The activity, when it is another than the last time.
    pub(super) fn poll_change(&mut self, open: Open) -> Option<Activity> {
        let activity = self.activity(open);
        let before = self.last.replace(activity).unwrap_or(Activity::Idle);
        (activity != before).then_some(activity)
    }

    /// A turn has ended. An agent that says that somebody has to act, when
    /// nothing is asked, has lost count, and may never say that it rests
    /// (measured, after a `PermissionRequest` hook that took too long). Until it
    /// says something else its turns tell.
    pub(super) fn saw_end(&mut self, people_are_asked: bool) {
        if self.reported == Some(SessionState::RequiresAction) && !people_are_asked {
            self.reported = None;
        }
    }

    /// The session is over.
    pub(super) fn end(&mut self) {
        self.reported = None;
        self.last = Some(Activity::Idle);
    }

    pub(super) fn saw(&mut self, sign: &Sign) {
        if let Sign::State(state) = sign {
            self.reported = Some(state.clone());
        }
    }
}

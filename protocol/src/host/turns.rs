//! Whether the session works or rests.
//!
//! The agent's session states tell; for an agent that reports none, what it
//! sends, and its results.

use crate::frame::Frame;
use crate::message::{Message, SessionState, SystemMessage};

/// What a session is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Activity {
    /// No turn runs and no message waits.
    Idle,
    /// A turn runs, or a message waits for its turn.
    Running,
    /// A turn waits for an answer of the host's.
    RequiresAction,
}

/// The session's turns, as far as the host can tell.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// The last state that the agent reported, if it reports any.
    reported: Option<SessionState>,
    /// Whether a turn seems to run, for agents that do not report states.
    inferred_running: bool,
    /// Whether an ask waits for the host.
    asks_open: bool,
    /// Whether a user message is not dealt with yet.
    messages_open: bool,
    last: Option<Activity>,
}

impl Turns {
    pub(super) fn activity(&self) -> Activity {
        let running = match &self.reported {
            Some(state) => *state != SessionState::Idle,
            None => self.inferred_running,
        };
        if self.asks_open {
            Activity::RequiresAction
        } else if running || self.messages_open {
            Activity::Running
        } else {
            Activity::Idle
        }
    }

    /// The activity, when it is another than the last time.
    pub(super) fn poll_change(&mut self) -> Option<Activity> {
        let activity = self.activity();
        let before = self.last.replace(activity).unwrap_or(Activity::Idle);
        (activity != before).then_some(activity)
    }

    /// What is open between the two sides.
    pub(super) fn set_open(&mut self, asks: bool, messages: bool) {
        self.asks_open = asks;
        self.messages_open = messages;
    }

    /// The session is over.
    pub(super) fn end(&mut self) {
        *self = Self {
            last: Some(Activity::Idle),
            ..Self::default()
        };
    }

    /// A frame of the data plane came by.
    pub(super) fn saw(&mut self, frame: &Frame) {
        match (frame.kind(), frame.subtype()) {
            ("system", Some("session_state_changed")) => {
                if let Ok(Message::System(SystemMessage::SessionStateChanged(change))) =
                    frame.message()
                {
                    self.reported = Some(change.state);
                }
            }
            ("system", Some("init")) | ("assistant" | "stream_event", _) => {
                self.inferred_running = true;
            }
            ("result", _) => self.turn_ended(),
            _ => {}
        }
    }

    /// A result came by.
    pub(super) fn turn_ended(&mut self) {
        self.inferred_running = false;
    }
}

//! What becomes of messages.

use super::turn::TurnWatch;
use crate::event::Error;
use agentwire_protocol::host::SubmissionState;
use agentwire_protocol::outbox::Waiting;
use std::time::{Duration, Instant};

/// How far a message has come, and why it went no further.
#[derive(Debug, Clone)]
pub(crate) struct Progress {
    pub(crate) state: SubmissionState,
    was_written: bool,
    /// The turn that took it up.
    pub(crate) turn: Option<TurnWatch>,
    pub(crate) error: Option<Error>,
}

impl Progress {
    /// Nothing has happened yet.
    pub(crate) fn new() -> Self {
        Self {
            state: SubmissionState::Waiting,
            was_written: false,
            turn: None,
            error: None,
        }
    }

    /// It has come further.
    pub(crate) fn advance(&mut self, state: SubmissionState) {
        self.state = state;
        self.was_written |= !matches!(
            state,
            SubmissionState::Waiting
                | SubmissionState::Handed
                | SubmissionState::Withdrawn
                | SubmissionState::Lost
        );
    }

    /// Whether it is in the pipe, or was.
    pub(crate) fn was_written(&self) -> bool {
        self.was_written
    }

    /// A turn has taken it up.
    pub(crate) fn taken_up(&mut self, turn: Option<TurnWatch>) {
        self.turn = turn;
    }

    /// The session is over: why it went no further.
    pub(crate) fn end(&mut self, error: Error) {
        self.error = Some(error);
    }

    /// It went nowhere.
    pub(crate) fn failed(error: Error) -> Self {
        Self {
            state: SubmissionState::Lost,
            was_written: false,
            turn: None,
            error: Some(error),
        }
    }
}

/// What waits to be written to the agent, because the agent does not read, or
/// has not answered the first request yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OutboundQueue {
    /// How many user messages.
    pub messages: usize,
    /// The bytes that these have.
    pub message_bytes: usize,
    /// The bytes of control requests, interrupts excepted.
    pub control_bytes: usize,
    /// How long the oldest of the messages has waited that are for later:
    /// those that are sent after it may pass it again and again.
    pub oldest_later: Option<Duration>,
}

impl OutboundQueue {
    pub(crate) fn new(waiting: Waiting, now: Instant) -> Self {
        Self {
            messages: waiting.users,
            message_bytes: waiting.user_bytes,
            control_bytes: waiting.control_bytes,
            oldest_later: (waiting.oldest_later).map(|since| now.saturating_duration_since(since)),
        }
    }
}

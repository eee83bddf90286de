//! Turns: their start, the messages that they answer, and their end.
//!
//! An agent also starts turns on its own, for example after a background task
//! has ended. Such a turn answers no message.

use super::classify::ResultSummary;
use crate::frame::Frame;
use crate::message::{ResultMessage, TerminalReason};
use std::fmt;

/// An event of a turn. The start precedes the frame that starts the turn. The
/// end follows the frame that ends it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TurnEvent {
    /// A turn started.
    Started {
        /// The number of the turn, counted from 1 in each session.
        turn: u64,
    },
    /// The turn picked up a message of the host.
    PickedUp {
        /// The number of the turn.
        turn: u64,
        /// The ID of the message.
        uuid: Box<str>,
    },
    /// The turn ended. Sent exactly once for each turn that started.
    Ended(Box<TurnEnd>),
}

/// The end of a turn.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TurnEnd {
    /// The number of the turn.
    pub turn: u64,
    /// The outcome of the turn.
    pub outcome: TurnOutcome,
    /// The messages that the turn answered, in the order in which it picked
    /// them up. Empty if the agent started the turn on its own.
    pub messages: Vec<Box<str>>,
    /// The turn's `result`, which also arrives as a frame. `None` if the turn
    /// ended without a result.
    pub frame: Option<Frame>,
}

impl TurnEnd {
    /// Parses the result. Returns `None` if the turn ended without one.
    #[must_use]
    pub fn result(&self) -> Option<ResultMessage> {
        self.frame.as_ref()?.read().ok()
    }
}

/// The outcome of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TurnOutcome {
    /// The agent completed the turn.
    Completed,
    /// The turn was interrupted.
    Interrupted,
    /// The turn was cut off by a message with the priority `now`.
    Preempted,
    /// The agent gave up, because of the turn limit, the budget limit or an
    /// error.
    Failed,
    /// The model request failed.
    ApiError,
    /// The agent went idle without a result.
    NoResult,
    /// The agent's process ended during the turn, and the session's next process
    /// does not resume the turn.
    CutOff,
    /// The session ended before the turn.
    Lost,
}

impl fmt::Display for TurnOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Completed => "completed",
            Self::Interrupted => "interrupted",
            Self::Preempted => "preempted",
            Self::Failed => "failed",
            Self::ApiError => "ended by an API error",
            Self::NoResult => "ended without a result",
            Self::CutOff => "cut off",
            Self::Lost => "lost",
        })
    }
}

/// The running turn, and the number of turns so far.
#[derive(Debug, Default)]
pub(super) struct Turns {
    count: u64,
    current: Option<Current>,
}

#[derive(Debug)]
struct Current {
    messages: Vec<Box<str>>,
    /// The side that has stopped the turn, if the turn was stopped.
    stopped: Option<Stopped>,
}

/// The side that has stopped a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopped {
    /// The user.
    Interrupted,
    /// The host, to make room for a message with the priority `now`.
    Preempted,
}

impl Turns {
    pub(super) fn is_running(&self) -> bool {
        self.current.is_some()
    }

    /// Returns the number of the running turn.
    pub(super) fn running(&self) -> Option<u64> {
        self.current.is_some().then_some(self.count)
    }

    /// Returns whether the agent has accepted an interrupt of the running turn.
    pub(super) fn is_stopped(&self) -> bool {
        self.current.as_ref().is_some_and(|it| it.stopped.is_some())
    }

    /// Starts a turn, unless one is running.
    pub(super) fn begin(&mut self) -> Option<TurnEvent> {
        if self.current.is_some() {
            return None;
        }
        self.count += 1;
        self.current = Some(Current {
            messages: vec![],
            stopped: None,
        });
        Some(TurnEvent::Started { turn: self.count })
    }

    /// Records that the running turn picked up a message.
    pub(super) fn pick_up(&mut self, uuid: &str) -> Option<TurnEvent> {
        let current = self.current.as_mut()?;
        current.messages.push(uuid.into());
        Some(TurnEvent::PickedUp {
            turn: self.count,
            uuid: uuid.into(),
        })
    }

    /// Records that the agent has accepted an interrupt.
    pub(super) fn stop(&mut self, how: Stopped) {
        if let Some(current) = &mut self.current {
            current.stopped.get_or_insert(how);
        }
    }

    /// Returns the outcome of the running turn, from its result.
    pub(super) fn outcome(&self, result: &ResultSummary) -> TurnOutcome {
        let stopped = self.current.as_ref().and_then(|it| it.stopped);
        let is_error = result.is_error;
        match (&result.terminal_reason, stopped) {
            (Some(TerminalReason::AbortedStreaming | TerminalReason::AbortedTools), stopped) => {
                match stopped {
                    Some(Stopped::Preempted) => TurnOutcome::Preempted,
                    None if !is_error => TurnOutcome::Preempted,
                    _ => TurnOutcome::Interrupted,
                }
            }
            (Some(TerminalReason::ApiError), _) => TurnOutcome::ApiError,
            // Not every agent reports a reason.
            (None, Some(Stopped::Interrupted)) => TurnOutcome::Interrupted,
            (None, Some(Stopped::Preempted)) => TurnOutcome::Preempted,
            // CLIs up to 2.1.197 report no reason, or `completed`.
            _ if is_error && (result.is_success || result.has_api_status) => TurnOutcome::ApiError,
            _ if is_error => TurnOutcome::Failed,
            _ => TurnOutcome::Completed,
        }
    }

    /// Ends the running turn.
    pub(super) fn end(&mut self, outcome: TurnOutcome, frame: Option<Frame>) -> Option<TurnEvent> {
        let current = self.current.take()?;
        Some(TurnEvent::Ended(Box::new(TurnEnd {
            turn: self.count,
            outcome,
            messages: current.messages,
            frame,
        })))
    }
}

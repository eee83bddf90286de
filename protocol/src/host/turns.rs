//! Turns: when one begins, which messages it answers, and how it ends.
//!
//! An agent begins turns of its own as well, for a task that ended in the
//! background for example: such a turn answers no message.

use super::sign::ResultSign;
use crate::frame::Frame;
use crate::message::{ResultMessage, TerminalReason};
use std::fmt;

/// Something about a turn. What begins is told before the frame that begins
/// it, what ends after the frame that ends it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TurnEvent {
    /// A turn began.
    Started {
        /// The turn, counted from 1 in each session.
        turn: u64,
    },
    /// It answers this message of the host's.
    PickedUp {
        /// The turn.
        turn: u64,
        /// The message.
        uuid: Box<str>,
    },
    /// It is over. Comes once for each that began.
    Ended(Box<TurnEnd>),
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TurnEnd {
    /// The turn.
    pub turn: u64,
    /// How it ended.
    pub outcome: TurnOutcome,
    /// The host's messages that it answered, in the order in which it took
    /// them up. None, when the agent began it by itself.
    pub messages: Vec<Box<str>>,
    /// Its `result`, which has come as a frame as well; `None` when it ended
    /// without one.
    pub frame: Option<Frame>,
}

impl TurnEnd {
    /// The result, read; `None` when the turn ended without one.
    #[must_use]
    pub fn result(&self) -> Option<ResultMessage> {
        self.frame.as_ref()?.read().ok()
    }
}

/// How a turn came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TurnOutcome {
    /// The agent was done.
    Completed,
    /// It was interrupted.
    Interrupted,
    /// It was cut off for a message with the priority `now`.
    Preempted,
    /// The agent gave up: too many turns, too high a price, an error.
    Failed,
    /// The model could not be asked.
    ApiError,
    /// The agent went idle without a result.
    NoResult,
    /// The session ended first.
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
            Self::Lost => "lost",
        })
    }
}

/// The turn that runs, and how many there were.
#[derive(Debug, Default)]
pub(super) struct Turns {
    begun: u64,
    current: Option<Current>,
}

#[derive(Debug)]
struct Current {
    messages: Vec<Box<str>>,
    /// Who has asked the agent to stop, if anybody has.
    stopped: Option<Stopped>,
}

/// Who has asked the agent to stop its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopped {
    /// The user.
    Interrupted,
    /// The host, for a message that is for now.
    Preempted,
}

impl Turns {
    pub(super) fn is_running(&self) -> bool {
        self.current.is_some()
    }

    /// A turn begins, unless one runs.
    pub(super) fn begin(&mut self) -> Option<TurnEvent> {
        if self.current.is_some() {
            return None;
        }
        self.begun += 1;
        self.current = Some(Current {
            messages: vec![],
            stopped: None,
        });
        Some(TurnEvent::Started { turn: self.begun })
    }

    /// The turn that runs answers a message.
    pub(super) fn take_up(&mut self, uuid: &str) -> Option<TurnEvent> {
        let current = self.current.as_mut()?;
        current.messages.push(uuid.into());
        Some(TurnEvent::PickedUp {
            turn: self.begun,
            uuid: uuid.into(),
        })
    }

    /// The agent has agreed to stop.
    pub(super) fn stop(&mut self, how: Stopped) {
        if let Some(current) = &mut self.current {
            current.stopped.get_or_insert(how);
        }
    }

    /// What a result says of the turn that runs.
    pub(super) fn outcome(&self, result: &ResultSign) -> TurnOutcome {
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
            // Not every agent gives a reason.
            (None, Some(Stopped::Interrupted)) => TurnOutcome::Interrupted,
            (None, Some(Stopped::Preempted)) => TurnOutcome::Preempted,
            // CLIs up to 2.1.197 give none, or `completed`.
            _ if is_error && (result.is_success || result.has_api_status) => TurnOutcome::ApiError,
            _ if is_error => TurnOutcome::Failed,
            _ => TurnOutcome::Completed,
        }
    }

    /// The turn that runs is over.
    pub(super) fn end(&mut self, outcome: TurnOutcome, frame: Option<Frame>) -> Option<TurnEvent> {
        let current = self.current.take()?;
        Some(TurnEvent::Ended(Box::new(TurnEnd {
            turn: self.begun,
            outcome,
            messages: current.messages,
            frame,
        })))
    }
}

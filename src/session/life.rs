//! The stages of a session's end.

use crate::event::{EndReason, Error, SessionEnd};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time that a CLI may take to exit after closing its output. Usually it is about to exit.
const EXIT: Duration = Duration::from_secs(2);

/// The stages of a session's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Open,
    /// The host is closing the session; at the deadline, if any, its input is closed.
    Finishing(Option<Instant>),
    /// The agent is being put to sleep: its process is about to exit.
    FallingAsleep,
    /// The CLI closed a pipe, and must exit by this time.
    PipeClosed(EndReason, Instant),
    /// The CLI's input is closed for this reason. Unwritten messages are discarded.
    InputClosed(EndReason),
}

/// A transition.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    /// The host closes the session, by this deadline if set.
    Finish(Option<Instant>),
    /// The agent is put to sleep.
    FallAsleep,
    /// The CLI closed one of its pipes.
    PipeClosed(EndReason, Instant),
    /// The CLI's input was closed. The first reason counts.
    InputClosed(EndReason),
    /// The CLI did not exit.
    StillAlive,
    /// Another process follows.
    NextProcess,
}

/// The stage of a session.
#[derive(Debug)]
pub(super) struct Life {
    stage: Stage,
    /// Whether another host owns the session.
    is_lost: bool,
    /// Whether messages were discarded when the input was closed at a deadline.
    has_discarded: bool,
}

impl Life {
    pub(super) fn new() -> Self {
        Self {
            stage: Stage::Open,
            is_lost: false,
            has_discarded: false,
        }
    }

    /// Changes the stage, unless the change does not apply to it.
    pub(super) fn change(&mut self, change: Change) {
        self.stage = match (self.stage, change) {
            // A deadline may be added later, or become an earlier one.
            (Stage::Open | Stage::Finishing(None), Change::Finish(until)) => {
                Stage::Finishing(until)
            }
            (Stage::Finishing(Some(until)), Change::Finish(Some(other))) => {
                Stage::Finishing(Some(until.min(other)))
            }
            (Stage::Open, Change::FallAsleep) => Stage::FallingAsleep,
            (Stage::Open | Stage::Finishing(_), Change::PipeClosed(reason, now)) => {
                Stage::PipeClosed(reason, now + EXIT)
            }
            (stage @ Stage::InputClosed(_), Change::InputClosed(_)) => stage,
            (_, Change::InputClosed(reason)) => Stage::InputClosed(reason),
            (_, Change::StillAlive) => Stage::InputClosed(EndReason::StillAlive),
            (_, Change::NextProcess) => Stage::Open,
            (stage, Change::Finish(_) | Change::FallAsleep | Change::PipeClosed(..)) => stage,
        };
    }

    /// Records that another host owns the session. Returns whether that is new.
    pub(super) fn lose(&mut self) -> bool {
        !std::mem::replace(&mut self.is_lost, true)
    }

    pub(super) fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Records whether closing the input at a deadline discards messages.
    pub(super) fn discards(&mut self, has_messages: bool) {
        self.has_discarded = has_messages;
    }

    pub(super) fn has_discarded(&self) -> bool {
        self.has_discarded
    }

    pub(super) fn is_open(&self) -> bool {
        self.stage == Stage::Open
    }

    pub(super) fn is_finishing(&self) -> bool {
        matches!(self.stage, Stage::Finishing(_))
    }

    pub(super) fn is_falling_asleep(&self) -> bool {
        self.stage == Stage::FallingAsleep
    }

    pub(super) fn is_pipe_closed(&self) -> bool {
        matches!(self.stage, Stage::PipeClosed(..))
    }

    /// Returns the reason if the CLI's input is closed.
    pub(super) fn input_closed(&self) -> Option<EndReason> {
        match self.stage {
            Stage::InputClosed(reason) => Some(reason),
            _ => None,
        }
    }

    /// Returns whether the session was closed, so that no process follows.
    pub(super) fn is_closed(&self) -> bool {
        use EndReason::{Closed, CutOff, Dropped, StillAlive};
        matches!(
            self.input_closed(),
            Some(Closed | CutOff | Dropped | StillAlive)
        )
    }

    /// Returns whether both pipes are open and the agent is not being put to sleep.
    pub(super) fn is_active(&self) -> bool {
        matches!(self.stage, Stage::Open | Stage::Finishing(_))
    }

    /// Returns whether messages may be sent. Once a pipe is closed, they wait until the reason is
    /// known.
    pub(super) fn may_send(&self) -> bool {
        !matches!(self.stage, Stage::PipeClosed(..) | Stage::InputClosed(_))
    }

    /// Returns the deadline of the stage.
    pub(super) fn poll_timeout(&self) -> Option<Instant> {
        match self.stage {
            Stage::Finishing(until) => until,
            Stage::PipeClosed(_, until) => Some(until),
            Stage::Open | Stage::FallingAsleep | Stage::InputClosed(_) => None,
        }
    }

    /// Returns the reason if the CLI's input must be closed now.
    pub(super) fn handle_timeout(&self, now: Instant) -> Option<EndReason> {
        match self.stage {
            Stage::Finishing(Some(until)) if until <= now => Some(EndReason::CutOff),
            Stage::PipeClosed(reason, until) if until <= now => Some(reason),
            _ => None,
        }
    }

    /// Returns the error for operations on a session that is closing.
    pub(super) fn closing(&self) -> Error {
        let reason = match self.stage {
            Stage::PipeClosed(reason, _) | Stage::InputClosed(reason) => reason,
            Stage::Open | Stage::FallingAsleep | Stage::Finishing(_) => EndReason::Closed,
        };
        Error::Ended(Arc::new(SessionEnd::closing(reason)))
    }
}

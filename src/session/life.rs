//! The stages of a session's end.

use crate::event::{EndReason, Error, SessionEnd};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a CLI that closed its output may take to exit before the host
/// closes it. In most cases it is about to exit.
const EXIT: Duration = Duration::from_secs(2);

/// The stages of a session's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Open,
    /// The host is closing the session, until this time at most, if set.
    Finishing(Option<Instant>),
    /// The agent is put to sleep: its process is about to exit.
    FallingAsleep,
    /// The CLI closed its output or input, and must exit until this time.
    PipeClosed(EndReason, Instant),
    /// The CLI's input is closed for this reason. Unwritten messages are lost.
    InputClosed(EndReason),
}

/// What changes the stage.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    /// The host closes the session, until this time at most, if set.
    Finish(Option<Instant>),
    /// The agent is put to sleep.
    FallAsleep,
    /// The CLI closed one of its pipes.
    PipeClosed(EndReason, Instant),
    /// The CLI's input is closed. The first reason counts.
    InputClosed(EndReason),
    /// The CLI cannot be closed.
    StillAlive,
    /// Another process follows.
    NextProcess,
}

/// The stage of a session.
#[derive(Debug)]
pub(super) struct Life {
    stage: Stage,
    /// Whether the session is another host's.
    is_lost: bool,
}

impl Life {
    pub(super) fn new() -> Self {
        Self {
            stage: Stage::Open,
            is_lost: false,
        }
    }

    /// Changes the stage, if the change applies to it.
    pub(super) fn change(&mut self, change: Change) {
        self.stage = match (self.stage, change) {
            // A limit that is set later applies too.
            (Stage::Open | Stage::Finishing(None), Change::Finish(until)) => {
                Stage::Finishing(until)
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

    /// Notes that the session is another host's. Returns whether that is new.
    pub(super) fn lose(&mut self) -> bool {
        !std::mem::replace(&mut self.is_lost, true)
    }

    pub(super) fn is_lost(&self) -> bool {
        self.is_lost
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

    /// Returns why the CLI's input is closed, if it is.
    pub(super) fn input_closed(&self) -> Option<EndReason> {
        match self.stage {
            Stage::InputClosed(reason) => Some(reason),
            _ => None,
        }
    }

    /// Whether the session was closed, so that no other process follows.
    pub(super) fn is_closed(&self) -> bool {
        use EndReason::{Closed, CutOff, Dropped, StillAlive};
        matches!(
            self.input_closed(),
            Some(Closed | CutOff | Dropped | StillAlive)
        )
    }

    /// Whether the agent goes on: it has closed none of its pipes, and is not put to sleep.
    pub(super) fn goes_on(&self) -> bool {
        matches!(self.stage, Stage::Open | Stage::Finishing(_))
    }

    /// Whether messages may be sent. When the session is about to end, they wait until the
    /// reason is known.
    pub(super) fn may_send(&self) -> bool {
        !matches!(self.stage, Stage::PipeClosed(..) | Stage::InputClosed(_))
    }

    /// When the stage is over at the latest.
    pub(super) fn poll_timeout(&self) -> Option<Instant> {
        match self.stage {
            Stage::Finishing(until) => until,
            Stage::PipeClosed(_, until) => Some(until),
            Stage::Open | Stage::FallingAsleep | Stage::InputClosed(_) => None,
        }
    }

    /// Returns why the CLI's input has to be closed now, if it has to.
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

//! Messages of which an agent that rests has said nothing.
//!
//! An agent takes no notice of a message whose id it has had before, and what
//! it says of one may be lost in a line that cannot be read. Its rest alone
//! proves nothing: it may be slow to read. So it is asked something, and when
//! it has answered, and rests on, it has read everything that was written
//! before and is done with it.

use super::pending::OwnRequest;
use super::unclaimed::Unclaimed;
use super::{Host, RequestFailure};
use crate::control::McpStatus;
use std::time::{Duration, Instant};

/// How long it may rest before it is asked.
const RESTS: Duration = Duration::from_secs(30);

/// How long it may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long it may take to begin with what it has read.
const BEGINS: Duration = Duration::from_secs(5);

impl Host {
    /// Whether the agent rests, although it was sent something.
    pub(super) fn is_unclaimed(&self) -> bool {
        let rests = if self.work.is_reported() {
            self.work.agent_rests()
        } else {
            !self.turns.is_running() && self.submissions.missed_a_turn()
        };
        // What it has said since, nobody has read.
        rests && !self.is_paused && self.in_flight.is_none() && self.submissions.are_outstanding()
    }

    pub(super) fn watch_unclaimed(&mut self, now: Instant) {
        if !self.is_unclaimed() {
            self.unclaimed = Unclaimed::Nothing;
        } else if self.unclaimed == Unclaimed::Nothing {
            self.unclaimed = Unclaimed::Rests(now.checked_add(RESTS));
        }
    }

    /// When there is something to be done about it.
    pub(super) fn unclaimed_until(&self) -> Option<Instant> {
        match self.unclaimed {
            Unclaimed::Rests(until) | Unclaimed::Answered(until) => until,
            Unclaimed::Nothing | Unclaimed::Asked => None,
        }
    }

    /// That time has come.
    pub(super) fn doubt(&mut self, now: Instant) {
        match self.unclaimed {
            Unclaimed::Rests(_) => self.ask_whether_it_reads(now),
            Unclaimed::Answered(_) => {
                self.unclaimed = Unclaimed::Nothing;
                self.submissions.give_up();
            }
            Unclaimed::Nothing | Unclaimed::Asked => {}
        }
    }

    /// Any request will do that changes nothing.
    fn ask_whether_it_reads(&mut self, now: Instant) {
        self.unclaimed = Unclaimed::Asked;
        self.ask_for_itself(
            now,
            "still-there",
            &McpStatus::default(),
            PATIENCE,
            OwnRequest::Doubt,
        );
    }

    /// It was answered, or not in time.
    pub(super) fn doubt_ended(&mut self, now: Instant, failure: Option<&RequestFailure>) {
        if self.unclaimed != Unclaimed::Asked {
            return;
        }
        self.unclaimed = match failure {
            Some(RequestFailure::TimedOut { .. } | RequestFailure::Cancelled { .. }) => {
                Unclaimed::Rests(now.checked_add(RESTS))
            }
            // A refusal is an answer.
            _ => Unclaimed::Answered(now.checked_add(BEGINS)),
        };
    }
}

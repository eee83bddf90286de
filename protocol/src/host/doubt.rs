//! Messages that an idle agent has not acknowledged.
//!
//! An agent ignores a message whose ID it has seen before, and its report about
//! a message may be lost in a malformed line. That the agent is idle proves
//! nothing, because it may be slow to read. So the host sends it a request.
//! Once the agent has answered and stays idle, it has read everything written
//! before and is done with it.

use super::pending::OwnRequest;
use super::unclaimed::Unclaimed;
use super::{Host, RequestFailure};
use crate::control::McpStatus;
use std::time::{Duration, Instant};

/// How long the agent may be idle before the host sends the request.
const RESTS: Duration = Duration::from_secs(30);

/// Timeout of the request.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long the agent may take to start on what it has read.
const BEGINS: Duration = Duration::from_secs(5);

impl Host {
    /// Whether the agent is idle although it was sent something.
    pub(super) fn is_unclaimed(&self) -> bool {
        let rests = if self.work.is_reported() {
            self.work.agent_rests()
        } else {
            !self.turns.is_running() && self.submissions.missed_a_turn()
        };
        // Output since then has not been read.
        rests && !self.is_paused && self.in_flight.is_none() && self.submissions.are_outstanding()
    }

    pub(super) fn watch_unclaimed(&mut self, now: Instant) {
        if !self.is_unclaimed() {
            self.unclaimed = Unclaimed::Nothing;
        } else if self.unclaimed == Unclaimed::Nothing {
            self.unclaimed = Unclaimed::Rests(now.checked_add(RESTS));
        }
    }

    /// The next deadline of this check.
    pub(super) fn unclaimed_until(&self) -> Option<Instant> {
        match self.unclaimed {
            Unclaimed::Rests(until) | Unclaimed::Answered(until) => until,
            Unclaimed::Nothing | Unclaimed::Asked => None,
        }
    }

    /// Handles the deadline of this check.
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

    /// Any request without side effects works.
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

    /// Handles the response to the request, or its timeout.
    pub(super) fn doubt_ended(&mut self, now: Instant, failure: Option<&RequestFailure>) {
        if self.unclaimed != Unclaimed::Asked {
            return;
        }
        self.unclaimed = match failure {
            Some(RequestFailure::TimedOut { .. } | RequestFailure::Cancelled { .. }) => {
                Unclaimed::Rests(now.checked_add(RESTS))
            }
            // An error response is a response.
            _ => Unclaimed::Answered(now.checked_add(BEGINS)),
        };
    }
}

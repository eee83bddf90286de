//! Ends messages that an idle agent has not acknowledged.
//!
//! An agent ignores a message with a repeated ID, and its report about a
//! message may be lost in a malformed line. An agent that seems idle may also
//! read slowly. Therefore the host sends a request. An agent that has responded
//! and stays idle has processed everything that was written before.

use super::pending::OwnRequest;
use super::{Host, RequestFailure};
use crate::control::McpStatus;
use std::time::{Duration, Instant};

/// The idle time after which the host sends the request.
const IDLE_LIMIT: Duration = Duration::from_secs(30);

/// The timeout of the request.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The time in which the agent must start to process a message that it has
/// read.
const START_LIMIT: Duration = Duration::from_secs(5);

/// The check of an idle agent that has not acknowledged messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IdleProbe {
    /// No message is unacknowledged.
    Inactive,
    /// The agent is idle. At this instant the host sends it a request.
    Idle(Option<Instant>),
    /// The host has sent the request.
    Sent,
    /// The agent has responded. If it is still idle at this instant, the
    /// messages end.
    Answered(Option<Instant>),
}

impl Host {
    /// Returns whether the agent is idle but has not acknowledged a message.
    pub(super) fn is_unacknowledged(&self) -> bool {
        let rests = if self.work.is_reported() {
            self.work.agent_is_idle()
        } else {
            !self.turns.is_running() && self.submissions.missed_a_turn()
        };
        // While reading is paused, unread output may show that the agent is busy.
        rests && !self.is_paused && self.in_flight.is_none() && self.submissions.are_outstanding()
    }

    pub(super) fn watch_idle(&mut self, now: Instant) {
        if !self.is_unacknowledged() {
            self.idle_probe = IdleProbe::Inactive;
        } else if self.idle_probe == IdleProbe::Inactive {
            self.idle_probe = IdleProbe::Idle(now.checked_add(IDLE_LIMIT));
        }
    }

    /// Returns the next deadline of the idle probe.
    pub(super) fn idle_probe_deadline(&self) -> Option<Instant> {
        match self.idle_probe {
            IdleProbe::Idle(until) | IdleProbe::Answered(until) => until,
            IdleProbe::Inactive | IdleProbe::Sent => None,
        }
    }

    /// Handles the deadline of the idle probe.
    pub(super) fn handle_idle_probe_deadline(&mut self, now: Instant) {
        match self.idle_probe {
            IdleProbe::Idle(_) => self.send_idle_probe(now),
            IdleProbe::Answered(_) => {
                self.idle_probe = IdleProbe::Inactive;
                self.submissions.give_up();
            }
            IdleProbe::Inactive | IdleProbe::Sent => {}
        }
    }

    /// Sends the request. Any request without side effects works.
    fn send_idle_probe(&mut self, now: Instant) {
        self.idle_probe = IdleProbe::Sent;
        self.send_own_request(
            now,
            "still-there",
            &McpStatus::default(),
            TIMEOUT,
            OwnRequest::IdleProbe,
        );
    }

    /// Handles the response to the request, or its timeout.
    pub(super) fn handle_idle_probe_end(&mut self, now: Instant, failure: Option<&RequestFailure>) {
        if self.idle_probe != IdleProbe::Sent {
            return;
        }
        self.idle_probe = match failure {
            Some(RequestFailure::TimedOut { .. } | RequestFailure::Cancelled { .. }) => {
                IdleProbe::Idle(now.checked_add(IDLE_LIMIT))
            }
            // An error response shows that the agent reads, too.
            _ => IdleProbe::Answered(now.checked_add(START_LIMIT)),
        };
    }
}

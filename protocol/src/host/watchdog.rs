//! A watchdog that detects agents that hang.
//!
//! A tool or the model may take any time without output. Therefore the host
//! sends a probe, a request without side effects. Only an agent that does not
//! respond to the probe counts as hung.

use super::pending::OwnRequest;
use super::{Host, HostEvent};
use crate::control::McpStatus;
use std::time::{Duration, Instant};

/// The state of the watchdog.
#[derive(Debug, Default)]
pub(super) struct Watchdog {
    /// The maximum time without output, which is also the timeout of the probe.
    /// `None` if the watchdog is disabled.
    pub(super) limit: Option<Duration>,
    /// The instant at which the probe is sent, unless the agent writes first.
    pub(super) probe_at: Option<Instant>,
    /// Whether the probe was sent and the agent has written nothing since.
    pub(super) is_probing: bool,
}

impl Watchdog {
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.probe_at
    }

    /// Resets the state for another process.
    pub(super) fn begin_process(&mut self) {
        (self.probe_at, self.is_probing) = (None, false);
    }
}

impl Host {
    /// Sets the maximum time without output of an agent with pending work.
    /// After this time a probe is sent, with the same time as its timeout. If
    /// the agent does not respond, [`HostEvent::Hung`] is delivered. Default:
    /// no watchdog. The watchdog is disarmed while reading is paused.
    pub fn set_watchdog(&mut self, limit: Option<Duration>) {
        self.watchdog.limit = limit;
    }

    /// Returns whether the agent has work pending: a turn, a response, or a
    /// report about a message. Responses that the agent waits for do not count.
    fn has_pending_work(&self) -> bool {
        let has_pending_work = self.turns.is_running()
            || !self.requests.is_empty()
            || self.submissions.are_outstanding();
        has_pending_work && !self.is_paused
    }

    /// Records output of the agent.
    pub(super) fn feed_watchdog(&mut self, now: Instant) {
        if let Some(limit) = self.watchdog.limit {
            self.watchdog.is_probing = false;
            self.watchdog.probe_at = now.checked_add(limit);
        }
    }

    /// Arms or disarms the watchdog after a change.
    pub(super) fn arm_watchdog(&mut self, now: Instant) {
        let Some(limit) = self.watchdog.limit else {
            return;
        };
        if !self.has_pending_work() {
            self.watchdog.begin_process();
        } else if self.watchdog.probe_at.is_none() && !self.watchdog.is_probing {
            self.watchdog.probe_at = now.checked_add(limit);
        }
    }

    /// Sends the probe if its deadline has passed.
    pub(super) fn handle_watchdog_deadline(&mut self, now: Instant) {
        let Some(limit) = self.watchdog.limit else {
            return;
        };
        if self.watchdog.probe_at.is_none_or(|at| at > now) {
            return;
        }
        self.watchdog.probe_at = None;
        if self.has_pending_work() {
            self.watchdog.is_probing = true;
            // Any request without side effects works as a probe.
            let own = OwnRequest::Watchdog;
            self.send_own_request(now, "still-alive", &McpStatus::default(), limit, own);
        }
    }

    /// Handles the response to the probe, or its timeout.
    pub(super) fn handle_probe_end(&mut self, has_answer: bool) {
        if self.watchdog.is_probing && !has_answer {
            self.events.push_back(HostEvent::Hung);
        }
        self.watchdog.is_probing = false;
    }
}

//! Closes a session.

use super::idle_probe::IdleProbe;
use super::queueing::Preemption;
use super::{Activity, Host, HostEvent, OutgoingState, RequestFailure, TurnOutcome};
use crate::outbox::Class;
use std::time::{Duration, Instant};

impl Host {
    /// Closes the pipe when the outbound queue is empty, the session is idle,
    /// and no background task has output pending. After the session has become
    /// idle, waits at most `background` for background tasks and for messages
    /// that the agent has not acknowledged.
    pub fn finish(&mut self, now: Instant, background: Duration) {
        if self.can_restart() {
            self.outgoing = match self.outgoing {
                OutgoingState::Broken => OutgoingState::Closed,
                _ => OutgoingState::Finishing,
            };
            self.background_timeout = background;
            self.watch(now);
        }
    }

    /// Closes the pipe as soon as the line in flight is written. Queued
    /// messages are reported as
    /// [`SubmissionState::Lost`](super::SubmissionState::Lost).
    pub fn end(&mut self) {
        if self.outgoing != OutgoingState::Closed {
            self.outgoing = OutgoingState::Ending;
            self.lose_queued();
            self.after_change();
        }
    }

    /// Handles the end of the session. Everything that is pending ends.
    pub fn handle_end(&mut self) {
        self.outgoing = OutgoingState::Closed;
        self.forget_in_flight();
        self.outbox.drain();
        let requests = self.requests.take();
        self.end_requests(requests, |subtype| RequestFailure::SessionEnded { subtype });
        for request_id in self.incoming_requests.take() {
            self.events.push_back(HostEvent::IncomingRequestCancelled {
                request_id: (*request_id).into(),
            });
        }
        self.submissions.end();
        self.report_submissions();
        self.end_turn(TurnOutcome::Lost, None);
        self.work.end();
        self.preemption = Preemption::No;
        self.background_deadline = None;
        self.idle_probe = IdleProbe::Inactive;
    }

    /// Returns whether the queue is empty, nothing is pending and no turn is
    /// running.
    fn is_quiet(&self) -> bool {
        self.outbox.is_empty() && self.requests.is_empty() && self.activity() == Activity::Idle
    }

    pub(super) fn is_done(&self) -> bool {
        if self.is_paused {
            // Unread output may show that the session is busy.
            return false;
        }
        self.is_quiet() && (self.background_expired || !self.background.has_pending_output())
    }

    /// Returns whether the only pending work is messages that an idle agent has
    /// not acknowledged.
    fn is_stuck(&self) -> bool {
        self.outbox.is_empty() && !self.incoming_requests.await_user() && self.is_unacknowledged()
    }

    /// Starts or stops the timer for work that may never finish.
    pub(super) fn watch(&mut self, now: Instant) {
        if self.background_expired && self.is_stuck() {
            // Messages that the agent never acknowledged end before the pipe is
            // closed.
            self.submissions.give_up();
            self.after_change();
        }
        self.watch_idle(now);
        self.arm_watchdog(now);
        let is_waited_for = self.outgoing == OutgoingState::Finishing
            && !self.background_expired
            && !self.is_paused
            && (self.background.has_pending_output() && self.is_quiet() || self.is_stuck());
        if !is_waited_for {
            self.background_deadline = None;
        } else if self.background_deadline.is_none() {
            self.background_deadline = now.checked_add(self.background_timeout);
        }
    }

    pub(super) fn lose_queued(&mut self) {
        for outgoing in self.outbox.drain() {
            self.lose(outgoing.class, &outgoing.id);
        }
    }

    /// Handles a line that will never be written. A request ends later, at its
    /// deadline or with the session, whose error contains the reason.
    pub(super) fn lose(&mut self, class: Class, id: &str) {
        if let Class::User(_) = class {
            self.submissions.not_written(id);
        }
    }
}

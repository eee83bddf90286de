//! Requests of the host: their sending, cancellation and end.

use super::journal::{is_setting, only_reads};
use super::pending::{OwnRequest, Pending};
use super::{Host, HostEvent, OutgoingState, QueueError, Request, RequestFailure};
use crate::control::{self, Answer, CancelAsyncMessageAnswer, HostRequest};
use crate::json::{Json, Members};
use crate::outbox::{Class, Outgoing};
use std::sync::Arc;
use std::time::{Duration, Instant};

impl Host {
    /// Sends a request with the given timeout. Every request ends in exactly
    /// one [`HostEvent::RequestEnded`].
    ///
    /// A session that is finishing still accepts requests, because callbacks
    /// may need them.
    ///
    /// # Errors
    ///
    /// [`QueueError::Closing`] if the session is ending or has ended,
    /// [`QueueError::Full`] if the outbound queue is full, for example because
    /// the agent does not read.
    pub fn request(
        &mut self,
        now: Instant,
        request: Request,
        timeout: Duration,
    ) -> Result<(), QueueError> {
        if matches!(self.outgoing, OutgoingState::Ending | OutgoingState::Closed) {
            return Err(QueueError::Closing);
        }
        let Request {
            subtype,
            withdraws_waiting,
            withdraws,
            outgoing,
        } = request;
        if let Some(uuid) = withdraws.as_deref()
            && self.outbox.has_user(uuid)
            && !self.was_started(uuid)
        {
            self.withdraw_prompt(uuid);
            self.events.push_back(HostEvent::RequestEnded {
                outcome: Ok(withdrawn_answer(&outgoing.id, uuid)),
                request_id: outgoing.id,
            });
            self.after_change();
            return Ok(());
        }
        if !self.outbox.has_room(outgoing.class, outgoing.line.len()) {
            return Err(QueueError::Full);
        }
        let (mut passed, mut withdrawn) = (Vec::new(), Vec::new());
        if outgoing.class == Class::Interrupt {
            let waiting = self.outbox.passed_by_interrupt();
            let waiting = waiting.filter(|uuid| !self.was_started(uuid));
            passed.extend(waiting.map(str::to_owned));
        }
        if withdraws_waiting {
            withdrawn = std::mem::take(&mut passed);
            for uuid in &withdrawn {
                self.withdraw_prompt(uuid);
            }
        }
        let deadline = now.checked_add(timeout);
        let is_retained =
            is_setting(&subtype) || self.succession.retains_lines && only_reads(&subtype);
        let line = is_retained.then(|| outgoing.line.clone());
        let pending = Pending {
            subtype,
            deadline,
            timeout,
            passed,
            withdrawn,
            withdraws,
            withdraws_sent: withdraws_waiting,
            line,
            own: None,
        };
        self.requests.insert(outgoing.id.clone(), pending);
        self.outbox.push(outgoing);
        self.arm_watchdog(now);
        self.after_change();
        Ok(())
    }

    /// Cancels a pending request, which ends at once with
    /// [`RequestFailure::Cancelled`]. If the request was already sent, a
    /// cancellation is sent to agents that support it. Returns `false` if no
    /// request with this ID is pending.
    pub fn cancel(&mut self, request_id: &str) -> bool {
        let Some((request_id, pending)) = self.requests.remove(request_id) else {
            return false;
        };
        self.withdraw_request(&request_id);
        self.events.push_back(HostEvent::RequestEnded {
            request_id,
            outcome: Err(RequestFailure::Cancelled {
                subtype: pending.subtype,
            }),
        });
        self.after_change();
        true
    }

    /// Sends a request that the host makes on its own.
    pub(super) fn send_own_request<R: HostRequest>(
        &mut self,
        now: Instant,
        name: &str,
        request: &R,
        timeout: Duration,
        own: OwnRequest,
    ) {
        self.own_requests += 1;
        let id = format!("{name}-{}", self.own_requests);
        // Requests of the host can always be written as JSON.
        let Ok(Request {
            subtype, outgoing, ..
        }) = Request::new(id, request)
        else {
            return;
        };
        let pending = Pending {
            subtype,
            deadline: now.checked_add(timeout),
            timeout,
            passed: vec![],
            withdrawn: vec![],
            withdraws: None,
            withdraws_sent: false,
            line: None,
            own: Some(own),
        };
        self.requests.insert(outgoing.id.clone(), pending);
        self.outbox.push(outgoing);
    }

    /// Ends requests whose deadline has passed.
    pub(super) fn end_expired_requests(&mut self, now: Instant) {
        while let Some((id, pending)) = self.requests.take_expired(now) {
            self.withdraw_request(&id);
            let failure = RequestFailure::TimedOut {
                subtype: pending.subtype,
                after: pending.timeout,
            };
            self.end_request(now, id, pending.own, Err(failure));
        }
    }

    /// Ends a request. A request that the host made on its own produces no event.
    pub(super) fn end_request(
        &mut self,
        now: Instant,
        request_id: Arc<str>,
        own: Option<OwnRequest>,
        outcome: Result<Answer, RequestFailure>,
    ) {
        match own {
            Some(OwnRequest::Preempt) => self.handle_preempt_end(now, outcome.is_ok()),
            Some(OwnRequest::Watchdog) => self.handle_probe_end(outcome.is_ok()),
            Some(OwnRequest::IdleProbe) => self.handle_idle_probe_end(now, outcome.as_ref().err()),
            None => self.events.push_back(HostEvent::RequestEnded {
                request_id,
                outcome,
            }),
        }
    }

    /// Handles the sending of an interrupt. Records that it overtook the
    /// messages that were queued when it was made and are still queued.
    pub(super) fn note_passed(&mut self, class: Class, id: &str) {
        if class == Class::Interrupt
            && let Some(passed) = self.requests.passed(id)
        {
            passed.retain(|uuid| self.outbox.has_user(uuid));
        }
    }

    /// Withdraws a queued request, or cancels a sent one. CLIs up to 2.0.77
    /// exit when they receive a cancellation. Unlike newer CLIs, they report
    /// neither their capabilities nor their process ID.
    pub(super) fn withdraw_request(&mut self, request_id: &str) {
        let is_request = |class| !matches!(class, Class::User(_));
        if self.outbox.withdraw(request_id, is_request).is_none()
            && self.supports_cancellation
            && self.outgoing != OutgoingState::Closed
        {
            let line = control::cancel(request_id);
            self.outbox.push(Outgoing {
                class: Class::Control,
                id: request_id.into(),
                line,
                since: None,
            });
        }
    }
}

/// Builds the response to the withdrawal of a message that was never sent.
fn withdrawn_answer(request_id: &str, uuid: &str) -> Answer {
    let answer = CancelAsyncMessageAnswer {
        cancelled: true,
        message_uuid: Some(uuid.to_owned()),
        extra: Members::default(),
    };
    Answer::success(request_id, Json::from_value(&answer).ok())
}

//! Requests of the host's: made, taken back, ended.

use super::pending::{OwnRequest, Pending};
use super::{Event, Host, NotTaken, OutgoingState, Request, RequestFailure};
use crate::control::{self, Answer, CancelAsyncMessageAnswer, HostRequest};
use crate::json::{Json, Members};
use crate::outbox::{Class, Outgoing};
use crate::sabotage::{Bug, is_on};
use std::time::{Duration, Instant};

impl Host {
    /// Sends a request that has to be answered within `patience`. Every
    /// request ends in one [`Event::Answered`].
    ///
    /// # Errors
    ///
    /// When the session is closing, too much waits already, or the agent's
    /// output is not read. A session that is finishing still takes requests,
    /// for a callback may want to make one.
    pub fn request(
        &mut self,
        now: Instant,
        request: Request,
        patience: Duration,
    ) -> Result<(), NotTaken> {
        if matches!(self.outgoing, OutgoingState::Ending | OutgoingState::Closed) {
            return Err(NotTaken::Closing);
        }
        let Request {
            subtype,
            withdraws_waiting,
            takes_back,
            outgoing,
        } = request;
        if let Some(uuid) = takes_back.as_deref()
            && self.outbox.has_user(uuid)
        {
            self.withdraw_prompt(uuid);
            self.events.push_back(Event::Answered {
                outcome: Ok(taken_back(&outgoing.id, uuid)),
                request_id: outgoing.id,
            });
            self.after_change();
            return Ok(());
        }
        if !self.outbox.has_room(outgoing.class, outgoing.line.len()) {
            return Err(NotTaken::Full);
        }
        let (mut passed, mut withdrawn) = (Vec::new(), Vec::new());
        if outgoing.class == Class::Interrupt {
            passed.extend(self.outbox.passed_by_interrupt().map(str::to_owned));
        }
        if withdraws_waiting {
            withdrawn = std::mem::take(&mut passed);
            for uuid in &withdrawn {
                self.withdraw_prompt(uuid);
            }
        }
        let mut deadline = now.checked_add(patience);
        if is_on(Bug::DeadlineForgotten) {
            deadline = None;
        }
        let pending = Pending {
            subtype,
            deadline,
            patience,
            passed,
            withdrawn,
            takes_back,
            own: None,
        };
        self.requests.insert(outgoing.id.clone(), pending);
        self.outbox.push(outgoing);
        self.after_change();
        Ok(())
    }

    /// Takes a request back that is not answered yet: it ends at once, and the
    /// agent is told if it has left. `false` when it is answered, or was never
    /// made.
    pub fn cancel(&mut self, request_id: &str) -> bool {
        let Some((request_id, pending)) = self.requests.remove(request_id) else {
            return false;
        };
        self.withdraw_request(&request_id);
        self.events.push_back(Event::Answered {
            request_id,
            outcome: Err(RequestFailure::Cancelled {
                subtype: pending.subtype,
            }),
        });
        self.after_change();
        true
    }

    /// Makes a request that nobody has asked for.
    pub(super) fn ask_for_itself<R: HostRequest>(
        &mut self,
        now: Instant,
        name: &str,
        request: &R,
        patience: Duration,
        own: OwnRequest,
    ) {
        self.own_requests += 1;
        let id = format!("{name}-{}", self.own_requests);
        // The host's own requests are always JSON.
        let Ok(Request {
            subtype, outgoing, ..
        }) = Request::new(id, request)
        else {
            return;
        };
        let pending = Pending {
            subtype,
            deadline: now.checked_add(patience),
            patience,
            passed: vec![],
            withdrawn: vec![],
            takes_back: None,
            own: Some(own),
        };
        self.requests.insert(outgoing.id.clone(), pending);
        self.outbox.push(outgoing);
    }

    /// Requests whose deadline is over end.
    pub(super) fn end_late_requests(&mut self, now: Instant) {
        while let Some((id, pending)) = self.requests.take_late(now) {
            self.withdraw_request(&id);
            let failure = RequestFailure::TimedOut {
                subtype: pending.subtype,
                after: pending.patience,
            };
            self.end_request(now, id, pending.own, Err(failure));
        }
    }

    /// A request has come to its end. Of one that the host made for itself
    /// nobody hears.
    pub(super) fn end_request(
        &mut self,
        now: Instant,
        request_id: Box<str>,
        own: Option<OwnRequest>,
        outcome: Result<Answer, RequestFailure>,
    ) {
        match own {
            Some(OwnRequest::Press) => self.pressed(now, outcome.is_ok()),
            Some(OwnRequest::Doubt) => self.doubt_ended(now, outcome.as_ref().err()),
            None => self.events.push_back(Event::Answered {
                request_id,
                outcome,
            }),
        }
    }

    /// An interrupt leaves: what it passed is what waited when it was made
    /// and waits still.
    pub(super) fn note_passed(&mut self, class: Class, id: &str) {
        if class == Class::Interrupt
            && let Some(passed) = self.requests.passed(id)
        {
            passed.retain(|uuid| self.outbox.has_user(uuid));
        }
    }

    /// Nobody waits for the answer any more: the request is taken back where
    /// it still waits, and cancelled where it has left. CLIs up to 2.0.77 exit
    /// when they are sent a cancel; unlike newer ones they tell neither their
    /// capabilities nor their process ID.
    pub(super) fn withdraw_request(&mut self, request_id: &str) {
        let is_request = |class| !matches!(class, Class::User(_));
        if self.outbox.withdraw(request_id, is_request).is_none()
            && self.takes_cancels
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

/// The answer to a request that takes a message back which never left the
/// host.
fn taken_back(request_id: &str, uuid: &str) -> Answer {
    let answer = CancelAsyncMessageAnswer {
        cancelled: true,
        message_uuid: Some(uuid.to_owned()),
        extra: Members::default(),
    };
    Answer::success(request_id, Json::from_value(&answer).ok())
}

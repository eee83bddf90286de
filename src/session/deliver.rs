//! Delivery of the state machine's events.

use super::driver::Driver;
use super::incoming_requests::Step;
use crate::attachment::AttachmentEvent;
use crate::command::Out;
use crate::event::{EndReason, Error, Event, Notice};
use agentwire_protocol::control::{self, Refusal};
use agentwire_protocol::host::{
    self, IncomingRequest, RequestFailure, SessionUpdate, SubmissionState, TurnEvent,
};
use std::sync::Arc;

impl Driver {
    pub(super) fn deliver(&mut self, event: host::HostEvent) {
        if !is_for_streams(&event) {
            // Observers outside the streams must find the earlier events in the streams.
            self.streams.hand_over();
        }
        match event {
            host::HostEvent::Frame(frame) => {
                self.callbacks.spans().observe_frame(&frame);
                let denied = self.callbacks.denied_without_request(&frame);
                let is_lost = self.life.is_lost();
                if let Some(frame) = self.attachments.pass_message(frame, is_lost) {
                    self.streams.put(Event::Frame(frame));
                }
                if let Some(notice) = denied {
                    self.streams.put(Event::Notice(notice));
                }
            }
            host::HostEvent::Turn(event @ TurnEvent::Ended(_)) => {
                self.streams.put(Event::Turn(event.clone()));
                let (messages, events) = self.streams.end_turn();
                self.streams.hand_over();
                self.waiters.end_turn(&messages, &events);
                self.observe_turn(&event);
            }
            host::HostEvent::Turn(event) => {
                self.observe_turn(&event);
                if let TurnEvent::PickedUp { uuid, .. } = &event
                    && self.waiters.is_observed(uuid)
                {
                    self.streams.retain_start();
                }
                self.streams.put(Event::Turn(event));
            }
            host::HostEvent::Session(update) => {
                if let SessionUpdate::Renumbered { .. } = &update {
                    self.succession.handle_new_id();
                }
                if let SessionUpdate::Began(init) | SessionUpdate::Changed(init) = &update {
                    self.callbacks.spans().observe_init(init);
                    let declared = self.callbacks.declared();
                    let names = init.capabilities.as_deref().unwrap_or_default();
                    declared.add_capabilities(names);
                    if let Some(version) = &init.claude_code_version {
                        declared.set_version(version);
                    }
                    for notice in declared.configured.compare(init) {
                        self.streams.put(Event::Notice(notice));
                    }
                }
                self.observe_id();
                self.streams.put(Event::Session(update));
            }
            host::HostEvent::Background(tasks) => self.streams.put(Event::Background(tasks)),
            // The agent may be another host's by now.
            host::HostEvent::IncomingRequest(_) if self.life.is_lost() => {}
            host::HostEvent::IncomingRequest(ask) => self.handle_request(ask),
            host::HostEvent::IncomingRequestCancelled { request_id } => {
                self.attachments.cancel_request(&request_id);
                if self.callbacks.cancel(&request_id) {
                    self.streams.put(Event::RequestWithdrawn { request_id });
                }
            }
            host::HostEvent::RequestEnded {
                request_id,
                outcome,
            } => {
                let Some(outcome) = self.handle_restored(&request_id, outcome) else {
                    return;
                };
                if let Some(reply) = self.waiters.take_request(&request_id) {
                    let outcome = outcome.map_err(|failure| self.request_error(failure));
                    drop(reply.send(outcome));
                }
            }
            host::HostEvent::Hung => self.close_input(EndReason::Hung),
            host::HostEvent::Submission { uuid, state } => self.report_submission(uuid, state),
            host::HostEvent::Activity(activity) => {
                tracing::trace!(?activity, "the session's activity changed");
                self.streams.put(Event::Activity(activity));
                // Observers of the status must find the earlier events in the streams.
                self.streams.hand_over();
                self.status.send_modify(|status| status.activity = activity);
            }
            host::HostEvent::Notice(notice) => {
                self.streams.put(Event::Notice(Notice::Wire(notice)));
            }
            _ => {}
        }
    }

    /// Handles a request of the agent, unless an attachment defers it.
    pub(super) fn handle_request(&mut self, ask: IncomingRequest) {
        if let Some(ask) = self.attachments.pass_request(ask) {
            let step = self.callbacks.dispatch(ask);
            self.take(step);
        }
    }

    /// Executes a step for a request of the agent.
    pub(super) fn take(&mut self, step: Step) {
        let notice = match step {
            Step::Line(request_id, line, notice) => {
                // The host ignores a late response to a cancelled request.
                self.host.respond(&request_id, line);
                notice
            }
            Step::Leave(request_id, notice) => {
                self.host.leave_unanswered(&request_id);
                Some(notice)
            }
            Step::Answered(request_id, line, notice) => {
                self.host.respond(&request_id, line);
                self.streams.put(Event::RequestAnswered { request_id });
                notice
            }
            Step::Show(request, unanswered) => {
                self.streams.put_request(request, &unanswered);
                None
            }
            Step::Notify(notice) => Some(notice),
            Step::Serve(outs) => {
                self.do_for_servers(outs);
                None
            }
            Step::Nothing => None,
        };
        if let Some(notice) = notice {
            self.streams.put(Event::Notice(notice));
        }
    }

    /// Executes the actions of in-process servers.
    fn do_for_servers(&mut self, outs: Vec<Out>) {
        for out in outs {
            match out {
                Out::Answer(ask, reply) => {
                    let line = control::success(&ask, Some(&reply)).unwrap_or_else(|error| {
                        control::failure(&ask, &Refusal::new(error.to_string()))
                    });
                    self.host.respond(&ask, line);
                }
                Out::Refuse(ask, refusal) => {
                    self.host.respond(&ask, control::failure(&ask, &refusal));
                }
                Out::Begin(message) => self.host.relay(&message),
                Out::Notify(notice) => self.streams.put(Event::Notice(notice)),
            }
        }
    }

    /// Reports the agent's session ID to the attachments.
    fn observe_id(&mut self) {
        if let Some(id) = self.host.session_id() {
            self.status.send_if_modified(|status| {
                let is_new = status.session_id.as_deref() != Some(id);
                if is_new {
                    status.session_id = Some(id.into());
                }
                is_new
            });
            self.attachments.observe(&AttachmentEvent::SessionId(id));
        }
    }

    /// Notifies those who wait for a turn.
    fn observe_turn(&mut self, event: &TurnEvent) {
        // Its span is closed before the end of a turn is reported.
        self.callbacks.spans().observe_turn(event);
        self.waiters.observe_turn(event);
        if let TurnEvent::Ended(end) = event {
            if end.result().is_some_and(|it| it.num_turns > Some(0)) {
                self.succession.handle_result();
            }
            self.observe_id();
            self.attachments.observe(&AttachmentEvent::TurnEnded);
        }
    }

    /// Reports the delivery status of a user message.
    fn report_submission(&mut self, uuid: Arc<str>, state: SubmissionState) {
        let reports_pick_ups = self.host.reports_pick_ups();
        self.attachments.observe(&AttachmentEvent::Delivery {
            uuid: &uuid,
            state,
            reports_pick_ups,
        });
        self.callbacks.spans().observe_submission(&uuid, state);
        let is_in_turn = self.streams.is_in_turn(&uuid);
        if self.waiters.advance(&uuid, state, is_in_turn) && !is_in_turn {
            self.streams.no_turn(&uuid);
        }
        match state {
            SubmissionState::Withdrawn => {
                let uuid = (*uuid).into();
                self.streams.put(Event::Notice(Notice::Withdrawn { uuid }));
            }
            SubmissionState::Lost => {
                let uuid = (*uuid).into();
                self.streams.put(Event::Notice(Notice::Lost { uuid }));
            }
            _ => {}
        }
    }

    fn request_error(&self, failure: RequestFailure) -> Error {
        match (failure, self.end.get()) {
            (RequestFailure::SessionEnded { .. }, Some(end)) => Error::Ended(Arc::clone(end)),
            (failure, _) => failure.into(),
        }
    }
}

/// Returns whether an event goes only to the streams.
fn is_for_streams(event: &host::HostEvent) -> bool {
    use host::HostEvent::{Activity, Background, Frame, Notice, Session};
    matches!(
        event,
        Frame(_) | Session(_) | Background(_) | Activity(_) | Notice(_)
    )
}

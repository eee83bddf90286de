//! How the driver delivers events of the state machine.

use super::asks::Step;
use super::driver::{Driver, Held};
use super::mirror::Taken;
use crate::command::OpenTurn;
use crate::event::{EndReason, Error, Event, Notice};
use crate::store::InboxEntry;
use agentwire_protocol::control::{AgentRequest, ControlRequest};
use agentwire_protocol::hook::HookEvent;
use agentwire_protocol::host::{
    self, Ask, RequestFailure, SessionUpdate, SubmissionState, TurnEvent, TurnOutcome,
};
use std::collections::hash_map::Entry;
use std::sync::Arc;

impl Driver {
    pub(super) fn deliver(&mut self, event: host::Event) {
        if !is_for_streams(&event) {
            // Others that are notified must find the earlier events in the
            // streams.
            self.streams.hand_over();
        }
        match event {
            host::Event::Frame(frame) => {
                let denied = self.asks.denied_unasked(&frame);
                match self.mirror.take(frame) {
                    Taken::Mirrored => {}
                    Taken::Passed(frame) => self.streams.put(Event::Frame(frame)),
                    Taken::Held(frame, kept) => self.held = Some(Held { frame, kept }),
                }
                if let Some(notice) = denied {
                    self.streams.put(Event::Notice(notice));
                }
            }
            host::Event::Turn(event) => {
                self.see_turn(&event);
                self.streams.put(Event::Turn(event));
            }
            host::Event::Session(news) => {
                if let SessionUpdate::Renumbered { .. } = &news {
                    self.succession.saw_new_id();
                }
                if let SessionUpdate::Began(init) | SessionUpdate::Changed(init) = &news {
                    let names = init.capabilities.as_deref().unwrap_or_default();
                    self.declared.add_capabilities(names);
                    if let Some(version) = &init.claude_code_version {
                        self.declared.set_version(version);
                    }
                    for notice in self.declared.configured.compare(init) {
                        self.streams.put(Event::Notice(notice));
                    }
                }
                self.own(false);
                self.streams.put(Event::Session(news));
            }
            host::Event::Background(tasks) => self.streams.put(Event::Background(tasks)),
            // Another host may be asked by now.
            host::Event::Ask(_) if self.is_lost => {}
            host::Event::Ask(ask) if self.must_wait(&ask) => self.waiting_asks.push(ask),
            host::Event::Ask(ask) => self.ask(ask),
            host::Event::AskCancelled { request_id } => {
                (self.waiting_asks).retain(|ask| ask.request_id != request_id);
                if self.asks.cancel(&request_id) {
                    let request_id = request_id.clone();
                    self.streams.put_own(Event::RequestWithdrawn { request_id });
                }
                if let Some(servers) = &mut self.mcp {
                    servers.cancel(&request_id);
                }
            }
            host::Event::Answered {
                request_id,
                outcome,
            } => {
                let Some(outcome) = self.told(&request_id, outcome) else {
                    return;
                };
                if let Some(reply) = self.requests.remove(&request_id) {
                    let outcome = outcome.map_err(|failure| self.request_error(failure));
                    drop(reply.send(outcome));
                }
            }
            host::Event::Hung => self.close_input(EndReason::Hung),
            host::Event::Submission { uuid, state } => self.tell_submission(uuid, state),
            host::Event::Activity(activity) => {
                tracing::trace!(?activity, "the session's activity changed");
                self.streams.put(Event::Activity(activity));
            }
            host::Event::Notice(notice) => {
                self.streams.put(Event::Notice(Notice::Wire(notice)));
            }
            _ => {}
        }
    }

    /// Whether the store has to be told first that the turn of a message begins.
    fn must_wait(&mut self, ask: &Ask) -> bool {
        self.inbox.is_on() && is_before_tool(ask) && !self.inbox.begins()
    }

    fn ask(&mut self, ask: Ask) {
        if let Some(ask) = self.ask_server(ask) {
            let step = self.asks.ask(ask);
            self.take(step);
        }
    }

    /// The store has these entries of the inbox.
    pub(super) fn accepted(&mut self, entries: &[InboxEntry]) {
        for entry in entries {
            if let Some(uuid) = self.inbox.kept(entry) {
                self.host.let_go(uuid);
            }
        }
        if !self.waiting_asks.is_empty() && self.inbox.begins() {
            for ask in std::mem::take(&mut self.waiting_asks) {
                self.ask(ask);
            }
        }
    }

    /// Executes a step for a request of the agent.
    pub(super) fn take(&mut self, step: Step) {
        let notice = match step {
            Step::Line(request_id, line, notice) => {
                // A late response to a cancelled request is dropped.
                self.host.respond(&request_id, line);
                notice
            }
            Step::Leave(request_id, notice) => {
                self.host.leave_unanswered(&request_id);
                Some(notice)
            }
            Step::Show(request, unanswered) => {
                self.streams.put_request(request, unanswered);
                None
            }
            Step::Tell(notice) => Some(notice),
            Step::Nothing => None,
        };
        if let Some(notice) = notice {
            self.streams.put(Event::Notice(notice));
        }
    }

    /// Locks and claims the session, if it is not yet.
    fn own(&mut self, turn_ended: bool) {
        let Some(id) = self.host.session_id() else {
            return;
        };
        self.claims.has(id);
        if let Some(owned) = &self.owned {
            owned.has(id, turn_ended, self.peer.pid(), &self.asks.session());
        }
    }

    /// Notifies those who wait for a turn.
    fn see_turn(&mut self, event: &TurnEvent) {
        match event {
            TurnEvent::Started { turn } => {
                let (turn, watch) = OpenTurn::begin(*turn);
                self.turn = Some(turn);
                self.turns.send_replace(Some(watch));
            }
            TurnEvent::PickedUp { uuid, .. } => {
                let turn = self.turns.borrow().clone();
                for progress in self.submissions.get(uuid).into_iter().flatten() {
                    progress.send_modify(|it| it.taken_up(turn.clone()));
                }
            }
            TurnEvent::Ended(end) => {
                self.last_result_failed = is_failure(end.outcome);
                self.inbox.turn_ended();
                if end.result().is_some_and(|it| it.num_turns > Some(0)) {
                    self.succession.saw_result();
                }
                if let Some(turn) = self.turn.take() {
                    turn.end(end);
                }
                self.own(true);
            }
            _ => {}
        }
    }

    /// Reports the delivery status of a user message.
    fn tell_submission(&mut self, uuid: Box<str>, state: SubmissionState) {
        let is_told = self.host.reports_pick_ups();
        self.inbox.saw(&uuid, state, is_told);
        let all = match self.submissions.entry(uuid.clone()) {
            Entry::Occupied(all) if state.is_end() => {
                if !self.streams.is_in_turn(&uuid) {
                    self.streams.no_turn(&uuid);
                }
                all.remove()
            }
            Entry::Occupied(all) => {
                for progress in all.get() {
                    progress.send_modify(|it| it.advance(state));
                }
                return;
            }
            Entry::Vacant(_) => vec![],
        };
        for progress in all {
            progress.send_modify(|it| it.advance(state));
            // Why a written message was lost is not reported: the loss may come
            // long before the end of the session.
            if state == SubmissionState::Lost && !progress.borrow().was_written() {
                self.lost.push(progress);
            }
        }
        match state {
            SubmissionState::Withdrawn => {
                self.streams.put(Event::Notice(Notice::Withdrawn { uuid }));
            }
            SubmissionState::Lost => self.streams.put(Event::Notice(Notice::Lost { uuid })),
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
fn is_for_streams(event: &host::Event) -> bool {
    use host::Event::{Activity, Background, Frame, Notice, Session};
    matches!(
        event,
        Frame(_) | Session(_) | Background(_) | Activity(_) | Notice(_)
    )
}

/// Returns whether the agent asks whether a tool or a shell command of a skill may run. It
/// asks this before anything else.
fn is_before_tool(ask: &Ask) -> bool {
    ask.frame.subtype() == Some("hook_callback")
        && ask.frame.read().is_ok_and(|it: ControlRequest| {
            let AgentRequest::HookCallback(call) = it.request else {
                return false;
            };
            matches!(
                call.input.event,
                HookEvent::PreToolUse(_) | HookEvent::PreSkillShellCommand(_)
            )
        })
}

/// Returns whether a turn ended with an error result, after which a CLI may
/// exit with a failure status.
fn is_failure(outcome: TurnOutcome) -> bool {
    matches!(
        outcome,
        TurnOutcome::Failed | TurnOutcome::ApiError | TurnOutcome::Interrupted
    )
}

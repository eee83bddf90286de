//! Handles incoming lines: data frames, responses, requests, cancellations, and
//! lines that are not frames.

use super::classify::{FrameClass, ResultSummary, is_of_main_agent, is_queue_named, tool_results};
use super::journal::took_effect;
use super::login::AuthUpdate;
use super::pending::Pending;
use super::turns::Stopped;
use super::{
    Host, HostEvent, IncomingRequest, OutgoingState, RequestFailure, SessionUpdate, TurnOutcome,
    WireNotice,
};
use crate::codec::Line;
use crate::control::{
    self, Answer, CancelAsyncMessageAnswer, ControlResponse, InterruptReceipt, Refusal,
};
use crate::frame::{Frame, Head};
use crate::json::Json;
use crate::message::{CommandState, SessionState};
use crate::outbox::{Class, Outgoing};
use bytes::Bytes;
use memchr::memmem;
use std::time::{Duration, Instant};

/// The minimum interval between notices about refused requests.
const REFUSAL_NOTICE_INTERVAL: Duration = Duration::from_secs(1);

impl Host {
    pub(super) fn handle_line(&mut self, now: Instant, line: Line) {
        match line {
            Line::Whole(raw) => match Frame::of_line(raw) {
                Ok(frame) => self.handle_frame(now, frame),
                Err((error, line)) => {
                    // This hint about idleness is not needed if the agent
                    // reports states.
                    let is_result = !self.work.is_reported() && contains_result(&line);
                    self.events
                        .push_back(HostEvent::Notice(WireNotice::NotAFrame { line, error }));
                    if is_result {
                        self.handle_lost_result(ResultSummary::cut(None), TurnOutcome::NoResult);
                    }
                }
            },
            Line::Unfinished(raw) => match Frame::of_line(raw) {
                Ok(frame) => self.handle_frame(now, frame),
                Err((_, line)) => {
                    self.events
                        .push_back(HostEvent::Notice(WireNotice::UnfinishedLine { line }));
                }
            },
            Line::TooLong { head, length } => self.handle_too_long(now, &head, length),
        }
    }

    fn handle_frame(&mut self, now: Instant, frame: Frame) {
        match frame.kind() {
            "control_response" => self.handle_control_response(now, frame),
            "control_request" => self.handle_incoming_request(now, frame),
            "control_cancel_request" => self.handle_cancel(frame),
            _ => {
                self.handle_data(now, frame);
            }
        }
    }

    /// Handles a frame of the data plane. Events for the start of a turn or message
    /// precede the frame; events for an end follow it.
    fn handle_data(&mut self, now: Instant, frame: Frame) {
        if frame.kind() == "system" && frame.subtype() == Some("control_request_progress") {
            self.extend_deadline(now, &frame);
        }
        let mut class = FrameClass::of(&frame);
        if self.watch_process(&class, &frame) {
            return;
        }
        self.work.handle(&class);
        if self.begins_turn(&class, &frame) {
            let began = self.turns.begin();
            self.report_turn(began);
        }
        (self.submissions).handle_start(&class, &frame, self.turns.is_running());
        self.report_submissions();
        if let FrameClass::Init(init) = &class {
            if is_queue_named(init.capabilities.as_deref()) {
                self.has_queue();
            }
        } else if let FrameClass::Lifecycle(_) = &class {
            self.has_queue();
        }
        let result_frame = matches!(class, FrameClass::Result(_)).then(|| frame.clone());
        let login = AuthUpdate::of(&frame).map(SessionUpdate::Auth);
        let results = match &class {
            FrameClass::Echo if !self.incoming_requests.is_empty() => tool_results(&frame),
            _ => vec![],
        };
        self.events.push_back(HostEvent::Frame(frame));

        // The agent may have dropped a request without cancelling it.
        for tool_use_id in results {
            let closed = self.incoming_requests.close_about(&tool_use_id);
            let cancelled = closed
                .into_iter()
                .map(|request_id| HostEvent::IncomingRequestCancelled { request_id });
            self.events.extend(cancelled);
        }
        let updates = self.known.handle(&class).into_iter().chain(login);
        let updates: Vec<_> = updates.collect();
        for update in &updates {
            if let SessionUpdate::PermissionMode(mode) = update {
                self.journal.record_mode(mode);
            }
        }
        self.events
            .extend(updates.into_iter().map(HostEvent::Session));
        let background = self.background.handle(&mut class);
        self.events.extend(background.map(HostEvent::Background));
        let outcome = match &class {
            FrameClass::Result(result) => self.turns.outcome(result),
            _ => TurnOutcome::NoResult,
        };
        self.handle_redelivered(&class);
        self.submissions.handle_end(&class, outcome);
        self.report_submissions();
        match class {
            FrameClass::Result(_) => {
                self.end_turn(outcome, result_frame);
                self.work.handle_end(self.incoming_requests.await_user());
            }
            FrameClass::State(SessionState::Idle) => {
                self.end_turn(TurnOutcome::NoResult, None);
                self.submissions.agent_is_idle();
            }
            _ => {}
        }
    }

    /// Returns whether this frame starts a turn, if none is running.
    fn begins_turn(&self, class: &FrameClass, frame: &Frame) -> bool {
        if self.turns.is_running() {
            return false;
        }
        match class {
            FrameClass::Init(_) => true,
            FrameClass::Lifecycle(lifecycle) => lifecycle.state == CommandState::Started,
            // Sub-agents also send messages between turns.
            FrameClass::ModelOutput => is_of_main_agent(frame),
            // The turn was not announced. It starts and ends with this result.
            FrameClass::Result(_) => true,
            _ => false,
        }
    }

    fn handle_control_response(&mut self, now: Instant, frame: Frame) {
        let waited_for = frame.request_id().and_then(|id| self.requests.remove(id));
        let Some((request_id, pending)) = waited_for else {
            if self.is_relayed(&frame) {
                return;
            }
            self.events
                .push_back(HostEvent::Notice(WireNotice::StrayResponse { frame }));
            return;
        };
        let outcome = match frame.read::<ControlResponse>() {
            Err(error) => Err(RequestFailure::Unreadable { error, frame }),
            Ok(ControlResponse { response, .. }) => match response.into_result() {
                Ok(mut answer) => {
                    self.handle_response(now, &pending, &answer);
                    if let Some(line) = &pending.line
                        && took_effect(&pending.subtype, &answer)
                    {
                        self.journal.record(&pending.subtype, line);
                    }
                    add_to_receipt(&mut answer, pending.passed, pending.withdrawn);
                    Ok(answer)
                }
                Err(refusal) => Err(RequestFailure::Refused {
                    subtype: pending.subtype.clone(),
                    refusal,
                }),
            },
        };
        let mut waiting = Vec::new();
        if &*pending.subtype == "initialize" && outcome.is_ok() {
            if !self.is_new_process() {
                self.outbox.open();
            }
            waiting = outcome.as_ref().map(pending_requests).unwrap_or_default();
        }
        self.end_request(now, request_id, pending.own, outcome);
        for ask in waiting {
            let is_answered = |ask: &Frame| {
                let id = ask.request_id();
                id.is_some_and(|id| self.answered_requests.contains_key(id))
            };
            if !Frame::new(ask.clone()).is_ok_and(|ask| is_answered(&ask)) {
                self.handle_line(now, Line::Whole(ask));
            }
        }
        if !self.requests.has_initialize() {
            self.answered_requests.clear();
        }
    }

    /// Updates the state of the agent and of user messages from a response.
    fn handle_response(&mut self, now: Instant, pending: &Pending, answer: &Answer) {
        match (&*pending.subtype, &pending.withdraws) {
            ("initialize", _) => {
                let capabilities = answer
                    .response
                    .as_ref()
                    .and_then(|it| it.member("capabilities"));
                let are_named = capabilities.is_some_and(|it| it.read::<Vec<Json>>().is_ok());
                let pid = answer.response.as_ref().and_then(|it| it.member("pid"));
                self.supports_cancellation = are_named || pid.is_some();
                self.reports_message_ids = are_named;
                self.handle_capabilities(now, are_named);
            }
            ("interrupt", _) => {
                if pending.own.is_none() {
                    self.turns.stop(Stopped::Interrupted);
                }
                if let Ok(receipt) = answer.read() {
                    self.submissions.handle_receipt(&receipt);
                }
            }
            (_, Some(uuid)) => {
                if let Ok(CancelAsyncMessageAnswer {
                    cancelled: true, ..
                }) = answer.read()
                {
                    self.submissions.cancelled(uuid);
                }
            }
            _ => {}
        }
    }

    fn handle_incoming_request(&mut self, now: Instant, frame: Frame) {
        let Some(request_id) = frame.request_id().map(Box::<str>::from) else {
            self.events
                .push_back(HostEvent::Notice(WireNotice::RequestWithoutId { frame }));
            return;
        };
        let has_room = self.outbox.has_room(Class::Response, 1);
        let too_much = self.incoming_requests.exceeded_limit(&request_id, &frame);
        let too_much =
            too_much.or_else(|| (!has_room).then_some("the agent does not read responses"));
        if let Some(why) = too_much.filter(|_| !self.incoming_requests.contains(&request_id)) {
            self.refuse(&request_id, why);
            self.report_refused(now, frame);
            return;
        }
        // A request that was pending when the host connected arrives twice.
        if self.incoming_requests.open(request_id.clone(), &frame) {
            self.events
                .push_back(HostEvent::IncomingRequest(IncomingRequest {
                    request_id,
                    frame,
                }));
        }
    }

    /// Emits a notice that a request was refused, at most once per interval.
    fn report_refused(&mut self, now: Instant, frame: Frame) {
        let is_recent =
            |reported: Instant| now.saturating_duration_since(reported) < REFUSAL_NOTICE_INTERVAL;
        if self.last_refusal_notice.is_some_and(is_recent) {
            self.suppressed += 1;
            return;
        }
        self.last_refusal_notice = Some(now);
        let suppressed = std::mem::take(&mut self.suppressed);
        let notice = WireNotice::TooManyRequests { frame, suppressed };
        self.events.push_back(HostEvent::Notice(notice));
    }

    /// Responds to a request with an error, unless the agent has stopped
    /// reading.
    fn refuse(&mut self, request_id: &str, why: &str) {
        let line = control::failure(request_id, &Refusal::new(why));
        let is_possible = self.outgoing != OutgoingState::Closed;
        if is_possible && self.outbox.has_room(Class::Response, line.len()) {
            self.remember_answered(request_id);
            self.outbox.push(Outgoing {
                class: Class::Response,
                id: request_id.into(),
                line,
                since: None,
            });
        }
    }

    fn handle_cancel(&mut self, frame: Frame) {
        let Some(request_id) = frame.request_id().map(Box::<str>::from) else {
            return;
        };
        // A response that was not sent yet must not follow the cancellation.
        let waiting = self
            .outbox
            .withdraw(&request_id, |class| class == Class::Response)
            .is_some();
        if self.incoming_requests.close(&request_id) || waiting {
            self.events
                .push_back(HostEvent::IncomingRequestCancelled { request_id });
        }
    }

    /// Handles the end of a turn whose result cannot be read.
    fn handle_lost_result(&mut self, result: ResultSummary, outcome: TurnOutcome) {
        let class = FrameClass::Result(Box::new(result));
        self.submissions.handle_end(&class, outcome);
        self.report_submissions();
        self.end_turn(outcome, None);
    }

    fn handle_too_long(&mut self, now: Instant, head: &Bytes, length: u64) {
        let head = Head::of_cut_line(head);
        if let Some(Head {
            kind,
            request_id: Some(request_id),
            ..
        }) = &head
        {
            let is_dialog = head
                .as_ref()
                .is_some_and(|head| head.subtype.as_deref() == Some("request_user_dialog"));
            match &**kind {
                // Dialogs get no response. See `leave_unanswered`.
                "control_request" if is_dialog => {}
                "control_request" => {
                    let why = format!("the request of {length} bytes exceeds this host's limit");
                    self.refuse(request_id, &why);
                }
                "control_response" => {
                    if let Some((id, pending)) = self.requests.remove(request_id) {
                        if &*pending.subtype == "initialize" && !self.is_new_process() {
                            self.outbox.open();
                        }
                        let failure = RequestFailure::ResponseTooLong {
                            subtype: pending.subtype,
                            length,
                        };
                        self.end_request(now, id, pending.own, Err(failure));
                    }
                }
                _ => {}
            }
        }
        if head.as_ref().is_some_and(|head| &*head.kind == "result") {
            let subtype = head.as_ref().and_then(|head| head.subtype.as_deref());
            let result = ResultSummary::cut(subtype);
            let outcome = self.turns.outcome(&result);
            self.handle_lost_result(result, outcome);
        }
        self.events
            .push_back(HostEvent::Notice(WireNotice::LineTooLong {
                head: head.map(Box::new),
                length,
            }));
    }

    fn extend_deadline(&mut self, now: Instant, frame: &Frame) {
        let id = frame.request_id();
        if let Some(id) = id {
            self.requests.extend(id, now);
        }
    }
}

/// Adds messages that were never sent to a receipt. The agent does not know
/// these messages, but the caller needs them.
fn add_to_receipt(answer: &mut Answer, passed: Vec<String>, withdrawn: Vec<String>) {
    if passed.is_empty() && withdrawn.is_empty() {
        return;
    }
    // The agent sends no receipt, or a malformed one.
    let mut receipt: InterruptReceipt = answer.read().unwrap_or_default();
    if !passed.is_empty() {
        receipt.still_queued.get_or_insert_default().extend(passed);
    }
    if !withdrawn.is_empty() {
        receipt.cancelled.get_or_insert_default().extend(withdrawn);
    }
    answer.response = Json::from_value(&receipt).ok().or(answer.response.take());
}

/// Returns the pending requests that an `initialize` response lists, as lines.
fn pending_requests(answer: &Answer) -> Vec<Bytes> {
    answer
        .pending_members()
        .flat_map(|(_, incoming_requests)| incoming_requests)
        .map(|ask| Bytes::copy_from_slice(ask.get().as_bytes()))
        .collect()
}

/// Returns whether a line that is not a frame contains a result, after other
/// text or appended to another message. Inside a string, the quotes of the
/// result would be escaped.
fn contains_result(line: &[u8]) -> bool {
    memmem::find_iter(line, TYPE).any(|at| {
        let rest = line[at + TYPE.len()..].trim_ascii_start();
        let value = rest.strip_prefix(b":").unwrap_or_default();
        value.trim_ascii_start().starts_with(b"\"result\"")
    })
}

const TYPE: &[u8] = b"\"type\"";

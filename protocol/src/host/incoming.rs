//! Incoming lines: data frames, responses, requests, cancellations, and lines
//! that are no frames.

use super::journal::took_effect;
use super::login::AuthUpdate;
use super::pending::Pending;
use super::sign::{ResultSign, Sign, is_of_main_agent, is_queue_named, tool_results};
use super::turns::Stopped;
use super::{Ask, Event, Host, Notice, OutgoingState, RequestFailure, SessionUpdate, TurnOutcome};
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
const TOLD_EVERY: Duration = Duration::from_secs(1);

impl Host {
    pub(super) fn handle_line(&mut self, now: Instant, line: Line) {
        match line {
            Line::Whole(raw) => match Frame::of_line(raw) {
                Ok(frame) => self.handle_frame(now, frame),
                Err((error, line)) => {
                    // Agents that report states say themselves when they are idle.
                    let is_result = !self.work.is_reported() && contains_result(&line);
                    self.events
                        .push_back(Event::Notice(Notice::NotAFrame { line, error }));
                    if is_result {
                        self.handle_lost_result(ResultSign::cut(None), TurnOutcome::NoResult);
                    }
                }
            },
            Line::Unfinished(raw) => match Frame::of_line(raw) {
                Ok(frame) => self.handle_frame(now, frame),
                Err((_, line)) => {
                    self.events
                        .push_back(Event::Notice(Notice::UnfinishedLine { line }));
                }
            },
            Line::TooLong { head, length } => self.handle_too_long(now, &head, length),
        }
    }

    fn handle_frame(&mut self, now: Instant, frame: Frame) {
        match frame.kind() {
            "control_response" => self.handle_answer(now, frame),
            "control_request" => self.handle_ask(now, frame),
            "control_cancel_request" => self.handle_cancel(frame),
            _ => {
                self.handle_data(now, frame);
            }
        }
    }

    /// Handles a frame of the data plane. Events about what it starts come
    /// before it, events about what it ends after it.
    fn handle_data(&mut self, now: Instant, frame: Frame) {
        if frame.kind() == "system" && frame.subtype() == Some("control_request_progress") {
            self.extend_deadline(now, &frame);
        }
        let mut sign = Sign::of(&frame);
        if self.watch_process(&sign, &frame) {
            return;
        }
        self.work.saw(&sign);
        if self.begins_turn(&sign, &frame) {
            let began = self.turns.begin();
            self.tell_turn(began);
        }
        (self.submissions).saw_begin(&sign, &frame, self.turns.is_running());
        self.tell_submissions();
        if let Sign::Init(init) = &sign {
            if is_queue_named(init.capabilities.as_deref()) {
                self.has_queue();
            }
        } else if let Sign::Lifecycle(_) = &sign {
            self.has_queue();
        }
        let result_frame = matches!(sign, Sign::Result(_)).then(|| frame.clone());
        let login = AuthUpdate::of(&frame).map(SessionUpdate::Auth);
        let results = match &sign {
            Sign::Echo if !self.asks.is_empty() => tool_results(&frame),
            _ => vec![],
        };
        self.events.push_back(Event::Frame(frame));

        // The agent may have dropped a request without a cancellation.
        for tool_use_id in results {
            let closed = self.asks.close_about(&tool_use_id);
            let cancelled = closed
                .into_iter()
                .map(|request_id| Event::AskCancelled { request_id });
            self.events.extend(cancelled);
        }
        let news = self.known.saw(&sign).into_iter().chain(login);
        let news: Vec<_> = news.collect();
        for update in &news {
            if let SessionUpdate::PermissionMode(mode) = update {
                self.journal.has_mode(mode);
            }
        }
        self.events.extend(news.into_iter().map(Event::Session));
        let background = self.background.saw(&mut sign);
        self.events.extend(background.map(Event::Background));
        let outcome = match &sign {
            Sign::Result(result) => self.turns.outcome(result),
            _ => TurnOutcome::NoResult,
        };
        self.saw_known(&sign);
        self.submissions.saw_end(&sign, outcome);
        self.tell_submissions();
        match sign {
            Sign::Result(_) => {
                self.end_turn(outcome, result_frame);
                self.work.saw_end(self.asks.wait_for_people());
            }
            Sign::State(SessionState::Idle) => {
                self.end_turn(TurnOutcome::NoResult, None);
                self.submissions.agent_rests();
            }
            _ => {}
        }
    }

    /// Whether this frame starts a turn, if none is running.
    fn begins_turn(&self, sign: &Sign, frame: &Frame) -> bool {
        if self.turns.is_running() {
            return false;
        }
        match sign {
            Sign::Init(_) => true,
            Sign::Lifecycle(lifecycle) => lifecycle.state == CommandState::Started,
            // Sub-agents send messages between turns as well.
            Sign::Talk => is_of_main_agent(frame),
            // An unannounced turn, which starts and ends here.
            Sign::Result(_) => true,
            _ => false,
        }
    }

    fn handle_answer(&mut self, now: Instant, frame: Frame) {
        let waited_for = frame.request_id().and_then(|id| self.requests.remove(id));
        let Some((request_id, pending)) = waited_for else {
            if self.is_relayed(&frame) {
                return;
            }
            self.events
                .push_back(Event::Notice(Notice::StrayAnswer { frame }));
            return;
        };
        let outcome = match frame.read::<ControlResponse>() {
            Err(error) => Err(RequestFailure::Unreadable { error, frame }),
            Ok(ControlResponse { response, .. }) => match response.into_result() {
                Ok(mut answer) => {
                    self.see_answer(now, &pending, &answer);
                    if let Some(line) = &pending.line
                        && took_effect(&pending.subtype, &answer)
                    {
                        self.journal.has_set(&pending.subtype, line);
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
                id.is_some_and(|id| self.asks_answered.contains_key(id))
            };
            if !Frame::new(ask.clone()).is_ok_and(|ask| is_answered(&ask)) {
                self.handle_line(now, Line::Whole(ask));
            }
        }
        if !self.requests.has_greeting() {
            self.asks_answered.clear();
        }
    }

    /// Records what a response says about the agent and about user messages.
    fn see_answer(&mut self, now: Instant, pending: &Pending, answer: &Answer) {
        match (&*pending.subtype, &pending.takes_back) {
            ("initialize", _) => {
                let capabilities = answer
                    .response
                    .as_ref()
                    .and_then(|it| it.member("capabilities"));
                let are_named = capabilities.is_some_and(|it| it.read::<Vec<Json>>().is_ok());
                let pid = answer.response.as_ref().and_then(|it| it.member("pid"));
                self.takes_cancels = are_named || pid.is_some();
                self.knows_ids = are_named;
                self.introduced(now, are_named);
            }
            ("interrupt", _) => {
                if pending.own.is_none() {
                    self.turns.stop(Stopped::Interrupted);
                }
                if let Ok(receipt) = answer.read() {
                    self.submissions.saw_receipt(&receipt);
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

    fn handle_ask(&mut self, now: Instant, frame: Frame) {
        let Some(request_id) = frame.request_id().map(Box::<str>::from) else {
            self.events
                .push_back(Event::Notice(Notice::AskWithoutId { frame }));
            return;
        };
        let has_room = self.outbox.has_room(Class::Answer, 1);
        let too_much = self.asks.is_too_much(&request_id, &frame);
        let too_much =
            too_much.or_else(|| (!has_room).then_some("the agent does not read responses"));
        if let Some(why) = too_much.filter(|_| !self.asks.contains(&request_id)) {
            self.refuse(&request_id, why);
            self.tell_refused(now, frame);
            return;
        }
        // A request that was pending when the host connected arrives twice.
        if self.asks.open(request_id.clone(), &frame) {
            self.events.push_back(Event::Ask(Ask { request_id, frame }));
        }
    }

    /// Emits a notice that a request was refused, at most once per interval.
    fn tell_refused(&mut self, now: Instant, frame: Frame) {
        let is_told = |told: Instant| now.saturating_duration_since(told) < TOLD_EVERY;
        if self.told_refused.is_some_and(is_told) {
            self.untold += 1;
            return;
        }
        self.told_refused = Some(now);
        let untold = std::mem::take(&mut self.untold);
        let notice = Notice::TooManyAsks { frame, untold };
        self.events.push_back(Event::Notice(notice));
    }

    /// Answers a request with an error, unless the agent has stopped reading.
    fn refuse(&mut self, request_id: &str, why: &str) {
        let line = control::failure(request_id, &Refusal::new(why));
        let is_possible = self.outgoing != OutgoingState::Closed;
        if is_possible && self.outbox.has_room(Class::Answer, line.len()) {
            self.remember_answered(request_id);
            self.outbox.push(Outgoing {
                class: Class::Answer,
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
        // An unsent response must not follow the cancellation.
        let waiting = self
            .outbox
            .withdraw(&request_id, |class| class == Class::Answer)
            .is_some();
        if self.asks.close(&request_id) || waiting {
            self.events.push_back(Event::AskCancelled { request_id });
        }
    }

    /// Handles the end of a turn whose result cannot be read.
    fn handle_lost_result(&mut self, result: ResultSign, outcome: TurnOutcome) {
        let sign = Sign::Result(Box::new(result));
        self.submissions.saw_end(&sign, outcome);
        self.tell_submissions();
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
                // Dialogs are not answered; see `leave_unanswered`.
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
                        let failure = RequestFailure::AnswerTooLong {
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
            let result = ResultSign::cut(subtype);
            let outcome = self.turns.outcome(&result);
            self.handle_lost_result(result, outcome);
        }
        self.events.push_back(Event::Notice(Notice::LineTooLong {
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

/// Adds messages that never left the host to a receipt, since the agent does
/// not know of them and the caller needs them.
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

/// The pending requests listed in an `initialize` response, as lines.
fn pending_requests(answer: &Answer) -> Vec<Bytes> {
    answer
        .pending_members()
        .flat_map(|(_, asks)| asks)
        .map(|ask| Bytes::copy_from_slice(ask.get().as_bytes()))
        .collect()
}

/// Returns whether a line that is not a frame contains a result: behind other
/// text, or glued to another message. Inside of a string its quotes are escaped.
fn contains_result(line: &[u8]) -> bool {
    memmem::find_iter(line, TYPE).any(|at| {
        let rest = line[at + TYPE.len()..].trim_ascii_start();
        let value = rest.strip_prefix(b":").unwrap_or_default();
        value.trim_ascii_start().starts_with(b"\"result\"")
    })
}

const TYPE: &[u8] = b"\"type\"";

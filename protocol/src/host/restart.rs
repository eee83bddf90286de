//! Continues a session in another process of the agent.
//!
//! When a process has ended, [`Host::begin_restart`] prepares the host for the
//! next one: it ends everything that depended on the old process, and queues
//! unfinished messages again. The driver then sends `initialize` and the
//! [settings](Host::settings) to the new process, and calls
//! [`Host::finish_restart`], which releases the queue.

use super::classify::{FrameClass, is_of_main_agent};
use super::journal::{self, only_reads};
use super::pending::Pending;
use super::redelivery::Redelivery;
use super::succession::{Handover, ToolCall, TurnRecovery};
use super::{
    Host, HostEvent, OutgoingState, Request, RequestFailure, SubmissionState, TurnOutcome,
};
use crate::codec::LineDecoder;
use crate::content::ContentBlock;
use crate::control::Answer;
use crate::frame::Frame;
use crate::ids::IdMap;
use crate::message::{AssistantMessage, CommandState, SessionState};
use crate::outbox::{Class, Outbox, Outgoing};
use crate::sorted::sorted_ids;
use memchr::memmem::Finder;
use std::sync::{Arc, LazyLock};

/// The maximum number of tool calls that are recorded in a turn.
const MAX_CALLS: usize = 1024;

impl Host {
    /// Retains the lines that a restart needs: messages that are not in a final
    /// state, and some requests. Call this before the first message.
    pub fn retain_for_restart(&mut self) {
        self.succession.retains_lines = true;
    }

    /// Ends everything that depended on the last process, and prepares for the
    /// next one. Lines are deferred until [`Host::finish_restart`], except for
    /// `initialize` and [`Host::settings`].
    ///
    /// Has no effect on a session that is closing.
    pub fn begin_restart(&mut self, recovery: TurnRecovery) -> Handover {
        if !self.can_restart() {
            return Handover::default();
        }
        let mut requests = self.requests.take();
        let is_stop = |it: &Pending| &*it.subtype == "interrupt" && it.own.is_none();
        let is_stopped = self.turns.is_stopped() || requests.values().any(is_stop);
        let withdraws_all = requests.values().any(|it| it.withdraws_sent);
        let withdrawn = requests.values().filter_map(|it| it.withdraws.clone());
        let withdrawn: Vec<Box<str>> = withdrawn.collect();
        let is_reported = self.reports_message_ids || self.submissions.are_reported();
        let turn = self.turns.running();
        let resumes =
            turn.is_some() && !is_stopped && is_reported && recovery == TurnRecovery::Resume;

        let mut again = vec![];
        let mut messages = vec![];
        for (uuid, is_started) in self.submissions.sent_messages() {
            let redelivery = match is_started {
                _ if !is_reported => Redelivery::Unknown,
                true if is_stopped => Redelivery::Interrupted,
                true if resumes => Redelivery::Resumed,
                true => Redelivery::CutOff,
                false if withdraws_all || withdrawn.iter().any(|it| **it == *uuid) => {
                    Redelivery::Cancelled
                }
                false => Redelivery::Resent,
            };
            again.extend(self.submissions.redeliver(&uuid, redelivery));
            messages.push((uuid, redelivery));
        }
        self.queue_again(again, &mut requests);
        self.end_requests(requests, |subtype| RequestFailure::Restarted { subtype });
        let incoming_requests = self.incoming_requests.take();
        let cancelled = incoming_requests.iter().cloned();
        let cancelled = cancelled.map(|request_id| HostEvent::IncomingRequestCancelled {
            request_id: (*request_id).into(),
        });
        self.events.extend(cancelled);
        self.answered_requests.clear();
        self.report_submissions();
        if turn.is_some() && !resumes {
            let outcome = match (is_stopped, is_reported) {
                (true, _) => TurnOutcome::Interrupted,
                (false, _) => TurnOutcome::CutOff,
            };
            self.end_turn(outcome, None);
        }
        let background = self.background.end();
        if !background.is_empty() {
            self.events.push_back(HostEvent::Background(vec![]));
        }
        self.begin_process(recovery);
        self.record_started(&messages, resumes, is_stopped);
        self.after_change();
        Handover {
            turn,
            resumes,
            tool_calls: std::mem::take(&mut self.succession.calls),
            messages,
            incoming_requests,
            background,
        }
    }

    /// Returns whether the session is open, so that another process can continue it.
    #[must_use]
    pub fn can_restart(&self) -> bool {
        matches!(self.outgoing, OutgoingState::Open | OutgoingState::Broken)
    }

    /// Returns whether a turn is running, or a message is queued or has no turn yet.
    #[must_use]
    pub fn has_turn_to_run(&self) -> bool {
        self.turns.is_running() || self.outbox.waiting().users > 0 || self.submissions.are_waiting()
    }

    /// Returns whether background tasks are running.
    #[must_use]
    pub fn has_background_tasks(&self) -> bool {
        self.background.runs()
    }

    /// Returns whether the agent has called `CronCreate` or `ScheduleWakeup` in
    /// this process. Wake-ups that were cancelled or have passed count, too.
    #[must_use]
    pub fn has_planned_wake_ups(&self) -> bool {
        self.succession.has_planned
    }

    /// Returns the requests that restore the settings of the last process. Pass
    /// them to [`Host::request`], which sends them before everything else.
    #[must_use]
    pub fn settings(&self, id: &str) -> Vec<Request> {
        let mut requests = self.journal.requests(id);
        for request in &mut requests {
            request.outgoing.class = Class::Greeting;
        }
        requests
    }

    /// Returns whether a successful response to a request with this subtype means
    /// that the request took effect. `set_cwd` may succeed without effect.
    #[must_use]
    pub fn took_effect(subtype: &str, answer: &Answer) -> bool {
        journal::took_effect(subtype, answer)
    }

    /// Returns the last value that was set by a request with this subtype.
    #[must_use]
    pub fn setting(&self, subtype: &str, member: &str) -> Option<String> {
        self.journal.value(subtype, member)
    }

    /// Ends the preparation of the next process and opens the queue. If the process
    /// does not resume the turn that was cut off, the turn's messages are sent again.
    pub fn finish_restart(&mut self) {
        if !std::mem::take(&mut self.succession.is_new) {
            return;
        }
        // The resumed turn may have ended already.
        let resumes = self.succession.has_shown_turn;
        let mut has_messages = false;
        for uuid in std::mem::take(&mut self.succession.started) {
            has_messages |= self.outbox.has_user(&uuid);
            if resumes && let Some(line) = self.outbox.withdraw(&uuid, is_user) {
                self.submissions.resumes(&line);
            }
        }
        if self.turns.is_running() && !resumes && !has_messages {
            self.end_turn(TurnOutcome::CutOff, None);
        }
        self.outbox.open();
        self.after_change();
    }

    /// Records from a frame whether the process runs a turn. Returns whether
    /// the frame is the result of a process that could not resume the session.
    /// Such a result does not belong to a turn.
    pub(super) fn watch_process(&mut self, class: &FrameClass, frame: &Frame) -> bool {
        let state = &mut self.succession;
        match class {
            FrameClass::State(SessionState::Idle) => {
                state.shows_turn = false;
                state.calls.clear();
            }
            FrameClass::Result(_) if state.is_new && !state.shows_turn => return true,
            FrameClass::Result(_) => {
                state.shows_turn = false;
                state.calls.clear();
            }
            FrameClass::State(_) | FrameClass::Init(_) => state.shows_turn = true,
            FrameClass::Lifecycle(it) if it.state == CommandState::Started => {
                state.shows_turn = true;
            }
            FrameClass::ModelOutput => {
                state.shows_turn |= is_of_main_agent(frame);
                if frame.kind() == "assistant" {
                    state.has_planned = state.has_planned || plans_to_wake_up(frame);
                    if state.retains_lines {
                        note_calls(&mut state.calls, frame);
                    }
                }
            }
            _ => {}
        }
        state.has_shown_turn |= state.shows_turn;
        false
    }

    /// Handles the report that a resent message is completed although this
    /// process has not picked it up. The agent already knew the message.
    pub(super) fn handle_redelivered(&mut self, class: &FrameClass) {
        let FrameClass::Lifecycle(it) = class else {
            return;
        };
        if it.state != CommandState::Completed || !self.submissions.is_repeated(&it.command_uuid) {
            return;
        }
        self.submissions.mark_known(&it.command_uuid);
        if self.succession.shows_turn {
            // The result of the resumed turn ends the message.
            return;
        }
        let how = match self.succession.cuts_off {
            true => TurnOutcome::CutOff,
            false => TurnOutcome::NoResult,
        };
        self.submissions.end_known(how.into());
        self.report_submissions();
        self.end_turn(how, None);
    }

    /// Returns whether a message was picked up by a turn that the next process
    /// may resume.
    pub(super) fn was_started(&self, uuid: &str) -> bool {
        self.succession.started.iter().any(|it| **it == *uuid)
    }

    /// Returns whether the settings of an earlier process are not restored yet.
    pub(super) fn is_new_process(&self) -> bool {
        self.succession.is_new
    }

    /// Queues the lines for the next process, in this order: sent messages,
    /// read-only requests, and everything that was queued.
    fn queue_again(&mut self, again: Vec<Outgoing>, requests: &mut IdMap<Pending>) {
        self.outbox.open();
        let deferred = self.outbox.deferred().clone();
        for uuid in deferred.keys() {
            self.outbox.release(uuid);
        }
        let mut queued = vec![];
        while let Some(line) = self
            .outbox
            .pop()
            .or_else(|| self.outbox.pop_backlog(|_| true))
        {
            queued.push(line);
        }
        let limits = self.outbox.limits();
        self.outbox = Outbox::gated();
        self.outbox.set_limits(limits);
        for uuid in deferred.keys() {
            self.outbox.defer(uuid);
        }
        self.set_queueing(self.queueing);
        for line in again {
            self.outbox.push(line);
        }
        for line in &queued {
            if line.class == Class::Control
                && let Some(pending) = requests.remove(&line.id)
            {
                self.requests.insert(line.id.clone(), pending);
            }
        }
        let only_read = |it: &Pending| it.own.is_none() && only_reads(&it.subtype);
        let reads = requests.iter().filter(|(_, it)| only_read(it));
        let reads = reads.map(|(id, _)| id.clone()).collect();
        for id in sorted_ids(reads) {
            let line = requests.get(&id).and_then(|it| it.line.clone());
            let Some((line, pending)) = line.zip(requests.remove(&id)) else {
                continue;
            };
            self.outbox.push(Outgoing {
                class: Class::Control,
                id: id.clone(),
                line,
                since: None,
            });
            self.requests.insert(id, pending);
        }
        for line in queued {
            let is_request = line.class == Class::Control && self.requests.contains(&line.id);
            if is_request || is_user(line.class) {
                self.outbox.push(line);
            }
        }
    }

    /// Ends the requests that have no response.
    pub(super) fn end_requests(
        &mut self,
        mut requests: IdMap<Pending>,
        failure: fn(Box<str>) -> RequestFailure,
    ) {
        for request_id in sorted_ids(requests.keys().cloned().collect()) {
            if let Some(pending) = requests.remove(&request_id)
                && pending.own.is_none()
            {
                let outcome = Err(failure(pending.subtype));
                self.events.push_back(HostEvent::RequestEnded {
                    request_id,
                    outcome,
                });
            }
        }
    }

    /// Records the messages of the turn if it is resumed. Otherwise ends the
    /// messages of an earlier resumed turn that are queued again.
    fn record_started(
        &mut self,
        messages: &[(Arc<str>, Redelivery)],
        resumes: bool,
        is_stopped: bool,
    ) {
        let resumed = messages
            .iter()
            .filter(|(_, redelivery)| *redelivery == Redelivery::Resumed);
        let resumed: Vec<Arc<str>> = resumed.map(|(uuid, _)| uuid.clone()).collect();
        if !resumes {
            let how = match is_stopped {
                true => SubmissionState::Interrupted,
                false => SubmissionState::CutOff,
            };
            for uuid in std::mem::take(&mut self.succession.started) {
                if self.outbox.withdraw(&uuid, is_user).is_some() {
                    self.submissions.advance(&uuid, how);
                }
            }
        }
        self.succession.started.extend(resumed);
    }

    /// Resets the state that belongs to a single process.
    fn begin_process(&mut self, recovery: TurnRecovery) {
        self.decoder = LineDecoder::new(self.line_limit);
        self.forget_in_flight();
        self.work.begin_process();
        self.submissions.begin_process();
        self.preemption = super::queueing::Preemption::No;
        self.idle_probe = super::idle_probe::IdleProbe::Inactive;
        self.watchdog.begin_process();
        self.outgoing = OutgoingState::Open;
        self.is_paused = false;
        self.supports_cancellation = false;
        self.succession.is_new = true;
        self.succession.has_planned = false;
        self.succession.shows_turn = false;
        self.succession.has_shown_turn = false;
        self.succession.cuts_off = recovery == TurnRecovery::CutOff;
    }
}

fn is_user(class: Class) -> bool {
    matches!(class, Class::User(_))
}

/// Returns whether a message has a tool call that schedules a wake-up.
fn plans_to_wake_up(frame: &Frame) -> bool {
    static TOOLS: LazyLock<[Finder<'_>; 2]> =
        LazyLock::new(|| ["\"CronCreate\"", "\"ScheduleWakeup\""].map(Finder::new));
    TOOLS.iter().any(|it| it.find(frame.raw()).is_some())
}

/// Records the tool calls of a message.
fn note_calls(calls: &mut Vec<ToolCall>, frame: &Frame) {
    let Ok(message) = frame.read::<AssistantMessage>() else {
        return;
    };
    for block in message.message.content.iter() {
        if let ContentBlock::ToolUse(call) = block
            && calls.len() < MAX_CALLS
        {
            calls.push(ToolCall {
                tool_use_id: call.id.clone(),
                tool_name: call.name.clone(),
            });
        }
    }
}

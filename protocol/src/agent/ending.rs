//! How a turn ends, by itself or cut off.

use super::answer::ToolAnswer;
use super::failure::Failure;
use super::hooks::{Occasion, Verdict};
use super::notice::line;
use super::task::Task;
use super::turn::{OpenMessage, Phase, named};
use super::{Agent, Event, ruling};
use crate::codec::encode;
use crate::content::ContentBlock;
use crate::hook::Stop;
use crate::json::{Json, Number};
use crate::message::{
    CommandState, ContentBlockStop, InformationalLevel, MessageOrigin, ResultMessage,
    ResultSubtype, TaskNotificationOrigin, TerminalReason, UserMessage,
};
use std::time::Instant;

/// How a turn ends that nobody cut off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The model is done.
    Completed,
    /// The API failed.
    ApiError {
        /// The HTTP status.
        status: u16,
        /// The API's name for it, such as `overloaded_error`.
        kind: String,
        /// The API's message.
        message: String,
    },
    /// There is no key for the API, so that it was not asked.
    NoKey,
}

impl Agent {
    /// The turn ends by itself, if the hooks let it, and if the model's last
    /// reply came to its end: [`Event::TurnContinued`] says that it goes on.
    pub fn finish_turn(&mut self, now: Instant, ending: &Ending) {
        if *ending == Ending::Completed && self.resume(now) {
            return;
        }
        let Some(turn) = self.turn.as_mut() else {
            return;
        };
        match ending {
            Ending::Completed => {
                turn.phase = Phase::Stopping;
                let stop = Stop {
                    stop_hook_active: Some(turn.stop_hook_active),
                    last_assistant_message: Some(turn.last_text.clone()),
                    background_tasks: Some(self.tasks.iter().map(Task::summary).collect()),
                    session_crons: Some(vec![]),
                    ..Stop::default()
                };
                self.raise(now, Occasion::Stop, None, stop, None);
            }
            Ending::ApiError {
                status,
                kind,
                message,
            } => self.end_failed(now, Failure::of_api(*status, kind, message)),
            Ending::NoKey => self.end_failed(now, Failure::no_key()),
        }
    }

    /// The hooks for the end of the turn have answered.
    pub(super) fn stop_checked(&mut self, now: Instant, verdict: Verdict) {
        let Some(turn) = &mut self.turn else { return };
        let goes_on = verdict.stop.is_none() && (verdict.has_context || !verdict.blocks.is_empty());
        if goes_on {
            turn.phase = Phase::Running;
            turn.stop_hook_active = true;
        }
        self.tell("Stop", verdict.messages);
        if verdict.timed_out {
            let content = "Stop says: a hook did not answer in time, and the turn ended.";
            self.inform(line(InformationalLevel::Notice, content.to_owned()));
        }
        let blocks = !verdict.blocks.is_empty();
        for reason in verdict.blocks {
            let text = ContentBlock::text(format!("Stop hook feedback:\n{reason}"));
            self.send_user_message(UserMessage::new(vec![text]).synthetic());
        }
        if blocks {
            self.notify("stop-hook-error", "A stop hook wants the turn to go on.");
        }
        if goes_on {
            self.go_to_model(now, Event::TurnContinued);
        } else if verdict.stop.is_some() {
            self.end_early(now, TerminalReason::StopHookPrevented, "end_turn");
        } else {
            self.end_turn(now, completed(), CommandState::Completed);
        }
    }

    /// The turn ends before the model is done, for this reason.
    pub(super) fn end_early(&mut self, now: Instant, reason: TerminalReason, stop_reason: &str) {
        let result = ResultMessage {
            terminal_reason: Some(reason),
            stop_reason: Some(stop_reason.to_owned()),
            ..ResultMessage::default()
        };
        self.end_turn(now, result, CommandState::Completed);
    }

    /// The turn ends without having come to the model.
    pub(super) fn end_without_model(&mut self, now: Instant, command: Option<&str>, text: &str) {
        let result = ResultMessage {
            local_command: command.map(str::to_owned),
            result: Some(text.to_owned()),
            ..ResultMessage::default()
        };
        self.end_turn(now, result, CommandState::Completed);
    }

    /// A `now` message came: text is cut off at once, a tool is waited for.
    ///
    /// What the host was asked is taken back first, before it hears of the
    /// message; `hear` tells it.
    pub(super) fn preempt(&mut self, now: Instant, hear: impl FnOnce(&mut Self)) {
        let is_checked = |it: &Occasion| matches!(it, Occasion::BeforeTool(_));
        let is_checked = self.hooks.is_asked(is_checked);
        let Some(turn) = &mut self.turn else { return };
        if turn.tools.is_empty() || is_checked {
            self.take_requests_back();
            hear(self);
            self.abort(now, false);
        } else {
            turn.preempted = true;
            let calls = self.withdraw_asks();
            hear(self);
            self.deny_withdrawn(now, &calls);
        }
    }

    /// The turn is cut off: by an interrupt, or by a prompt that could not
    /// wait.
    pub(super) fn abort(&mut self, now: Instant, interrupted: bool) {
        self.take_requests_back();
        self.calls.retain(|_, open| open.owner.is_some());
        let Some(turn) = &mut self.turn else { return };
        self.queue.put_back(turn.folding.drain(..));
        match turn.phase {
            Phase::Begun | Phase::Checking if interrupted => {
                self.events.push_back(Event::TurnAborted);
            }
            Phase::Begun | Phase::Checking => {
                // The model has not seen the prompts, so they wait again.
                self.queue.put_back(turn.prompts.drain(..));
                let uuids = std::mem::take(&mut turn.uuids);
                self.turn = None;
                self.send_init(&uuids);
                return self.start_turn(now);
            }
            Phase::Stopping if turn.failure.is_some() => return self.end_after_failure(now),
            Phase::Stopping => {
                self.events.push_back(Event::TurnAborted);
                return self.end_turn(now, completed(), CommandState::Cancelled);
            }
            Phase::Running => self.events.push_back(Event::TurnAborted),
        }
        let is_new = turn.phase != Phase::Running;
        let tools = std::mem::take(&mut turn.tools);
        let message = turn.message.as_ref();
        let in_tools =
            !tools.is_empty() || message.is_none() && turn.requests > 0 && !turn.is_asked;
        let has_text = |open: &OpenMessage| matches!(open.block, Some(ContentBlock::Text(_)));
        // What was said of a text is kept, and nothing else.
        let void = message.map(|open| open.index + u64::from(has_text(open)));
        let open = message.map(|open| (open.index, open.block.clone()));
        let block = open.as_ref().and_then(|(_, block)| block.clone());
        if is_new {
            let uuids = turn.uuids.clone();
            self.send_init(&uuids);
        }
        if let Some(block) = block.filter(|block| matches!(block, ContentBlock::Text(_))) {
            self.send_assistant(block, true);
        }
        for id in tools.into_keys() {
            let answer = ToolAnswer::error("The tool was not run to its end.");
            self.send_tool_result(&id, answer, Some(ruling::cut_off(&id, interrupted)));
        }
        if interrupted {
            let text = ContentBlock::text("(It was interrupted.)");
            self.send_user_message(UserMessage::new(vec![text]));
        }
        if let Some((index, block)) = open {
            if block.is_some() {
                self.send_event(
                    ContentBlockStop {
                        index,
                        extra: Default::default(),
                    }
                    .into(),
                );
            }
            self.send_message_end(None, void);
        }
        let reason = if in_tools {
            TerminalReason::AbortedTools
        } else {
            TerminalReason::AbortedStreaming
        };
        let stop_reason = in_tools.then(|| "tool_use".to_owned());
        let result = if interrupted {
            ResultMessage {
                subtype: ResultSubtype::ErrorDuringExecution,
                is_error: true,
                errors: Some(vec!["The turn was interrupted.".to_owned()]),
                terminal_reason: self.config.has_queue.then_some(reason),
                stop_reason,
                ..ResultMessage::default()
            }
        } else {
            ResultMessage {
                terminal_reason: Some(reason),
                stop_reason,
                ..ResultMessage::default()
            }
        };
        self.end_turn(now, result, CommandState::Cancelled);
    }

    pub(super) fn end_turn(
        &mut self,
        now: Instant,
        mut result: ResultMessage,
        state: CommandState,
    ) {
        let Some(turn) = self.turn.take() else { return };
        self.calls.retain(|_, open| open.owner.is_some());
        let milliseconds = now.saturating_duration_since(turn.started).as_millis();
        self.last_turn_failed = matches!(
            result.terminal_reason,
            Some(
                TerminalReason::ApiError
                    | TerminalReason::ImageError
                    | TerminalReason::BlockingLimit
            )
        );
        let (is_own, is_batch) = (turn.is_own(), turn.is_batch());
        if result.subtype == ResultSubtype::Success && result.result.is_none() {
            result.result = Some(turn.last_text);
        }
        if result.stop_reason.is_none() {
            result.extra.set("stop_reason", Json::null());
        }
        let asked = turn.requests > 0;
        result.num_turns = Some(if asked { 1 + turn.user_messages } else { 0 });
        result.duration_ms = Some(Number::from(
            u64::try_from(milliseconds).unwrap_or(u64::MAX),
        ));
        result.duration_api_ms = Some(Number::from(0));
        result.total_cost_usd = Some(self.account.cost_usd());
        result.usage = Some(self.account.take_turn());
        let window = self.config.context_window;
        result.model_usage = Some(self.account.models(window));
        result.model_usage_since_last_result = Some(self.account.take_models(window));
        result.permission_denials = Some(turn.denials);
        // Messages that wait are none of these.
        result.queued_turn_count = Some(0);
        result.result_index = Some(self.results);
        result.begun_message_ids = asked.then_some(turn.begun);
        if is_own {
            let origin = TaskNotificationOrigin {
                run_id: turn.run_id,
                producer: Some("session-task".to_owned()),
                ..TaskNotificationOrigin::default()
            };
            result.origin = Some(MessageOrigin::TaskNotification(origin));
        }
        result.user_message_uuid = named(&turn.uuids, is_batch);
        result.user_message_uuids = (!turn.uuids.is_empty()).then(|| turn.uuids.clone());
        result.uuid = Some((self.ids)());
        result.session_id = Some(self.session_id.clone());
        self.results += 1;
        // Those that were folded in are done before the result, and those that
        // the turn began with after it.
        let began = turn
            .prompts
            .iter()
            .filter_map(|it| it.uuid.as_ref())
            .count();
        let (first, folded) = turn.uuids.split_at(began.min(turn.uuids.len()));
        for uuid in folded {
            self.lifecycle(uuid, state.clone());
        }
        self.send(encode(&result));
        for uuid in first {
            self.lifecycle(uuid, state.clone());
        }
        self.start_turn(now);
    }
}

/// How a turn ends with which the model is done.
fn completed() -> ResultMessage {
    ResultMessage {
        terminal_reason: Some(TerminalReason::Completed),
        stop_reason: Some("end_turn".to_owned()),
        ..ResultMessage::default()
    }
}

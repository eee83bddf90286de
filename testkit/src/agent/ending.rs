//! The end of a turn: normal, early or aborted.

use super::answer::ToolAnswer;
use super::failure::Failure;
use super::hooks::{Occasion, Verdict};
use super::notice::line;
use super::turn::{OpenMessage, Phase, Turn, representative_uuid};
use super::{Agent, Event, ruling};
use agentwire_protocol::codec::encode;
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::hook::Stop;
use agentwire_protocol::json::{Json, Number};
use agentwire_protocol::message::{
    CommandState, ContentBlockStop, InformationalLevel, MessageOrigin, ModelUsage, ResultMessage,
    ResultSubtype, StopReason, TaskNotificationOrigin, TerminalReason, Usage, UserMessage,
};
use std::time::Instant;

/// The outcome of a turn that was not aborted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The model has finished.
    Completed,
    /// The API request failed.
    ApiError {
        /// The HTTP status.
        status: u16,
        /// The API's error type, such as `overloaded_error`.
        kind: String,
        /// The API's error message.
        message: String,
    },
    /// No API key is configured, so no API request was made.
    NoKey,
}

impl Agent {
    /// Ends the turn with this outcome.
    ///
    /// With [`Ending::Completed`], the turn continues instead if a hook
    /// prevents its end or if the model's last reply is incomplete.
    /// [`Event::TurnContinued`] then arrives.
    pub fn finish_turn(&mut self, now: Instant, ending: &Ending) {
        if *ending == Ending::Completed && (self.resume(now) || self.request_structured(now)) {
            return;
        }
        if *ending == Ending::Completed && self.is_over_budget() {
            return self.end_over_budget(now);
        }
        match ending {
            Ending::Completed => self.check_stop(now),
            Ending::ApiError {
                status,
                kind,
                message,
            } => self.end_failed(now, Failure::api(*status, kind, message)),
            Ending::NoKey => self.end_failed(now, Failure::no_key()),
        }
    }

    /// Calls the `Stop` hooks.
    pub(super) fn check_stop(&mut self, now: Instant) {
        let Some(turn) = &mut self.turn else { return };
        turn.phase = Phase::Stopping;
        let is_structured = turn.structured.is_some();
        let stop = wire!(Stop {
            stop_hook_active: Some(turn.stop_hook_active),
            last_assistant_message: (!is_structured).then(|| turn.last_text.clone()),
            background_tasks: Some(self.background_tasks()),
            session_crons: Some(vec![]),
        });
        self.raise(now, Occasion::Stop, None, stop, None);
    }

    /// Continues after the `Stop` hooks.
    pub(super) fn after_stop_hooks(&mut self, now: Instant, verdict: Verdict) {
        let Some(turn) = &mut self.turn else { return };
        if turn.structured.is_some() {
            // Structured output overrides the hooks.
            let result = self.completed();
            return self.end_turn(now, result, CommandState::Completed);
        }
        let goes_on = verdict.stop.is_none() && (verdict.has_context || !verdict.blocks.is_empty());
        if goes_on {
            turn.phase = Phase::Running;
            turn.stop_hook_active = true;
        }
        self.send_hook_messages("Stop", verdict.messages);
        if verdict.timed_out {
            let content = "Stop says: a hook did not answer in time, and the turn ended.";
            self.send_notice(line(InformationalLevel::Notice, content.to_owned()));
        }
        let blocks = !verdict.blocks.is_empty();
        for reason in verdict.blocks {
            let text = ContentBlock::text(format!("Stop hook feedback:\n{reason}"));
            self.send_user_message(UserMessage::new(vec![text]).synthetic());
        }
        if blocks {
            self.send_notification("stop-hook-error", "A stop hook wants the turn to go on.");
        }
        if goes_on {
            self.request_model(now, Event::TurnContinued);
        } else if verdict.stop.is_some() {
            self.end_early(now, TerminalReason::StopHookPrevented, "end_turn");
        } else {
            let result = self.completed();
            self.end_turn(now, result, CommandState::Completed);
        }
    }

    /// Returns the result of a turn that the model has finished.
    fn completed(&mut self) -> ResultMessage {
        let turn = self.turn.as_mut();
        let output = turn.and_then(|turn| turn.structured.take());
        let turn = self.turn.as_ref();
        let stop_reason = turn.and_then(|turn| turn.stop_reason.as_ref());
        let stop_reason = match &output {
            Some(_) => "tool_use",
            None => stop_reason.map_or("end_turn", StopReason::as_str),
        };
        wire!(ResultMessage {
            result: output.as_ref().map(|output| output.get().to_owned()),
            structured_output: output,
            terminal_reason: Some(TerminalReason::Completed),
            stop_reason: Some(stop_reason.to_owned()),
            ..ResultMessage::default()
        })
    }

    /// Ends the turn for this reason although the model has not finished.
    pub(super) fn end_early(&mut self, now: Instant, reason: TerminalReason, stop_reason: &str) {
        let result = wire!(ResultMessage {
            terminal_reason: Some(reason),
            stop_reason: Some(stop_reason.to_owned()),
            ..ResultMessage::default()
        });
        self.end_turn(now, result, CommandState::Completed);
    }

    /// Ends the turn without asking the model.
    pub(super) fn end_without_model(&mut self, now: Instant, command: Option<&str>, text: &str) {
        let result = wire!(ResultMessage {
            local_command: command.map(str::to_owned),
            result: Some(text.to_owned()),
            ..ResultMessage::default()
        });
        self.end_turn(now, result, CommandState::Completed);
    }

    /// Handles a message with the priority `now` during a turn. Text is cut off
    /// at once. Running tools finish first.
    ///
    /// Pending requests to the host are cancelled first. `report` then reports
    /// the message to the host.
    pub(super) fn preempt(&mut self, now: Instant, report: impl FnOnce(&mut Self)) {
        let is_checked = |it: &Occasion| matches!(it, Occasion::BeforeTool(_));
        let is_checked = self.hooks.is_pending(is_checked);
        let Some(turn) = &mut self.turn else { return };
        if turn.tools.is_empty() || is_checked {
            self.cancel_requests();
            report(self);
            self.abort(now, false);
        } else {
            turn.preempted = true;
            let calls = self.withdraw_permission_requests();
            report(self);
            self.deny_withdrawn(now, &calls);
        }
    }

    /// Aborts the turn, because of an interrupt or of a prompt with the
    /// priority `now`.
    pub(super) fn abort(&mut self, now: Instant, interrupted: bool) {
        self.send_late();
        self.cancel_requests();
        self.calls.retain(|_, open| open.owner.is_some());
        let Some(turn) = &mut self.turn else { return };
        let folded = turn.folded.drain(..).chain(turn.folding.drain(..));
        self.queue.put_back(folded);
        match turn.phase {
            Phase::Begun | Phase::Checking if interrupted => {
                self.events.push_back(Event::TurnAborted);
            }
            Phase::Begun | Phase::Checking => {
                // The model has not received the prompts, so they are queued
                // again.
                self.queue.put_back(turn.prompts.drain(..));
                self.unreported.extend(turn.report.take());
                let uuids = std::mem::take(&mut turn.uuids);
                self.turn = None;
                self.send_init(&uuids);
                return self.start_turn(now);
            }
            Phase::Stopping if turn.failure.is_some() => return self.end_after_failure(now),
            Phase::Stopping => {
                self.events.push_back(Event::TurnAborted);
                let result = self.completed();
                return self.end_turn(now, result, CommandState::Cancelled);
            }
            Phase::Running => self.events.push_back(Event::TurnAborted),
        }
        let is_new = turn.phase != Phase::Running;
        let tools = std::mem::take(&mut turn.tools);
        let message = turn.message.as_ref();
        let in_tools =
            !tools.is_empty() || message.is_none() && turn.requests > 0 && !turn.is_requested;
        let has_text = |open: &OpenMessage| matches!(open.block, Some(ContentBlock::Text(_)));
        // Only the streamed part of a text block is preserved.
        let first_abandoned = message.map(|open| open.index + u64::from(has_text(open)));
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
            // Hosts recognize an interruption in a transcript by this text.
            let text = match in_tools {
                true => "[Request interrupted by user for tool use]",
                false => "[Request interrupted by user]",
            };
            let text = ContentBlock::text(text);
            self.send_user_message(UserMessage::new(vec![text]));
        }
        self.end_folded(&CommandState::Cancelled);
        if let Some((index, block)) = open {
            if block.is_some() {
                self.send_event(wire!(ContentBlockStop { index }).into());
            }
            self.send_message_end(None, first_abandoned);
        }
        let reason = if in_tools {
            TerminalReason::AbortedTools
        } else {
            TerminalReason::AbortedStreaming
        };
        // The stop reason of the last reply, if the model stopped before in
        // this turn.
        let stopped = self.turn.as_ref().and_then(|turn| turn.stop_reason.clone());
        let stop_reason = if in_tools {
            Some("tool_use".to_owned())
        } else {
            stopped.map(|reason| reason.as_str().to_owned())
        };
        // A turn without output of the model is an error.
        let has_no_content = self.turn.as_ref().is_some_and(|turn| !turn.has_spoken);
        let result = if interrupted || has_no_content {
            wire!(ResultMessage {
                subtype: ResultSubtype::ErrorDuringExecution,
                is_error: true,
                errors: Some(vec!["The turn was aborted.".to_owned()]),
                terminal_reason: self.config.has_queue.then_some(reason),
                stop_reason,
                ..ResultMessage::default()
            })
        } else {
            wire!(ResultMessage {
                // The last message is the result of a tool.
                result: in_tools.then(String::new),
                terminal_reason: Some(reason),
                stop_reason,
                ..ResultMessage::default()
            })
        };
        self.end_turn(now, result, CommandState::Cancelled);
    }

    /// Adds the members of results that the driver declared. Times are only
    /// added if the turn did not fail and the model replied.
    fn declare(&mut self, result: &mut ResultMessage, turn: &Turn) {
        let has_replied =
            turn.has_streamed && !result.is_error && result.deferred_tool_use.is_none();
        let first = self.account.take_first().unwrap_or_default();
        let declared = &self.config.declared.result;
        result.fast_mode_state.clone_from(&declared.fast_mode_state);
        result
            .fast_mode_disabled_reason
            .clone_from(&declared.fast_mode_disabled_reason);
        result.safety_stops = declared.safety_stops;
        if has_replied {
            result.ttft_ms.clone_from(&declared.ttft_ms);
            result.ttft_stream_ms.clone_from(&declared.ttft_stream_ms);
            result
                .time_to_request_ms
                .clone_from(&declared.time_to_request_ms);
            result
                .first_content_frame_ms
                .clone_from(&declared.first_content_frame_ms);
        }
        // The host knows the prompt by its UUID.
        if has_replied && !turn.uuids.is_empty() {
            result
                .request_sent_wall_ms
                .clone_from(&declared.request_sent_wall_ms);
            result.first_request_input_tokens = Some(first.input_tokens.unwrap_or(0));
            result.first_request_cache_read_input_tokens =
                Some(first.cache_read_input_tokens.unwrap_or(0));
        }
    }

    /// Returns the template of the usage of a model.
    pub(super) fn model_template(&self) -> ModelUsage {
        wire!(ModelUsage {
            context_window: Some(self.config.context_window),
            ..self.config.declared.model_usage.clone()
        })
    }

    /// Returns the usage of the turn, with the members that the driver
    /// declared.
    fn declared_usage(&mut self) -> Usage {
        let turn = self.account.take_turn();
        wire!(Usage {
            input_tokens: turn.input_tokens,
            output_tokens: turn.output_tokens,
            cache_creation_input_tokens: turn.cache_creation_input_tokens,
            cache_read_input_tokens: turn.cache_read_input_tokens,
            ..self.config.declared.usage.clone()
        })
    }

    pub(super) fn end_turn(
        &mut self,
        now: Instant,
        mut result: ResultMessage,
        state: CommandState,
    ) {
        self.send_late();
        self.replay_due_prompts();
        self.end_folded(&state);
        self.context.is_followed |= state == CommandState::Completed;
        let Some(turn) = self.turn.take() else { return };
        self.calls.retain(|_, open| open.owner.is_some());
        let milliseconds = now.saturating_duration_since(turn.started).as_millis();
        self.last_turn_failed = result.is_error;
        let (is_own, is_batch) = (turn.is_own(), turn.is_batch());
        if result.subtype == ResultSubtype::Success && result.result.is_none() {
            result.result = Some(turn.last_text.clone());
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
        result.usage = Some(self.declared_usage());
        let template = self.model_template();
        result.model_usage = Some(self.account.models(&template));
        result.model_usage_since_last_result = Some(self.account.take_models(&template));
        result.subagent_stats = Some(self.stats.report());
        result.permission_denials = Some(turn.denials.clone());
        // Queued messages are not included in this count.
        result.queued_turn_count = Some(0);
        result.result_index = Some(self.results);
        let is_streamed = self.config.partial_messages;
        result.begun_message_ids = (asked && is_streamed).then(|| turn.begun.clone());
        if asked
            && result.subtype == ResultSubtype::Success
            && result.api_error_status.is_none()
            && result.deferred_tool_use.is_none()
        {
            result.extra.set("api_error_status", Json::null());
        }
        self.declare(&mut result, &turn);
        if is_own {
            let origin = wire!(TaskNotificationOrigin {
                run_id: turn.report.as_ref().map(|report| report.run_id.clone()),
                producer: Some("session-task".to_owned()),
            });
            result.origin = Some(MessageOrigin::TaskNotification(origin));
        } else if let Some(origin @ MessageOrigin::Human(_)) = turn
            .prompts
            .first()
            .and_then(|prompt| prompt.origin.clone())
        {
            result.origin = Some(origin);
        }
        result.user_message_uuid = representative_uuid(&turn.uuids, is_batch);
        result.user_message_uuids = (!turn.uuids.is_empty()).then(|| turn.uuids.clone());
        result.uuid = Some((self.ids)());
        result.session_id = Some(self.session_id.clone());
        self.results += 1;
        self.send(encode(&result));
        for uuid in turn.first_uuids() {
            self.lifecycle(uuid, state.clone());
        }
        self.start_turn(now);
    }

    /// Ends the lifecycle of the folded prompts, before the result is sent. The
    /// lifecycle of the prompts that started the turn ends after the result.
    fn end_folded(&mut self, state: &CommandState) {
        let Some(turn) = &mut self.turn else { return };
        if std::mem::replace(&mut turn.has_ended_folded, true) {
            return;
        }
        let folded = turn.uuids[turn.first_uuids().len()..].to_vec();
        for uuid in folded {
            self.lifecycle(&uuid, state.clone());
        }
    }
}

//! Tool calls: `PreToolUse` hooks, permission, result, and `PostToolUse` hooks.

use super::answer::{ToolAnswer, ToolOutcome};
use super::call::{OpenCall, Running, ToolCall};
use super::commands::needs_own_turn;
use super::hooks::{Occasion, Verdict};
use super::ruling::Ruling;
use super::{Agent, Decision, Event};
use agentwire_protocol::content::Content;
use agentwire_protocol::hook::{
    BatchToolCall, HookKind, PostToolBatch, PostToolUse, PostToolUseFailure, PreToolUse,
    ToolDecision,
};
use agentwire_protocol::json::{Json, Number};
use agentwire_protocol::message::{
    CommandState, DeferredToolUse, ResultMessage, TerminalReason, ToolResultMeta, UserMessage,
};
use std::time::Instant;

impl Agent {
    /// Starts a tool call in the current turn. Calls the `PreToolUse` hooks,
    /// and asks the host for permission if needed.
    ///
    /// The decision arrives as [`Event::ToolDecided`]. Then report the result
    /// with [`Agent::finish_tool`]. The agent itself runs allowed tools of MCP
    /// servers inside the host, questions and plans; for these only
    /// [`Event::ToolFinished`] arrives.
    ///
    /// When the session has reached its budget, the tool is not run, and
    /// [`Event::ToolFinished`] arrives immediately.
    pub fn call_tool(&mut self, now: Instant, call: ToolCall) {
        if self.turn.is_none() {
            return;
        }
        if self.is_over_budget() {
            return self.tool_finished(&call.id);
        }
        self.begin_call(now, call, None);
    }

    /// Starts a tool call of the model, or of the sub-agent `owner`.
    pub(super) fn begin_call(&mut self, now: Instant, call: ToolCall, owner: Option<String>) {
        let (id, name) = (call.id.clone(), call.name.clone());
        let about = wire!(PreToolUse {
            tool_name: name.clone(),
            tool_input: call.input.clone(),
            tool_use_id: Some(id.clone()),
            mcp_server: self.mcp.provenance(&name),
        });
        let refusal = self.refusal(&call);
        let turn = self.turn.as_ref();
        let message_id = turn.map(|turn| turn.message_id.clone());
        let message_id = message_id.unwrap_or_default();
        let open = OpenCall {
            input: call.input.clone(),
            call,
            is_denied: refusal.is_some(),
            ruling: None,
            owner,
            messages: vec![],
            began: now,
            message_id,
            running: None,
            answer: None,
        };
        self.calls.insert(id.clone(), open);
        if refusal.is_some() || !self.has_hooks_before(now, &name) {
            self.send_late();
        }
        match refusal {
            Some(why) => self.end_tool(now, &id, ToolAnswer::error(&why)),
            None => {
                let occasion = Occasion::BeforeTool(id.clone());
                self.raise(now, occasion, Some(&name), about, Some(&id));
                self.send_late();
            }
        }
    }

    /// Returns whether the result of a call is sent late, after the
    /// `PreToolUse` hook calls for the next tool call of the reply.
    fn is_late(&self) -> bool {
        let turn = self.turn.as_ref();
        let has_next = turn.is_some_and(|turn| !turn.tools.is_empty());
        let mut others = self.calls.values().filter(|it| it.owner.is_none());
        has_next && others.next().is_none() && self.hooks.has(&HookKind::PreToolUse)
    }

    /// Sends late results.
    pub(super) fn send_late(&mut self) {
        self.out.append(&mut self.late);
    }

    /// Returns whether a tool may run concurrently with other such tools. All
    /// other tools run in sequence.
    #[must_use]
    pub fn runs_concurrently(&self, name: &str) -> bool {
        self.mcp.is_read_only(name)
    }

    /// Reports the result of a tool call, or the reason why it was denied.
    /// [`Event::ToolFinished`] arrives when the hooks have responded and the
    /// result is sent.
    pub fn finish_tool(&mut self, now: Instant, tool_use_id: &str, outcome: ToolOutcome) {
        let open = self.calls.get(tool_use_id);
        if self.turn.is_none() && open.is_none() {
            return;
        }
        let is_structured = open.is_some_and(|open| self.is_structured(&open.call.name));
        let mut answer = ToolAnswer::from(outcome);
        if is_structured {
            answer = self.structured(tool_use_id, answer);
        }
        self.end_tool(now, tool_use_id, answer);
    }

    /// Continues the turn after all of its tool calls have results. Queued
    /// prompts with the priority `next` are folded into the turn, and
    /// [`Event::TurnContinued`] arrives.
    ///
    /// The turn ends instead if a hook requires it, or if a prompt with the
    /// priority `now` is queued.
    pub fn finish_tools(&mut self, now: Instant) {
        self.send_late();
        if self.is_over_budget() {
            return self.end_over_budget(now);
        }
        let Some(turn) = &mut self.turn else { return };
        let tool_calls = std::mem::take(&mut turn.batch);
        turn.unfinished.reset_count();
        if turn.preempted {
            return self.abort(now, false);
        }
        if let Some(call) = turn.deferred.take() {
            return self.end_deferred(now, call);
        }
        if turn.is_stopped {
            return self.stop_after_tools(now);
        }
        if self.end_unstructured(now) {
            return;
        }
        let id = format!("hook-{}", (self.ids)());
        let batch = wire!(PostToolBatch { tool_calls });
        self.raise(now, Occasion::AfterBatch, None, batch, Some(&id));
    }

    /// Continues after the `PreToolUse` hooks.
    pub(super) fn after_pre_tool_hooks(&mut self, now: Instant, id: &str, verdict: Verdict) {
        let Some(open) = self.calls.get_mut(id) else {
            return;
        };
        let name = open.call.name.clone();
        open.messages = verdict.messages;
        let is_changed = verdict.updated_input.is_some();
        if let Some(input) = verdict.updated_input {
            open.input = input;
        }
        let input = open.input.clone();
        if verdict.stop.is_some()
            && let Some(turn) = &mut self.turn
        {
            turn.is_stopped = true;
        }
        let is_denied = verdict.decision == Some(ToolDecision::Deny);
        let denial = format!("PreToolUse:{name} hook error: {}", verdict.reason);
        if verdict.host_is_gone {
            let why = "The host closed the session.".to_owned();
            return self.decide(now, id, Decision::Denied(why));
        }
        if verdict.timed_out {
            let why = "A PreToolUse hook did not answer in time, so the tool was not run.";
            let why = if is_denied {
                format!("{denial}\n\n{why}")
            } else {
                why.to_owned()
            };
            return self.decide(now, id, Decision::Denied(why));
        }
        let requires_user = open.call.requires_user();
        match verdict.decision {
            Some(ToolDecision::Deny) => {
                self.note_denial(id);
                self.set_ruling(id, Ruling::HOOK_DENIED);
                self.decide(now, id, Decision::Denied(denial));
            }
            Some(ToolDecision::Defer) => self.defer(id),
            Some(ToolDecision::Ask) => self.ask(now, id, Some(verdict.reason)),
            Some(ToolDecision::Allow) if is_changed || !requires_user => {
                self.set_ruling(id, Ruling::HOOK_ALLOWED);
                self.decide(now, id, Decision::Allowed(input));
            }
            _ if self.is_structured(&name) => {
                self.set_ruling(id, Ruling::OWN_ALLOWED);
                self.decide(now, id, Decision::Allowed(input));
            }
            _ => self.ask(now, id, None),
        }
    }

    /// Defers a tool call. The agent does not run it. The turn ends when the
    /// other tool calls of the reply are done.
    fn defer(&mut self, id: &str) {
        let call = self.calls.remove(id).map(|open| open.call);
        if let Some(turn) = &mut self.turn {
            turn.tools.remove(id);
            turn.deferred = call;
        }
        self.tool_finished(id);
    }

    fn end_deferred(&mut self, now: Instant, call: ToolCall) {
        let result = wire!(ResultMessage {
            terminal_reason: Some(TerminalReason::ToolDeferred),
            stop_reason: Some("tool_deferred".to_owned()),
            deferred_tool_use: Some(wire!(DeferredToolUse {
                id: call.id,
                name: call.name,
                input: call.input,
            })),
            ..ResultMessage::default()
        });
        self.end_turn(now, result, CommandState::Completed);
    }

    /// Stores the source of the permission decision on a call.
    pub(super) fn set_ruling(&mut self, id: &str, ruling: Ruling) {
        if let Some(open) = self.calls.get_mut(id) {
            open.ruling = Some(ruling);
        }
    }

    /// Applies the permission decision on a call.
    pub(super) fn decide(&mut self, now: Instant, id: &str, decision: Decision) {
        let Some(open) = self.calls.get_mut(id) else {
            return;
        };
        match &decision {
            Decision::Allowed(input) => {
                open.input = input.clone();
                open.running = Some(Running::new(now));
            }
            Decision::Denied(_) => open.is_denied = true,
        }
        let is_own = open.call.requires_user() || self.mcp.owns_tool(&open.call.name);
        if matches!(decision, Decision::Allowed(_)) && is_own {
            return self.run_own_tool(now, id);
        }
        self.events.push_back(Event::ToolDecided {
            tool_use_id: id.to_owned(),
            decision,
        });
    }

    /// Runs a tool of the agent itself.
    fn run_own_tool(&mut self, now: Instant, id: &str) {
        let Some(open) = self.calls.get_mut(id) else {
            return;
        };
        let (name, input) = (open.call.name.clone(), open.input.clone());
        if self.mcp.owns_tool(&name) {
            return self.call_mcp_tool(now, id, &name, input);
        }
        let answer = if name == "ExitPlanMode" {
            self.leave_plan_mode(&input)
        } else {
            let answer = ToolAnswer::for_question(&input);
            // With invalid input the tool did not run.
            open.is_denied = answer.is_error == Some(true);
            answer
        };
        self.end_tool(now, id, answer);
    }

    /// Handles the result of a tool, and calls the hooks for it.
    pub(super) fn end_tool(&mut self, now: Instant, id: &str, answer: ToolAnswer) {
        let Some(open) = self.calls.get_mut(id) else {
            self.send_tool_result(id, answer, None);
            return self.tool_finished(id);
        };
        let is_error = answer.is_error == Some(true);
        let name = open.call.name.clone();
        let took = now.saturating_duration_since(open.began).as_millis();
        let duration_ms = Some(Number::from(u64::try_from(took).unwrap_or(u64::MAX)));
        let (tool_input, tool_use_id) = (open.input.clone(), Some(id.to_owned()));
        let is_denied = open.is_denied;
        let (text, data) = (answer.content.text(), answer.data.clone());
        open.answer = Some(answer);
        let mcp_server = self.mcp.provenance(&name);
        self.end_progress(id, is_error);
        let occasion = Occasion::AfterTool(id.to_owned());
        if is_denied {
            self.after_post_tool_hooks(id, Verdict::default());
        } else if is_error {
            let event = wire!(PostToolUseFailure {
                tool_name: name.clone(),
                tool_input,
                tool_use_id,
                error: text,
                is_interrupt: Some(false),
                duration_ms,
                mcp_server,
            });
            self.raise(now, occasion, Some(&name), event, Some(id));
        } else {
            let event = wire!(PostToolUse {
                tool_name: name.clone(),
                tool_input,
                tool_response: Some(data),
                tool_use_id,
                duration_ms,
                mcp_server,
            });
            self.raise(now, occasion, Some(&name), event, Some(id));
        }
    }

    /// Sends the result of a tool after its hooks.
    pub(super) fn after_post_tool_hooks(&mut self, id: &str, verdict: Verdict) {
        let Some(open) = self.calls.remove(id) else {
            return;
        };
        let meta = open.ruling.map(|ruling| ruling.meta(id));
        let (call, Some(answer)) = (open.call, open.answer) else {
            return;
        };
        let is_error = answer.is_error == Some(true);
        let answer = match verdict.updated_output {
            Some(data) if !is_error => ToolAnswer {
                content: output_content(&data),
                data,
                is_error: answer.is_error,
            },
            _ => answer,
        };
        let done = wire!(BatchToolCall {
            tool_name: call.name.clone(),
            tool_input: call.input,
            tool_use_id: Some(id.to_owned()),
            tool_response: Json::from_value(&answer.content).ok(),
        });
        if let Some(task) = open.owner.as_ref().and_then(|id| self.task(id)) {
            task.batch.push(done);
            let task = task.clone();
            self.send_hook_messages(&format!("PreToolUse:{}", call.name), open.messages);
            self.send_subagent_result(&task, id, answer, meta);
            return self.tool_finished(id);
        }
        if let Some(turn) = &mut self.turn {
            // After a failure the model continues, even if a hook ends the
            // turn.
            turn.is_stopped |= verdict.stop.is_some() && !is_error;
            turn.batch.push(done);
        }
        let after = if is_error {
            "PostToolUseFailure"
        } else {
            "PostToolUse"
        };
        let sent = self.out.len();
        self.send_hook_messages(&format!("PreToolUse:{}", call.name), open.messages);
        self.send_tool_result(id, answer, meta);
        self.send_hook_messages(&format!("{after}:{}", call.name), verdict.messages);
        if self.is_late() {
            self.late.extend(self.out.drain(sent..));
        }
        self.tool_finished(id);
    }

    /// Sends the result of a tool.
    pub(super) fn send_tool_result(
        &mut self,
        id: &str,
        answer: ToolAnswer,
        meta: Option<ToolResultMeta>,
    ) {
        let Some(turn) = &mut self.turn else { return };
        turn.tools.remove(id);
        self.send_user_message(tool_result(id, answer, meta));
    }

    /// Continues after the `PostToolBatch` hooks.
    pub(super) fn after_batch_hooks(&mut self, now: Instant, verdict: Verdict) {
        self.send_hook_messages("PostToolBatch", verdict.messages);
        if verdict.timed_out {
            return self.exit_with_error();
        }
        if verdict.stop.is_some() || !verdict.blocks.is_empty() {
            return self.stop_after_tools(now);
        }
        if self.end_structured(now) || self.end_at_turn_limit(now) {
            return;
        }
        let folding = self.queue.fold(needs_own_turn);
        if let Some(turn) = &mut self.turn {
            turn.folding = folding.into();
        }
        self.fold_next(now);
    }

    fn stop_after_tools(&mut self, now: Instant) {
        self.end_early(now, TerminalReason::HookStopped, "tool_use");
    }

    fn tool_finished(&mut self, id: &str) {
        self.events.push_back(Event::ToolFinished {
            tool_use_id: id.to_owned(),
        });
    }
}

/// Returns the content for the model after a hook replaced the output. This is
/// the new `stdout` if there is one, otherwise the whole output.
fn output_content(data: &Json) -> Content {
    let text = data.member("stdout").unwrap_or_else(|| data.clone());
    text.read::<Content>()
        .unwrap_or_else(|_| Content::from(data.get()))
}

/// Returns the message with the result of a tool call.
pub(super) fn tool_result(
    id: &str,
    answer: ToolAnswer,
    meta: Option<ToolResultMeta>,
) -> UserMessage {
    let (result, data) = answer.into_block(id);
    let mut message = UserMessage::new(vec![result.into()]);
    message.tool_use_result = Some(data);
    message.tool_result_meta = meta.map(|meta| vec![meta]);
    message
}

//! Calls the host's hooks for events, combines their output, and continues with
//! the result.
//!
//! The hooks of one event are called at the same time and form a round. The
//! agent continues with their combined verdict when all of them have responded,
//! or enough of them to decide. An event without hooks is an empty round and
//! takes the same path.

mod matcher;
mod table;
mod verdict;

pub(super) use table::{HookTable, Occasion};
pub(super) use verdict::Verdict;

use super::Agent;
use super::notice::line;
use agentwire_protocol::control;
use agentwire_protocol::hook::{
    HookCallback, HookContext, HookEffort, HookEvent, HookInput, HookKind,
};
use agentwire_protocol::json::Json;
use agentwire_protocol::message::{Informational, InformationalLevel};
use std::time::Instant;
use table::{OpenHook, Round};

impl Agent {
    /// Calls the hooks for an event. The agent continues according to the
    /// occasion, immediately if there are no hooks, otherwise when they have
    /// responded.
    ///
    /// `about` is the text that matchers are compared with, for events with
    /// matchers. `tool_use_id` is the tool call, for events about a tool call.
    pub(super) fn raise(
        &mut self,
        now: Instant,
        occasion: Occasion,
        about: Option<&str>,
        event: impl Into<HookEvent>,
        tool_use_id: Option<&str>,
    ) {
        let input = wire!(HookInput {
            context: HookContext::default(),
            event: event.into(),
        });
        let kind = input.kind().expect("the agent names its events");
        let due = self.hooks.matching(now, &kind, about, self.config.finds);
        let mut round = Round {
            occasion,
            kind,
            open: vec![],
            verdict: Verdict::default(),
        };
        if due.is_empty() {
            return self.conclude(now, round);
        }
        if self.input_ended {
            round.verdict.host_is_gone = true;
            return self.conclude(now, round);
        }
        let input = wire!(HookInput {
            context: self.hook_context(&round.kind, &round.occasion),
            ..input
        });
        let tool_use_id = tool_use_id.map_or_else(|| (self.ids)(), str::to_owned);
        for hook in due {
            let request_id = (self.ids)();
            let callback = wire!(HookCallback {
                callback_id: hook.callback_id.clone(),
                input: input.clone(),
                tool_use_id: Some(tool_use_id.clone()),
            });
            self.send(control::request(&request_id, &callback));
            round.open.push(OpenHook { request_id, ..hook });
        }
        self.hooks.rounds.push(round);
    }

    /// Returns the context of an event.
    fn hook_context(&self, kind: &HookKind, occasion: &Occasion) -> HookContext {
        let is_tools = matches!(
            kind,
            HookKind::PreToolUse
                | HookKind::PostToolUse
                | HookKind::PostToolUseFailure
                | HookKind::PostToolBatch
                | HookKind::PermissionRequest
                | HookKind::Stop
                | HookKind::SubagentStop
        );
        let has_effort = is_tools || *kind == HookKind::StopFailure;
        let has_mode = is_tools || *kind == HookKind::UserPromptSubmit;
        let id = match occasion {
            Occasion::SubagentStart(id)
            | Occasion::SubagentStop(id)
            | Occasion::AfterSubagentBatch(id) => Some(id),
            Occasion::BeforeTool(call) | Occasion::Permission(call) | Occasion::AfterTool(call) => {
                let call = self.calls.get(call);
                call.and_then(|open| open.owner.as_ref())
            }
            _ => None,
        };
        let task = id.and_then(|id| self.tasks.iter().find(|task| task.id == *id));
        let agent_type = task.and_then(|task| Some(task.agent.as_ref()?.kind.clone()));
        let effort = (self.config.effort)(self.model());
        let of_task = task.and_then(|task| task.prompt_id.clone());
        wire!(HookContext {
            agent_id: task.map(|task| task.id.clone()),
            agent_type,
            session_id: Some(self.session_id.clone()),
            transcript_path: Some(format!("{}/{}.jsonl", self.config.cwd, self.session_id)),
            cwd: Some(self.config.cwd.clone()),
            // The session that `/clear` starts has no prompt yet.
            prompt_id: of_task.or_else(|| {
                let turn = self.turn.as_ref();
                let turn = turn.filter(|_| *occasion != Occasion::Cleared);
                turn.map(|turn| turn.prompt_id.clone())
            }),
            permission_mode: has_mode.then(|| self.config.permission_mode.clone()),
            effort: effort.filter(|_| has_effort).map(|level| wire!(HookEffort {
                level: level.to_owned(),
            })),
        })
    }

    /// Handles the response to a hook call. Returns `false` if the request was
    /// not a hook call.
    pub(super) fn hook_answered(
        &mut self,
        now: Instant,
        request_id: &str,
        answer: Result<Option<Json>, String>,
    ) -> bool {
        let Some((at, hook)) = self.hooks.take(|hook| hook.request_id == request_id) else {
            return false;
        };
        let round = &mut self.hooks.rounds[at];
        let kind = round.kind.clone();
        match answer.and_then(|answer| verdict::read(&kind, answer.as_ref())) {
            Ok(Some(output)) => round.verdict.add(&kind, output),
            Ok(None) => {}
            Err(why) => {
                let text = format!("{kind}: the hook {} failed: {why}", hook.callback_id);
                if hook.failure_blocks {
                    round.verdict.fail(&kind, text.clone());
                }
                let outcome = if hook.failure_blocks {
                    "That counts as a block."
                } else {
                    "It is ignored."
                };
                let notice = wire!(Informational {
                    tag: Some("hook_callback_failed".to_owned()),
                    ..line(InformationalLevel::Warning, format!("{text}. {outcome}"))
                });
                // A notice about a prompt is sent after its turn has started.
                if kind == HookKind::UserPromptSubmit {
                    round.verdict.notices.push(notice);
                } else {
                    self.send_notice(notice);
                }
            }
        }
        self.conclude_if_finished(now, at);
        true
    }

    /// Cancels hook calls whose deadline has passed.
    pub(super) fn expire_hooks(&mut self, now: Instant) {
        while let Some((at, hook)) = self.hooks.take(|hook| hook.due <= now) {
            self.cancel(&hook.request_id);
            self.hooks.rounds[at].verdict.timed_out = true;
            self.conclude_if_finished(now, at);
        }
    }

    /// Ends all rounds because the host has closed the session.
    pub(super) fn end_hooks_without_host(&mut self, now: Instant) {
        for mut round in self.hooks.take_all() {
            round.verdict.host_is_gone = true;
            self.conclude(now, round);
        }
    }

    /// Cancels all pending hook calls.
    pub(super) fn cancel_hooks(&mut self) {
        for round in self.hooks.take_all() {
            for hook in round.open {
                self.cancel(&hook.request_id);
            }
        }
    }

    /// Returns whether `PreToolUse` hooks are called for a tool.
    pub(super) fn has_hooks_before(&self, now: Instant, tool: &str) -> bool {
        let finds = self.config.finds;
        let due = (self.hooks).matching(now, &HookKind::PreToolUse, Some(tool), finds);
        !due.is_empty() && !self.input_ended
    }

    /// Drops the hook calls about permission for this tool call, without
    /// cancelling them.
    pub(super) fn drop_permission_hooks(&mut self, call: &str) {
        self.hooks.forget(&Occasion::Permission(call.to_owned()));
    }

    /// Cancels the hook calls about permission for these tool calls.
    pub(super) fn cancel_permission_hooks(&mut self, calls: &[String]) {
        for call in calls {
            let round = self.hooks.forget(&Occasion::Permission(call.clone()));
            for hook in round.into_iter().flat_map(|round| round.open) {
                self.cancel(&hook.request_id);
            }
        }
    }

    fn conclude_if_finished(&mut self, now: Instant, at: usize) {
        if let Some(round) = self.hooks.take_finished(at) {
            self.conclude(now, round);
        }
    }

    /// Continues where the agent called the hooks of this round.
    fn conclude(&mut self, now: Instant, round: Round) {
        let verdict = round.verdict;
        match round.occasion {
            Occasion::Prompt => self.after_prompt_hooks(now, verdict),
            Occasion::Fold => self.after_fold_hooks(now, verdict),
            Occasion::Report => self.report_next(now),
            Occasion::BeforeTool(id) => self.after_pre_tool_hooks(now, &id, verdict),
            Occasion::Permission(id) => self.after_permission_hooks(now, &id, verdict),
            Occasion::AfterTool(id) => self.after_post_tool_hooks(&id, verdict),
            Occasion::AfterBatch => self.after_batch_hooks(now, verdict),
            // The driver polls `waits_for_hooks`.
            Occasion::AfterSubagentBatch(_) => {}
            Occasion::Stop => self.after_stop_hooks(now, verdict),
            Occasion::StopFailure => self.end_after_failure(now),
            Occasion::SubagentStart(_) => {}
            Occasion::SubagentStop(id) => self.report_task(now, &id),
            Occasion::Clear => self.clear(now),
            Occasion::Cleared => self.end_command(now, Some("clear"), ""),
            Occasion::Compact => self.compact(now, &verdict),
            Occasion::Compacted => self.summarize(now),
            Occasion::Summarized => self.end_compact(now),
        }
    }
}

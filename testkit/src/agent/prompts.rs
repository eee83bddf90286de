//! The path of prompts to the model: the start of a turn, the hooks that may
//! block prompts, and prompts that are folded into a running turn.

use super::commands::needs_own_turn;
use super::hooks::{Occasion, Verdict};
use super::notice::line;
use super::task::Report;
use super::turn::{Phase, Turn};
use super::{Agent, Event};
use agentwire_protocol::codec::encode;
use agentwire_protocol::hook::UserPromptSubmit;
use agentwire_protocol::json::Json;
use agentwire_protocol::message::{
    CommandState, Informational, InformationalLevel, PromptSubmitOutcome, SessionState, UserMessage,
};
use std::time::{Duration, Instant};

/// How long a turn waits for the handshakes of MCP servers.
const MCP_TIMEOUT: Duration = Duration::from_secs(4);

impl Agent {
    /// Starts a turn with the next prompts of the queue. Without prompts,
    /// finished tasks are reported to the model; without those, the session
    /// becomes idle.
    pub(super) fn start_turn(&mut self, now: Instant) {
        if self.exited {
            return;
        }
        let prompts = self.queue.next_turn(needs_own_turn);
        if prompts.is_empty() {
            if self.report_to_model(now) {
                return;
            }
            if !self.has_subagents() {
                self.set_state(SessionState::Idle);
            }
            return self.exit_when_done();
        }
        self.begin_turn(now, prompts, None);
    }

    /// Starts a turn with these prompts. Without prompts, the agent itself
    /// starts the turn, because of the task with this report.
    pub(super) fn begin_turn(
        &mut self,
        now: Instant,
        prompts: Vec<UserMessage>,
        report: Option<Report>,
    ) {
        let prompt_id = (self.ids)();
        let mut turn = Turn::new(now, prompt_id, prompts.clone());
        turn.report = report;
        if self.mcp.is_pending() {
            turn.waits_until = Some(now + MCP_TIMEOUT);
        }
        self.turn = Some(turn);
        if let [earlier @ .., _] = &*prompts {
            // Several prompts are echoed together once more, for the last.
            for prompt in earlier {
                self.replay(prompt, true);
            }
        }
        for prompt in &prompts {
            self.add_prompt(prompt);
        }
        self.continue_with_prompts(now);
    }

    /// Continues a turn that has just started, once the tools of all MCP
    /// servers are known or the wait for them has timed out.
    pub(super) fn continue_with_prompts(&mut self, now: Instant) {
        let is_pending = self.mcp.is_pending();
        let Some(turn) = &mut self.turn else { return };
        if turn.phase != Phase::Begun
            || is_pending && turn.waits_until.is_some_and(|until| now < until)
        {
            return;
        }
        turn.phase = Phase::Checking;
        turn.waits_until = None;
        if let Some(report) = &turn.report {
            let text = report.text.clone();
            let event = self.submitted(text);
            return self.raise(now, Occasion::Prompt, None, event, None);
        }
        let prompts = turn.prompts.clone();
        if let [prompt] = &*prompts
            && let Some(command) = self.command(prompt)
        {
            return self.run_command(now, command);
        }
        if prompts.iter().all(|it| it.should_query == Some(false)) {
            // The model receives the prompts in its next request.
            return self.end_command(now, None, "");
        }
        let event = self.submitted(text(&prompts));
        self.raise(now, Occasion::Prompt, None, event, None);
    }

    /// Continues after the `UserPromptSubmit` hooks of a new turn. Passes the
    /// prompts to the model, or ends the turn.
    pub(super) fn after_prompt_hooks(&mut self, now: Instant, verdict: Verdict) {
        let Some(turn) = &mut self.turn else { return };
        let prompts = turn.prompts.clone();
        let uuids = turn.uuids.clone();
        let refusal = refusal(&prompts, &verdict);
        if refusal.is_none() {
            turn.phase = Phase::Running;
            self.context.is_begun = true;
        }
        self.send_init(&uuids);
        let is_over_budget = refusal.is_none() && self.is_over_budget();
        if is_over_budget || refusal.is_none() && self.config.replays_prompts {
            // The host receives the report of the model request before the echo
            // of the prompts.
            self.ask_model();
        }
        match &mut self.turn {
            // Without partial messages, the echo precedes the first complete
            // message.
            Some(turn) if refusal.is_none() && !self.config.partial_messages => {
                turn.has_echo_due = true;
            }
            _ => self.replay_prompts(),
        }
        if is_over_budget {
            return self.end_over_budget(now);
        }
        for notice in verdict.notices {
            self.send_notice(notice);
        }
        self.send_hook_messages("UserPromptSubmit", verdict.messages);
        match refusal {
            None => self.request_model(now, Event::TurnStarted { prompts }),
            Some(refusal) => {
                let text = refusal.content.clone();
                self.send_notice(refusal);
                self.end_without_model(now, None, &text);
            }
        }
    }

    /// Calls the hooks for the next prompt to fold into the turn. If there is
    /// no such prompt, the model continues.
    pub(super) fn fold_next(&mut self, now: Instant) {
        let Some(turn) = &mut self.turn else { return };
        if let Some(prompt) = turn.folding.front() {
            let prompt = text(std::slice::from_ref(prompt));
            let event = self.submitted(prompt);
            return self.raise(now, Occasion::Fold, None, event, None);
        }
        let folded = std::mem::take(&mut turn.folded);
        for prompt in &folded {
            self.replay(prompt, false);
        }
        for prompt in &folded {
            self.add_prompt(prompt);
        }
        self.report_next(now);
    }

    /// Calls the hooks for the next report of a task that the model receives in
    /// the turn. If there is no report, the model continues.
    pub(super) fn report_next(&mut self, now: Instant) {
        if self.unreported.is_empty() {
            return self.request_model(now, Event::TurnContinued);
        }
        let report = self.unreported.remove(0);
        let event = self.submitted(report.text);
        self.raise(now, Occasion::Report, None, event, None);
    }

    /// Continues after the `UserPromptSubmit` hooks of a prompt that is folded
    /// into the turn.
    pub(super) fn after_fold_hooks(&mut self, now: Instant, mut verdict: Verdict) {
        for notice in std::mem::take(&mut verdict.notices) {
            self.send_notice(notice);
        }
        let Some(turn) = &mut self.turn else { return };
        let Some(prompt) = turn.folding.pop_front() else {
            return;
        };
        let refusal = refusal(std::slice::from_ref(&prompt), &verdict);
        match refusal {
            None => turn.folded.push(prompt),
            // If a hook sets `continue: false`, the prompt is queued again, for
            // its own turn.
            Some(_) if verdict.stop.is_some() => self.queue.push(prompt),
            Some(refusal) => {
                if let Some(uuid) = &prompt.uuid {
                    self.lifecycle(uuid, CommandState::Started);
                    self.lifecycle(uuid, CommandState::Completed);
                }
                self.send_notice(refusal);
            }
        }
        self.fold_next(now);
    }

    /// Echoes the prompts that started the turn, if the host enabled echoes.
    pub(super) fn replay_prompts(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        turn.has_echo_due = false;
        let prompts = turn.prompts.clone();
        match &*prompts {
            [] => {}
            [prompt] => self.replay(prompt, false),
            [.., last] => {
                let mut together = last.clone();
                together.message.content = Some(text(&prompts).as_str().into());
                self.replay(&together, false);
            }
        }
    }

    /// Echoes the prompts that started the turn, unless they were already
    /// echoed.
    pub(super) fn replay_due_prompts(&mut self) {
        if self.turn.as_ref().is_some_and(|turn| turn.has_echo_due) {
            self.replay_prompts();
        }
    }

    /// Echoes a prompt, if the host enabled echoes. A repeated echo has no
    /// timestamp.
    pub(super) fn replay(&mut self, prompt: &UserMessage, is_repeated: bool) {
        if !self.config.replays_prompts {
            return;
        }
        let mut echo = wire!(UserMessage {
            message: prompt.message.clone(),
            uuid: Some(prompt.uuid.clone().unwrap_or_else(|| (self.ids)())),
            session_id: Some(self.session_id.clone()),
            timestamp: (self.config.timestamp)().filter(|_| !is_repeated),
            is_replay: Some(true),
            ..UserMessage::default()
        });
        echo.extra.set("parent_tool_use_id", Json::null());
        self.send(encode(&echo));
    }

    /// Creates the `UserPromptSubmit` event for this text.
    fn submitted(&self, prompt: String) -> UserPromptSubmit {
        wire!(UserPromptSubmit {
            prompt,
            session_title: self.title.clone(),
        })
    }

    /// Adds a prompt to the turn.
    fn add_prompt(&mut self, prompt: &UserMessage) {
        let Some(uuid) = &prompt.uuid else { return };
        if !self.config.has_queue {
            return;
        }
        if let Some(turn) = &mut self.turn {
            turn.uuids.push(uuid.clone());
        }
        if self.command(prompt).is_none() {
            self.context.add_prompt(uuid);
        }
        self.lifecycle(uuid, CommandState::Started);
    }
}

/// Returns the text of several prompts, which hooks receive as one prompt.
fn text(prompts: &[UserMessage]) -> String {
    let texts: Vec<_> = prompts
        .iter()
        .filter_map(|prompt| Some(prompt.message.content.as_ref()?.text()))
        .collect();
    texts.join("\n")
}

/// Returns the notice for prompts that are not passed to the model. Returns
/// `None` if they are passed.
fn refusal(prompts: &[UserMessage], verdict: &Verdict) -> Option<Informational> {
    let blocked = "UserPromptSubmit operation blocked by hook:\n";
    let mut outcome = wire!(PromptSubmitOutcome {
        prompt_kept: Some(false),
    });
    let content = if verdict.timed_out {
        outcome.kind = Some("no_verdict".to_owned());
        outcome.extra.set("no_verdict_kind", "callback_timed_out");
        format!("{blocked}A UserPromptSubmit hook did not answer in time.")
    } else if let Some(reason) = verdict.blocks.first() {
        outcome.reason = Some(reason.clone());
        let kind = if verdict.failed {
            outcome.extra.set("no_verdict_kind", "hook_failed");
            "no_verdict"
        } else {
            "blocked_by_hook"
        };
        outcome.kind = Some(kind.to_owned());
        if verdict.failed || verdict.suppresses_prompt {
            format!("{blocked}{reason}")
        } else {
            let prompt = text(prompts);
            format!("{blocked}{reason}\n\nOriginal prompt: {prompt}")
        }
    } else if let Some(reason) = &verdict.stop {
        outcome.kind = Some("stopped_by_hook".to_owned());
        outcome.prompt_kept = Some(true);
        outcome.reason.clone_from(reason);
        match reason {
            Some(reason) => format!("Operation stopped by hook: {reason}"),
            None => "Operation stopped by hook".to_owned(),
        }
    } else {
        return None;
    };
    Some(wire!(Informational {
        prevent_continuation: Some(true),
        prompt_submit_outcome: Some(outcome),
        ..line(InformationalLevel::Warning, content)
    }))
}

//! The hooks that the host registered: which are due, what they answer, and
//! what comes of it.
//!
//! Several hooks of one event are asked at once; they are a round. When they
//! have answered, or those that matter, the agent goes on where it was, with
//! what they said together. An event without hooks is a round of none, so
//! that there is one way for both.

mod matcher;
mod verdict;

pub(super) use verdict::Verdict;

use super::Agent;
use crate::codec::encode;
use crate::control;
use crate::hook::{
    HookCallback, HookContext, HookEffort, HookEvent, HookInput, HookKind, HookMatcher, Hooks,
    OnFailure,
};
use crate::json::{Json, Number};
use crate::message::{Informational, InformationalLevel};
use std::time::{Duration, Instant};

/// How long a hook may take whose matcher does not say.
const PATIENCE: Duration = Duration::from_secs(600);

/// Why, where a hook does not say.
const NO_REASON: &str = "Blocked by hook";

/// The hooks of a session.
#[derive(Debug, Default)]
pub(super) struct HookTable {
    registered: Hooks,
    rounds: Vec<Round>,
}

/// What the agent was about when it asked its hooks, and where it goes on.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Occasion {
    /// The prompts of the turn that begins.
    Prompt,
    /// A prompt that would become part of the turn that runs.
    Fold,
    /// This tool call, before it runs.
    BeforeTool(String),
    /// This tool call, which the host is asked about.
    Permission(String),
    /// This tool call, which has an answer.
    AfterTool(String),
    /// All tool calls of a reply.
    AfterBatch,
    /// The end of the turn, and one that the API's failure brings about.
    Stop,
    StopFailure,
    /// A sub-agent that begins, and one that is done.
    SubagentStart(String),
    SubagentStop(String),
    /// The session that `/clear` ends, and the one that it begins.
    Clear,
    Cleared,
    /// What comes before a summary, and what comes after it.
    Compact,
    Compacted,
    Summarized,
}

/// The hooks of one event, while they are asked.
#[derive(Debug)]
struct Round {
    occasion: Occasion,
    kind: HookKind,
    open: Vec<OpenHook>,
    verdict: Verdict,
}

/// A hook that has not answered.
#[derive(Debug)]
struct OpenHook {
    request_id: String,
    callback_id: String,
    failure_blocks: bool,
    due: Instant,
}

impl HookTable {
    /// The host said which hooks it has.
    pub(super) fn register(&mut self, hooks: Hooks) {
        self.registered = hooks;
    }

    /// When the next hook will have taken too long.
    pub(super) fn due(&self) -> Option<Instant> {
        let open = self.rounds.iter().flat_map(|round| &round.open);
        open.map(|hook| hook.due).min()
    }

    /// Whether hooks are asked about this.
    pub(super) fn is_asked(&self, occasion: impl Fn(&Occasion) -> bool) -> bool {
        self.rounds.iter().any(|round| occasion(&round.occasion))
    }

    /// The hooks that are asked about this are not waited for any more.
    pub(super) fn forget(&mut self, occasion: &Occasion) {
        self.rounds.retain(|round| round.occasion != *occasion);
    }

    fn matching(&self, kind: &HookKind, about: Option<&str>, finds: Finds) -> Vec<&HookMatcher> {
        let matchers = self.registered.get(kind).into_iter().flatten();
        matchers
            .filter(|it| {
                about.is_none_or(|about| matcher::takes(it.matcher.as_deref(), about, finds))
            })
            .collect()
    }
}

type Finds = fn(&str, &str) -> bool;

impl Agent {
    /// Something happens that the host may have hooks for. What comes after
    /// it is up to the occasion, and happens at once where there are none.
    ///
    /// `about` is what matchers are compared with, for events that have such
    /// a thing; `tool_use_id` the tool call, where it is about one.
    pub(super) fn raise(
        &mut self,
        now: Instant,
        occasion: Occasion,
        about: Option<&str>,
        event: impl Into<HookEvent>,
        tool_use_id: Option<&str>,
    ) {
        let input = HookInput {
            context: HookContext::default(),
            event: event.into(),
        };
        let kind = input.kind().expect("the agent names its events");
        let matching = self.hooks.matching(&kind, about, self.config.finds);
        let due: Vec<_> = matching
            .iter()
            .flat_map(|matcher| {
                let seconds = matcher.timeout.as_ref().map(Number::as_f64);
                let time = seconds.map_or(Ok(PATIENCE), Duration::try_from_secs_f64);
                let time = time.unwrap_or(PATIENCE);
                let failure_blocks =
                    matcher.on_failure == Some(OnFailure::Block) && !ignores_failure(&kind);
                matcher.hook_callback_ids.iter().map(move |id| OpenHook {
                    request_id: String::new(),
                    callback_id: id.clone(),
                    failure_blocks,
                    due: now + time,
                })
            })
            .collect();
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
            round.verdict.is_unheard = true;
            return self.conclude(now, round);
        }
        let input = HookInput {
            context: self.hook_context(&round.kind, &round.occasion),
            ..input
        };
        let tool_use_id = tool_use_id.map_or_else(|| (self.ids)(), str::to_owned);
        for hook in due {
            let request_id = (self.ids)();
            let callback = HookCallback {
                callback_id: hook.callback_id.clone(),
                input: input.clone(),
                tool_use_id: Some(tool_use_id.clone()),
                extra: Default::default(),
            };
            self.send(control::request(&request_id, &callback));
            round.open.push(OpenHook { request_id, ..hook });
        }
        self.hooks.rounds.push(round);
    }

    /// Where an event happens.
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
            Occasion::SubagentStart(id) | Occasion::SubagentStop(id) => Some(id),
            Occasion::BeforeTool(call) | Occasion::Permission(call) | Occasion::AfterTool(call) => {
                let call = self.calls.get(call);
                call.and_then(|open| open.owner.as_ref())
            }
            _ => None,
        };
        let task = id.and_then(|id| self.tasks.iter().find(|task| task.id == *id));
        let agent_type = task.and_then(|task| Some(task.agent.as_ref()?.kind.clone()));
        let of_task = task.and_then(|task| task.prompt_id.clone());
        HookContext {
            agent_id: task.map(|task| task.id.clone()),
            agent_type,
            session_id: Some(self.session_id.clone()),
            transcript_path: Some(format!("{}/{}.jsonl", self.config.cwd, self.session_id)),
            cwd: Some(self.config.cwd.clone()),
            // The session that `/clear` begins has had no prompt.
            prompt_id: of_task.or_else(|| {
                let turn = self.turn.as_ref();
                let turn = turn.filter(|_| *occasion != Occasion::Cleared);
                turn.map(|turn| turn.prompt_id.clone())
            }),
            permission_mode: has_mode.then(|| self.config.permission_mode.clone()),
            effort: has_effort.then(|| HookEffort {
                level: "medium".to_owned(),
                extra: Default::default(),
            }),
            ..HookContext::default()
        }
    }

    /// Whether this was an answer to a hook.
    pub(super) fn hook_answered(
        &mut self,
        now: Instant,
        request_id: &str,
        answer: Result<Option<Json>, String>,
    ) -> bool {
        let Some((at, hook)) = self.take_hook(|hook| hook.request_id == request_id) else {
            return false;
        };
        let round = &mut self.hooks.rounds[at];
        let kind = round.kind.clone();
        match answer.and_then(|answer| verdict::read(&kind, answer.as_ref())) {
            Ok(Some(output)) => round.verdict.add(&kind, output),
            Ok(None) => {}
            Err(why) => {
                let what = format!("{kind}: the hook {} failed: {why}", hook.callback_id);
                if hook.failure_blocks {
                    round.verdict.fail(&kind, what.clone());
                }
                let outcome = if hook.failure_blocks {
                    "That counts as a block."
                } else {
                    "It is passed over."
                };
                let notice = Informational {
                    tag: Some("hook_callback_failed".to_owned()),
                    ..line(InformationalLevel::Warning, format!("{what}. {outcome}"))
                };
                // What is about a prompt comes when its turn has begun.
                if kind == HookKind::UserPromptSubmit {
                    round.verdict.notices.push(notice);
                } else {
                    self.inform(notice);
                }
            }
        }
        self.conclude_if_over(now, at);
        true
    }

    /// Gives up on the hooks that have taken too long.
    pub(super) fn give_up_on_hooks(&mut self, now: Instant) {
        while let Some((at, hook)) = self.take_hook(|hook| hook.due <= now) {
            self.out.push_back(control::cancel(&hook.request_id));
            self.hooks.rounds[at].verdict.timed_out = true;
            self.conclude_if_over(now, at);
        }
    }

    /// The host is gone: nobody will answer.
    pub(super) fn hooks_go_unheard(&mut self, now: Instant) {
        for mut round in std::mem::take(&mut self.hooks.rounds) {
            round.verdict.is_unheard = true;
            self.conclude(now, round);
        }
    }

    /// Takes all hooks back that are asked.
    pub(super) fn take_hooks_back(&mut self) {
        for round in std::mem::take(&mut self.hooks.rounds) {
            for hook in round.open {
                self.out.push_back(control::cancel(&hook.request_id));
            }
        }
    }

    fn take_hook(&mut self, wanted: impl Fn(&OpenHook) -> bool) -> Option<(usize, OpenHook)> {
        let mut rounds = self.hooks.rounds.iter_mut().enumerate();
        rounds.find_map(|(at, round)| {
            let place = round.open.iter().position(&wanted)?;
            Some((at, round.open.remove(place)))
        })
    }

    fn conclude_if_over(&mut self, now: Instant, at: usize) {
        let round = &self.hooks.rounds[at];
        if round.open.is_empty() || round.verdict.is_final(&round.kind) {
            let round = self.hooks.rounds.remove(at);
            self.conclude(now, round);
        }
    }

    /// Goes on where the hooks were asked.
    fn conclude(&mut self, now: Instant, round: Round) {
        let verdict = round.verdict;
        match round.occasion {
            Occasion::Prompt => self.prompt_checked(now, verdict),
            Occasion::Fold => self.fold_checked(now, verdict),
            Occasion::BeforeTool(id) => self.tool_checked(now, &id, verdict),
            Occasion::Permission(id) => self.permission_hooked(now, &id, verdict),
            Occasion::AfterTool(id) => self.tool_reviewed(&id, verdict),
            Occasion::AfterBatch => self.batch_reviewed(now, verdict),
            Occasion::Stop => self.stop_checked(now, verdict),
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

    /// Tells the user what hooks want told.
    pub(super) fn tell(&mut self, whose: &str, messages: Vec<String>) {
        for message in messages {
            let content = format!("{whose} says: {message}");
            self.inform(line(InformationalLevel::Notice, content));
        }
    }

    /// Sends a line for the user.
    pub(super) fn inform(&mut self, line: Informational) {
        let line = Informational {
            uuid: Some((self.ids)()),
            session_id: Some(self.session_id.clone()),
            ..line
        };
        self.send(encode(&line));
    }
}

/// A line for the user.
pub(super) fn line(level: InformationalLevel, content: String) -> Informational {
    Informational {
        content,
        level: Some(level),
        tool_use_id: None,
        prevent_continuation: None,
        tag: None,
        prompt_submit_outcome: None,
        uuid: None,
        session_id: None,
        extra: Default::default(),
    }
}

/// Where a hook that fails blocks nothing, whatever its matcher says.
fn ignores_failure(kind: &HookKind) -> bool {
    matches!(
        kind,
        HookKind::Stop | HookKind::SubagentStop | HookKind::TaskCompleted | HookKind::TeammateIdle
    )
}

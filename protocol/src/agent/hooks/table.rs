//! The hooks that the host registered, and those that are being asked.

use super::matcher;
use super::verdict::Verdict;
use crate::hook::{HookKind, Hooks, OnFailure};
use crate::json::Number;
use std::time::{Duration, Instant};

/// How long a hook may take whose matcher does not say.
const PATIENCE: Duration = Duration::from_secs(600);

/// The hooks of a session.
#[derive(Debug, Default)]
pub(in crate::agent) struct HookTable {
    registered: Hooks,
    pub(super) rounds: Vec<Round>,
}

/// What the agent was about when it asked its hooks, and where it goes on.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::agent) enum Occasion {
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
pub(super) struct Round {
    pub(super) occasion: Occasion,
    pub(super) kind: HookKind,
    pub(super) open: Vec<OpenHook>,
    pub(super) verdict: Verdict,
}

/// A hook that has not answered.
#[derive(Debug)]
pub(super) struct OpenHook {
    pub(super) request_id: String,
    pub(super) callback_id: String,
    pub(super) failure_blocks: bool,
    pub(super) due: Instant,
}

impl HookTable {
    /// The host said which hooks it has.
    pub(in crate::agent) fn register(&mut self, hooks: Hooks) {
        self.registered = hooks;
    }

    /// When the next hook will have taken too long.
    pub(in crate::agent) fn due(&self) -> Option<Instant> {
        let open = self.rounds.iter().flat_map(|round| &round.open);
        open.map(|hook| hook.due).min()
    }

    /// Whether hooks are asked about this.
    pub(in crate::agent) fn is_asked(&self, occasion: impl Fn(&Occasion) -> bool) -> bool {
        self.rounds.iter().any(|round| occasion(&round.occasion))
    }

    /// The hooks that are asked about this are not waited for any more.
    pub(in crate::agent) fn forget(&mut self, occasion: &Occasion) {
        self.rounds.retain(|round| round.occasion != *occasion);
    }

    /// Returns the hooks whose matchers take this event, with their deadlines
    /// if they are asked now. Their request ids are still empty.
    pub(super) fn matching(
        &self,
        now: Instant,
        kind: &HookKind,
        about: Option<&str>,
        finds: fn(&str, &str) -> bool,
    ) -> Vec<OpenHook> {
        let matchers = self.registered.get(kind).into_iter().flatten();
        let matchers = matchers.filter(|it| {
            about.is_none_or(|about| matcher::takes(it.matcher.as_deref(), about, finds))
        });
        let hooks = matchers.flat_map(|matcher| {
            let seconds = matcher.timeout.as_ref().map(Number::as_f64);
            let time = seconds.map_or(Ok(PATIENCE), Duration::try_from_secs_f64);
            let time = time.unwrap_or(PATIENCE);
            let failure_blocks =
                matcher.on_failure == Some(OnFailure::Block) && !ignores_failure(kind);
            matcher.hook_callback_ids.iter().map(move |id| OpenHook {
                request_id: String::new(),
                callback_id: id.clone(),
                failure_blocks,
                due: now + time,
            })
        });
        hooks.collect()
    }

    /// Removes the first open hook that is wanted. Returns the place of its
    /// round and the hook.
    pub(super) fn take(&mut self, wanted: impl Fn(&OpenHook) -> bool) -> Option<(usize, OpenHook)> {
        let mut rounds = self.rounds.iter_mut().enumerate();
        rounds.find_map(|(at, round)| {
            let place = round.open.iter().position(&wanted)?;
            Some((at, round.open.remove(place)))
        })
    }

    /// Removes the round at this place and returns it, if none of its hooks is
    /// waited for any more.
    pub(super) fn take_finished(&mut self, at: usize) -> Option<Round> {
        let round = &self.rounds[at];
        let is_over = round.open.is_empty() || round.verdict.is_final(&round.kind);
        is_over.then(|| self.rounds.remove(at))
    }

    /// Removes all rounds and returns them.
    pub(super) fn take_all(&mut self) -> Vec<Round> {
        std::mem::take(&mut self.rounds)
    }
}

/// Where a hook that fails blocks nothing, whatever its matcher says.
fn ignores_failure(kind: &HookKind) -> bool {
    matches!(
        kind,
        HookKind::Stop | HookKind::SubagentStop | HookKind::TaskCompleted | HookKind::TeammateIdle
    )
}

//! The registered hooks, and the pending hook calls.

use super::matcher;
use super::verdict::Verdict;
use agentwire_protocol::hook::{HookKind, Hooks, OnFailure};
use agentwire_protocol::json::Number;
use std::time::{Duration, Instant};

/// The timeout of a hook whose matcher sets none.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(600);

/// The hooks of a session.
#[derive(Debug, Default)]
pub(in crate::agent) struct HookTable {
    registered: Hooks,
    pub(super) rounds: Vec<Round>,
}

/// The reason why hooks were called, which determines where the agent
/// continues.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::agent) enum Occasion {
    /// The prompts of a new turn.
    Prompt,
    /// A prompt that would be folded into the running turn.
    Fold,
    /// The report of a task that the model receives in the running turn.
    Report,
    /// Before this tool call runs.
    BeforeTool(String),
    /// The permission request for this tool call.
    Permission(String),
    /// After this tool call has a result.
    AfterTool(String),
    /// After all tool calls of a reply.
    AfterBatch,
    /// After all tool calls of a reply of this sub-agent.
    AfterSubagentBatch(String),
    /// The end of the turn: normal, or because the API failed.
    Stop,
    StopFailure,
    /// The start and the end of a sub-agent.
    SubagentStart(String),
    SubagentStop(String),
    /// `SessionEnd` and `SessionStart` for `/clear`.
    Clear,
    Cleared,
    /// `PreCompact`, `SessionStart` and `PostCompact` for a compaction.
    Compact,
    Compacted,
    Summarized,
}

/// The pending hook calls of one event.
#[derive(Debug)]
pub(super) struct Round {
    pub(super) occasion: Occasion,
    pub(super) kind: HookKind,
    pub(super) open: Vec<OpenHook>,
    pub(super) verdict: Verdict,
}

/// A pending hook call.
#[derive(Debug)]
pub(super) struct OpenHook {
    pub(super) request_id: String,
    pub(super) callback_id: String,
    pub(super) failure_blocks: bool,
    pub(super) due: Instant,
}

impl HookTable {
    /// Sets the hooks of the host.
    pub(in crate::agent) fn register(&mut self, hooks: Hooks) {
        self.registered = hooks;
    }

    /// Returns whether the host has hooks of this kind.
    pub(in crate::agent) fn has(&self, kind: &HookKind) -> bool {
        self.registered.get(kind).is_some_and(|it| !it.is_empty())
    }

    /// Returns the next deadline of a hook call.
    pub(in crate::agent) fn due(&self) -> Option<Instant> {
        let open = self.rounds.iter().flat_map(|round| &round.open);
        open.map(|hook| hook.due).min()
    }

    /// Returns whether hook calls are pending for an occasion that matches.
    pub(in crate::agent) fn is_pending(&self, occasion: impl Fn(&Occasion) -> bool) -> bool {
        self.rounds.iter().any(|round| occasion(&round.occasion))
    }

    /// Removes the round of this occasion, without cancelling its calls.
    pub(super) fn forget(&mut self, occasion: &Occasion) -> Option<Round> {
        let mut rounds = self.rounds.iter();
        let at = rounds.position(|round| round.occasion == *occasion)?;
        Some(self.rounds.remove(at))
    }

    /// Returns the hooks that match this event, with their deadlines for a call
    /// at `now`. Their request IDs are still empty.
    pub(super) fn matching(
        &self,
        now: Instant,
        kind: &HookKind,
        about: Option<&str>,
        finds: fn(&str, &str) -> bool,
    ) -> Vec<OpenHook> {
        let matchers = self.registered.get(kind).into_iter().flatten();
        let matchers = matchers.filter(|it| {
            about.is_none_or(|about| matcher::matches(it.matcher.as_deref(), about, finds))
        });
        let hooks = matchers.flat_map(|matcher| {
            let seconds = matcher.timeout.as_ref().map(Number::as_f64);
            let time = seconds.map_or(Ok(DEFAULT_TIMEOUT), Duration::try_from_secs_f64);
            let time = time.unwrap_or(DEFAULT_TIMEOUT);
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

    /// Removes the first pending hook call for which `wanted` returns `true`.
    /// Returns the index of its round, and the call.
    pub(super) fn take(&mut self, wanted: impl Fn(&OpenHook) -> bool) -> Option<(usize, OpenHook)> {
        let mut rounds = self.rounds.iter_mut().enumerate();
        rounds.find_map(|(at, round)| {
            let place = round.open.iter().position(&wanted)?;
            Some((at, round.open.remove(place)))
        })
    }

    /// Removes and returns the round at this index if the round is finished.
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

/// Returns whether a failed hook never blocks this event, even if its matcher
/// says that it does.
fn ignores_failure(kind: &HookKind) -> bool {
    matches!(
        kind,
        HookKind::Stop | HookKind::SubagentStop | HookKind::TaskCompleted | HookKind::TeammateIdle
    )
}

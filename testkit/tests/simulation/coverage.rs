//! Counts the host's state transitions.

use agentwire_protocol::host::{
    Activity, HostEvent, RequestFailure, SessionUpdate, SubmissionState, TurnEvent, TurnOutcome,
    WireNotice,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// All transitions of the host's state machine: messages, requests, permission
/// requests, turns, activity, pipe and queue.
const ALL: &[&str] = &[
    "message: waiting to handed",
    "message: waiting to withdrawn",
    "message: waiting to lost",
    "message: handed to written",
    "message: handed to queued",
    "message: handed to started",
    "message: handed to completed",
    "message: handed to interrupted",
    "message: handed to lost",
    "message: written to queued",
    "message: written to started",
    "message: handed to refused",
    "message: written to refused",
    "message: written to completed",
    "message: written to interrupted",
    "message: written to cancelled",
    "message: written to lost",
    "message: queued to started",
    "message: queued to completed",
    "message: queued to interrupted",
    "message: queued to cancelled",
    "message: queued to lost",
    "message: started to completed",
    "message: started to interrupted",
    "message: started to refused",
    "message: started to lost",
    "request: waiting to timed out",
    "request: waiting to cancelled",
    "request: waiting to ended",
    "request: written to answered",
    "request: written to refused",
    "request: written to timed out",
    "request: written to cancelled",
    "request: written to ended",
    "request: written to unreadable",
    "request: written to too long",
    "request: not taken, full",
    "request: not taken, closing",
    "ask: open to answered",
    "ask: open to left",
    "ask: open to cancelled",
    "ask: open to ended",
    "ask: answered to cancelled",
    "ask: found open by a second greeting",
    "mcp: begins something",
    "turn: begins",
    "turn: takes up one",
    "turn: takes up another",
    "turn: ends, completed",
    "turn: ends, interrupted",
    "turn: ends, preempted",
    "turn: ends, failed",
    "turn: ends, ended by an API error",
    "turn: ends, ended without a result",
    "turn: ends, lost",
    "turn: of the agent's own",
    "activity: Idle to Running",
    "activity: Idle to RequiresAction",
    "activity: Running to Idle",
    "activity: Running to RequiresAction",
    "activity: RequiresAction to Running",
    "activity: RequiresAction to Idle",
    "pipe: finishing to closed",
    "pipe: finishing to ending",
    "pipe: open to ending",
    "pipe: ending to closed",
    "pipe: open to broken",
    "pipe: finishing to broken",
    "queue: of the agent",
    "queue: of the host",
    "queue: one by one",
    "queue: found to be the agent's",
    "queue: interrupts for a message",
    "queue: messages in one go",
    "queue: asks an agent that rests whether it has read",
    "background: told",
    "background: waited for",
    "background: given up",
    "news: began",
    "news: changed",
    "news: renumbered",
    "news: permission mode",
    "news: titled",
    "news: login",
    "notice: not a frame",
    "notice: unfinished line",
    "notice: line too long",
    "notice: stray answer",
    "notice: ask without id",
];

/// The number of occurrences of each transition.
#[derive(Debug, Default)]
pub(crate) struct Coverage(BTreeMap<String, u64>);

impl Coverage {
    pub(crate) fn cover(&mut self, transition: impl Into<String>) {
        *self.0.entry(transition.into()).or_default() += 1;
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (transition, times) in &other.0 {
            *self.0.entry(transition.clone()).or_default() += times;
        }
    }

    fn missing(&self) -> impl Iterator<Item = &'static str> {
        ALL.iter().copied().filter(|it| !self.0.contains_key(*it))
    }

    /// Returns the share of transitions that occurred.
    pub(crate) fn share(&self) -> f64 {
        1.0 - self.missing().count() as f64 / ALL.len() as f64
    }

    pub(crate) fn message(&mut self, from: SubmissionState, to: SubmissionState) {
        self.cover(format!("message: {from} to {to}"));
    }

    pub(crate) fn activity(&mut self, from: Activity, to: Activity) {
        self.cover(format!("activity: {from:?} to {to:?}"));
    }

    pub(crate) fn turn_ended(&mut self, outcome: TurnOutcome) {
        self.cover(format!("turn: ends, {outcome}"));
    }

    /// Records an event that is a transition itself.
    pub(crate) fn event(&mut self, event: &HostEvent) {
        let what = match event {
            HostEvent::Turn(TurnEvent::Started { .. }) => "turn: begins",
            HostEvent::Background(_) => "background: told",
            HostEvent::Session(news) => match news {
                SessionUpdate::Began(_) => "news: began",
                SessionUpdate::Changed(_) => "news: changed",
                SessionUpdate::Renumbered { .. } => "news: renumbered",
                SessionUpdate::PermissionMode(_) => "news: permission mode",
                SessionUpdate::Titled(_) => "news: titled",
                SessionUpdate::Auth(_) => "news: login",
                _ => return,
            },
            HostEvent::Notice(notice) => match notice {
                WireNotice::NotAFrame { .. } => "notice: not a frame",
                WireNotice::UnfinishedLine { .. } => "notice: unfinished line",
                WireNotice::LineTooLong { .. } => "notice: line too long",
                WireNotice::StrayResponse { .. } => "notice: stray answer",
                WireNotice::RequestWithoutId { .. } => "notice: ask without id",
                _ => return,
            },
            _ => return,
        };
        self.cover(what);
    }
}

/// Describes the outcome of a request.
pub(crate) fn outcome<T>(outcome: &Result<T, RequestFailure>) -> &'static str {
    match outcome {
        Ok(_) => "answered",
        Err(RequestFailure::Refused { .. }) => "refused",
        Err(RequestFailure::TimedOut { .. }) => "timed out",
        Err(RequestFailure::Cancelled { .. }) => "cancelled",
        Err(RequestFailure::SessionEnded { .. }) => "ended",
        Err(RequestFailure::Unreadable { .. }) => "unreadable",
        Err(RequestFailure::ResponseTooLong { .. }) => "too long",
        Err(_) => "something else",
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: BTreeSet<&str> = ALL.iter().copied().collect();
        let missing: Vec<&str> = self.missing().collect();
        let (seen, all) = (ALL.len() - missing.len(), ALL.len());
        let percent = self.share() * 100.0;
        write!(f, "{seen} of {all} transitions seen ({percent:.1} %)")?;
        if !missing.is_empty() {
            write!(f, ", not: {missing:?}")?;
        }
        let rarest = self.0.iter().filter(|(it, _)| known.contains(&***it));
        if let Some((transition, times)) = rarest.min_by_key(|(_, times)| **times) {
            write!(f, "; the rarest: {transition:?}, {times} times")?;
        }
        let other: Vec<&str> = (self.0.keys().map(String::as_str))
            .filter(|it| !known.contains(it))
            .collect();
        if !other.is_empty() {
            write!(f, "; not in the list: {other:?}")?;
        }
        Ok(())
    }
}

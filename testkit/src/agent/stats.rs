//! Counts of sub-agents, as reported in results.

use super::task::Task;
use agentwire_protocol::message::{
    SubagentRequests, SubagentStats, SubagentsKilled, SubagentsRefused,
};
use std::collections::BTreeMap;

/// The counts of the sub-agents of a session so far.
#[derive(Debug, Default)]
pub(super) struct Stats {
    in_background: u64,
    awaited: u64,
    completed: u64,
    stopped: u64,
    by_type: BTreeMap<String, u64>,
}

impl Stats {
    /// Counts a task that started, if it is a sub-agent.
    pub(super) fn started(&mut self, task: &Task) {
        let Some(agent) = &task.agent else { return };
        if task.is_awaited {
            self.awaited += 1;
        } else {
            self.in_background += 1;
        }
        *self.by_type.entry(agent.kind.clone()).or_default() += 1;
    }

    /// Counts a task that ended, if it is a sub-agent.
    pub(super) fn ended(&mut self, task: &Task, is_stopped: bool) {
        if task.agent.is_none() {
            return;
        }
        if is_stopped {
            self.stopped += 1;
        } else {
            self.completed += 1;
        }
    }

    /// Returns the counts as reported in a result.
    pub(super) fn report(&self) -> SubagentStats {
        let spawned = self.in_background + self.awaited;
        wire!(SubagentStats {
            spawned: Some(spawned),
            requested: Some(wire!(SubagentRequests {
                background: Some(self.in_background),
                foreground: Some(self.awaited),
                unset: Some(0),
            })),
            started_in_background: Some(self.in_background),
            max_depth: Some(u64::from(spawned > 0)),
            spawned_by_subagents: Some(0),
            completed: Some(self.completed),
            failed: Some(0),
            killed: Some(wire!(SubagentsKilled {
                user: Some(self.stopped),
                parent: Some(0),
                system: Some(0),
            })),
            refused: Some(wire!(SubagentsRefused {
                budget: Some(0),
                concurrency_limit: Some(0),
                depth_limit: Some(0),
            })),
            by_type: Some(self.by_type.clone()),
        })
    }
}

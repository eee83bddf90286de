//! A tool that runs: when it begins, and how long it takes.

use super::claude::Claude;
use crate::agent;
use crate::scenario::ToolCall;
use crate::scenario::gate::Gates;
use agentwire_protocol::permission::PermissionMode;
use std::time::{Duration, Instant};

/// A tool that has begun and has no result yet.
#[derive(Debug, Clone)]
pub(super) struct RunningTool {
    pub(super) id: String,
    pub(super) call: ToolCall,
    /// When it answers. Not known before it was allowed and its gate is open,
    /// nor after it has answered.
    pub(super) done_at: Option<Instant>,
    /// Whether it may run, and waits for its gate.
    is_gated: bool,
}

impl RunningTool {
    /// Nothing keeps it any more.
    pub(super) fn new(id: String, call: ToolCall) -> Self {
        Self {
            id,
            call,
            done_at: None,
            is_gated: false,
        }
    }

    /// It may run: it does at once, or when its gate is open. The gate that it
    /// has come to, if it has one.
    pub(super) fn begin(&mut self, now: Instant, gates: &Gates) -> Option<String> {
        let gate = self.call.gate.clone();
        match &gate {
            Some(gate) if !gates.is_open(gate) => self.is_gated = true,
            _ => self.run(now),
        }
        gate
    }

    /// Lets it run if it waits for this gate, which is open.
    pub(super) fn opened(&mut self, now: Instant, gate: &str) {
        if self.is_gated && self.call.gate.as_deref() == Some(gate) {
            self.run(now);
        }
    }

    /// The call, as the agent is told of it.
    pub(super) fn wanted(&self, claude: &Claude, mode: &PermissionMode) -> agent::ToolCall {
        let call = &self.call;
        agent::ToolCall::new(&self.id, &call.name, call.input.clone())
            .asks(claude.needs_permission(call, mode))
            .question(call.question.clone())
    }

    /// Whether it answers now.
    pub(super) fn is_done(&self, now: Instant) -> bool {
        self.done_at.is_some_and(|at| at <= now)
    }

    fn run(&mut self, now: Instant) {
        self.is_gated = false;
        self.done_at = Some(now + Duration::from_millis(self.call.takes_ms));
    }
}

//! A running tool.

use super::claude::Claude;
use crate::agent;
use crate::scenario::ToolCall;
use crate::scenario::gate::Gates;
use agentwire_protocol::permission::PermissionMode;
use std::time::{Duration, Instant};

/// A tool that has started and has no result.
#[derive(Debug, Clone)]
pub(super) struct RunningTool {
    pub(super) id: String,
    pub(super) call: ToolCall,
    /// The time at which the tool is done. `None` before the tool runs, and
    /// after its result.
    pub(super) done_at: Option<Instant>,
    /// Whether the tool waits at its gate.
    is_gated: bool,
}

impl RunningTool {
    pub(super) fn new(id: String, call: ToolCall) -> Self {
        Self {
            id,
            call,
            done_at: None,
            is_gated: false,
        }
    }

    /// Runs the tool, or makes it wait at its gate. Returns the tool's gate.
    pub(super) fn begin(&mut self, now: Instant, gates: &Gates) -> Option<String> {
        let gate = self.call.gate.clone();
        match &gate {
            Some(gate) if !gates.is_open(gate) => self.is_gated = true,
            _ => self.run(now),
        }
        gate
    }

    /// Runs the tool if it waits at this gate.
    pub(super) fn open_gate(&mut self, now: Instant, gate: &str) {
        if self.is_gated && self.call.gate.as_deref() == Some(gate) {
            self.run(now);
        }
    }

    /// Returns the tool call in the form that the agent uses.
    pub(super) fn agent_call(&self, claude: &Claude, mode: &PermissionMode) -> agent::ToolCall {
        let call = &self.call;
        agent::ToolCall::new(&self.id, &call.name, call.input.clone())
            .asks(claude.needs_permission(call, mode))
            .question(call.question.clone())
    }

    /// Returns whether the tool is done.
    pub(super) fn is_done(&self, now: Instant) -> bool {
        self.done_at.is_some_and(|at| at <= now)
    }

    fn run(&mut self, now: Instant) {
        self.is_gated = false;
        self.done_at = Some(now + Duration::from_millis(self.call.takes_ms));
    }
}

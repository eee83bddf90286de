//! The tools that the model calls: which begins when, and how long it takes.

use super::player::Player;
use crate::scenario::ToolCall;
use agentwire_protocol::agent;
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

    /// Lets it run if it waits for this gate, which is open.
    pub(super) fn opened(&mut self, now: Instant, gate: &str) {
        if self.is_gated && self.call.gate.as_deref() == Some(gate) {
            self.run(now);
        }
    }

    fn run(&mut self, now: Instant) {
        self.is_gated = false;
        self.done_at = Some(now + Duration::from_millis(self.call.takes_ms));
    }
}

impl Player {
    /// A tool may run: it does at once, or when its gate is open.
    pub(super) fn begin_tool(
        &mut self,
        now: Instant,
        mut tool: RunningTool,
        keep: impl FnOnce(&mut Self, RunningTool),
    ) {
        let gate = tool.call.gate.clone();
        match &gate {
            Some(gate) if !self.gates.is_open(gate) => tool.is_gated = true,
            _ => tool.run(now),
        }
        keep(self, tool);
        if let Some(gate) = gate {
            self.reach(gate);
        }
    }

    pub(super) fn put_back(&mut self, changed: RunningTool) {
        let mut tools = self.running.iter_mut().chain(&mut self.beside.running);
        if let Some(tool) = tools.find(|tool| tool.id == changed.id) {
            *tool = changed;
        }
    }

    /// A tool that is done, or the next one. `false` when nothing can happen.
    pub(super) fn advance_tools(&mut self, now: Instant) -> bool {
        let is_done = |tool: &&mut RunningTool| tool.done_at.is_some_and(|at| at <= now);
        if let Some(tool) = self.running.iter_mut().find(is_done) {
            tool.done_at = None;
            let (result, is_error) = (&tool.call.result, tool.call.is_error);
            self.agent.finish_tool(now, &tool.id, result, is_error);
            return true;
        }
        let agent = &self.agent;
        let is_beside = |call: &ToolCall| agent.runs_beside_others(&call.name);
        let may_begin = |(_, call): &(String, ToolCall)| {
            let mut running = self.running.iter();
            self.running.is_empty() || is_beside(call) && running.all(|it| is_beside(&it.call))
        };
        if !self.waiting.front().is_some_and(may_begin) {
            return false;
        }
        let Some((id, call)) = self.waiting.pop_front() else {
            return false;
        };
        let wanted = agent::ToolCall::new(&id, &call.name, call.input.clone())
            .asks(call.ask)
            .question(call.question.clone());
        self.running.push(RunningTool::new(id, call));
        self.agent.call_tool(now, wanted);
        true
    }
}

//! Starts and finishes the tools of the main agent.

use super::claude;
use super::player::Player;
use super::running::RunningTool;
use crate::scenario::ToolCall;
use std::time::Instant;

impl Player {
    /// Starts an allowed tool, or moves it to the background.
    pub(super) fn begin_tool(&mut self, now: Instant, id: &str) {
        if self.move_to_background(now, id) {
            return;
        }
        let mut tools = self.running.iter_mut().chain(&mut self.background.running);
        let tool = tools.find(|tool| tool.id == id);
        if let Some(gate) = tool.and_then(|tool| tool.begin(now, &self.gates)) {
            self.reach_gate(gate);
        }
    }

    /// Moves a tool to the background if its input requests that. Returns
    /// whether it was moved.
    fn move_to_background(&mut self, now: Instant, id: &str) -> bool {
        let Some(tool) = self.running.iter().find(|tool| tool.id == id) else {
            return false;
        };
        let (script, model, gates) = (&self.script, self.agent.model(), &self.gates);
        let Some((task, gate)) = self.background.start(now, tool, script, model, gates) else {
            return false;
        };
        if let Some(gate) = gate {
            self.reach_gate(gate);
        }
        self.agent.launch_tool(now, id, task);
        true
    }

    /// Finishes a tool, or starts the next one. Returns `false` if nothing is
    /// ready.
    pub(super) fn advance_tools(&mut self, now: Instant) -> bool {
        if let Some(tool) = self.running.iter_mut().find(|tool| tool.is_done(now)) {
            tool.done_at = None;
            let outcome = claude::outcome(&tool.call);
            self.agent.finish_tool(now, &tool.id, outcome);
            return true;
        }
        let agent = &self.agent;
        let runs_concurrently = |call: &ToolCall| agent.runs_concurrently(&call.name);
        let may_begin = |(_, call): &(String, ToolCall)| {
            let mut running = self.running.iter();
            self.running.is_empty()
                || runs_concurrently(call) && running.all(|it| runs_concurrently(&it.call))
        };
        if !self.pending_tools.front().is_some_and(may_begin) {
            return false;
        }
        let Some((id, call)) = self.pending_tools.pop_front() else {
            return false;
        };
        let tool = RunningTool::new(id, call);
        let call = tool.agent_call(&self.claude, self.agent.permission_mode());
        self.running.push(tool);
        self.agent.call_tool(now, call);
        true
    }
}

//! The tools that the model calls: which begins when, and which goes on in the
//! background.

use super::claude;
use super::player::Player;
use super::running::RunningTool;
use crate::scenario::ToolCall;
use std::time::Instant;

impl Player {
    /// A tool may run: it does, or goes on in the background.
    pub(super) fn begin_tool(&mut self, now: Instant, id: &str) {
        if self.sends_to_background(now, id) {
            return;
        }
        let mut tools = self.running.iter_mut().chain(&mut self.beside.running);
        let tool = tools.find(|tool| tool.id == id);
        if let Some(gate) = tool.and_then(|tool| tool.begin(now, &self.gates)) {
            self.reach(gate);
        }
    }

    /// Whether a tool that may run goes on in the background, where it is
    /// from here on.
    fn sends_to_background(&mut self, now: Instant, id: &str) -> bool {
        let Some(tool) = self.running.iter().find(|tool| tool.id == id) else {
            return false;
        };
        let (script, model, gates) = (&self.script, self.agent.model(), &self.gates);
        let Some((task, gate)) = self.beside.take_over(now, tool, script, model, gates) else {
            return false;
        };
        if let Some(gate) = gate {
            self.reach(gate);
        }
        self.agent.launch_tool(now, id, task);
        true
    }

    /// A tool that is done, or the next one. `false` when nothing can happen.
    pub(super) fn advance_tools(&mut self, now: Instant) -> bool {
        if let Some(tool) = self.running.iter_mut().find(|tool| tool.is_done(now)) {
            tool.done_at = None;
            let outcome = claude::outcome(&tool.call);
            self.agent.finish_tool(now, &tool.id, outcome);
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
        let tool = RunningTool::new(id, call);
        let wanted = tool.wanted(&self.claude, self.agent.permission_mode());
        self.running.push(tool);
        self.agent.call_tool(now, wanted);
        true
    }
}

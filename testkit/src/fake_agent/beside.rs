//! What goes on beside the conversation: shells in the background, and
//! sub-agents, which have replies of their own.

use super::lines;
use super::player::Player;
use super::tools::RunningTool;
use crate::scenario::{ApiError, Step, ToolCall};
use crate::script::{Asked, NoReply};
use agentwire_protocol::agent::{self, Task};
use agentwire_protocol::content::ContentBlock;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// What goes on beside the conversation.
#[derive(Debug, Default)]
pub(super) struct Beside {
    /// Commands of shells, which are over as tools are done.
    shells: Vec<RunningTool>,
    subagents: Vec<Subagent>,
    /// Tools that sub-agents run.
    pub(super) running: Vec<RunningTool>,
    started: usize,
}

/// A sub-agent at work.
#[derive(Debug)]
struct Subagent {
    task_id: String,
    asked: Asked,
    plan: VecDeque<Action>,
    due: Option<Instant>,
    gate: Option<String>,
    /// The call whose result it waits for.
    tool: Option<String>,
    had_tools: bool,
    /// How often the model's server has failed in a row.
    failed: u64,
    last_text: String,
}

#[derive(Debug)]
enum Action {
    Ask,
    Say(String, ContentBlock),
    CallTool(String, ToolCall),
    Wait(Duration),
    Gate(String),
    Over,
}

impl Beside {
    /// When something of it goes on.
    pub(super) fn due(&self) -> impl Iterator<Item = Instant> {
        let tools = self.shells.iter().chain(&self.running);
        let tools = tools.filter_map(|tool| tool.done_at);
        tools.chain(self.subagents.iter().filter_map(|it| it.due))
    }

    /// The tools that run, for their gates.
    pub(super) fn tools(&mut self) -> impl Iterator<Item = &mut RunningTool> {
        self.shells.iter_mut().chain(&mut self.running)
    }

    /// A tool of a sub-agent's has its result.
    pub(super) fn tool_finished(&mut self, id: &str) {
        self.running.retain(|tool| tool.id != id);
        for subagent in &mut self.subagents {
            subagent.tool.take_if(|tool| tool == id);
        }
    }
}

impl Player {
    /// Whether a tool that may run goes on in the background, where it is
    /// from here on. The names of the tools and of their inputs are those of
    /// the real CLI.
    pub(super) fn sends_to_background(&mut self, now: Instant, id: &str) -> bool {
        let Some(at) = self.running.iter().position(|tool| tool.id == id) else {
            return false;
        };
        let call = &self.running[at].call;
        let input = |name: &str| call.input[name].as_str().unwrap_or_default().to_owned();
        let in_background = call.input["run_in_background"].as_bool();
        let is_shell = call.name == "Bash" && in_background == Some(true);
        let is_subagent = matches!(&*call.name, "Agent" | "Task") && self.script.has_subagents();
        if !is_shell && !is_subagent {
            return false;
        }
        self.beside.started += 1;
        let task_id = format!("task_{}", self.beside.started);
        let task = if is_shell {
            Task::shell(&task_id, input("command"))
        } else {
            let kind = input("subagent_type");
            let task = Task::subagent(&task_id, input("description"), kind, input("prompt"));
            if in_background == Some(false) {
                task.awaited()
            } else {
                task
            }
        };
        if is_shell {
            let mut tool = self.running[at].clone();
            tool.id = task_id;
            self.begin_tool(now, tool, |player, tool| player.beside.shells.push(tool));
        } else {
            let asked = Asked {
                prompt: input("prompt"),
                model: self.agent.model().to_owned(),
                is_subagent: true,
                ..Asked::default()
            };
            self.beside.subagents.push(Subagent {
                task_id,
                asked,
                plan: VecDeque::from([Action::Ask]),
                due: None,
                gate: None,
                tool: None,
                had_tools: false,
                failed: 0,
                last_text: String::new(),
            });
        }
        self.agent.launch_tool(now, id, task);
        true
    }

    /// Goes on with what is beside the conversation. `false` when nothing can
    /// happen.
    pub(super) fn advance_beside(&mut self, now: Instant) -> bool {
        let is_done = |tool: &RunningTool| tool.done_at.is_some_and(|at| at <= now);
        if let Some(at) = self.beside.shells.iter().position(is_done) {
            let shell = self.beside.shells.remove(at);
            let summary = format!("The command is over: {}", shell.call.input["command"]);
            self.agent.end_task(now, &shell.id, &summary);
            return true;
        }
        if let Some(at) = self.beside.running.iter().position(is_done) {
            let tool = &mut self.beside.running[at];
            tool.done_at = None;
            let (id, call) = (tool.id.clone(), tool.call.clone());
            self.agent
                .finish_tool(now, &id, &call.result, call.is_error);
            return true;
        }
        let gates = &self.gates;
        let may_go_on = |it: &Subagent| {
            it.tool.is_none()
                && it.due.is_none_or(|due| due <= now)
                && it.gate.as_ref().is_none_or(|gate| gates.is_open(gate))
        };
        let Some(at) = self.beside.subagents.iter().position(may_go_on) else {
            return false;
        };
        let subagent = &mut self.beside.subagents[at];
        (subagent.due, subagent.gate) = (None, None);
        let task_id = subagent.task_id.clone();
        match subagent.plan.pop_front().unwrap_or(Action::Over) {
            Action::Ask => self.plan_subagent(at),
            Action::Say(message, block) => {
                if let ContentBlock::Text(text) = &block {
                    subagent.last_text.clone_from(&text.text);
                }
                self.agent.subagent_says(&task_id, &message, block);
            }
            Action::CallTool(id, call) => {
                subagent.tool = Some(id.clone());
                let wanted = agent::ToolCall::new(&id, &call.name, call.input.clone())
                    .asks(call.ask)
                    .question(call.question.clone());
                self.beside.running.push(RunningTool::new(id, call));
                self.agent.call_subagent_tool(now, &task_id, wanted);
            }
            Action::Wait(time) => subagent.due = Some(now + time),
            Action::Gate(gate) => {
                subagent.gate = Some(gate.clone());
                self.reach(gate);
            }
            Action::Over if std::mem::take(&mut subagent.had_tools) => {
                subagent.asked.after_tools = true;
                subagent.asked.is_retry = false;
                subagent.plan.push_back(Action::Ask);
            }
            Action::Over => {
                let subagent = self.beside.subagents.remove(at);
                self.agent.end_task(now, &task_id, &subagent.last_text);
            }
        }
        true
    }

    /// Takes the next reply of a sub-agent. One for which the script has
    /// nothing is done.
    fn plan_subagent(&mut self, at: usize) {
        let subagent = &mut self.beside.subagents[at];
        let taken = match self.script.take(subagent.asked.clone()) {
            Ok(taken) => taken,
            Err(NoReply::EndOfScript { .. }) => return,
            // What the model's server says is a sub-agent's last word.
            Err(none) => {
                subagent.last_text = ApiError::from(&none).message;
                return;
            }
        };
        if let Some(error) = taken.refusal() {
            subagent.failed += 1;
            let (id, failed) = (&subagent.task_id, subagent.failed);
            if let Some(wait) = self.agent.retry_subagent(id, error.status, failed) {
                subagent.asked.is_retry = true;
                subagent.plan.extend([Action::Wait(wait), Action::Ask]);
            }
            return;
        }
        if std::mem::take(&mut subagent.failed) > 0 {
            self.agent.subagent_recovers(&subagent.task_id);
        }
        lines::charge_subagent(&mut self.agent, &taken.reply);
        let message = taken.message_id();
        let mut tools = 0;
        for step in taken.reply.say.iter().cloned() {
            let block = match step {
                Step::Text(text) => ContentBlock::text(text.whole()),
                Step::Thinking(thinking) => ContentBlock::thinking(thinking.text.whole()),
                Step::Tool(call) => {
                    let id = taken.tool_id(tools);
                    tools += 1;
                    let block = ContentBlock::tool_use(&id, &call.name, call.input.clone());
                    let said = Action::Say(message.clone(), block);
                    subagent.plan.extend([said, Action::CallTool(id, call)]);
                    continue;
                }
                Step::WaitMs(time) => {
                    let wait = Action::Wait(Duration::from_millis(time));
                    subagent.plan.push_back(wait);
                    continue;
                }
                Step::Gate(gate) => {
                    subagent.plan.push_back(Action::Gate(gate));
                    continue;
                }
                // The host sees nothing of the others.
                _ => continue,
            };
            subagent.plan.push_back(Action::Say(message.clone(), block));
        }
        subagent.had_tools = tools > 0;
        subagent.plan.push_back(Action::Over);
    }
}

//! What goes on beside the conversation: shells in the background, and
//! sub-agents, which have replies of their own.

use super::claude::{self, Claude};
use super::lines;
use super::records::Record;
use super::running::RunningTool;
use crate::agent::{Agent, Task};
use crate::asked::Asked;
use crate::scenario::gate::Gates;
use crate::scenario::{ApiError, Step, ToolCall};
use crate::script::{NoReply, Script};
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

/// What came of going on.
#[derive(Debug)]
pub(super) enum Advance {
    /// Nothing can happen.
    Waits,
    /// Something has happened.
    Went,
    /// A sub-agent said this, and the host does not hear it.
    Unheard(Record),
    /// The script has come to this gate.
    Reached(String),
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

    /// Takes over a tool that may run, if it goes on in the background: gives
    /// its task, and the gate that it has come to. The names of the tools and
    /// of their inputs are those of the real CLI.
    pub(super) fn take_over(
        &mut self,
        now: Instant,
        tool: &RunningTool,
        script: &Script,
        model: &str,
        gates: &Gates,
    ) -> Option<(Task, Option<String>)> {
        let call = &tool.call;
        let input = |name: &str| call.input[name].as_str().unwrap_or_default().to_owned();
        let in_background = call.input["run_in_background"].as_bool();
        let is_shell = call.name == "Bash" && in_background == Some(true);
        let is_subagent = matches!(&*call.name, "Agent" | "Task") && script.has_subagents();
        if !is_shell && !is_subagent {
            return None;
        }
        self.started += 1;
        let task_id = format!("task_{}", self.started);
        if is_shell {
            let task = Task::shell(&task_id, input("command"));
            let mut shell = tool.clone();
            shell.id = task_id;
            let gate = shell.begin(now, gates);
            self.shells.push(shell);
            return Some((task, gate));
        }
        let kind = input("subagent_type");
        let mut task = Task::subagent(&task_id, input("description"), kind, input("prompt"));
        if in_background == Some(false) {
            task = task.awaited();
        }
        self.subagents.push(Subagent {
            task_id,
            asked: Asked {
                prompt: input("prompt"),
                model: model.to_owned(),
                is_subagent: true,
                ..Asked::default()
            },
            plan: VecDeque::from([Action::Ask]),
            due: None,
            gate: None,
            tool: None,
            had_tools: false,
            failed: 0,
            last_text: String::new(),
        });
        Some((task, None))
    }

    /// Ends a task that the host stopped.
    pub(super) fn stop(&mut self, task_id: &str) {
        self.shells.retain(|shell| shell.id != task_id);
        self.subagents
            .retain(|subagent| subagent.task_id != task_id);
    }

    /// Goes on with one thing.
    pub(super) fn advance(
        &mut self,
        now: Instant,
        agent: &mut Agent,
        script: &mut Script,
        claude: &Claude,
        gates: &Gates,
    ) -> Advance {
        if let Some(at) = self.shells.iter().position(|tool| tool.is_done(now)) {
            let shell = self.shells.remove(at);
            let summary = format!("The command is over: {}", shell.call.input["command"]);
            agent.end_task(now, &shell.id, &summary);
            return Advance::Went;
        }
        if let Some(tool) = self.running.iter_mut().find(|tool| tool.is_done(now)) {
            tool.done_at = None;
            agent.finish_tool(now, &tool.id, claude::outcome(&tool.call));
            return Advance::Went;
        }
        let may_go_on = |it: &Subagent| {
            it.tool.is_none()
                && !agent.is_held(&it.task_id)
                && it.due.is_none_or(|due| due <= now)
                && it.gate.as_ref().is_none_or(|gate| gates.is_open(gate))
        };
        let Some(at) = self.subagents.iter().position(may_go_on) else {
            return Advance::Waits;
        };
        let subagent = &mut self.subagents[at];
        (subagent.due, subagent.gate) = (None, None);
        match subagent.plan.pop_front().unwrap_or(Action::Over) {
            Action::Ask => subagent.plan_reply(agent, script),
            Action::Say(message, block) => {
                if let ContentBlock::Text(text) = &block {
                    subagent.last_text.clone_from(&text.text);
                }
                let id = &subagent.task_id;
                if !agent.subagent_says(id, &message, block.clone()) {
                    let session = agent.session_id();
                    return Advance::Unheard(Record::unheard(session, id, &message, &block));
                }
            }
            Action::CallTool(id, call) => {
                subagent.tool = Some(id.clone());
                let tool = RunningTool::new(id, call);
                let wanted = tool.wanted(claude, agent.permission_mode());
                agent.call_subagent_tool(now, &subagent.task_id, wanted);
                self.running.push(tool);
            }
            Action::Wait(time) => subagent.due = Some(now + time),
            Action::Gate(gate) => {
                subagent.gate = Some(gate.clone());
                return Advance::Reached(gate);
            }
            Action::Over if std::mem::take(&mut subagent.had_tools) => {
                subagent.asked.after_tools = true;
                subagent.asked.is_retry = false;
                subagent.plan.push_back(Action::Ask);
                agent.finish_subagent_tools(now, &subagent.task_id);
            }
            Action::Over => {
                let subagent = self.subagents.remove(at);
                agent.end_task(now, &subagent.task_id, &subagent.last_text);
            }
        }
        Advance::Went
    }
}

impl Subagent {
    /// Takes the next reply of the script. When that has nothing for it, it is
    /// done.
    fn plan_reply(&mut self, agent: &mut Agent, script: &mut Script) {
        let taken = match script.take(self.asked.clone()) {
            Ok(taken) => taken,
            Err(NoReply::EndOfScript { .. }) => return,
            // What the model's server says is a sub-agent's last word.
            Err(none) => {
                self.last_text = ApiError::from(&none).message;
                return;
            }
        };
        if let Some(error) = taken.refusal() {
            self.failed += 1;
            let (id, failed) = (&self.task_id, self.failed);
            if let Some(wait) = agent.retry_subagent(id, error.status, failed) {
                self.asked.is_retry = true;
                self.plan.extend([Action::Wait(wait), Action::Ask]);
            }
            return;
        }
        if std::mem::take(&mut self.failed) > 0 {
            agent.subagent_recovers(&self.task_id);
        }
        lines::charge_subagent(agent, &taken.reply);
        let message = taken.message_id();
        let mut tools = 0;
        for step in taken.reply.say.iter().cloned() {
            let block = match step {
                Step::Text(text) => ContentBlock::text(text.whole()),
                Step::Thinking(thinking) => lines::thought(&thinking),
                Step::Tool(call) => {
                    let id = taken.tool_id(tools);
                    tools += 1;
                    let block = ContentBlock::tool_use(&id, &call.name, call.input.clone());
                    let said = Action::Say(message.clone(), block);
                    self.plan.extend([said, Action::CallTool(id, call)]);
                    continue;
                }
                Step::WaitMs(time) => {
                    let wait = Action::Wait(Duration::from_millis(time));
                    self.plan.push_back(wait);
                    continue;
                }
                Step::Gate(gate) => {
                    self.plan.push_back(Action::Gate(gate));
                    continue;
                }
                // The host sees nothing of the others.
                _ => continue,
            };
            self.plan.push_back(Action::Say(message.clone(), block));
        }
        self.had_tools = tools > 0;
        self.plan.push_back(Action::Over);
    }
}

//! Background shells and sub-agents.

use super::claude::{self, Claude};
use super::lines;
use super::records::Record;
use super::running::RunningTool;
use crate::agent::{Agent, Task};
use crate::request_info::RequestInfo;
use crate::scenario::gate::Gates;
use crate::scenario::{ApiError, Step, ToolCall};
use crate::script::{NoReply, Script};
use agentwire_protocol::content::ContentBlock;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The background shells and sub-agents of a session.
#[derive(Debug, Default)]
pub(super) struct Background {
    /// Background shell commands. Each ends when its tool is done.
    shells: Vec<RunningTool>,
    subagents: Vec<Subagent>,
    /// Tools that sub-agents run.
    pub(super) running: Vec<RunningTool>,
    started: usize,
}

/// A running sub-agent.
#[derive(Debug)]
struct Subagent {
    task_id: String,
    request: RequestInfo,
    plan: VecDeque<Action>,
    due: Option<Instant>,
    gate: Option<String>,
    /// The ID of the tool call that the sub-agent waits for.
    tool: Option<String>,
    had_tools: bool,
    /// The number of consecutive failures of the model's server.
    failures: u64,
    last_text: String,
}

#[derive(Debug)]
enum Action {
    RequestReply,
    Say(String, ContentBlock),
    CallTool(String, ToolCall),
    Wait(Duration),
    Gate(String),
    EndReply,
}

/// The result of [`Background::advance`].
#[derive(Debug)]
pub(super) enum Advance {
    /// Nothing is ready.
    Nothing,
    /// One shell, tool or sub-agent has advanced.
    Advanced,
    /// A sub-agent's content that the host does not receive.
    Unforwarded(Box<Record>),
    /// The script has reached this gate.
    Reached(String),
}

impl Background {
    /// Returns the times at which a shell, tool or sub-agent is ready.
    pub(super) fn due(&self) -> impl Iterator<Item = Instant> {
        let tools = self.shells.iter().chain(&self.running);
        let tools = tools.filter_map(|tool| tool.done_at);
        tools.chain(self.subagents.iter().filter_map(|subagent| subagent.due))
    }

    /// Returns the running tools.
    pub(super) fn tools(&mut self) -> impl Iterator<Item = &mut RunningTool> {
        self.shells.iter_mut().chain(&mut self.running)
    }

    /// Records the result of a sub-agent's tool.
    pub(super) fn remove_tool(&mut self, id: &str) {
        self.running.retain(|tool| tool.id != id);
        for subagent in &mut self.subagents {
            subagent.tool.take_if(|tool| tool == id);
        }
    }

    /// Starts a tool in the background if its input requests that. Returns the
    /// task, and the gate at which the task waits. The names of tools and
    /// inputs are those of the real CLI.
    pub(super) fn start(
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
            request: RequestInfo {
                prompt: input("prompt"),
                model: model.to_owned(),
                is_subagent: true,
                ..RequestInfo::default()
            },
            plan: VecDeque::from([Action::RequestReply]),
            due: None,
            gate: None,
            tool: None,
            had_tools: false,
            failures: 0,
            last_text: String::new(),
        });
        Some((task, None))
    }

    /// Removes a task that the host stopped.
    pub(super) fn stop(&mut self, task_id: &str) {
        self.shells.retain(|shell| shell.id != task_id);
        self.subagents
            .retain(|subagent| subagent.task_id != task_id);
    }

    /// Advances one shell, tool or sub-agent.
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
            let summary = format!("Command completed: {}", shell.call.input["command"]);
            agent.end_task(now, &shell.id, &summary);
            return Advance::Advanced;
        }
        if let Some(tool) = self.running.iter_mut().find(|tool| tool.is_done(now)) {
            tool.done_at = None;
            agent.finish_tool(now, &tool.id, claude::outcome(&tool.call));
            return Advance::Advanced;
        }
        let is_ready = |subagent: &Subagent| {
            subagent.tool.is_none()
                && !agent.waits_for_hooks(&subagent.task_id)
                && subagent.due.is_none_or(|due| due <= now)
                && subagent
                    .gate
                    .as_ref()
                    .is_none_or(|gate| gates.is_open(gate))
        };
        let Some(at) = self.subagents.iter().position(is_ready) else {
            return Advance::Nothing;
        };
        let subagent = &mut self.subagents[at];
        (subagent.due, subagent.gate) = (None, None);
        match subagent.plan.pop_front().unwrap_or(Action::EndReply) {
            Action::RequestReply => subagent.take_reply(agent, script),
            Action::Say(message, block) => {
                if let ContentBlock::Text(text) = &block {
                    subagent.last_text.clone_from(&text.text);
                }
                let id = &subagent.task_id;
                if !agent.subagent_says(id, &message, block.clone()) {
                    let session = agent.session_id();
                    return Advance::Unforwarded(Box::new(Record::unforwarded(
                        session, id, &message, &block,
                    )));
                }
            }
            Action::CallTool(id, call) => {
                subagent.tool = Some(id.clone());
                let tool = RunningTool::new(id, call);
                let call = tool.agent_call(claude, agent.permission_mode());
                agent.call_subagent_tool(now, &subagent.task_id, call);
                self.running.push(tool);
            }
            Action::Wait(time) => subagent.due = Some(now + time),
            Action::Gate(gate) => {
                subagent.gate = Some(gate.clone());
                return Advance::Reached(gate);
            }
            Action::EndReply if std::mem::take(&mut subagent.had_tools) => {
                subagent.request.after_tools = true;
                subagent.request.is_retry = false;
                subagent.plan.push_back(Action::RequestReply);
                agent.finish_subagent_tools(now, &subagent.task_id);
            }
            Action::EndReply => {
                let subagent = self.subagents.remove(at);
                agent.end_task(now, &subagent.task_id, &subagent.last_text);
            }
        }
        Advance::Advanced
    }
}

impl Subagent {
    /// Takes the next reply of the script. If no reply remains, the sub-agent
    /// is done.
    fn take_reply(&mut self, agent: &mut Agent, script: &mut Script) {
        let taken = match script.take(self.request.clone()) {
            Ok(taken) => taken,
            Err(NoReply::EndOfScript { .. }) => return,
            // The error becomes the sub-agent's result.
            Err(none) => {
                self.last_text = ApiError::from(&none).message;
                return;
            }
        };
        if let Some(error) = taken.refusal() {
            self.failures += 1;
            let (id, failures) = (&self.task_id, self.failures);
            if let Some(wait) = agent.retry_subagent(id, error.status, failures) {
                self.request.is_retry = true;
                self.plan.extend([Action::Wait(wait), Action::RequestReply]);
            }
            return;
        }
        if std::mem::take(&mut self.failures) > 0 {
            agent.subagent_recovers(&self.task_id);
        }
        lines::charge_subagent(agent, &self.task_id, &taken.reply);
        let message = taken.message_id();
        let mut tools = 0;
        for step in taken.reply.say.iter().cloned() {
            let block = match step {
                Step::Text(text) => ContentBlock::text(text.whole()),
                Step::Thinking(thinking) => lines::thinking_block(&thinking),
                Step::Tool(call) => {
                    let id = taken.tool_id(tools);
                    tools += 1;
                    let block = ContentBlock::tool_use(&id, &call.name, call.input.clone());
                    let say = Action::Say(message.clone(), block);
                    self.plan.extend([say, Action::CallTool(id, call)]);
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
                // The host does not receive the other steps.
                _ => continue,
            };
            self.plan.push_back(Action::Say(message.clone(), block));
        }
        self.had_tools = tools > 0;
        self.plan.push_back(Action::EndReply);
    }
}

//! The agent with its model, its tools and its tasks, and noise in the pipe.

use crate::check::Checks;
use crate::world::{LINE_LIMIT, World};
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::control::Refusal;
use agentwire_testing::Random;
use agentwire_testkit::agent::{Agent, Config, Ending, Event, Task, ToolCall, ToolOutcome};
use bytes::Bytes;
use serde_json::{Value, json};
use std::collections::VecDeque;

pub(crate) struct Peer {
    pub(crate) agent: Agent,
    /// Whether the agent has a queue, and lists the IDs of the messages in its
    /// results.
    pub(crate) has_queue: bool,
    /// Whether the agent's response to `initialize` lists no capabilities.
    pub(crate) hides_capabilities: bool,
    /// Whether the agent reports no delivery status.
    hides_status: bool,
    /// Whether the agent is an old version that does not respond to unknown
    /// requests.
    pub(crate) is_old: bool,
    /// The remaining steps of the model and the tools in this turn.
    turn: VecDeque<Step>,
    /// The prompts that started the turn.
    prompts: Vec<String>,
    /// The number of tools with a pending permission request.
    deciding: usize,
    tasks: Vec<String>,
    /// Lines in the pipe that are not from the agent.
    noise: VecDeque<Bytes>,
    /// The prefix of the session ID after the conversation was cleared.
    session: String,
    /// Whether no new operation starts and no fault occurs.
    pub(crate) is_calm: bool,
    pub(crate) is_gone: bool,
}

/// A step of a model.
#[derive(Debug)]
enum Step {
    Message,
    Text,
    Say,
    StopBlock,
    StopMessage,
    /// Calls this many tools with permission requests.
    Tools(usize),
    End(bool),
}

impl Peer {
    pub(crate) fn new(dice: &mut Random) -> Self {
        let has_queue = !dice.one_in(4);
        let config = Config {
            partial_messages: dice.one_in(2),
            session_states: !dice.one_in(4) && has_queue,
            has_queue,
            ..Config::default()
        };
        let mut ids = 0;
        let agent = Agent::new(config, move || {
            ids += 1;
            format!("id-{ids}")
        });
        Self {
            agent,
            has_queue,
            hides_capabilities: dice.one_in(2),
            hides_status: dice.one_in(4),
            is_old: dice.one_in(3),
            turn: VecDeque::new(),
            prompts: vec![],
            deciding: 0,
            tasks: vec![],
            noise: VecDeque::new(),
            session: String::new(),
            is_calm: false,
            is_gone: false,
        }
    }

    pub(crate) fn is_settled(&self) -> bool {
        self.turn.is_empty() && self.deciding == 0
    }

    pub(crate) fn has_tasks(&self) -> bool {
        !self.tasks.is_empty()
    }

    /// Returns the next line for the host. Some lines are corrupted.
    pub(crate) fn poll_line(&mut self, dice: &mut Random, checks: &mut Checks) -> Option<Bytes> {
        loop {
            if let Some(line) = self.noise.pop_front() {
                if Self::is_data(&line) {
                    checks.record_frame(&line);
                }
                return Some(line);
            }
            let mut line = self.agent.poll_transmit()?;
            if !self.session.is_empty() {
                let id = format!(r#""session_id":"{}"#, self.session);
                let text = std::str::from_utf8(&line).unwrap();
                line = text.replace(r#""session_id":""#, &id).into();
            }
            let text = std::str::from_utf8(&line).unwrap();
            if text.starts_with(r#"{"type":"command_lifecycle""#) {
                if self.hides_status {
                    continue;
                }
            } else if text.starts_with(r#"{"type":"result""#) {
                let result: Value = serde_json::from_str(text).unwrap();
                let named = serde_json::from_value(result["user_message_uuids"].clone());
                let prompts = std::mem::take(&mut self.prompts);
                checks.result_is_for(if self.has_queue {
                    named.unwrap_or_default()
                } else {
                    prompts
                });
            } else if text.starts_with(r#"{"type":"control_"#) {
                return Some(self.control_line(text, dice));
            }
            checks.record_frame(&line);
            return Some(line);
        }
    }

    /// Returns whether a line is a data frame.
    fn is_data(line: &Bytes) -> bool {
        let value: Result<Value, _> = serde_json::from_slice(line);
        line.len() <= LINE_LIMIT
            && value.is_ok_and(|it| {
                it["type"]
                    .as_str()
                    .is_some_and(|kind| !kind.starts_with("control_"))
            })
    }

    fn control_line(&self, text: &str, dice: &mut Random) -> Bytes {
        let mut line = text.to_owned();
        if self.hides_capabilities {
            line = line.replace(r#""capabilities":[],"#, "");
        }
        let is_answer = line.contains("control_response") && !line.contains(r#""init""#);
        let is_ask = line.contains(r#"{"type":"control_request""#);
        if !self.is_calm && (is_answer || is_ask) && dice.one_in(40) {
            let end = line.len() - 2;
            line.insert_str(end, &format!(r#","pad":"{}""#, "x".repeat(LINE_LIMIT)));
        } else if !self.is_calm && is_answer && dice.one_in(40) {
            line = line.replace(r#""subtype":"#, r#""subtype":7,"what":"#);
        }
        line.into()
    }

    fn push_noise(&mut self, line: Value) {
        self.noise.push_back(format!("{line}\n").into());
    }
}

impl World {
    /// Performs a step of the model, starts or ends a task, or sends an
    /// unexpected line. Returns whether anything happened.
    pub(crate) fn run_agent(&mut self) -> bool {
        if self.peer.is_gone {
            return false;
        }
        match self.dice.below(30) {
            0 if !self.peer.is_calm => self.send_unexpected_line(),
            // A running task keeps the host waiting.
            1 if self.peer.has_queue && (!self.peer.is_calm || self.dice.one_in(4)) => self.task(),
            _ => self.run_model(),
        }
    }

    fn task(&mut self) -> bool {
        if let Some(task) = self.peer.tasks.pop() {
            self.note(|| format!("{task} is over"));
            self.peer.agent.end_task(self.now, &task, "done");
        } else if self.peer.is_calm {
            return false;
        } else {
            let task = self.id("task");
            self.note(|| format!("{task} begins"));
            let shell = Task::shell(&task, "something long");
            self.peer.agent.start_task(self.now, shell);
            self.peer.tasks.push(task);
        }
        true
    }

    fn send_unexpected_line(&mut self) -> bool {
        let id = self.id("noise");
        let line = match self.dice.below(16) {
            0 => {
                self.peer.noise.push_back(Bytes::from_static(b"What?\n"));
                return true;
            }
            1 => json!([1, 2]),
            2 => json!({"type": "weird", "id": id}),
            3 => json!({"type": "control_request", "request": {"subtype": "make_tea"}}),
            4 => {
                json!({"type": "control_response", "response": {"subtype": "success", "request_id": id}})
            }
            5 => json!({"type": "control_cancel_request", "request_id": id}),
            6 => {
                json!({"type": "system", "subtype": "status", "status": null, "permissionMode": id})
            }
            7 => json!({"type": "system", "subtype": "session_title_changed", "title": id}),
            8 => {
                self.peer.session.clone_from(&id);
                json!({"type": "conversation_reset", "new_conversation_id": id})
            }
            9 => json!({"type": "assistant", "pad": "x".repeat(LINE_LIMIT)}),
            10 => {
                json!({"type": "control_request", "request_id": id, "request": {"subtype": "make_tea"}})
            }
            11 => {
                let id = self.id("dialog");
                json!({"type": "control_request", "request_id": id,
                    "request": {"subtype": "request_user_dialog"}})
            }
            12 => json!({"type": "system", "subtype": "informational", "content": "no",
                "prompt_submit_outcome": {"kind": "blocked_by_hook"}}),
            13 => json!({"type": "auth_status", "isAuthenticating": true, "output": [id]}),
            14 => match self
                .checks
                .pending_permissions
                .iter()
                .find(|it| it.starts_with("noise"))
            {
                Some(ask) => json!({"type": "control_cancel_request", "request_id": ask}),
                None => return false,
            },
            _ => match self.checks.some_open_request() {
                Some(request) => json!({"type": "system", "subtype": "control_request_progress",
                    "request_id": request}),
                None => return false,
            },
        };
        self.note(|| format!("noise: {line}"));
        self.peer.push_noise(line);
        true
    }

    /// Performs a step of the model, if a turn is running.
    fn run_model(&mut self) -> bool {
        if self.peer.deciding > 0 {
            return false;
        }
        let Some(step) = self.peer.turn.pop_front() else {
            return false;
        };
        let agent = &mut self.peer.agent;
        match step {
            Step::Message => agent.start_message("msg"),
            Step::Text => agent.start_block(ContentBlock::text("")),
            Step::Say => agent.say("word "),
            Step::StopBlock => agent.stop_block(),
            Step::StopMessage => agent.stop_message(),
            Step::Tools(count) => {
                let ids: Vec<String> = (0..count).map(|_| self.id("tool")).collect();
                let agent = &mut self.peer.agent;
                agent.start_message("msg");
                for id in &ids {
                    agent.start_block(ContentBlock::tool_use(id.as_str(), "Bash", json!({})));
                    agent.stop_block();
                }
                agent.stop_message();
                self.peer.deciding = count;
                for id in &ids {
                    agent.call_tool(self.now, ToolCall::new(id, "Bash", json!({})));
                }
            }
            Step::End(true) => agent.finish_turn(self.now, &Ending::Completed),
            Step::End(false) => {
                let is_ending = Ending::ApiError {
                    kind: "overloaded_error".to_owned(),
                    status: 500,
                    message: "down".to_owned(),
                };
                agent.finish_turn(self.now, &is_ending);
            }
        }
        true
    }

    /// Handles events of the agent.
    pub(crate) fn handle_agent_events(&mut self) {
        while let Some(event) = self.peer.agent.poll_event() {
            self.note(|| format!("agent: {event:?}"));
            match event {
                Event::TurnStarted { prompts } => {
                    let uuids = prompts.into_iter().filter_map(|it| it.uuid);
                    self.peer.prompts = uuids.collect();
                    self.plan_turn();
                }
                Event::TurnAborted => {
                    self.peer.turn.clear();
                    self.peer.deciding = 0;
                }
                Event::ToolDecided { tool_use_id, .. } => {
                    let agent = &mut self.peer.agent;
                    agent.finish_tool(self.now, &tool_use_id, ToolOutcome::success("done"));
                    self.peer.deciding = self.peer.deciding.saturating_sub(1);
                    if self.peer.deciding == 0 {
                        agent.finish_tools(self.now);
                    }
                }
                Event::Requested {
                    request_id,
                    request,
                } => {
                    let agent = &mut self.peer.agent;
                    let model = request.member("model");
                    if let Some(model) = model.and_then(|it| it.read::<String>().ok()) {
                        agent.set_model(&model);
                        let payload = json!({ "model": agent.model() });
                        agent.respond(&request_id, Ok(Some(payload.into())));
                    } else {
                        let refusal = Refusal::new("unsupported").code("unsupported_request");
                        agent.respond(&request_id, Err(refusal));
                    }
                    agent.handle_input(self.now, &[]);
                }
                Event::Exit { .. } => self.peer.is_gone = true,
                _ => {}
            }
        }
    }

    fn plan_turn(&mut self) {
        let mut turn = VecDeque::new();
        for _ in 0..self.dice.below(3) {
            turn.extend([Step::Message, Step::Text]);
            for _ in 0..self.dice.below(5) {
                turn.push_back(Step::Say);
            }
            turn.extend([Step::StopBlock, Step::StopMessage]);
            if self.dice.one_in(2) {
                turn.push_back(Step::Tools(1 + self.dice.below(3)));
            }
        }
        turn.push_back(Step::End(!self.dice.one_in(6)));
        self.peer.turn = turn;
        self.peer.deciding = 0;
    }
}

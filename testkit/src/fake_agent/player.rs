//! Plays a scenario: the model and the tools of an agent, without I/O or a
//! clock.

use super::background::{Advance, Background};
use super::claude::{self, Claude};
use super::exit::UNEXPECTED;
use super::expect::Expected;
use super::lines;
use super::older::OlderVersion;
use super::plan::{Action, Plan};
use super::records::{Record, SubagentRecord};
use super::running::RunningTool;

use crate::agent::{Agent, Broken, Config, Decision, Ending, Event, Profile, ToolOutcome};
use crate::request_info::RequestInfo;
use crate::scenario::gate::Gates;
use crate::scenario::{ApiError, Fault, LineFault, NoSuchGate, Scenario, ToolCall};
use crate::script::Script;
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::message::ModelUsage;
use agentwire_protocol::{Json, Number};
use bytes::Bytes;
use serde_json::json;
use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

/// Returns whether the environment enables file checkpoints.
fn has_checkpoints() -> bool {
    let variable = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING";
    std::env::var(variable).is_ok_and(|value| matches!(&*value, "1" | "true"))
}

/// An output that the caller performs.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Output {
    /// Writes these bytes to standard output.
    Stdout(Bytes),
    /// Writes this text to standard error.
    Stderr(String),
    /// Spawns this command without waiting for its exit.
    Spawn(Vec<String>),
    /// Stores this record in the session's transcript, if sessions are stored.
    Store(Record),
    /// Stores this record in a sub-agent's metadata, if sessions are stored.
    StoreSubagent(SubagentRecord),
    /// Stores the usage of this session, by model, if sessions are stored.
    StoreUsage(String, serde_json::Value),
    /// Writes the file of a tool. The fields are its path and text.
    WriteFile(String, String),
    /// Reports that the script has reached this gate.
    Reached(String),
    /// Applies this fault to the process.
    Fault(Fault),
    /// Stops reading and writing.
    Hang,
    /// Exits with this status.
    Exit(i32),
}

/// An agent that follows a scenario.
#[derive(Debug)]
pub struct Player {
    pub(super) script: Script,
    /// Whether there is no API key, so that model requests fail.
    has_no_key: bool,
    pub(super) gates: Gates,
    /// The differences of the emulated version, if it is an older one.
    older: Option<&'static OlderVersion>,
    /// The behavior of Claude Code.
    pub(super) claude: Claude,
    pub(super) agent: Agent,
    /// The current model request.
    model_request: RequestInfo,
    /// Tool results since the last model request, if the script reads them.
    results: Vec<String>,
    /// The remaining actions of the current reply.
    plan: Plan,
    /// The number of consecutive failures of the model's server.
    failures: u64,
    /// The time before which the plan does not continue.
    plan_due: Option<Instant>,
    /// The gate at which the plan waits.
    plan_gate: Option<String>,
    /// Whether the plan waits for a response of the host.
    awaits_response: bool,
    /// Tool calls that have not started.
    pub(super) pending_tools: VecDeque<(String, ToolCall)>,
    /// Tool calls that have started and have no result.
    pub(super) running: Vec<RunningTool>,
    pub(super) background: Background,
    /// Whether the next model request has tool results.
    has_tool_results: bool,
    /// The expectations about the host.
    expected: Expected,
    /// The last assistant message.
    last_message: Bytes,
    /// The last control response.
    last_response: Bytes,
    outputs: VecDeque<Output>,
}

impl Player {
    /// Creates an agent. `ids` generates the IDs of its messages.
    pub fn new(
        scenario: Scenario,
        mut config: Config,
        ids: impl FnMut() -> String + Send + 'static,
    ) -> Self {
        if scenario.no_queue {
            Profile::NoQueue.apply(&mut config);
        }
        if let Some(profile) = scenario.profile {
            profile.apply(&mut config);
        }
        claude::declare(&mut config);
        let claude = Claude::new(&scenario, &config, has_checkpoints());
        let mut player = Self {
            script: Script::new(&scenario),
            has_no_key: scenario.no_key,
            gates: Gates::new(&scenario),
            older: config.profile.and_then(OlderVersion::of),
            claude,
            agent: Agent::new(config, ids),
            model_request: RequestInfo::default(),
            results: Vec::new(),
            plan: Plan::default(),
            failures: 0,
            plan_due: None,
            plan_gate: None,
            awaits_response: false,
            pending_tools: VecDeque::new(),
            running: Vec::new(),
            background: Background::default(),
            has_tool_results: false,
            expected: Expected::new(&scenario.expect),
            last_message: Bytes::new(),
            last_response: Bytes::new(),
            outputs: VecDeque::new(),
        };
        for fault in scenario.startup {
            player.fail(fault);
        }
        player
    }

    /// Handles bytes from the host.
    pub fn handle_input(&mut self, now: Instant, bytes: &[u8]) {
        if let Err(report) = self.expected.check_input(bytes) {
            return self.report_unexpected(report);
        }
        self.agent.handle_input(now, bytes);
        self.run_due(now);
    }

    /// Handles the last bytes from the host. After them, the host cannot
    /// respond to requests.
    pub fn handle_last_input(&mut self, now: Instant, bytes: &[u8]) {
        if let Err(report) = self.expected.check_input(bytes) {
            return self.report_unexpected(report);
        }
        self.agent.handle_input(now, bytes);
        self.handle_input_end(now);
    }

    /// Handles the end of the input.
    pub fn handle_input_end(&mut self, now: Instant) {
        self.agent.handle_input_end(now);
        self.run_due(now);
    }

    /// Handles SIGINT: the turn is aborted, and then the process exits.
    pub fn interrupt(&mut self, now: Instant) {
        self.agent.interrupt(now);
        self.run_due(now);
    }

    /// Handles the passing of time.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.agent.handle_timeout(now);
        self.run_due(now);
    }

    /// Exits, because neither input nor time can continue the session.
    pub fn give_up(&mut self) {
        self.exit(0);
    }

    /// Opens a gate permanently.
    ///
    /// # Errors
    ///
    /// Fails if the scenario has no gate of this name.
    pub fn open(&mut self, now: Instant, gate: &str) -> Result<(), NoSuchGate> {
        self.gates.open(gate)?;
        for tool in self.running.iter_mut().chain(self.background.tools()) {
            tool.open_gate(now, gate);
        }
        self.run_due(now);
        Ok(())
    }

    /// Returns the gates at which the script waits.
    pub fn shut_gates(&self) -> impl Iterator<Item = &str> {
        self.gates.shut()
    }

    /// Returns when to call [`Player::handle_timeout`].
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        let script = self.poll_script_timeout();
        script.into_iter().chain(self.agent.poll_timeout()).min()
    }

    /// Returns when the script continues. The deadlines for the host's
    /// responses are not included.
    #[must_use]
    pub fn poll_script_timeout(&self) -> Option<Instant> {
        let tools = self.running.iter().filter_map(|tool| tool.done_at);
        let tools = tools.chain(self.background.due());
        tools.chain(self.plan_due).min()
    }

    /// Returns the next output.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.flush_agent();
        self.outputs.pop_front()
    }

    /// Performs everything that is due.
    fn run_due(&mut self, now: Instant) {
        loop {
            while let Some(event) = self.agent.poll_event() {
                self.flush_agent();
                self.handle_event(now, event);
            }
            if !self.advance_tools(now) && !self.advance_plan(now) && !self.advance_background(now)
            {
                return;
            }
        }
    }

    fn handle_event(&mut self, now: Instant, event: Event) {
        match event {
            Event::TurnStarted { prompts } => {
                self.model_request.prompt = lines::prompt(&prompts);
                for prompt in prompts {
                    self.claude.add_prompt(prompt.uuid.as_deref());
                    if let Some(content) = &prompt.message.content {
                        let id = self.agent.session_id();
                        let record = Record::prompt(id, prompt.uuid, content);
                        self.outputs.push_back(Output::Store(record));
                    }
                }
                self.results.clear();
                self.ask_model(now, false);
            }
            Event::TurnContinued => self.ask_model(now, self.has_tool_results),
            Event::ToolDecided {
                tool_use_id,
                decision,
            } => {
                let mut tools = self.running.iter().chain(&self.background.running);
                let Some(tool) = tools.find(|tool| tool.id == tool_use_id) else {
                    return;
                };
                match decision {
                    Decision::Allowed(input) => {
                        let file = claude::written_file(&tool.call, &input);
                        if let Some((path, text)) = file {
                            self.outputs.push_back(Output::WriteFile(path, text));
                        }
                        self.begin_tool(now, &tool_use_id);
                    }
                    Decision::Denied(message) => {
                        self.agent
                            .finish_tool(now, &tool_use_id, ToolOutcome::error(message));
                    }
                }
            }
            Event::ToolFinished { tool_use_id } => {
                self.running.retain(|tool| tool.id != tool_use_id);
                self.background.remove_tool(&tool_use_id);
            }
            Event::HostAnswered { answer } => self.show_response(answer),
            Event::Requested {
                request_id,
                request,
            } => {
                let agent = &mut self.agent;
                self.claude.respond(now, agent, &request_id, &request);
                // The agent handles the input after the request.
                self.agent.handle_input(now, &[]);
            }
            Event::CommandCalled { name, args } => {
                self.claude.run(now, &mut self.agent, &name, &args);
            }
            Event::TaskStopped { task_id } => self.background.stop(&task_id),
            Event::TurnAborted => {
                self.plan.actions.clear();
                self.failures = 0;
                self.plan_due = None;
                self.plan_gate = None;
                self.awaits_response = false;
                self.pending_tools.clear();
                self.running.clear();
            }
            Event::Cleared {
                session_id,
                model_usage,
            } => self.store_usage(session_id, &model_usage),
            Event::Exit { code, message } => {
                if let Some(message) = message {
                    self.outputs
                        .push_back(Output::Stderr(format!("{message}\n")));
                }
                self.exit(code);
            }
        }
    }

    /// Advances the background tasks. Returns `false` if none is ready.
    fn advance_background(&mut self, now: Instant) -> bool {
        let (agent, script, claude) = (&mut self.agent, &mut self.script, &self.claude);
        match (self.background).advance(now, agent, script, claude, &self.gates) {
            Advance::Nothing => return false,
            Advance::Advanced => {}
            Advance::Unforwarded(record) => {
                self.flush_agent();
                self.outputs.push_back(Output::Store(*record));
            }
            Advance::Reached(gate) => self.reach_gate(gate),
        }
        true
    }

    /// Performs the next action of the reply. Returns `false` if no action is
    /// ready.
    fn advance_plan(&mut self, now: Instant) -> bool {
        if self.awaits_response || self.plan_due.is_some_and(|due| due > now) {
            return false;
        }
        self.plan_due = None;
        if self
            .plan_gate
            .as_ref()
            .is_some_and(|gate| !self.gates.is_open(gate))
        {
            return false;
        }
        self.plan_gate = None;
        // The turn continues after all tools are done.
        if matches!(self.plan.actions.front(), Some(Action::EndReply)) && !self.running.is_empty() {
            return false;
        }
        let Some(action) = self.plan.actions.pop_front() else {
            return false;
        };
        match action {
            Action::AskModel => {
                self.model_request.is_retry = true;
                self.take_reply(now);
            }
            Action::StartMessage(id) => self.agent.start_message(&id),
            Action::StartBlock(block) => self.agent.start_block(block),
            Action::Say(piece) => self.agent.say(&piece),
            Action::StopBlock => self.agent.stop_block(),
            Action::StopMessage => {
                self.failures = 0;
                self.agent.stop_message();
            }
            Action::CallTool(id, call) => self.pending_tools.push_back((id, call)),
            Action::Ask(request) => {
                self.awaits_response = true;
                self.agent.ask_host(request);
            }
            Action::Message(message) => self.agent.send_message(message),
            Action::Wait(time) => self.plan_due = Some(now + time),
            Action::Gate(gate) => {
                self.plan_gate = Some(gate.clone());
                self.reach_gate(gate);
            }
            Action::Cut => self.lose_connection(now),
            Action::Fault(fault) => self.fail(fault),
            Action::Load(load, from) => {
                let (lines, next) = load.lines(self.agent.session_id(), from);
                self.flush_agent();
                self.outputs.push_back(Output::Stdout(lines.into()));
                if next < load.messages {
                    // Input of the host and writes to the pipe come first.
                    self.plan.actions.push_front(Action::Load(load, next));
                    self.plan_due = Some(now);
                    return false;
                }
            }
            Action::Fail(error) => self.fail_request(now, error),
            Action::EndReply => {
                self.has_tool_results = self.plan.calls_tools;
                if self.plan.runs_tools() {
                    self.agent.finish_tools(now);
                } else {
                    self.agent.finish_turn(now, &Ending::Completed);
                }
            }
        }
        true
    }

    /// Handles a broken connection to the model. Repeats the request, or
    /// continues.
    fn lose_connection(&mut self, now: Instant) {
        self.failures += 1;
        match self.agent.lose_connection(self.failures) {
            Broken::Retry(wait) => {
                self.plan_due = Some(now + wait);
                self.plan.actions.push_front(Action::AskModel);
            }
            Broken::RetryWithoutStreaming => self.plan.actions.push_front(Action::AskModel),
            Broken::Continue => {
                self.failures = 0;
                self.plan.actions.push_front(Action::EndReply);
            }
        }
    }

    /// Handles an error of the model's server. Retries the request, or ends the
    /// turn.
    fn fail_request(&mut self, now: Instant, error: ApiError) {
        let ApiError {
            status,
            kind,
            message,
        } = error;
        self.failures += 1;
        if let Some(wait) = self.agent.retry(status, self.failures) {
            self.plan_due = Some(now + wait);
            self.plan.actions.push_front(Action::AskModel);
            return;
        }
        self.failures = 0;
        let message = format!("API Error: {status} {message}");
        let ending = Ending::ApiError {
            status,
            kind,
            message,
        };
        self.agent.finish_turn(now, &ending);
    }

    /// Sends a new request to the model.
    fn ask_model(&mut self, now: Instant, after_tools: bool) {
        self.model_request.model = self.agent.model().to_owned();
        self.model_request.results = std::mem::take(&mut self.results);
        self.model_request.after_tools = after_tools;
        self.model_request.is_retry = false;
        self.take_reply(now);
    }

    /// Takes the next reply of the script.
    fn take_reply(&mut self, now: Instant) {
        self.agent.ask_model();
        if self.has_no_key {
            return self.agent.finish_turn(now, &Ending::NoKey);
        }
        let taken = match self.script.take(self.model_request.clone()) {
            Ok(taken) => taken,
            Err(none) => {
                self.plan = Plan::failing(ApiError::from(&none));
                return;
            }
        };
        lines::charge(&mut self.agent, &taken.reply);
        self.plan = Plan::from_reply(&taken);
    }

    /// Inserts a text block with the host's response into the plan.
    fn show_response(&mut self, answer: Result<Json, String>) {
        self.awaits_response = false;
        let text = match answer {
            Ok(answer) => format!("answered: {answer}"),
            Err(why) => format!("refused: {why}"),
        };
        for action in [
            Action::StopBlock,
            Action::Say(text),
            Action::StartBlock(ContentBlock::text("")),
        ] {
            self.plan.actions.push_front(action);
        }
    }

    /// Records that the script has reached a gate.
    pub(super) fn reach_gate(&mut self, gate: String) {
        self.gates.reach(&gate);
        self.flush_agent();
        self.outputs.push_back(Output::Reached(gate));
    }

    fn fail(&mut self, fault: Fault) {
        self.flush_agent();
        let written = match fault {
            Fault::Line(LineFault::MessageAgain) => Some(self.last_message.clone()),
            Fault::Line(LineFault::AnswerAgain) => Some(self.last_response.clone()),
            _ => fault.written().map(Bytes::from),
        };
        self.outputs.push_back(match (written, fault) {
            (Some(bytes), _) => Output::Stdout(bytes),
            (None, Fault::Stderr(text)) => Output::Stderr(text),
            (None, Fault::Exit(code)) => Output::Exit(code),
            (None, Fault::Spawn(argv)) => Output::Spawn(argv),
            (None, Fault::Hang) => Output::Hang,
            (None, fault) => Output::Fault(fault),
        });
    }

    /// Exits, after a check that all expectations are met.
    fn exit(&mut self, code: i32) {
        self.flush_agent();
        let session_id = self.agent.session_id().to_owned();
        self.store_usage(session_id, &self.agent.model_usage());
        match self.expected.finish() {
            Ok(()) => self.outputs.push_back(Output::Exit(code)),
            Err(report) => self.report_unexpected(report),
        }
    }

    /// Stores the usage of a session that has some.
    fn store_usage(&mut self, session_id: String, usage: &BTreeMap<String, ModelUsage>) {
        let costs = usage.values().filter_map(|it| it.cost_usd.as_ref());
        let has_cost = costs.map(Number::as_f64).any(|it| it > 0.0);
        if has_cost
            && self
                .agent
                .config()
                .profile
                .is_none_or(Profile::stores_usage)
        {
            self.outputs
                .push_back(Output::StoreUsage(session_id, json!(usage)));
        }
    }

    /// Reports a violated expectation, and exits.
    fn report_unexpected(&mut self, report: String) {
        self.flush_agent();
        self.outputs.push_back(Output::Stderr(report));
        self.outputs.push_back(Output::Exit(UNEXPECTED));
    }

    /// Takes the agent's lines, which precede later outputs.
    fn flush_agent(&mut self) {
        while let Some(line) = self.agent.poll_transmit() {
            if self.script.reads_results() {
                self.results.extend(lines::results(&line));
            }
            let kind = lines::kind(&line);
            if matches!(kind, Some("assistant" | "user")) {
                let record = Record::from_line(&line).map(Output::Store);
                self.outputs.extend(record);
            }
            if kind == Some("system") && lines::is_task_event(&line) {
                let record = SubagentRecord::from_line(&line);
                if let Some(SubagentRecord::Started { .. }) = record {
                    let prompt = Record::background_prompt(&line).map(Output::Store);
                    self.outputs.extend(prompt);
                }
                self.outputs.extend(record.map(Output::StoreSubagent));
            }
            match kind {
                Some("assistant") => self.last_message = line.clone(),
                Some("control_response") => self.last_response = line.clone(),
                _ => {}
            }
            let line = match self.older {
                Some(older) => older.line(line),
                None => Some(line),
            };
            self.outputs.extend(line.map(Output::Stdout));
        }
    }
}

//! Plays a scenario: the model and the tools of an agent, without I/O and
//! without a clock.

use super::beside::{Advance, Beside};
use super::claude::{self, Claude};
use super::exit::UNEXPECTED;
use super::expect::Expected;
use super::lines;
use super::older::Older;
use super::plan::{Action, Plan};
use super::records::{Record, SubagentRecord};
use super::running::RunningTool;

use crate::agent::{Agent, Broken, Config, Decision, Ending, Event, Profile, ToolOutcome};
use crate::asked::Asked;
use crate::scenario::gate::Gates;
use crate::scenario::{ApiError, Fault, NoSuchGate, OddLine, Scenario, ToolCall};
use crate::script::Script;
use agentwire_protocol::Json;
use agentwire_protocol::content::ContentBlock;
use bytes::Bytes;
use std::collections::VecDeque;
use std::time::Instant;

/// Whether files can be rewound, as the environment says.
fn has_checkpoints() -> bool {
    let variable = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING";
    std::env::var(variable).is_ok_and(|value| matches!(&*value, "1" | "true"))
}

/// What is to be done in the outside world.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Output {
    /// Write this to standard output.
    Stdout(Bytes),
    /// Write this to standard error.
    Stderr(String),
    /// Start this command and leave it running.
    Spawn(Vec<String>),
    /// Keep this in the session's file, if there is one.
    Keep(Record),
    /// Keep this beside the transcript of a sub-agent, if there is one.
    KeepSubagent(SubagentRecord),
    /// Write this text into this file: a tool of the model's does.
    WriteFile(String, String),
    /// Say that the script has come to this gate.
    Reached(String),
    /// Do this to the process.
    Fault(Fault),
    /// Do nothing any more.
    Hang,
    /// Exit with this status.
    Exit(i32),
}

/// An agent that follows a scenario.
#[derive(Debug)]
pub struct Player {
    pub(super) script: Script,
    /// Whether there is no key, so that the model is never asked.
    has_no_key: bool,
    pub(super) gates: Gates,
    /// What an older version lacks, if it is like one.
    older: Option<&'static Older>,
    /// What makes the agent Claude Code.
    pub(super) claude: Claude,
    pub(super) agent: Agent,
    /// What the model is being asked.
    asked: Asked,
    /// What tools answered since the model was asked; nothing, if the script
    /// does not mind.
    results: Vec<String>,
    /// What is left of the reply that is being played.
    plan: Plan,
    /// How often the model's server has failed in a row.
    failed: u64,
    /// Before this the plan does not go on.
    plan_due: Option<Instant>,
    /// The gate that the plan waits for.
    plan_gate: Option<String>,
    /// Whether the plan waits for the host to answer a request.
    asks: bool,
    /// Tool calls that have not begun.
    pub(super) waiting: VecDeque<(String, ToolCall)>,
    /// Those that have, and have no result yet.
    pub(super) running: Vec<RunningTool>,
    pub(super) beside: Beside,
    /// Whether the model is asked next with the results of tools.
    follows_tools: bool,
    /// What is expected of the host.
    expected: Expected,
    /// The message of the assistant that came last.
    last_message: Bytes,
    /// The answer that came last.
    last_answer: Bytes,
    outputs: VecDeque<Output>,
}

impl Player {
    /// An agent that was just started. `ids` makes the ids of its messages.
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
            gates: Gates::of(&scenario),
            older: config.profile.and_then(Older::of),
            claude,
            agent: Agent::new(config, ids),
            asked: Asked::default(),
            results: Vec::new(),
            plan: Plan::default(),
            failed: 0,
            plan_due: None,
            plan_gate: None,
            asks: false,
            waiting: VecDeque::new(),
            running: Vec::new(),
            beside: Beside::default(),
            follows_tools: false,
            expected: Expected::new(&scenario.expect),
            last_message: Bytes::new(),
            last_answer: Bytes::new(),
            outputs: VecDeque::new(),
        };
        for fault in scenario.startup {
            player.fail(fault);
        }
        player
    }

    /// Bytes arrived from the host.
    pub fn handle_input(&mut self, now: Instant, bytes: &[u8]) {
        if let Err(report) = self.expected.hear(bytes) {
            return self.complain(report);
        }
        self.agent.handle_input(now, bytes);
        self.go_on(now);
    }

    /// Handles bytes after which the host closed the pipe, so that it can no
    /// longer answer requests.
    pub fn handle_last_input(&mut self, now: Instant, bytes: &[u8]) {
        if let Err(report) = self.expected.hear(bytes) {
            return self.complain(report);
        }
        self.agent.handle_input(now, bytes);
        self.handle_input_end(now);
    }

    /// The host closed the pipe.
    pub fn handle_input_end(&mut self, now: Instant) {
        self.agent.handle_input_end(now);
        self.go_on(now);
    }

    /// Handles SIGINT: the turn is aborted, and then the process exits.
    pub fn interrupt(&mut self, now: Instant) {
        self.agent.interrupt(now);
        self.go_on(now);
    }

    /// Time has passed.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.agent.handle_timeout(now);
        self.go_on(now);
    }

    /// Nothing more can come, from the host or in time: ends what waits.
    pub fn give_up(&mut self) {
        self.exit(0);
    }

    /// Opens a gate, for good.
    ///
    /// # Errors
    ///
    /// When no step of the scenario waits for such a gate.
    pub fn open(&mut self, now: Instant, gate: &str) -> Result<(), NoSuchGate> {
        self.gates.open(gate)?;
        for tool in self.running.iter_mut().chain(self.beside.tools()) {
            tool.opened(now, gate);
        }
        self.go_on(now);
        Ok(())
    }

    /// The gates that the script has come to, and that are shut.
    pub fn shut_gates(&self) -> impl Iterator<Item = &str> {
        self.gates.shut()
    }

    /// When [`Player::handle_timeout`] is to be called.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        let script = self.poll_script_timeout();
        script.into_iter().chain(self.agent.poll_timeout()).min()
    }

    /// The same without the deadlines of what the host is to answer: when the
    /// script goes on.
    #[must_use]
    pub fn poll_script_timeout(&self) -> Option<Instant> {
        let tools = self.running.iter().filter_map(|tool| tool.done_at);
        let tools = tools.chain(self.beside.due());
        tools.chain(self.plan_due).min()
    }

    /// What is to be done next.
    pub fn poll_output(&mut self) -> Option<Output> {
        self.take_lines();
        self.outputs.pop_front()
    }

    /// Lets everything happen whose time has come.
    fn go_on(&mut self, now: Instant) {
        loop {
            while let Some(event) = self.agent.poll_event() {
                self.take_lines();
                self.handle_event(now, event);
            }
            if !self.advance_tools(now) && !self.advance_plan(now) && !self.advance_beside(now) {
                return;
            }
        }
    }

    fn handle_event(&mut self, now: Instant, event: Event) {
        match event {
            Event::TurnStarted { prompts } => {
                self.asked.prompt = lines::prompt(&prompts);
                for prompt in prompts {
                    self.claude.prompted(prompt.uuid.as_deref());
                    if let Some(content) = &prompt.message.content {
                        let id = self.agent.session_id();
                        let record = Record::prompt(id, prompt.uuid, content);
                        self.outputs.push_back(Output::Keep(record));
                    }
                }
                self.results.clear();
                self.ask_model(now, false);
            }
            Event::TurnContinued => self.ask_model(now, self.follows_tools),
            Event::ToolDecided {
                tool_use_id,
                decision,
            } => {
                let mut tools = self.running.iter().chain(&self.beside.running);
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
                self.beside.tool_finished(&tool_use_id);
            }
            Event::HostAnswered { answer } => self.show(answer),
            Event::Requested {
                request_id,
                request,
            } => {
                let agent = &mut self.agent;
                self.claude.respond(now, agent, &request_id, &request);
                // What came after the request.
                self.agent.handle_input(now, &[]);
            }
            Event::CommandCalled { name, args } => {
                self.claude.run(now, &mut self.agent, &name, &args);
            }
            Event::TaskStopped { task_id } => self.beside.stop(&task_id),
            Event::TurnAborted => {
                self.plan.actions.clear();
                self.failed = 0;
                self.plan_due = None;
                self.plan_gate = None;
                self.asks = false;
                self.waiting.clear();
                self.running.clear();
            }
            Event::Exit { code, complaint } => {
                if let Some(complaint) = complaint {
                    self.outputs
                        .push_back(Output::Stderr(format!("{complaint}\n")));
                }
                self.exit(code);
            }
        }
    }

    /// Goes on with what is beside the conversation. `false` when nothing can
    /// happen.
    fn advance_beside(&mut self, now: Instant) -> bool {
        let (agent, script, claude) = (&mut self.agent, &mut self.script, &self.claude);
        match (self.beside).advance(now, agent, script, claude, &self.gates) {
            Advance::Waits => return false,
            Advance::Went => {}
            Advance::Unheard(record) => {
                self.take_lines();
                self.outputs.push_back(Output::Keep(record));
            }
            Advance::Reached(gate) => self.reach(gate),
        }
        true
    }

    /// The next thing of the reply. `false` when it has to wait.
    fn advance_plan(&mut self, now: Instant) -> bool {
        if self.asks || self.plan_due.is_some_and(|due| due > now) {
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
        // All tools have to be done before the turn goes on.
        if matches!(self.plan.actions.front(), Some(Action::Over)) && !self.running.is_empty() {
            return false;
        }
        let Some(action) = self.plan.actions.pop_front() else {
            return false;
        };
        match action {
            Action::AskModel => {
                self.asked.is_retry = true;
                self.plan_reply(now);
            }
            Action::StartMessage(id) => self.agent.start_message(&id),
            Action::StartBlock(block) => self.agent.start_block(block),
            Action::Say(piece) => self.agent.say(&piece),
            Action::StopBlock => self.agent.stop_block(),
            Action::StopMessage => {
                self.failed = 0;
                self.agent.stop_message();
            }
            Action::CallTool(id, call) => self.waiting.push_back((id, call)),
            Action::Ask(request) => {
                self.asks = true;
                self.agent.ask_host(request);
            }
            Action::Message(message) => self.agent.send_message(message),
            Action::Wait(time) => self.plan_due = Some(now + time),
            Action::Gate(gate) => {
                self.plan_gate = Some(gate.clone());
                self.reach(gate);
            }
            Action::Cut => self.lose_connection(now),
            Action::Fault(fault) => self.fail(fault),
            Action::Load(load, from) => {
                let (lines, next) = load.lines(self.agent.session_id(), from);
                self.take_lines();
                self.outputs.push_back(Output::Stdout(lines.into()));
                if next < load.messages {
                    // The host is heard in between, and the pipe has its time.
                    self.plan.actions.push_front(Action::Load(load, next));
                    self.plan_due = Some(now);
                    return false;
                }
            }
            Action::Fail(error) => self.fail_request(now, error),
            Action::Over => {
                self.follows_tools = self.plan.calls_tools;
                if self.plan.runs_tools() {
                    self.agent.finish_tools(now);
                } else {
                    self.agent.finish_turn(now, &Ending::Completed);
                }
            }
        }
        true
    }

    /// The connection to the model broke: it is asked once more, or goes on.
    fn lose_connection(&mut self, now: Instant) {
        self.failed += 1;
        match self.agent.lose_connection(self.failed) {
            Broken::AskAgain(wait) => {
                self.plan_due = Some(now + wait);
                self.plan.actions.push_front(Action::AskModel);
            }
            Broken::AskForWhole => self.plan.actions.push_front(Action::AskModel),
            Broken::Kept => {
                self.failed = 0;
                self.plan.actions.push_front(Action::Over);
            }
        }
    }

    /// The model's server failed: it is asked once more, or the turn ends.
    fn fail_request(&mut self, now: Instant, error: ApiError) {
        let ApiError {
            status,
            kind,
            message,
        } = error;
        self.failed += 1;
        if let Some(wait) = self.agent.retry(status, self.failed) {
            self.plan_due = Some(now + wait);
            self.plan.actions.push_front(Action::AskModel);
            return;
        }
        self.failed = 0;
        let message = format!("API Error: {status} {message}");
        let ending = Ending::ApiError {
            status,
            kind,
            message,
        };
        self.agent.finish_turn(now, &ending);
    }

    /// The model is asked something new.
    fn ask_model(&mut self, now: Instant, after_tools: bool) {
        self.asked.model = self.agent.model().to_owned();
        self.asked.results = std::mem::take(&mut self.results);
        self.asked.after_tools = after_tools;
        self.asked.is_retry = false;
        self.plan_reply(now);
    }

    /// Takes a reply of the script.
    fn plan_reply(&mut self, now: Instant) {
        self.agent.ask_model();
        if self.has_no_key {
            return self.agent.finish_turn(now, &Ending::NoKey);
        }
        let taken = match self.script.take(self.asked.clone()) {
            Ok(taken) => taken,
            Err(none) => {
                self.plan = Plan::failing(ApiError::from(&none));
                return;
            }
        };
        lines::charge(&mut self.agent, &taken.reply);
        self.plan = Plan::of(&taken);
    }

    /// Says what the host answered, before the plan goes on.
    fn show(&mut self, answer: Result<Json, String>) {
        self.asks = false;
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

    /// The script has come to a gate.
    pub(super) fn reach(&mut self, gate: String) {
        self.gates.reach(&gate);
        self.take_lines();
        self.outputs.push_back(Output::Reached(gate));
    }

    fn fail(&mut self, fault: Fault) {
        self.take_lines();
        let written = match fault {
            Fault::Line(OddLine::MessageAgain) => Some(self.last_message.clone()),
            Fault::Line(OddLine::AnswerAgain) => Some(self.last_answer.clone()),
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

    /// The process exits by itself, when the host has done what is expected.
    fn exit(&mut self, code: i32) {
        self.take_lines();
        match self.expected.finish() {
            Ok(()) => self.outputs.push_back(Output::Exit(code)),
            Err(report) => self.complain(report),
        }
    }

    /// The host does not do what is expected.
    fn complain(&mut self, report: String) {
        self.take_lines();
        self.outputs.push_back(Output::Stderr(report));
        self.outputs.push_back(Output::Exit(UNEXPECTED));
    }

    /// What the agent has said so far comes before what happens next.
    fn take_lines(&mut self) {
        while let Some(line) = self.agent.poll_transmit() {
            if self.script.reads_results() {
                self.results.extend(lines::results(&line));
            }
            let kind = lines::kind(&line);
            if matches!(kind, Some("assistant" | "user")) {
                let record = Record::of_line(&line).map(Output::Keep);
                self.outputs.extend(record);
            }
            if kind == Some("system") && lines::is_of_task(&line) {
                let record = SubagentRecord::of_line(&line);
                if let Some(SubagentRecord::Started { .. }) = record {
                    let prompt = Record::of_start(&line).map(Output::Keep);
                    self.outputs.extend(prompt);
                }
                self.outputs.extend(record.map(Output::KeepSubagent));
            }
            match kind {
                Some("assistant") => self.last_message = line.clone(),
                Some("control_response") => self.last_answer = line.clone(),
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

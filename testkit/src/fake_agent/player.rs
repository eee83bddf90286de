//! Plays a scenario: the model and the tools of an agent, without I/O and
//! without a clock.

use super::beside::Beside;
use super::expect::Expected;
use super::sessions::Record;
use super::{UNEXPECTED, lines};
use crate::scenario::gate::Gates;
use crate::scenario::{
    ApiError, Fault, Load, NoSuchGate, OddLine, Scenario, Step, Streamed, ToolCall,
};
use crate::script::{Asked, Script};
use agentwire_protocol::Json;
use agentwire_protocol::agent::{self, Agent, Config, Decision, Ending, Event, Profile};
use agentwire_protocol::content::ContentBlock;
use bytes::Bytes;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

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
    pub(super) agent: Agent,
    /// What the model is being asked.
    asked: Asked,
    /// What tools answered since the model was asked; nothing, if the script
    /// does not mind.
    results: Vec<String>,
    /// What is left of the reply that is being played.
    plan: VecDeque<Action>,
    /// How often the model's server has failed in a row.
    failed: u64,
    /// Before this the plan does not go on.
    plan_due: Option<Instant>,
    /// The gate that the plan waits for.
    plan_gate: Option<String>,
    /// Whether the plan waits for the host to answer a request.
    asks: bool,
    /// Tool calls that have not begun.
    waiting: VecDeque<(String, ToolCall)>,
    /// Those that have, and have no result yet.
    pub(super) running: Vec<RunningTool>,
    pub(super) beside: Beside,
    /// Whether the reply that is being played calls tools.
    had_tools: bool,
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

/// One thing that happens in a reply.
#[derive(Debug)]
enum Action {
    /// The model is asked, and the next reply is taken.
    AskModel,
    StartMessage(String),
    StartBlock(ContentBlock),
    Say(String),
    StopBlock,
    StopMessage,
    CallTool(String, ToolCall),
    Ask(Json),
    Wait(Duration),
    Gate(String),
    /// The connection to the model breaks: it is asked the same again.
    Cut,
    Fault(Fault),
    /// Messages from this number on.
    Load(Load, u64),
    Fail(ApiError),
    /// The reply is over; with tool calls, the turn goes on after them.
    Over,
}

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
        let mut player = Self {
            script: Script::new(&scenario),
            has_no_key: scenario.no_key,
            gates: Gates::of(&scenario),
            agent: Agent::new(config, ids),
            asked: Asked::default(),
            results: Vec::new(),
            plan: VecDeque::new(),
            failed: 0,
            plan_due: None,
            plan_gate: None,
            asks: false,
            waiting: VecDeque::new(),
            running: Vec::new(),
            beside: Beside::default(),
            had_tools: false,
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

    /// The host closed the pipe.
    pub fn handle_input_end(&mut self, now: Instant) {
        self.agent.handle_input_end(now);
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
            if tool.is_gated && tool.call.gate.as_deref() == Some(gate) {
                tool.run(now);
            }
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
                let lists = [&mut self.running, &mut self.beside.running];
                let found = lists.into_iter().find_map(|list| {
                    let at = list.iter().position(|tool| tool.id == tool_use_id)?;
                    Some((list, at))
                });
                let Some((list, at)) = found else { return };
                match decision {
                    Decision::Allowed(_) => {
                        let tool = list[at].clone();
                        if !self.sends_to_background(now, &tool_use_id) {
                            self.begin_tool(now, tool, Self::put_back);
                        }
                    }
                    Decision::Denied(message) => {
                        self.agent.finish_tool(now, &tool_use_id, &message, true);
                    }
                }
            }
            Event::ToolFinished { tool_use_id } => {
                self.running.retain(|tool| tool.id != tool_use_id);
                self.beside.tool_finished(&tool_use_id);
            }
            Event::HostAnswered { answer } => self.show(answer),
            Event::TurnAborted => {
                self.plan.clear();
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
            _ => {}
        }
    }

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

    fn put_back(&mut self, changed: RunningTool) {
        let mut tools = self.running.iter_mut().chain(&mut self.beside.running);
        if let Some(tool) = tools.find(|tool| tool.id == changed.id) {
            *tool = changed;
        }
    }

    /// A tool that is done, or the next one. `false` when nothing can happen.
    fn advance_tools(&mut self, now: Instant) -> bool {
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
        if matches!(self.plan.front(), Some(Action::Over)) && !self.running.is_empty() {
            return false;
        }
        let Some(action) = self.plan.pop_front() else {
            return false;
        };
        match action {
            Action::AskModel => {
                self.asked.is_retry = true;
                self.plan_reply(now);
            }
            Action::StartMessage(id) => {
                self.failed = 0;
                self.agent.start_message(&id);
            }
            Action::StartBlock(block) => self.agent.start_block(block),
            Action::Say(piece) => self.agent.say(&piece),
            Action::StopBlock => self.agent.stop_block(),
            Action::StopMessage => self.agent.stop_message(),
            Action::CallTool(id, call) => self.waiting.push_back((id, call)),
            Action::Ask(request) => {
                self.asks = true;
                self.agent.ask_host(request);
            }
            Action::Wait(time) => self.plan_due = Some(now + time),
            Action::Gate(gate) => {
                self.plan_gate = Some(gate.clone());
                self.reach(gate);
            }
            Action::Cut => {
                self.asked.is_retry = true;
                self.plan_reply(now);
            }
            Action::Fault(fault) => self.fail(fault),
            Action::Load(load, from) => {
                let (lines, next) = load.lines(self.agent.session_id(), from);
                self.take_lines();
                self.outputs.push_back(Output::Stdout(lines.into()));
                if next < load.messages {
                    // The host is heard in between, and the pipe has its time.
                    self.plan.push_front(Action::Load(load, next));
                    self.plan_due = Some(now);
                    return false;
                }
            }
            Action::Fail(error) => self.fail_request(now, error),
            Action::Over => {
                self.follows_tools = std::mem::take(&mut self.had_tools);
                if self.follows_tools {
                    self.agent.finish_tools(now);
                } else {
                    self.agent.finish_turn(now, &Ending::Completed);
                }
            }
        }
        true
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
            self.plan.push_front(Action::AskModel);
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
        let Some(taken) = self.script.take(self.asked.clone()) else {
            let error = ApiError::end_of_script(&self.script);
            self.plan.push_back(Action::Fail(error));
            return;
        };
        lines::charge(&mut self.agent, &taken.reply);
        self.plan
            .push_back(Action::StartMessage(taken.message_id()));
        let mut tools = 0;
        self.had_tools = false;
        for step in taken.reply.say.iter().cloned() {
            match step {
                Step::Text(text) => self.plan_block(ContentBlock::text(""), &text),
                Step::Thinking(thinking) => {
                    let block = lines::signed(thinking.signature);
                    self.plan_block(block, &thinking.text);
                }
                Step::RedactedThinking(data) => {
                    let block = ContentBlock::redacted_thinking(data);
                    self.plan.push_back(Action::StartBlock(block));
                    self.plan.push_back(Action::StopBlock);
                }
                Step::Tool(call) => {
                    let id = taken.tool_id(tools);
                    let block = ContentBlock::tool_use(&id, &call.name, call.input.clone());
                    self.plan.push_back(Action::StartBlock(block));
                    self.plan.push_back(Action::StopBlock);
                    self.plan.push_back(Action::CallTool(id, call));
                    tools += 1;
                    self.had_tools = true;
                }
                Step::WaitMs(time) => {
                    self.plan
                        .push_back(Action::Wait(Duration::from_millis(time)));
                }
                Step::Cut => {
                    self.plan.push_back(Action::Cut);
                    return;
                }
                Step::Gate(gate) => self.plan.push_back(Action::Gate(gate)),
                Step::Ask(request) => self.plan.push_back(Action::Ask(request.into())),
                Step::Fault(fault) => self.plan.push_back(Action::Fault(fault)),
                Step::Load(load) => {
                    let block = Action::StartBlock(ContentBlock::text(""));
                    let count = Action::Say(load.count());
                    let load = Action::Load(load, 0);
                    self.plan.extend([block, load, count, Action::StopBlock]);
                }
                Step::Error(error) => {
                    // The model never began to speak.
                    self.plan.clear();
                    self.plan.push_back(Action::Fail(error));
                    return;
                }
            }
        }
        self.plan.push_back(Action::StopMessage);
        self.plan.push_back(Action::Over);
    }

    fn plan_block(&mut self, empty: ContentBlock, text: &Streamed) {
        self.plan.push_back(Action::StartBlock(empty));
        for piece in text.chunks() {
            if !text.delay().is_zero() {
                self.plan.push_back(Action::Wait(text.delay()));
            }
            self.plan.push_back(Action::Say(piece.to_owned()));
        }
        self.plan.push_back(Action::StopBlock);
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
            self.plan.push_front(action);
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
            match kind {
                Some("assistant") => self.last_message = line.clone(),
                Some("control_response") => self.last_answer = line.clone(),
                _ => {}
            }
            self.outputs.push_back(Output::Stdout(line));
        }
    }
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

    fn run(&mut self, now: Instant) {
        self.is_gated = false;
        self.done_at = Some(now + Duration::from_millis(self.call.takes_ms));
    }
}

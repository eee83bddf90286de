//! A host, an agent with a model and tools, a user, and the pipes between
//! them.

use crate::check::{Checks, Kind};
use crate::dice::Dice;
use agentwire_protocol::agent::{Agent, Config, Ending, Event as AgentEvent};
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::control::{
    self, CancelAsyncMessage, HostRequest, Initialize, Interrupt, SetModel,
};
use agentwire_protocol::host::{Activity, Event, Host, Prompt, Request, Transmit};
use agentwire_protocol::message::{Priority, UserMessage};
use agentwire_protocol::outbox::{Limits, Urgency};
use agentwire_protocol::permission::PermissionResult;
use bytes::Bytes;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct World {
    dice: Dice,
    now: Instant,
    host: Host,
    agent: Agent,
    /// The line that the host's driver writes, and how much of it is written.
    writing: Option<(Bytes, usize)>,
    to_agent: VecDeque<u8>,
    to_host: VecDeque<u8>,
    /// The line that the host is reading.
    reading: Vec<u8>,
    /// What the model and the tools still do in this turn.
    turn: VecDeque<Step>,
    /// Tools whose permission is open.
    deciding: usize,
    /// Whether the agent is an old one, which says nothing to requests that it
    /// does not know.
    is_old: bool,
    host_closed: bool,
    pipe_broken: bool,
    agent_gone: bool,
    over: bool,
    sent: Vec<String>,
    ids: usize,
    steps: usize,
    checks: Checks,
    trace: Vec<String>,
}

/// What a model does.
#[derive(Debug)]
enum Step {
    Message,
    Text,
    Say,
    StopBlock,
    StopMessage,
    /// Calls so many tools, which the host is asked about.
    Tools(usize),
    End(bool),
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let mut ids = 0;
        let config = Config {
            partial_messages: dice.one_in(2),
            session_states: !dice.one_in(4),
            ..Config::default()
        };
        let agent = Agent::new(config, move || {
            ids += 1;
            format!("id-{ids}")
        });
        let mut host = Host::default();
        host.set_limits(Limits {
            users: 400 + dice.below(4_000),
            reserved_for_now: dice.below(400),
            control: 200 + dice.below(2_000),
            ..Limits::default()
        });
        Self {
            now: Instant::now(),
            host,
            agent,
            writing: None,
            to_agent: VecDeque::new(),
            to_host: VecDeque::new(),
            reading: vec![],
            turn: VecDeque::new(),
            deciding: 0,
            is_old: dice.one_in(3),
            host_closed: false,
            pipe_broken: false,
            agent_gone: false,
            over: false,
            sent: vec![],
            ids: 0,
            steps: 0,
            checks: Checks::default(),
            trace: vec![],
            dice,
        }
    }

    pub(crate) fn steps(&self) -> usize {
        self.steps
    }

    pub(crate) fn trace(&self) -> &[String] {
        &self.trace
    }

    /// A session from its first request to its end.
    pub(crate) fn run(&mut self) -> Result<(), String> {
        self.request("init", &Initialize::default(), Kind::Fence);
        let wild = 100 + self.dice.below(400);
        for _ in 0..wild {
            if self.over {
                break;
            }
            match self.dice.below(10) {
                0..3 => self.user_acts(),
                _ => self.world_moves()?,
            }
            self.look()?;
        }
        // From here on nobody wants anything new, and whatever is begun comes
        // to an end.
        let mut calm = 0;
        while !self.over && !self.is_settled() {
            calm += 1;
            if calm > 20_000 {
                return Err(format!(
                    "the session is {:?} for ever",
                    self.host.activity()
                ));
            }
            if let Some(ask) = self.checks.asks.pop_first() {
                self.answer(&ask);
            }
            self.world_moves()?;
        }
        if !self.over && !self.pipe_broken {
            self.checks.settled()?;
            if self.host.poll_timeout().is_some() {
                return Err("a timer is left".to_owned());
            }
            let huge = UserMessage::text("x".repeat(100_000));
            if !self.host.has_room(&Prompt::new("huge", huge).unwrap()) {
                return Err("nothing waits, and there is no room".to_owned());
            }
        }
        self.note("the user closes");
        self.host.finish(self.now, PATIENCE);
        for _ in 0..20_000 {
            if self.over {
                break;
            }
            self.world_moves()?;
        }
        if !self.over {
            return Err("the session does not end".to_owned());
        }
        self.checks.over(!self.pipe_broken)
    }

    /// Nothing moves, and nobody waits.
    fn is_settled(&self) -> bool {
        self.writing.is_none()
            && self.to_agent.is_empty()
            && self.to_host.is_empty()
            && self.turn.is_empty()
            && self.checks.asks.is_empty()
            && self.deciding == 0
            && self.host.poll_timeout().is_none()
            && self.host.activity() == Activity::Idle
    }

    fn note(&mut self, what: impl Into<String>) {
        self.trace.push(what.into());
    }

    fn id(&mut self, of: &str) -> String {
        self.ids += 1;
        format!("{of}{}", self.ids)
    }

    // The user.

    fn user_acts(&mut self) {
        self.steps += 1;
        match self.dice.below(20) {
            0..9 => self.send(),
            9..11 => {
                let id = self.id("model");
                self.request(&id, &SetModel::to("m"), Kind::Fence);
            }
            11 => {
                let id = self.id("stop");
                self.request(&id, &Interrupt::default(), Kind::Interrupt);
            }
            12 => {
                let id = self.id("stop");
                self.request(&id, &Interrupt::and_cancel_queued(), Kind::Interrupt);
            }
            13 if !self.sent.is_empty() => {
                let uuid = self.sent[self.dice.below(self.sent.len())].clone();
                let id = self.id("take");
                self.request(&id, &CancelAsyncMessage::new(uuid), Kind::Fence);
            }
            14 => {
                // Nobody knows it, and an old agent does not even say so.
                let id = self.id("odd");
                self.note(format!("user requests {id}"));
                let request = Request::raw(id.as_str(), "make_coffee", json!({})).unwrap();
                if self.host.request(self.now, request, PATIENCE).is_ok() {
                    self.checks.called(&id, Kind::Fence);
                }
            }
            15 => {
                if let Some(id) = self.checks.some_request(&mut self.dice) {
                    self.note(format!("user cancels {id}"));
                    self.host.cancel(&id);
                }
            }
            16..19 => {
                if let Some(ask) = self.checks.asks.pop_first() {
                    self.answer(&ask);
                }
            }
            19 if self.dice.one_in(30) => {
                self.note("user ends the session");
                self.host.end();
            }
            _ => {}
        }
    }

    fn send(&mut self) {
        let uuid = self.id("m");
        let priority = match self.dice.below(5) {
            0 => Some(Priority::Now),
            1 => Some(Priority::Next),
            2 => Some(Priority::Later),
            _ => None,
        };
        let urgency = Urgency::from(priority.as_ref());
        self.note(format!("user sends {uuid} {urgency:?}"));
        let mut message = UserMessage::text("x");
        message.priority = priority;
        if (self
            .host
            .submit(self.now, Prompt::new(uuid.as_str(), message).unwrap()))
        .is_ok()
        {
            self.checks.called(&uuid, Kind::User(urgency));
            self.sent.push(uuid);
        }
    }

    fn request<R: HostRequest>(&mut self, id: &str, request: &R, kind: Kind) {
        self.note(format!("user requests {id}"));
        let request = Request::new(id, request).unwrap();
        if self.host.request(self.now, request, PATIENCE).is_ok() {
            self.checks.called(id, kind);
        }
    }

    fn answer(&mut self, ask: &str) {
        self.note(format!("user answers {ask}"));
        let result = if self.dice.one_in(3) {
            PermissionResult::deny("no")
        } else {
            PermissionResult::allow()
        };
        let line = control::success(ask, Some(&result)).unwrap();
        self.host.respond(ask, line);
    }

    // The world.

    fn world_moves(&mut self) -> Result<(), String> {
        self.steps += 1;
        match self.dice.below(12) {
            0..3 => self.write()?,
            3..6 => self.agent_reads(),
            6..9 => self.host_reads(),
            9..11 => self.model_acts(),
            _ => {
                self.now += Duration::from_secs(self.dice.below(10) as u64);
                self.host.handle_timeout(self.now);
                if self.dice.one_in(2_000) {
                    self.note("the pipe breaks");
                    self.pipe_broken = true;
                }
            }
        }
        self.look()
    }

    /// The host's driver writes a piece.
    fn write(&mut self) -> Result<(), String> {
        if self.writing.is_none() {
            match self.host.poll_transmit() {
                Some(Transmit::Line(line)) => {
                    let (kind, id) = id_of(&line);
                    self.note(format!("host writes {kind} {id}"));
                    match kind.as_str() {
                        "user" | "control_request" => self.checks.written(&id)?,
                        "control_response" => self.checks.answered(&id)?,
                        _ => {}
                    }
                    self.writing = Some((line, 0));
                }
                Some(Transmit::End) => {
                    self.note("the host closes the pipe");
                    self.host_closed = true;
                }
                None if self.host.poll_transmit().is_some() => {
                    return Err("the host says that nothing is to be written, and it is".to_owned());
                }
                None => {}
            }
        }
        let Some((line, written)) = &mut self.writing else {
            return Ok(());
        };
        if self.pipe_broken || self.agent_gone {
            self.writing = None;
            self.host.handle_write_failed();
            return Ok(());
        }
        let size = (1 + self.dice.below(200)).min(line.len() - *written);
        if !(self.is_old && is_odd(line)) {
            self.to_agent.extend(&line[*written..*written + size]);
        }
        *written += size;
        if *written == line.len() {
            self.writing = None;
            self.host.handle_written();
        }
        Ok(())
    }

    fn agent_reads(&mut self) {
        if self.agent_gone {
            return;
        }
        if self.to_agent.is_empty()
            && self.writing.is_none()
            && (self.host_closed || self.pipe_broken)
        {
            self.agent.handle_input_end(self.now);
        } else {
            let size = (1 + self.dice.below(200)).min(self.to_agent.len());
            let bytes: Vec<u8> = self.to_agent.drain(..size).collect();
            self.agent.handle_input(self.now, &bytes);
        }
    }

    fn host_reads(&mut self) {
        if self.to_host.is_empty() {
            if self.agent_gone && !self.over {
                self.note("the session is over");
                self.host.handle_input_end(self.now);
                self.host.handle_end();
                self.over = true;
            }
            return;
        }
        let size = (1 + self.dice.below(300)).min(self.to_host.len());
        let bytes: Vec<u8> = self.to_host.drain(..size).collect();
        self.host.handle_input(self.now, &bytes);
        self.reading.extend(bytes);
        while let Some(end) = self.reading.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.reading.drain(..=end).collect();
            self.checks.read(&line);
        }
    }

    /// The model takes a step, when a turn runs.
    fn model_acts(&mut self) {
        if self.agent_gone || self.deciding > 0 {
            return;
        }
        let Some(step) = self.turn.pop_front() else {
            return;
        };
        match step {
            Step::Message => self.agent.start_message("msg"),
            Step::Text => self.agent.start_block(ContentBlock::text("")),
            Step::Say => self.agent.say("word "),
            Step::StopBlock => self.agent.stop_block(),
            Step::StopMessage => self.agent.stop_message(),
            Step::Tools(count) => {
                let ids: Vec<String> = (0..count).map(|_| self.id("tool")).collect();
                self.agent.start_message("msg");
                for id in &ids {
                    let call = ContentBlock::tool_use(id.as_str(), "Bash", json!({}));
                    self.agent.start_block(call);
                    self.agent.stop_block();
                }
                self.agent.stop_message();
                self.deciding = count;
                for id in &ids {
                    self.agent.ask(id, "Bash", json!({}).into());
                }
            }
            Step::End(true) => self.agent.finish_turn(self.now, &Ending::Completed),
            Step::End(false) => {
                let ending = Ending::ApiError {
                    status: 500,
                    message: "down".to_owned(),
                };
                self.agent.finish_turn(self.now, &ending);
            }
        }
    }

    // What each side tells.

    fn look(&mut self) -> Result<(), String> {
        while let Some(event) = self.agent.poll_event() {
            self.note(format!("agent: {event:?}"));
            match event {
                AgentEvent::TurnStarted { .. } => self.plan_turn(),
                AgentEvent::TurnAborted => {
                    self.turn.clear();
                    self.deciding = 0;
                }
                AgentEvent::ToolDecided { tool_use_id, .. } => {
                    self.agent.finish_tool(&tool_use_id, "done", false);
                    self.deciding = self.deciding.saturating_sub(1);
                    if self.deciding == 0 && !self.agent.finish_tools(self.now) {
                        self.turn.clear();
                    }
                }
                AgentEvent::Exit { .. } => self.agent_gone = true,
                _ => {}
            }
        }
        while let Some(line) = self.agent.poll_transmit() {
            self.checks.said(&line);
            self.to_host.extend(&line);
        }
        while let Some(event) = self.host.poll_event() {
            self.note(format!("host: {event:?}"));
            self.checks.heard(&event)?;
            if let Event::Answered {
                request_id,
                outcome: Err(_),
            } = &event
                && &**request_id == "init"
            {
                // Whoever connects gives up, as a client does.
                self.host.end();
            }
        }
        Ok(())
    }

    fn plan_turn(&mut self) {
        self.turn.clear();
        self.deciding = 0;
        for _ in 0..self.dice.below(3) {
            self.turn.extend([Step::Message, Step::Text]);
            for _ in 0..self.dice.below(5) {
                self.turn.push_back(Step::Say);
            }
            self.turn.extend([Step::StopBlock, Step::StopMessage]);
            if self.dice.one_in(2) {
                self.turn.push_back(Step::Tools(1 + self.dice.below(3)));
            }
        }
        self.turn.push_back(Step::End(!self.dice.one_in(6)));
    }
}

/// Whether it is a request that no agent knows.
fn is_odd(line: &[u8]) -> bool {
    std::str::from_utf8(line).is_ok_and(|line| line.contains("make_coffee"))
}

/// The kind of a line of the host's, and what it asks or says.
fn id_of(line: &[u8]) -> (String, String) {
    let line: Value = serde_json::from_slice(line).unwrap();
    let kind = line["type"].as_str().unwrap();
    let id = match kind {
        "user" => &line["uuid"],
        "control_response" => &line["response"]["request_id"],
        _ => &line["request_id"],
    };
    (kind.to_owned(), id.as_str().unwrap().to_owned())
}

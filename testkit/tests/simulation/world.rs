//! A host, an agent, a user, and the pipes between them.

use crate::check::{Checks, Kind, QueueOwner};
use crate::coverage::Coverage;
use crate::peer::Peer;
use agentwire_protocol::control::Initialize;
use agentwire_protocol::host::{Activity, Host, HostEvent, Prompt, Queueing, Transmit};
use agentwire_protocol::message::UserMessage;
use agentwire_protocol::outbox::Limits;
use agentwire_testing::Random;
use bytes::{Bytes, BytesMut};
use serde_json::Value;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// The maximum length of a line for the host.
pub(crate) const LINE_LIMIT: usize = 6_000;

/// A session with more steps does not end.
const MAX_STEPS: usize = 50_000;

pub(crate) struct World {
    pub(crate) dice: Random,
    pub(crate) now: Instant,
    pub(crate) host: Host,
    pub(crate) peer: Peer,
    /// The line that the host is writing, and the number of written bytes.
    writing: Option<(Bytes, usize)>,
    to_agent: VecDeque<u8>,
    to_host: VecDeque<u8>,
    /// The line that the host is reading.
    reading: Vec<u8>,
    pub(crate) is_finishing: bool,
    pub(crate) is_ending: bool,
    /// Whether the driver has paused reading.
    pub(crate) is_unread: bool,
    host_closed: bool,
    pipe_broken: bool,
    /// Whether the agent was killed before its output was read.
    was_cut: bool,
    is_over: bool,
    pub(crate) sent: Vec<String>,
    ids: usize,
    /// The number of messages of MCP servers that were transferred.
    pub(crate) relayed: u64,
    steps: u32,
    pub(crate) checks: Checks,
    trace: Option<Vec<String>>,
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let mut dice = Random::new(seed);
        let peer = Peer::new(&mut dice);
        let merge = dice.one_in(2);
        let queueing = match dice.below(6) {
            0..3 => Queueing::ByAgent,
            3 => Queueing::ByHost { merge },
            _ => Queueing::Auto { merge },
        };
        let queue_owner = match queueing {
            Queueing::ByHost { .. } => QueueOwner::Host,
            Queueing::Auto { .. } if !peer.has_queue => QueueOwner::Host,
            Queueing::Auto { .. } if peer.hides_capabilities => QueueOwner::Detected,
            _ => QueueOwner::Agent,
        };
        let mut checks = Checks::new(queue_owner);
        checks.results_list_ids = peer.has_queue;
        let how = match queue_owner {
            QueueOwner::Agent => "of the agent",
            QueueOwner::Host if merge => "of the host",
            QueueOwner::Host => "one by one",
            QueueOwner::Detected => "found to be the agent's",
        };
        checks.coverage.cover(format!("queue: {how}"));
        let mut host = Host::new(LINE_LIMIT);
        host.set_queueing(queueing);
        host.set_limits(Limits {
            users: 400 + dice.below(4_000),
            reserved_for_now: dice.below(400),
            control: 200 + dice.below(2_000),
            ..Limits::default()
        });
        Self {
            now: Instant::now(),
            host,
            peer,
            writing: None,
            to_agent: VecDeque::new(),
            to_host: VecDeque::new(),
            reading: vec![],
            is_finishing: false,
            is_ending: false,
            is_unread: false,
            host_closed: false,
            pipe_broken: false,
            was_cut: false,
            is_over: false,
            sent: vec![],
            ids: 0,
            relayed: 0,
            steps: 0,
            checks,
            trace: None,
            dice,
        }
    }

    /// Enables the trace.
    pub(crate) fn traced(mut self) -> Self {
        self.trace = Some(vec![]);
        self
    }

    /// Returns the number of steps.
    pub(crate) fn steps(&self) -> u32 {
        self.steps
    }

    pub(crate) fn trace(&self) -> &[String] {
        self.trace.as_deref().unwrap_or_default()
    }

    pub(crate) fn coverage(&self) -> &Coverage {
        &self.checks.coverage
    }

    /// Runs a session from its first request to its end.
    pub(crate) fn run(&mut self) -> Result<(), String> {
        self.request("init", &Initialize::default(), Kind::Fence);
        let wild = 100 + self.dice.below(400);
        for _ in 0..wild {
            if self.is_over {
                break;
            }
            if self.dice.below(10) < 3 {
                self.steps += 1;
                self.run_user();
            } else {
                self.advance()?;
            }
            self.handle_both_sides()?;
        }
        // From here on, no new operation is started, and every operation ends.
        self.peer.is_calm = true;
        self.read_on();
        let mut calm = 0;
        while !self.is_over && !self.is_settled() {
            calm += 1;
            if calm > MAX_STEPS {
                return Err(format!(
                    "the session is {:?} for ever",
                    self.host.activity()
                ));
            }
            if let Some(ask) = self.checks.pending_permissions.pop_first() {
                self.answer(&ask);
            }
            self.advance()?;
        }
        if !self.is_over && !self.pipe_broken {
            self.checks.check_nothing_pending()?;
            if self.host.poll_timeout().is_some() {
                return Err("a timer is left".to_owned());
            }
            let huge = UserMessage::text("x".repeat(100_000));
            if !self.host.has_room(&Prompt::new("huge", huge).unwrap()) {
                return Err("nothing waits, and there is no room".to_owned());
            }
        }
        self.finish();
        for _ in 0..MAX_STEPS {
            if self.is_over {
                break;
            }
            if let Some(ask) = self.checks.pending_permissions.pop_first() {
                self.answer(&ask);
            }
            self.advance()?;
        }
        if !self.is_over {
            return Err("the session does not end".to_owned());
        }
        self.checks.check_end(!self.pipe_broken && !self.was_cut)?;
        if self.host.poll_timeout().is_some() {
            return Err("the session is over, and a timer is left".to_owned());
        }
        Ok(())
    }

    /// Returns whether nothing is in progress and nothing is pending.
    fn is_settled(&self) -> bool {
        self.writing.is_none()
            && self.to_agent.is_empty()
            && self.to_host.is_empty()
            && self.peer.is_settled()
            && self.checks.pending_permissions.is_empty()
            && self.host.poll_timeout().is_none()
            && self.host.activity() == Activity::Idle
    }

    pub(crate) fn note(&mut self, what: impl FnOnce() -> String) {
        if let Some(trace) = &mut self.trace {
            trace.push(what());
        }
    }

    pub(crate) fn id(&mut self, of: &str) -> String {
        self.ids += 1;
        format!("{of}{}", self.ids)
    }

    fn advance(&mut self) -> Result<(), String> {
        let has_moved = match self.dice.below(12) {
            0..3 => self.write()?,
            3..6 => self.agent_reads(),
            6..9 => self.host_reads(),
            9..11 => self.run_agent(),
            _ => self.advance_time(),
        };
        self.steps += u32::from(has_moved);
        self.handle_both_sides()
    }

    fn advance_time(&mut self) -> bool {
        self.now += Duration::from_secs(self.dice.below(10) as u64);
        let is_due = self.host.poll_timeout().is_some_and(|due| due <= self.now);
        self.host.handle_timeout(self.now);
        if self.dice.one_in(2_000) {
            self.note(|| "the pipe breaks".to_owned());
            self.pipe_broken = true;
        }
        if self.dice.one_in(2_000) && !self.peer.is_gone {
            self.note(|| "the agent vanishes".to_owned());
            self.peer.is_gone = true;
            self.was_cut = true;
            let left = self.dice.below(self.to_host.len() + 1);
            self.to_host.truncate(left);
        }
        is_due
    }

    /// Writes a part of the host's line.
    fn write(&mut self) -> Result<bool, String> {
        if self.writing.is_none() {
            match self.host.poll_transmit() {
                Some(Transmit::Line(line)) => self.begin_to_write(line)?,
                Some(Transmit::End) => self.close()?,
                None if self.host.poll_transmit().is_some() => {
                    return Err("the host says that nothing is to be written, and it is".to_owned());
                }
                None => return Ok(false),
            }
        }
        let Some((line, written)) = &mut self.writing else {
            return Ok(true);
        };
        if self.pipe_broken || self.peer.is_gone {
            let written = *written;
            self.writing = None;
            let from = if self.is_finishing {
                "finishing"
            } else {
                "open"
            };
            self.checks
                .coverage
                .cover(format!("pipe: {from} to broken"));
            self.checks.may_lose = true;
            self.host.handle_partly_written(self.now, written);
            self.host.handle_write_failed();
            return Ok(true);
        }
        // A driver may learn late that it has written a complete line.
        let was_all = *written == line.len();
        let size = (1 + self.dice.below(400)).min(line.len() - *written);
        if !(self.peer.is_old && is_unknown_request(line)) {
            self.to_agent.extend(&line[*written..*written + size]);
        }
        *written += size;
        if *written == line.len() && (was_all || !self.dice.one_in(3)) {
            self.writing = None;
            self.host.handle_written(self.now);
        }
        Ok(true)
    }

    fn begin_to_write(&mut self, line: Bytes) -> Result<(), String> {
        let (kind, id) = id_of(&line);
        self.note(|| format!("host writes {kind} {id}"));
        if id.starts_with("interrupt-for-now") && kind == "control_request" {
            self.checks
                .coverage
                .cover("queue: interrupts for a message");
        }
        if id.starts_with("still-there") && kind == "control_request" {
            (self.checks.coverage).cover("queue: asks an agent that rests whether it has read");
        }
        if kind != "control_cancel_request" {
            self.checks.written(&kind, &id)?;
        }
        let mut lines = BytesMut::from(&line[..]);
        // Some drivers write several messages at once.
        while !self.peer.is_old
            && self.dice.one_in(2)
            && let Some(line) = self.host.poll_transmit_behind(self.dice.below(1000))
        {
            let (kind, id) = id_of(&line);
            if kind != "user" {
                return Err(format!("{kind} {id} is written together with messages"));
            }
            self.note(|| format!("with {kind} {id}"));
            self.checks.coverage.cover("queue: messages in one go");
            self.checks.written(&kind, &id)?;
            lines.extend_from_slice(&line);
        }
        self.writing = Some((lines.freeze(), 0));
        Ok(())
    }

    fn close(&mut self) -> Result<(), String> {
        self.note(|| "the host closes the pipe".to_owned());
        self.host_closed = true;
        let from = if self.is_ending {
            "ending"
        } else {
            "finishing"
        };
        self.checks
            .coverage
            .cover(format!("pipe: {from} to closed"));
        if self.is_ending {
            return Ok(());
        }
        if self.peer.has_tasks() {
            self.checks.coverage.cover("background: given up");
        }
        self.checks.done()
    }

    fn agent_reads(&mut self) -> bool {
        if self.peer.is_gone {
            return false;
        }
        if self.to_agent.is_empty() {
            let is_closed = self.writing.is_none() && (self.host_closed || self.pipe_broken);
            if is_closed {
                self.peer.agent.handle_input_end(self.now);
            }
            return is_closed;
        }
        let size = (1 + self.dice.below(400)).min(self.to_agent.len());
        let bytes: Vec<u8> = self.to_agent.drain(..size).collect();
        self.peer.agent.handle_input(self.now, &bytes);
        true
    }

    fn host_reads(&mut self) -> bool {
        if self.host.awaits_response() {
            self.read_on();
        }
        if self.is_unread {
            return false;
        }
        if self.to_host.is_empty() {
            let is_over = self.peer.is_gone && !self.is_over;
            if is_over {
                self.note(|| "the session is over".to_owned());
                self.host.handle_input_end(self.now);
                self.checks.may_lose = true;
                self.host.handle_end();
                self.is_over = true;
            }
            return is_over;
        }
        let size = (1 + self.dice.below(600)).min(self.to_host.len());
        let bytes: Vec<u8> = self.to_host.drain(..size).collect();
        self.host.handle_input(self.now, &bytes);
        self.reading.extend(bytes);
        while let Some(end) = self.reading.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.reading.drain(..=end).collect();
            if line.len() <= LINE_LIMIT {
                self.checks.read(&line);
            }
        }
        if self.is_finishing && self.peer.has_tasks() && self.host.activity() == Activity::Idle {
            self.checks.coverage.cover("background: waited for");
        }
        true
    }

    /// Handles events of both sides.
    fn handle_both_sides(&mut self) -> Result<(), String> {
        self.handle_agent_events();
        while let Some(line) = self.peer.poll_line(&mut self.dice, &mut self.checks) {
            self.to_host.extend(&line);
        }
        while let Some(event) = self.host.poll_event() {
            self.note(|| format!("host: {event:?}"));
            self.checks.check_event(&event)?;
            if let HostEvent::RequestEnded {
                request_id,
                outcome: Err(_),
            } = &event
                && &**request_id == "init"
            {
                // A user gives up when the connection fails.
                self.is_ending = true;
                self.checks.may_lose = true;
                self.host.end();
            }
        }
        Ok(())
    }
}

/// Returns whether a line is an unknown request.
fn is_unknown_request(line: &[u8]) -> bool {
    std::str::from_utf8(line).is_ok_and(|line| line.contains("make_coffee"))
}

/// Returns the kind and the ID of a line of the host.
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

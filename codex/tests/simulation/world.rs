//! The machine, Codex, a user, and the pipes between them.

use crate::Seen;
use crate::agent::Agent;
use crate::check::Checks;
use agentwire_codex::machine::{Event, Machine};
use agentwire_testing::Random;
use bytes::Bytes;
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// The maximum length of a line for the host.
const LINE_LIMIT: usize = 16_000;

/// A session with more steps does not end.
const MAX_STEPS: usize = 20_000;

pub(crate) struct World {
    pub(crate) dice: Random,
    pub(crate) now: Instant,
    pub(crate) machine: Machine,
    pub(crate) agent: Agent,
    pub(crate) checks: Checks,
    pub(crate) threads: Vec<String>,
    pub(crate) submitted: usize,
    pub(crate) thread_of: HashMap<String, String>,
    pub(crate) responded: Vec<Box<str>>,
    to_agent: VecDeque<Bytes>,
    to_host: VecDeque<u8>,
    /// The line that the host is reading.
    reading: Vec<u8>,
    trace: Option<Vec<String>>,
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let mut dice = Random::new(seed);
        let mut agent = Agent::new(&mut dice);
        let threads: Vec<String> = (0..=dice.below(2)).map(|_| agent.open(&mut dice)).collect();
        let mut machine = Machine::with_line_limit(LINE_LIMIT);
        let mut checks = Checks::default();
        checks.is_strict = agent.is_calm;
        for thread in threads.iter().skip(usize::from(dice.one_in(8))) {
            machine.follow(thread, false);
            checks.follows(thread);
        }
        Self {
            now: Instant::now(),
            machine,
            agent,
            checks,
            threads,
            submitted: 0,
            thread_of: HashMap::new(),
            responded: vec![],
            to_agent: VecDeque::new(),
            to_host: VecDeque::new(),
            reading: vec![],
            trace: None,
            dice,
        }
    }

    /// Enables the trace.
    pub(crate) fn traced(mut self) -> Self {
        self.trace = Some(vec![]);
        self
    }

    pub(crate) fn trace(&self) -> &[String] {
        self.trace.as_deref().unwrap_or_default()
    }

    pub(crate) fn note(&mut self, what: impl FnOnce() -> String) {
        if let Some(trace) = &mut self.trace {
            trace.push(what());
        }
    }

    /// Returns how often something happened.
    pub(crate) fn seen(self) -> Seen {
        self.checks.transitions
    }

    /// Runs a session to its end.
    pub(crate) fn run(&mut self) -> Result<(), String> {
        let calls = 4 + self.dice.below(30);
        for _ in 0..calls {
            self.call()?;
            for _ in 0..self.dice.below(12) {
                self.advance()?;
            }
        }
        let ends = match self.dice.below(10) {
            0..3 => false,
            _ => {
                self.drain()?;
                true
            }
        };
        self.end(ends)
    }

    /// Runs until nothing is pending. No call is made, and there are no faults.
    fn drain(&mut self) -> Result<(), String> {
        self.note(|| "calm".to_owned());
        self.agent.is_calm = true;
        self.run_out()?;
        let threads = self.checks.threads();
        for thread in threads {
            let commands = self.agent.commands(&thread);
            self.checks.run(&thread, commands)?;
        }
        self.checks.is_still()?;
        self.note(|| "the gate opens".to_owned());
        self.agent.open_gate();
        self.run_out()?;
        for _ in 0..MAX_STEPS {
            if self.checks.pending_requests.is_empty() {
                self.machine.poll_timeout().map_or(Ok(()), |_| {
                    Err("nothing happens, and a deadline remains".to_owned())
                })?;
                return self.checks.is_over();
            }
            self.respond(true)?;
            self.run_out()?;
        }
        Err("Codex asks for ever".to_owned())
    }

    /// Runs until nothing happens any more without a call.
    fn run_out(&mut self) -> Result<(), String> {
        for _ in 0..MAX_STEPS {
            self.run_driver()?;
            self.agent_reads();
            self.agent_writes()?;
            self.host_reads(usize::MAX)?;
            if self.to_agent.is_empty() && self.to_host.is_empty() && self.agent.is_quiet() {
                let machine = self.machine.poll_timeout();
                let machine = machine.map(|it| it.saturating_duration_since(self.now));
                match self.agent.timer().into_iter().chain(machine).min() {
                    Some(time) => self.pass(time)?,
                    None => return Ok(()),
                }
            }
        }
        Err("something happens for ever".to_owned())
    }

    /// Ends the process. Calls after it end at once.
    fn end(&mut self, was_settled: bool) -> Result<(), String> {
        if !was_settled && self.dice.one_in(2) {
            // A part of the output is lost.
            let length = self.dice.below(self.to_host.len() + 1);
            self.host_reads(length)?;
        }
        self.note(|| "Codex ends".to_owned());
        self.checks.is_strict = false;
        if self.dice.one_in(2) {
            // The line was not taken when the process ended.
            self.request(Duration::from_secs(60));
        }
        self.machine.handle_end(self.now, "it has exited");
        self.handle_events()?;
        self.checks.has_ended = true;
        self.machine.handle_end(self.now, "again");
        for _ in 0..self.dice.below(6) {
            self.call()?;
        }
        self.machine.handle_input(self.now, b"{\"method\":\"x\"}\n");
        self.run_driver()?;
        match self.machine.poll_timeout() {
            Some(_) => Err("a deadline remains after the end".to_owned()),
            None => self.checks.is_over(),
        }
    }

    fn advance(&mut self) -> Result<(), String> {
        match self.dice.below(12) {
            0..3 => self.agent_reads(),
            3..6 => self.agent_writes()?,
            6..10 => {
                let most = if self.dice.one_in(3) { 3_000 } else { 300 };
                let length = 1 + self.dice.below(most);
                self.host_reads(length)?;
            }
            10 => {
                let is_still = self.to_agent.is_empty() && self.to_host.is_empty();
                if self.checks.is_strict && !(is_still && self.agent.is_quiet()) {
                    return Ok(());
                }
                let time = match self.dice.below(8) {
                    0 => Duration::from_secs(self.dice.below(40) as u64),
                    1 => self.agent.timer().unwrap_or_default(),
                    _ => Duration::from_millis(self.dice.below(60) as u64),
                };
                self.pass(time)?;
            }
            _ if self.checks.is_strict => {}
            _ => match self.dice.below(12) {
                0 => {
                    let thread = self.dice.pick(&self.threads);
                    self.note(|| format!("another client does something in {thread}"));
                    self.agent
                        .act_as_other_client(&mut self.dice, &thread, &self.checks);
                }
                1 if self.dice.one_in(4) => self.agent.open_gate(),
                _ => {}
            },
        }
        Ok(())
    }

    fn pass(&mut self, time: Duration) -> Result<(), String> {
        self.note(|| format!("{time:?} pass"));
        self.now += time;
        self.checks.passed(self.now);
        self.agent.advance(time);
        self.machine.handle_timeout(self.now);
        if self.machine.poll_timeout().is_some_and(|it| it <= self.now) {
            return Err("a deadline has passed, and nothing was done".to_owned());
        }
        self.run_driver()
    }

    fn agent_reads(&mut self) {
        for _ in 0..=self.dice.below(3) {
            if let Some(line) = self.to_agent.pop_front() {
                self.agent.receive(&line, &mut self.dice, &mut self.checks);
            }
        }
    }

    fn agent_writes(&mut self) -> Result<(), String> {
        for _ in 0..=self.dice.below(8) {
            if let Some(line) = self.agent.poll(&mut self.dice, &mut self.checks)? {
                self.to_host.extend(line.as_bytes());
                self.to_host.push_back(b'\n');
            }
        }
        Ok(())
    }

    fn host_reads(&mut self, length: usize) -> Result<(), String> {
        let length = length.min(self.to_host.len());
        let bytes: Vec<u8> = self.to_host.drain(..length).collect();
        for part in bytes.split_inclusive(|it| *it == b'\n') {
            self.reading.extend(part);
            if self.reading.last() == Some(&b'\n') {
                let line = std::mem::take(&mut self.reading);
                if let Some(trace) = &mut self.trace {
                    let line = String::from_utf8_lossy(&line[..line.len() - 1]);
                    trace.push(format!(
                        "codex: {}",
                        line.chars().take(400).collect::<String>()
                    ));
                }
                if line.len() <= LINE_LIMIT {
                    self.checks.check_received(&line);
                }
            }
        }
        self.machine.handle_input(self.now, &bytes);
        self.run_driver()
    }

    /// Does what the machine has to do.
    pub(crate) fn run_driver(&mut self) -> Result<(), String> {
        self.handle_events()?;
        while let Some(line) = self.machine.poll_transmit() {
            self.note(|| format!("host: {}", String::from_utf8_lossy(&line).trim_end()));
            self.checks.written(&line, self.now)?;
            self.to_agent.push_back(line);
        }
        self.checks.took_all();
        Ok(())
    }

    fn handle_events(&mut self) -> Result<(), String> {
        while let Some(event) = self.machine.poll_event() {
            if !matches!(event, Event::Notification(_)) {
                self.note(|| format!("  {event:?}"));
            }
            self.checks.event(&event)?;
        }
        Ok(())
    }
}

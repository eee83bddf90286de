//! Plays the CLI's side of a recorded session to a host that lives.
//!
//! What the host writes is matched with what the recorded host wrote by its
//! meaning: under which ids is the host's own business, and its ids stand in
//! what is then said to it. The machine does no I/O and reads no clock;
//! [`main`] is a CLI that runs it on standard input and output.
//!
//! The order of prompts and requests has meaning, and is compared. Answers are
//! found by the ask that they belong to, and may come in any order. The
//! arguments that the CLI was started with are compared flag by flag, where the
//! recording has them.

mod arguments;
mod difference;
mod ids;
mod meaning;
mod stdio;
#[cfg(test)]
pub(crate) mod tests;

pub use difference::Difference;
pub use stdio::{DIFFERS, PACE, RECORDING, SESSION, TOLERANT, Unusable, main, run};

use crate::recording::{Entry, Exit, INPUT_CLOSED, Said, What};
use bytes::Bytes;
use ids::Ids;
use meaning::{Asked, Kind, Meaning};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// When the recorded lines are said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pace {
    /// At once, but each only when the host has written all that the recorded
    /// host had written by then.
    #[default]
    Lockstep,
    /// As long after the start as in the recording. Nothing waits for the host
    /// but what has an id of its own in it, and what comes after that.
    InTime,
}

/// How a recording is replayed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// When the recorded lines are said.
    pub pace: Pace,
    /// Whether the session goes on when the host does something else than the
    /// recorded one.
    pub is_tolerant: bool,
    /// What the host has started its CLI with, the program aside. It is
    /// compared with what was recorded, unless there is nothing: that is a
    /// person who has started it, or a recording that does not say.
    pub arguments: Vec<String>,
}

impl Config {
    /// Says the lines at this pace.
    #[must_use]
    pub fn pace(mut self, pace: Pace) -> Self {
        self.pace = pace;
        self
    }

    /// Goes on when the host does something else than the recorded one:
    /// requests that were not recorded are refused, other lines passed over.
    #[must_use]
    pub fn tolerant(mut self) -> Self {
        self.is_tolerant = true;
        self
    }

    /// Compares what the host has started its CLI with, the program aside.
    #[must_use]
    pub fn arguments(mut self, arguments: impl IntoIterator<Item = String>) -> Self {
        self.arguments = arguments.into_iter().collect();
        self
    }
}

/// What is to be done in the outside world.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Output {
    /// Write this to standard output.
    Stdout(Bytes),
    /// Write this to standard error.
    Stderr(Bytes),
    /// Report it. When nothing is tolerated, [`Ending::Differs`] follows.
    Difference(Difference),
    /// The end.
    Exit(Ending),
}

/// How a replay ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// As the recorded CLI did, with this status; by a signal with 128 and the
    /// signal.
    AsRecorded(i32),
    /// The host did something else than the recorded one.
    Differs,
}

/// The CLI's side of a recorded session.
#[derive(Debug)]
pub struct Replay {
    config: Config,
    steps: VecDeque<Step>,
    /// What the recorded host wrote, in order.
    expected: Vec<Expected>,
    /// The line that comes next of those whose order has meaning.
    next: usize,
    /// What the recorded agent asked, by id.
    asked: HashMap<String, Asked>,
    ids: Ids,
    /// What has come of a line.
    half: Vec<u8>,
    /// Lines that the host has written.
    lines: u64,
    input_ended: bool,
    /// When the recording's time was zero. It moves when the host is late.
    start: Instant,
    due: Option<Instant>,
    outputs: VecDeque<Output>,
    is_over: bool,
}

/// What the recording has next.
#[derive(Debug)]
enum Step {
    /// The CLI says this.
    Say(Option<f64>, Said),
    /// The CLI complains.
    Complain(Option<f64>, Said),
    /// The host writes the line with this number among the expected.
    Await(usize),
    /// The host closes the pipe.
    InputEnd,
    /// The CLI ends.
    Exit(i32),
}

/// A line that the recorded host wrote.
#[derive(Debug)]
struct Expected {
    /// Where it is in the recording.
    line: u64,
    meaning: Meaning,
    has_come: bool,
}

impl Replay {
    /// A replay of one session ([`sessions`](crate::recording::sessions)),
    /// from now on.
    #[must_use]
    pub fn new(now: Instant, session: &[Entry], config: Config) -> Self {
        let mut replay = Self {
            config,
            steps: VecDeque::new(),
            expected: Vec::new(),
            next: 0,
            asked: HashMap::new(),
            ids: Ids::default(),
            half: Vec::new(),
            lines: 0,
            input_ended: false,
            start: now,
            due: None,
            outputs: VecDeque::new(),
            is_over: false,
        };
        if let Some(first) = session.iter().find_map(|entry| entry.t) {
            replay.start = now.checked_sub(seconds(first)).unwrap_or(now);
        }
        for entry in session {
            replay.plan(entry);
        }
        // A recording that just ends says nothing of how the CLI did.
        if !matches!(replay.steps.back(), Some(Step::Exit(_))) {
            replay.steps.extend([Step::InputEnd, Step::Exit(0)]);
        }
        replay.go_on(now);
        replay
    }

    fn plan(&mut self, entry: &Entry) {
        let step = match &entry.what {
            What::Sent(said) => {
                let meaning = Meaning::of(said.bytes(), &self.asked);
                if meaning.kind == Kind::Nothing {
                    return;
                }
                self.ids.expect(&meaning);
                self.expected.push(Expected {
                    line: entry.line,
                    meaning,
                    has_come: false,
                });
                Step::Await(self.expected.len() - 1)
            }
            What::Received(said) => {
                if let Some((id, asked)) = Asked::read(said.bytes()) {
                    self.asked.insert(id, asked);
                }
                Step::Say(entry.t, said.clone())
            }
            What::Stderr(said) => Step::Complain(entry.t, said.clone()),
            What::Note(text) if text == INPUT_CLOSED => Step::InputEnd,
            What::Exit(exit) => Step::Exit(status(exit)),
            What::Spawn(spawn) => return self.compare(entry.line, &spawn.argv),
            What::Note(_) | What::Other { .. } => return,
        };
        self.steps.push_back(step);
    }

    /// The recorded CLI was started with this.
    fn compare(&mut self, line: u64, argv: &[String]) {
        let arguments = &self.config.arguments;
        if argv.is_empty() || arguments.is_empty() {
            return;
        }
        if let Some(difference) = arguments::difference(argv, arguments) {
            self.differ(difference.in_arguments(line));
        }
    }

    /// Bytes arrived from the host.
    pub fn handle_input(&mut self, now: Instant, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            let mut line = std::mem::take(&mut self.half);
            line.extend_from_slice(&rest[..end]);
            self.hear(&line);
            rest = &rest[end + 1..];
        }
        self.half.extend_from_slice(rest);
        self.go_on(now);
    }

    /// The host closed the pipe.
    pub fn handle_input_end(&mut self, now: Instant) {
        let half = std::mem::take(&mut self.half);
        if !half.is_empty() {
            self.hear(&half);
        }
        self.input_ended = true;
        self.go_on(now);
    }

    /// Time has passed.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.go_on(now);
    }

    /// When [`Replay::handle_timeout`] is to be called.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.due
    }

    /// What is to be done next. Nothing comes after [`Output::Exit`].
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// The lines of the recorded host that have not come: where in the
    /// recording they are, and what they say.
    pub fn awaited(&self) -> impl Iterator<Item = (u64, &Value)> {
        let awaited = self.expected.iter().filter(|expected| !expected.has_come);
        awaited.map(|expected| (expected.line, &expected.meaning.whole))
    }

    /// Does all whose time has come.
    fn go_on(&mut self, now: Instant) {
        self.due = None;
        while !self.is_over
            && let Some(step) = self.steps.front()
        {
            match step {
                Step::Await(number) => {
                    let awaits = self.config.pace == Pace::Lockstep || self.input_ended;
                    if awaits && !self.expected[*number].has_come {
                        if !self.input_ended {
                            return;
                        }
                        let expected = &self.expected[*number];
                        let missing =
                            Difference::missing(expected.line, expected.meaning.whole.clone());
                        self.differ(missing);
                    }
                }
                Step::InputEnd if !self.input_ended => return,
                Step::InputEnd => {}
                Step::Say(t, said) | Step::Complain(t, said) => {
                    if let Some(due) = self.when(*t).filter(|due| *due > now) {
                        self.due = Some(due);
                        return;
                    }
                    if self.ids.wants(said.bytes()) && !self.input_ended {
                        return;
                    }
                    self.was_said_at(*t, now);
                }
                Step::Exit(_) => {}
            }
            match self.steps.pop_front() {
                Some(Step::Say(_, said)) => {
                    if let Some(bytes) = self.ids.put_into(&said) {
                        self.outputs.push_back(Output::Stdout(bytes.into()));
                    }
                }
                Some(Step::Complain(_, said)) => {
                    let bytes = said.to_bytes().into();
                    self.outputs.push_back(Output::Stderr(bytes));
                }
                Some(Step::Exit(code)) => self.end(Ending::AsRecorded(code)),
                _ => {}
            }
        }
    }

    /// When something is to be said.
    fn when(&self, t: Option<f64>) -> Option<Instant> {
        match self.config.pace {
            Pace::Lockstep => None,
            Pace::InTime => t.map(|t| self.start + seconds(t)),
        }
    }

    /// What was late makes all that follows late.
    fn was_said_at(&mut self, t: Option<f64>, now: Instant) {
        if let Some(start) = t.and_then(|t| now.checked_sub(seconds(t))) {
            self.start = self.start.max(start);
        }
    }

    /// The host has written a line.
    fn hear(&mut self, line: &[u8]) {
        self.lines += 1;
        let heard = Meaning::of(line, &self.asked).renamed(|id| self.ids.recorded_message(id));
        if self.is_over || heard.kind == Kind::Nothing {
            return;
        }
        let Some(number) = self.find(&heard) else {
            let whole = heard.whole.clone();
            return self.not_expected(&heard, Difference::unexpected(self.lines, whole));
        };
        let expected = &mut self.expected[number];
        expected.has_come = true;
        self.ids.learn(&expected.meaning, &heard);
        if let Some(difference) = expected.meaning.differs_from(&heard) {
            let difference = difference.at(expected.line, self.lines);
            self.differ(difference);
        }
        while (self.expected.get(self.next))
            .is_some_and(|expected| expected.has_come || expected.meaning.is_answer())
        {
            self.next += 1;
        }
    }

    /// Which of the expected lines it is.
    fn find(&self, heard: &Meaning) -> Option<usize> {
        let waiting = || {
            let all = self.expected.iter().enumerate();
            all.filter(|(_, expected)| !expected.has_come)
        };
        if heard.is_answer() {
            let mut alike = waiting().filter(|(_, it)| it.meaning.is_same_kind(heard));
            return alike.next().map(|(number, _)| number);
        }
        let in_order = || waiting().filter(|(_, it)| !it.meaning.is_answer());
        if !self.config.is_tolerant {
            let (number, expected) = in_order().next()?;
            // Of two requests that have nothing in common the one is in the
            // other's place.
            return expected.meaning.is_same_type(heard).then_some(number);
        }
        let mut alike = in_order().filter(|(_, it)| it.meaning.is_same_kind(heard));
        let same = alike
            .clone()
            .find(|(_, it)| it.meaning.differs_from(heard).is_none());
        same.or_else(|| alike.next()).map(|(number, _)| number)
    }

    fn not_expected(&mut self, heard: &Meaning, difference: Difference) {
        let instead = (self.expected[self.next.min(self.expected.len())..].iter())
            .find(|expected| !expected.has_come && !expected.meaning.is_answer());
        let difference = match instead {
            Some(expected) if !heard.is_answer() => {
                difference.instead_of(expected.line, expected.meaning.whole.clone())
            }
            _ => difference,
        };
        self.differ(difference);
        // Whoever made a request waits for an answer.
        if let Some(refusal) = heard.refusal().filter(|_| !self.is_over) {
            self.outputs.push_back(Output::Stdout(refusal.into()));
        }
    }

    fn differ(&mut self, difference: Difference) {
        self.outputs.push_back(Output::Difference(difference));
        if !self.config.is_tolerant {
            self.end(Ending::Differs);
        }
    }

    fn end(&mut self, ending: Ending) {
        if !std::mem::replace(&mut self.is_over, true) {
            self.outputs.push_back(Output::Exit(ending));
        }
    }
}

/// The status with which a shell tells how a CLI ended. Some recorders write a
/// signal as a negative code.
fn status(exit: &Exit) -> i32 {
    match (exit.code, exit.signal) {
        (Some(code @ ..0), _) => 128_i32.saturating_sub(code),
        (Some(code), _) => code,
        (None, Some(signal)) => signal.saturating_add(128),
        (None, None) => 0,
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or_default()
}

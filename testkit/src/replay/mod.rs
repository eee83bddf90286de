//! Plays the CLI's side of a recorded session to a running host.
//!
//! Lines of the host are matched with lines of the recorded host by their
//! meaning. The host's IDs replace the recorded IDs. The state machine does no
//! I/O and reads no clock. [`main`] is a CLI that runs it on standard input and
//! output.
//!
//! Prompts and requests must come in the recorded order. Responses are matched by
//! their request, and may come in any order. Arguments of the CLI are compared
//! flag by flag, if the recording has them.

mod arguments;
mod difference;
mod ids;
mod meaning;
mod stdio;
#[cfg(test)]
pub(crate) mod tests;

pub use difference::Difference;
pub use stdio::{DIFFERS, PACE, RECORDING, SESSION, TOLERANT, Unusable, main, run};

use crate::recording::{Entry, EntryKind, Exit, INPUT_CLOSED, RecordedLine};
use bytes::Bytes;
use ids::Ids;
use meaning::{AgentRequest, Kind, Meaning};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

/// The timing of recorded lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pace {
    /// Recorded lines are written immediately, but each only after the host has
    /// written every line that the recorded host had written before it.
    #[default]
    Lockstep,
    /// Recorded lines are written at the recorded time. Only lines that contain
    /// an ID chosen by the host, and lines after them, wait for the host.
    InTime,
}

/// The options of a replay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Config {
    /// The timing of recorded lines.
    pub pace: Pace,
    /// Whether the session continues after a difference.
    pub is_tolerant: bool,
    /// The arguments with which the host started the CLI, without the program.
    /// They are compared with the recorded arguments, unless either list is
    /// empty.
    pub arguments: Vec<String>,
}

impl Config {
    /// Sets the timing of recorded lines.
    #[must_use]
    pub fn pace(mut self, pace: Pace) -> Self {
        self.pace = pace;
        self
    }

    /// Continues after a difference. Unexpected requests get an error response,
    /// and other unexpected lines are ignored.
    #[must_use]
    pub fn tolerant(mut self) -> Self {
        self.is_tolerant = true;
        self
    }

    /// Compares these arguments, without the program, with the recorded
    /// arguments.
    #[must_use]
    pub fn arguments(mut self, arguments: impl IntoIterator<Item = String>) -> Self {
        self.arguments = arguments.into_iter().collect();
        self
    }
}

/// An output that the caller performs.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Output {
    /// Writes these bytes to standard output.
    Stdout(Bytes),
    /// Writes these bytes to standard error.
    Stderr(Bytes),
    /// Reports a difference. [`Ending::Differs`] follows, unless the replay
    /// tolerates differences.
    Difference(Difference),
    /// Ends the replay.
    Exit(Ending),
}

/// The end of a replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// The CLI exits as recorded, with this status. A signal has the status 128
    /// plus the signal's number.
    AsRecorded(i32),
    /// The host differs from the recorded host.
    Differs,
}

/// The CLI's side of a recorded session.
#[derive(Debug)]
pub struct Replay {
    config: Config,
    steps: VecDeque<Step>,
    /// The lines of the recorded host, in order.
    expected: Vec<Expected>,
    /// The index of the next line whose order matters.
    next: usize,
    /// The recorded agent's requests, by ID.
    requests: HashMap<String, AgentRequest>,
    ids: Ids,
    /// The beginning of an incomplete line.
    partial_line: Vec<u8>,
    /// The number of lines of the host.
    lines: u64,
    input_ended: bool,
    /// The time at which the recording starts. It moves forward when the host
    /// is late.
    start: Instant,
    due: Option<Instant>,
    outputs: VecDeque<Output>,
    has_ended: bool,
}

/// A step of the recording.
#[derive(Debug)]
enum Step {
    /// The CLI writes a line to standard output.
    Stdout(Option<f64>, RecordedLine),
    /// The CLI writes a line to standard error.
    Stderr(Option<f64>, RecordedLine),
    /// The host writes the expected line with this index.
    Await(usize),
    /// The host closes the input.
    InputEnd,
    /// The CLI exits.
    Exit(i32),
}

/// A line of the recorded host.
#[derive(Debug)]
struct Expected {
    /// The line number in the recording.
    line: u64,
    meaning: Meaning,
    is_matched: bool,
}

impl Replay {
    /// Starts a replay of one session
    /// ([`sessions`](crate::recording::sessions)).
    #[must_use]
    pub fn new(now: Instant, session: &[Entry], config: Config) -> Self {
        let mut replay = Self {
            config,
            steps: VecDeque::new(),
            expected: Vec::new(),
            next: 0,
            requests: HashMap::new(),
            ids: Ids::default(),
            partial_line: Vec::new(),
            lines: 0,
            input_ended: false,
            start: now,
            due: None,
            outputs: VecDeque::new(),
            has_ended: false,
        };
        if let Some(first) = session.iter().find_map(|entry| entry.t) {
            replay.start = now.checked_sub(seconds(first)).unwrap_or(now);
        }
        for entry in session {
            replay.plan(entry);
        }
        // Without a recorded exit, the CLI exits with 0 after the end of its
        // input.
        if !matches!(replay.steps.back(), Some(Step::Exit(_))) {
            replay.steps.extend([Step::InputEnd, Step::Exit(0)]);
        }
        replay.run_due(now);
        replay
    }

    fn plan(&mut self, entry: &Entry) {
        let step = match &entry.kind {
            EntryKind::Sent(line) => {
                let meaning = Meaning::parse(line.bytes(), &self.requests);
                if meaning.kind == Kind::Ignored {
                    return;
                }
                self.ids.expect(&meaning);
                self.expected.push(Expected {
                    line: entry.line,
                    meaning,
                    is_matched: false,
                });
                Step::Await(self.expected.len() - 1)
            }
            EntryKind::Received(line) => {
                if let Some((id, request)) = AgentRequest::read(line.bytes()) {
                    self.requests.insert(id, request);
                }
                Step::Stdout(entry.t, line.clone())
            }
            EntryKind::Stderr(line) => Step::Stderr(entry.t, line.clone()),
            EntryKind::Note(text) if text == INPUT_CLOSED => Step::InputEnd,
            EntryKind::Exit(exit) => Step::Exit(status(exit)),
            EntryKind::Spawn(spawn) => return self.compare(entry.line, &spawn.argv),
            EntryKind::Note(_) | EntryKind::Other { .. } => return,
        };
        self.steps.push_back(step);
    }

    /// Compares the recorded command line with the host's arguments.
    fn compare(&mut self, line: u64, argv: &[String]) {
        let arguments = &self.config.arguments;
        if argv.is_empty() || arguments.is_empty() {
            return;
        }
        if let Some(difference) = arguments::difference(argv, arguments) {
            self.differ(difference.in_arguments(line));
        }
    }

    /// Handles bytes from the host.
    pub fn handle_input(&mut self, now: Instant, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
            let mut line = std::mem::take(&mut self.partial_line);
            line.extend_from_slice(&rest[..end]);
            self.handle_line(&line);
            rest = &rest[end + 1..];
        }
        self.partial_line.extend_from_slice(rest);
        self.run_due(now);
    }

    /// Handles the end of the input.
    pub fn handle_input_end(&mut self, now: Instant) {
        let rest = std::mem::take(&mut self.partial_line);
        if !rest.is_empty() {
            self.handle_line(&rest);
        }
        self.input_ended = true;
        self.run_due(now);
    }

    /// Handles the passing of time.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.run_due(now);
    }

    /// Returns when to call [`Replay::handle_timeout`].
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.due
    }

    /// Returns the next output. Nothing follows [`Output::Exit`].
    pub fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    /// Returns the recorded lines that the host has not written: their line
    /// numbers and contents.
    pub fn awaited(&self) -> impl Iterator<Item = (u64, &Value)> {
        let awaited = self.expected.iter().filter(|expected| !expected.is_matched);
        awaited.map(|expected| (expected.line, &expected.meaning.whole))
    }

    /// Performs all steps that are due.
    fn run_due(&mut self, now: Instant) {
        self.due = None;
        while !self.has_ended
            && let Some(step) = self.steps.front()
        {
            match step {
                Step::Await(number) => {
                    let must_wait = self.config.pace == Pace::Lockstep || self.input_ended;
                    if must_wait && !self.expected[*number].is_matched {
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
                Step::Stdout(t, line) | Step::Stderr(t, line) => {
                    if let Some(due) = self.due_at(*t).filter(|due| *due > now) {
                        self.due = Some(due);
                        return;
                    }
                    if self.ids.has_unmapped_id(line.bytes()) && !self.input_ended {
                        return;
                    }
                    self.delay_start(*t, now);
                }
                Step::Exit(_) => {}
            }
            match self.steps.pop_front() {
                Some(Step::Stdout(_, line)) => {
                    if let Some(bytes) = self.ids.with_current_ids(&line) {
                        self.outputs.push_back(Output::Stdout(bytes.into()));
                    }
                }
                Some(Step::Stderr(_, line)) => {
                    let bytes = line.to_bytes().into();
                    self.outputs.push_back(Output::Stderr(bytes));
                }
                Some(Step::Exit(code)) => self.end(Ending::AsRecorded(code)),
                _ => {}
            }
        }
    }

    /// Returns when a line is due.
    fn due_at(&self, t: Option<f64>) -> Option<Instant> {
        match self.config.pace {
            Pace::Lockstep => None,
            Pace::InTime => t.map(|t| self.start + seconds(t)),
        }
    }

    /// Moves the start forward if a line is late, which delays all later lines.
    fn delay_start(&mut self, t: Option<f64>, now: Instant) {
        if let Some(start) = t.and_then(|t| now.checked_sub(seconds(t))) {
            self.start = self.start.max(start);
        }
    }

    /// Handles a line of the host.
    fn handle_line(&mut self, line: &[u8]) {
        self.lines += 1;
        let actual =
            Meaning::parse(line, &self.requests).renamed(|id| self.ids.recorded_message(id));
        if self.has_ended || actual.kind == Kind::Ignored {
            return;
        }
        let Some(number) = self.find(&actual) else {
            let whole = actual.whole.clone();
            return self.report_unexpected(&actual, Difference::unexpected(self.lines, whole));
        };
        let expected = &mut self.expected[number];
        expected.is_matched = true;
        self.ids.learn(&expected.meaning, &actual);
        if let Some(difference) = expected.meaning.difference(&actual) {
            let difference = difference.at(expected.line, self.lines);
            self.differ(difference);
        }
        while (self.expected.get(self.next))
            .is_some_and(|expected| expected.is_matched || expected.meaning.is_response())
        {
            self.next += 1;
        }
    }

    /// Returns the index of the expected line that matches this line.
    fn find(&self, actual: &Meaning) -> Option<usize> {
        let unmatched = || {
            let all = self.expected.iter().enumerate();
            all.filter(|(_, expected)| !expected.is_matched)
        };
        if actual.is_response() {
            let mut candidates = unmatched().filter(|(_, it)| it.meaning.is_same_kind(actual));
            return candidates.next().map(|(number, _)| number);
        }
        let in_order = || unmatched().filter(|(_, it)| !it.meaning.is_response());
        if !self.config.is_tolerant {
            let (number, expected) = in_order().next()?;
            // A request of another type is an unexpected line. It is not
            // compared with the expected one.
            return expected.meaning.is_same_type(actual).then_some(number);
        }
        let mut candidates = in_order().filter(|(_, it)| it.meaning.is_same_kind(actual));
        let same = candidates
            .clone()
            .find(|(_, it)| it.meaning.difference(actual).is_none());
        same.or_else(|| candidates.next()).map(|(number, _)| number)
    }

    fn report_unexpected(&mut self, actual: &Meaning, difference: Difference) {
        let instead = (self.expected[self.next.min(self.expected.len())..].iter())
            .find(|expected| !expected.is_matched && !expected.meaning.is_response());
        let difference = match instead {
            Some(expected) if !actual.is_response() => {
                difference.instead_of(expected.line, expected.meaning.whole.clone())
            }
            _ => difference,
        };
        self.differ(difference);
        // A request needs a response.
        if let Some(refusal) = actual.refusal().filter(|_| !self.has_ended) {
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
        if !std::mem::replace(&mut self.has_ended, true) {
            self.outputs.push_back(Output::Exit(ending));
        }
    }
}

/// Returns the exit status as a shell reports it. Some recorders write a signal
/// as a negative exit status.
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

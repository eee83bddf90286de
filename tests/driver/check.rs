//! Checks the bytes on the pipes and the delivered events.

use crate::log::Log;
use agentwire::protocol::message::DeltaMerger;
use agentwire::{Event, Frame, Notice};
use bytes::Bytes;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::time::Instant;

/// The traffic at the host's ends of the pipes.
#[derive(Clone)]
pub(crate) struct Wire {
    log: Log,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// All bytes that the host has read.
    read: Vec<u8>,
    /// How many of these bytes were examined, line by line.
    examined: usize,
    /// Whether the host has read up to the end of the input.
    read_end: bool,
    /// The time at which the host dropped the agent's output, its last action.
    output_dropped: Option<Instant>,
    /// Requests whose cancellation the host has read, and the time.
    cancelled: HashMap<String, Instant>,
    /// Requests with a response.
    answered: HashSet<String>,
    /// Whether the host is writing a line.
    is_writing: bool,
    writing_since: Option<Instant>,
    writing: Vec<u8>,
    /// User messages that were written.
    messages: HashSet<String>,
    /// The time at which the host started to close the agent's input.
    closing: Option<Instant>,
    closed: bool,
    /// How many tasks need the host to read, and since when at least one does.
    wanted: usize,
    wanted_since: Option<Instant>,
    /// The current and the maximum size of messages that were read but not delivered.
    unread: usize,
    max_unread: usize,
}

/// A guard that registers a task that needs the host to read.
pub(crate) struct Wanted(Wire);

impl Drop for Wanted {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.wanted -= 1;
        if state.wanted == 0 {
            state.wanted_since = None;
        }
    }
}

/// Returns the maximum size of a buffered message, including the events derived from it.
fn weight(line: &[u8]) -> usize {
    line.len() + 3 * 256 + 2 * 8 * 1024
}

impl Wire {
    pub(crate) fn new(log: &Log) -> Self {
        Self {
            log: log.clone(),
            state: Arc::default(),
        }
    }

    pub(crate) fn note(&self, what: impl fmt::Display) {
        self.log.note(what);
    }

    /// Registers a task that needs the host to read.
    pub(crate) fn want(&self) -> Wanted {
        let mut state = self.lock();
        state.wanted += 1;
        state.wanted_since.get_or_insert_with(Instant::now);
        drop(state);
        Wanted(self.clone())
    }

    /// Returns since when the host must read, even if events are unread.
    pub(crate) fn wanted_since(&self) -> Option<Instant> {
        let state = self.lock();
        match state.output_dropped {
            Some(_) => None,
            None => [state.wanted_since, state.writing_since, state.closing]
                .into_iter()
                .flatten()
                .min(),
        }
    }

    /// Records an event that the client's stream delivered.
    pub(crate) fn delivered(&self, event: &Event) {
        if let Event::Frame(frame) = event {
            let mut state = self.lock();
            state.unread = state.unread.saturating_sub(weight(frame.raw()));
        }
    }

    /// Returns the maximum size that the client's stream can have buffered.
    pub(crate) fn max_unread(&self) -> usize {
        self.lock().max_unread
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Records bytes that the host has read. An empty read is the end.
    pub(crate) fn read(&self, bytes: &[u8]) {
        let mut state = self.lock();
        if bytes.is_empty() {
            self.note("the host reads to the end");
            state.read_end = true;
        }
        state.read.extend(bytes);
        while let Some(length) = state.read[state.examined..]
            .iter()
            .position(|byte| *byte == b'\n')
        {
            let end = state.examined + length;
            let line = &state.read[state.examined..end];
            self.note(format_args!("host reads {}", named(line)));
            state.unread += weight(&state.read[state.examined..end]);
            state.max_unread = state.max_unread.max(state.unread);
            let line = &state.read[state.examined..end];
            if let Ok(line) = serde_json::from_slice::<Value>(line)
                && line["type"] == "control_cancel_request"
                && let Some(id) = line["request_id"].as_str()
            {
                state.cancelled.insert(id.to_owned(), Instant::now());
            }
            state.examined = end + 1;
        }
    }

    /// Records a write of the host. It consists of whole lines, or of the rest of them.
    /// Only user messages are written together.
    pub(crate) fn begins_to_write(&self, bytes: &[u8]) {
        let mut state = self.lock();
        if state.closed {
            self.log
                .report_problem("something is written after the end");
        }
        if std::mem::replace(&mut state.is_writing, true) {
            return;
        }
        state.writing_since = Some(Instant::now());
        let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        for bytes in &lines {
            let Ok(line) = serde_json::from_slice::<Value>(bytes) else {
                return self
                    .log
                    .report_problem(format_args!("no line: {:?}", Bytes::copy_from_slice(bytes)));
            };
            if lines.len() > 1 && line["type"] != "user" {
                self.log
                    .report_problem("something is written together with messages");
            }
            let answers = line["response"]["request_id"].as_str();
            if let Some(id) = answers
                && !state.answered.insert(id.to_owned())
            {
                self.log.report_problem("an ask is answered twice");
            }
            if let Some(when) = answers.and_then(|id| state.cancelled.get(id))
                && when.elapsed().as_millis() > 0
            {
                self.log
                    .report_problem("an ask is answered after it was cancelled");
            }
        }
    }

    /// Returns how long ago the host read the cancellation of this request.
    pub(crate) fn cancelled_for(&self, ask: &str) -> Duration {
        let state = self.lock();
        let when = state.cancelled.get(ask);
        when.map(Instant::elapsed).unwrap_or_default()
    }

    /// Records bytes that the pipe accepted.
    pub(crate) fn written(&self, bytes: &[u8]) {
        let mut state = self.lock();
        state.writing.extend(bytes);
        while let Some(end) = state.writing.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = state.writing.drain(..=end).collect();
            self.note(format_args!("host wrote {}", named(&line)));
            if let Ok(Value::Object(line)) = serde_json::from_slice(&line)
                && let Some(uuid) = line.get("uuid").and_then(Value::as_str)
            {
                state.messages.insert(uuid.to_owned());
            }
        }
        if state.writing.is_empty() {
            state.is_writing = false;
            state.writing_since = None;
        }
    }

    pub(crate) fn closing(&self) {
        self.lock().closing.get_or_insert_with(Instant::now);
    }

    pub(crate) fn closing_since(&self) -> Option<Instant> {
        self.lock().closing
    }

    pub(crate) fn closed(&self) {
        self.closing();
        if !std::mem::replace(&mut self.lock().closed, true) {
            self.note("the host closes the agent's input");
        }
    }

    pub(crate) fn has_message(&self, uuid: &str) -> bool {
        self.lock().messages.contains(uuid)
    }

    /// Records that the host dropped the agent's output.
    pub(crate) fn output_dropped(&self) {
        self.note("the host lets go of the agent's output");
        self.lock().output_dropped = Some(Instant::now());
    }

    pub(crate) fn output_dropped_at(&self) -> Option<Instant> {
        self.lock().output_dropped
    }

    /// Returns whether the host has read to the end.
    pub(crate) fn read_end(&self) -> bool {
        self.lock().read_end
    }

    /// Returns all frames that the host has read and must deliver.
    pub(crate) fn frames(&self) -> Vec<Bytes> {
        let state = self.lock();
        let mut frames = Vec::new();
        for line in state.read.split(|byte| *byte == b'\n') {
            let line = Bytes::copy_from_slice(line);
            if Frame::new(line.clone()).is_ok_and(|it| !it.kind().starts_with("control_")) {
                frames.push(line);
            }
        }
        frames
    }
}

/// Abbreviates a line.
fn named(line: &[u8]) -> String {
    let Ok(line) = serde_json::from_slice::<Value>(line) else {
        return format!("{:?}", Bytes::copy_from_slice(line));
    };
    let short = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let id = [
        &line["request_id"],
        &line["response"]["request_id"],
        &line["command_uuid"],
        &line["uuid"],
    ];
    let id = id.into_iter().find(|id| !id.is_null()).map(short);
    format!(
        "{} {} {}",
        short(&line["type"]),
        [
            &line["subtype"],
            &line["request"]["subtype"],
            &line["state"]
        ]
        .map(short)
        .join(""),
        id.unwrap_or_default()
    )
}

/// Joins all partial messages that can be joined.
fn joined(frames: Vec<Bytes>) -> Vec<Bytes> {
    let mut merger = DeltaMerger::default();
    let mut joined = vec![];
    for frame in frames {
        joined.extend(merger.push(Frame::new(frame).unwrap()));
    }
    joined.extend(merger.finish());
    joined.iter().map(|frame| frame.raw().clone()).collect()
}

/// Returns whether `delivered` can be several joined partial messages, of which `read` is
/// the first.
fn is_first(read: &Bytes, delivered: &Bytes) -> bool {
    let [read, delivered] = [read, delivered].map(|it| Frame::new(it.clone()).unwrap());
    delivered.kind() == "stream_event"
        && delivered.uuid().is_some()
        && delivered.uuid() == read.uuid()
}

/// The events that a session delivered.
#[derive(Default)]
pub(crate) struct Delivered {
    frames: Vec<Bytes>,
    lost: HashSet<Box<str>>,
    lagged: bool,
    /// Requests of the agent that were delivered and are not over.
    requests: HashSet<Box<str>>,
    /// A request that was over before it was delivered.
    problem: Option<String>,
}

impl Delivered {
    pub(crate) fn add(&mut self, wire: &Wire, event: &Event) {
        wire.delivered(event);
        match event {
            Event::Frame(frame) => self.frames.push(frame.raw().clone()),
            Event::Notice(Notice::Lost { uuid }) => drop(self.lost.insert(uuid.clone())),
            Event::Notice(Notice::Lagged { .. }) => self.lagged = true,
            Event::Request(pending) => drop(self.requests.insert(pending.request_id.clone())),
            Event::RequestAnswered { request_id } | Event::RequestWithdrawn { request_id }
                if !self.requests.remove(request_id) && !self.lagged =>
            {
                self.problem = Some(format!("{event:?} without the request"));
            }
            _ => {}
        }
    }

    /// Returns whether events were lost.
    pub(crate) fn lagged(&self) -> bool {
        self.lagged
    }

    /// Returns whether the stream reported this message as lost, or may have dropped that report.
    pub(crate) fn may_be_lost(&self, uuid: &str) -> bool {
        self.lagged || self.lost.contains(uuid)
    }

    /// Compares the events with the frames that were read. A reader that stopped has only
    /// some of the frames. Partial messages may be joined.
    pub(crate) fn check(&self, wire: &Wire, to_the_end: bool) -> Result<(), String> {
        if let Some(problem) = &self.problem {
            return Err(problem.clone());
        }
        let read = wire.frames();
        if self.lagged {
            let mut rest = read.iter();
            let mut is_next = |frame: &&Bytes| rest.any(|it| it == *frame || is_first(it, frame));
            return match self.frames.iter().find(|frame| !is_next(frame)) {
                Some(frame) => Err(format!("{frame:?} came out of order, or twice")),
                None => Ok(()),
            };
        }
        let (read, mut delivered) = (joined(read), joined(self.frames.clone()));
        if !to_the_end {
            // More partial messages may follow.
            delivered.pop();
        }
        let mut rest = read.iter();
        for frame in &delivered {
            let expected = rest.next();
            if expected != Some(frame) {
                return Err(format!("{frame:?} came where {expected:?} was said"));
            }
        }
        match rest.next() {
            Some(unread) if to_the_end => Err(format!("{unread:?} was never delivered")),
            _ => Ok(()),
        }
    }
}

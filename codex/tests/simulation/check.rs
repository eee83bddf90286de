//! Invariants of a session.

use agentwire_codex::Priority;
use agentwire_codex::machine::{Event, RequestError, SubmissionError, TurnOutcome};
use agentwire_protocol::host::SubmissionState;
use serde_json::Value;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::{Duration, Instant};

/// The transitions that a run of all seeds must cover.
pub(crate) const EXPECTED: [&str; 9] = [
    "thread/backgroundTerminals/list",
    "thread/backgroundTerminals/terminate",
    "a message is put back",
    "a message joins a turn",
    "a request is asked again",
    "a response comes too late",
    "a turn is interrupted",
    "a turn cannot be steered",
    "an interrupt ends without a turn",
];

/// The number of the host's requests that may be in flight.
const IN_FLIGHT: usize = 16;

/// The deadline of the machine's own requests.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A message of the user.
struct Message {
    thread: String,
    priority: Priority,
    number: usize,
    state: SubmissionState,
    end: Option<Result<(String, TurnOutcome), SubmissionError>>,
}

/// The turns of a thread, as the machine knows them.
struct Turns {
    /// The turn whose `turn/started` the machine has handled.
    running: Option<String>,
    /// Whether no turn ran at a time since the machine was last asked what to write.
    was_idle: bool,
}

/// A request of Codex.
#[derive(Debug, PartialEq, Eq)]
enum CodexRequest {
    Open,
    /// A response is no longer allowed.
    Closed,
}

#[derive(Default)]
pub(crate) struct Checks {
    pub(crate) transitions: BTreeMap<String, u64>,
    /// Whether no message may be lost on the way.
    pub(crate) is_strict: bool,
    pub(crate) has_ended: bool,
    messages: BTreeMap<String, Message>,
    /// The requests of the host: whether they are written, and have ended.
    requests: BTreeMap<u64, (bool, bool)>,
    interrupts: BTreeMap<u64, (String, bool)>,
    pub(crate) pending_requests: BTreeMap<Box<str>, String>,
    open_requests: HashMap<Box<str>, CodexRequest>,
    /// The turns of the requests of Codex.
    turns_of_requests: HashMap<Box<str>, Value>,
    answered_requests: HashSet<String>,
    threads: HashMap<String, Turns>,
    /// The turns that the machine knows, by `turn/started` or a response.
    known_turns: HashSet<String>,
    ended_turns: HashSet<String>,
    /// The turns that ended since the machine was last polled.
    newly_ended_turns: HashSet<String>,
    /// The turns that were to be interrupted, and those to which a message was to be added.
    interrupted_turns: HashSet<String>,
    steered_turns: HashSet<String>,
    /// What Codex did: the turn that runs, by its thread, and the turn that read a message.
    running_turns: HashMap<String, String>,
    turns_of_messages: HashMap<String, String>,
    /// The turns of commands, by thread and item.
    commands: HashMap<(String, String), String>,
    /// The number of the last message that was read, by thread and priority.
    last_read: BTreeMap<(String, Priority), usize>,
    /// Messages whose request Codex never read.
    unread_messages: HashSet<String>,
    /// The requests to terminate the commands of a thread, with their deadlines.
    cleanup_requests: HashMap<u64, (Instant, String)>,
    /// Threads in which a cleanup request failed.
    failed_cleanups: HashSet<String>,
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

impl Checks {
    pub(crate) fn cover(&mut self, what: &str) {
        *self.transitions.entry(what.to_owned()).or_default() += 1;
    }

    // The user's calls.

    pub(crate) fn follows(&mut self, thread: &str) {
        let idle = Turns {
            running: None,
            was_idle: true,
        };
        self.threads.entry(thread.to_owned()).or_insert(idle);
    }

    pub(crate) fn expect_submission(&mut self, id: &str, thread: &str, priority: Priority) {
        let message = Message {
            thread: thread.to_owned(),
            priority,
            number: self.messages.len(),
            state: SubmissionState::Waiting,
            end: None,
        };
        self.messages.insert(id.to_owned(), message);
    }

    pub(crate) fn requests(&mut self, request: u64) {
        self.requests.insert(request, (false, false));
    }

    pub(crate) fn interrupts(&mut self, interrupt: u64, thread: &str) {
        self.interrupts
            .insert(interrupt, (thread.to_owned(), false));
    }

    pub(crate) fn messages(&self) -> impl Iterator<Item = &String> {
        self.messages.keys()
    }

    pub(crate) fn check_withdrawal(&mut self, id: &str, did: bool) -> Result<(), String> {
        let message = &self.messages[id];
        let may = message.end.is_none() && message.state == SubmissionState::Waiting;
        match did == may {
            true => Ok(()),
            false => Err(format!("{id} is {}: withdrawn: {did}", message.state)),
        }
    }

    /// Checks whether the machine has accepted a response to a request of Codex.
    pub(crate) fn responded(&mut self, id: &str, did: bool) -> Result<(), String> {
        self.pending_requests.remove(id);
        let may = self.open_requests.get(id) == Some(&CodexRequest::Open) && !self.has_ended;
        self.open_requests.insert(id.into(), CodexRequest::Closed);
        match did == may {
            true => Ok(()),
            false => Err(format!("the response to request {id} is accepted: {did}")),
        }
    }

    // What Codex does.

    pub(crate) fn turn_of_codex(&self, thread: &str) -> Option<&String> {
        self.running_turns.get(thread)
    }

    /// Takes a request that Codex does not read.
    pub(crate) fn swallowed(&mut self, frame: &Value) {
        let params = &frame["params"];
        self.unread_messages
            .insert(text(&params["clientUserMessageId"]).to_owned());
        if text(&frame["method"]).contains("backgroundTerminals") {
            self.failed_cleanups
                .insert(text(&params["threadId"]).to_owned());
        }
    }

    /// Takes a response that the host does not get.
    pub(crate) fn check_lost_response(&mut self, frame: &Value) {
        // It may be the list of the commands.
        if frame["result"]["data"].is_array() {
            self.failed_cleanups.extend(self.threads.keys().cloned());
        }
    }

    /// Takes the end of a turn that the host does not get.
    pub(crate) fn unreported(&mut self, frame: &Value) {
        self.cover("an end is not reported");
        self.failed_cleanups
            .insert(text(&frame["params"]["threadId"]).to_owned());
    }

    /// Takes a line of Codex, when Codex sends it.
    pub(crate) fn check_sent(&mut self, frame: &Value) -> Result<(), String> {
        let params = &frame["params"];
        let thread = text(&params["threadId"]).to_owned();
        match text(&frame["method"]) {
            "turn/started" => {
                let turn = text(&params["turn"]["id"]).to_owned();
                self.running_turns.insert(thread, turn);
            }
            "turn/completed" => {
                self.running_turns.remove(&thread);
            }
            "item/started" if params["item"]["type"] == "commandExecution" => {
                let id = text(&params["item"]["id"]).to_owned();
                let turn = text(&params["turnId"]).to_owned();
                self.commands.insert((thread, id), turn);
            }
            "item/started" if params["item"]["type"] == "userMessage" => {
                let id = text(&params["item"]["clientId"]);
                let Some(message) = self.messages.get(id) else {
                    return Ok(());
                };
                let turn = text(&params["turnId"]).to_owned();
                if let Some(before) = self.turns_of_messages.insert(id.to_owned(), turn.clone()) {
                    return Err(format!("{id} is read by {before} and by {turn}"));
                }
                let key = (thread, message.priority);
                let last = self.last_read.entry(key).or_default();
                if *last > message.number && !self.unread_messages.contains(id) {
                    return Err(format!("{id} is read after a later message"));
                }
                *last = message.number.max(*last);
            }
            _ => {}
        }
        Ok(())
    }

    // What the machine does.

    /// Takes a line of Codex, when the machine gets it.
    pub(crate) fn check_received(&mut self, line: &[u8]) {
        let Ok(frame) = serde_json::from_slice::<Value>(line) else {
            return;
        };
        let params = &frame["params"];
        let thread = text(&params["threadId"]);
        let turn = text(&params["turn"]["id"]);
        match text(&frame["method"]) {
            "" => {
                let turn = text(&frame["result"]["turn"]["id"]);
                self.known_turns.insert(turn.to_owned());
                if text(&frame["error"]["message"]).contains("NotSteerable") {
                    self.cover("a turn cannot be steered");
                }
                if let Some(request) = frame["id"].as_u64() {
                    self.cleanup_requests.remove(&request);
                    let is_pending = self.requests.get(&request).is_some_and(|it| !it.1);
                    if let Some(thread) = frame["result"]["thread"]["id"].as_str()
                        && is_pending
                    {
                        self.follows(thread);
                    }
                }
            }
            "turn/started" => {
                self.known_turns.insert(turn.to_owned());
                let turns = self.threads.get_mut(thread);
                let before = turns.and_then(|it| it.running.replace(turn.to_owned()));
                if let Some(before) = before.filter(|it| it != turn) {
                    self.ended_turns.insert(before.clone());
                    self.newly_ended_turns.insert(before);
                }
            }
            "turn/completed" => {
                self.ended_turns.insert(turn.to_owned());
                self.newly_ended_turns.insert(turn.to_owned());
                if let Some(turns) = self.threads.get_mut(thread) {
                    turns.running.take_if(|it| *it == turn);
                    turns.was_idle |= turns.running.is_none();
                } else {
                    self.failed_cleanups.insert(thread.to_owned());
                }
                for (id, of) in &self.turns_of_requests {
                    if of == turn {
                        self.open_requests.insert(id.clone(), CodexRequest::Closed);
                    }
                }
            }
            // The machine does not know this command.
            "item/started" if !self.threads.contains_key(thread) => {
                self.failed_cleanups.insert(thread.to_owned());
            }
            "serverRequest/resolved" => {
                let id = params["requestId"].to_string();
                self.open_requests.insert(id.into(), CodexRequest::Closed);
            }
            _ if frame.get("id").is_some() => {
                let id: Box<str> = frame["id"].to_string().into();
                self.turns_of_requests
                    .insert(id.clone(), params["turnId"].clone());
                match self.open_requests.entry(id) {
                    Entry::Vacant(it) => drop(it.insert(CodexRequest::Open)),
                    Entry::Occupied(_) => self.cover("a request is asked again"),
                }
            }
            _ => {}
        }
    }

    pub(crate) fn event(&mut self, event: &Event) -> Result<(), String> {
        if self.has_ended
            && let Event::Response { outcome, .. } = event
            && !matches!(outcome, Err(RequestError::Ended(_)))
        {
            return Err("a request has a result after the end".to_owned());
        }
        match event {
            Event::Request { request_id, frame } => {
                let method = frame.method().to_owned();
                if self
                    .pending_requests
                    .insert(request_id.clone(), method)
                    .is_some()
                    || self.answered_requests.contains(&**request_id)
                {
                    return Err(format!("request {request_id} is asked twice"));
                }
                self.answered_requests.insert((**request_id).to_owned());
            }
            Event::Resolved { request_id, .. } => {
                self.pending_requests.remove(request_id);
                self.open_requests
                    .insert(request_id.clone(), CodexRequest::Closed);
            }
            Event::Response { outcome, .. }
                if self.is_strict && *outcome == Err(RequestError::TimedOut) =>
            {
                return Err("a request times out, although nothing is slow".to_owned());
            }
            Event::Response { request, .. } => match self.requests.get_mut(request) {
                Some((_, has_ended)) if !*has_ended => *has_ended = true,
                _ => return Err(format!("request {request} ends twice")),
            },
            Event::Submission { id, state, .. } => return self.message_is(id, *state),
            Event::SubmissionEnded {
                id, state, outcome, ..
            } => {
                let message = self.messages.get_mut(&**id).unwrap();
                message.state = *state;
                if !state.is_end() {
                    return Err(format!("{id} ends as {state}"));
                }
                if let Err(SubmissionError::Request(RequestError::Refused(error))) = outcome
                    && error.message.contains("NotSteerable")
                {
                    return Err(format!("{id} is refused because of a compaction"));
                }
                let outcome = match outcome {
                    Ok(end) => Ok((end.turn_id.to_string(), end.outcome.clone())),
                    Err(error) => Err(error.clone()),
                };
                if message.end.replace(outcome).is_some() {
                    return Err(format!("{id} ends twice"));
                }
                let is_lost = matches!(state, SubmissionState::Unknown | SubmissionState::Lost);
                if is_lost && self.is_strict && !self.has_ended {
                    let may = message.end == Some(Err(SubmissionError::NoThread))
                        || message.end == Some(Err(SubmissionError::OptionsOfSteering));
                    if !may {
                        return Err(format!("{id} is {state}, although nothing failed"));
                    }
                }
                self.cover(&format!("a message is {state}"));
            }
            Event::InterruptEnded { interrupt, outcome } => {
                match self.interrupts.get_mut(interrupt) {
                    Some((_, has_ended)) if !*has_ended => *has_ended = true,
                    _ => return Err(format!("interrupt {interrupt} ends twice")),
                }
                self.cover(match outcome {
                    Ok(Some(_)) => "an interrupt ends with a turn",
                    Ok(None) => "an interrupt ends without a turn",
                    Err(_) => "an interrupt fails",
                });
            }
            Event::TurnEnded(end) if end.outcome == TurnOutcome::Interrupted => {
                self.cover("a turn is interrupted");
            }
            Event::Problem(problem) => {
                let what = format!("{problem:?}");
                let what = what.split([' ', '{']).next().unwrap_or_default();
                self.cover(match what {
                    "UnknownResponse" => "a response comes too late",
                    _ => "a line is unreadable",
                });
            }
            _ => {}
        }
        Ok(())
    }

    fn message_is(&mut self, id: &str, state: SubmissionState) -> Result<(), String> {
        let message = self.messages.get_mut(id).unwrap();
        if message.end.is_some() {
            return Err(format!("{id} is {state} after its end"));
        }
        let was = std::mem::replace(&mut message.state, state);
        let message = &self.messages[id];
        if state == SubmissionState::Written {
            let key = |it: &Message| (it.priority, it.number);
            let mut others = self.messages.values();
            let is_passed = |it: &Message| {
                it.thread == message.thread
                    && it.end.is_none()
                    && it.state == SubmissionState::Waiting
                    && key(it) < key(message)
            };
            if others.any(is_passed) {
                return Err(format!("{id} is written before another message"));
            }
        }
        match state {
            SubmissionState::Waiting if was != state => self.cover("a message is put back"),
            SubmissionState::Queued => self.cover("a message joins a turn"),
            _ => {}
        }
        Ok(())
    }

    /// Takes a line that the machine writes.
    pub(crate) fn written(&mut self, line: &[u8], now: Instant) -> Result<(), String> {
        let frame: Value = serde_json::from_slice(line).map_err(|it| it.to_string())?;
        if self.has_ended {
            return Err(format!("{frame} is written after the end"));
        }
        let params = &frame["params"];
        let thread = text(&params["threadId"]);
        let turns = self.threads.get(thread);
        let running = turns.and_then(|it| it.running.clone());
        let current = |turn: &str| {
            self.newly_ended_turns.contains(turn)
                || !self.ended_turns.contains(turn)
                    && running.as_deref().is_none_or(|it| it == turn)
        };
        let name = |member: &str| text(&params[member]).to_owned();
        match text(&frame["method"]) {
            "" => {
                if !self
                    .answered_requests
                    .insert(format!("response {}", frame["id"]))
                {
                    return Err(format!("request {} is answered twice", frame["id"]));
                }
            }
            "turn/start" if turns.is_some_and(|it| !it.was_idle) => {
                return Err(format!("a turn is started, but {running:?} runs"));
            }
            "turn/start" => {}
            "turn/interrupt" => {
                let turn = name("turnId");
                let is_started =
                    running.as_ref() == Some(&turn) || self.newly_ended_turns.contains(&turn);
                if !is_started {
                    return Err(format!("{turn} is interrupted, but {running:?} runs"));
                }
                self.interrupted_turns.insert(turn);
            }
            "turn/steer" => {
                let turn = name("expectedTurnId");
                if !self.known_turns.contains(&turn) || !current(&turn) {
                    return Err(format!("{turn} is steered, but {running:?} runs"));
                }
                self.steered_turns.insert(turn);
            }
            "thread/backgroundTerminals/terminate" | "thread/backgroundTerminals/list" => {
                let request = (now + TIMEOUT, thread.to_owned());
                self.cleanup_requests
                    .insert(frame["id"].as_u64().unwrap(), request);
                self.cover(text(&frame["method"]));
            }
            _ => {
                if let Some(request) = frame["id"].as_u64()
                    && let Some((is_written, _)) = self.requests.get_mut(&request)
                {
                    *is_written = true;
                }
                let in_flight = self.requests.values();
                let in_flight = in_flight.filter(|it| **it == (true, false)).count();
                if in_flight > IN_FLIGHT {
                    return Err(format!("{in_flight} requests are in flight"));
                }
            }
        }
        Ok(())
    }

    /// Records the deadlines that have passed.
    pub(crate) fn passed(&mut self, now: Instant) {
        let late = self.cleanup_requests.values().filter(|it| it.0 <= now);
        self.failed_cleanups.extend(late.map(|it| it.1.clone()));
    }

    /// Records that the driver has written all lines of the machine.
    pub(crate) fn took_all(&mut self) {
        self.newly_ended_turns.clear();
        for turns in self.threads.values_mut() {
            turns.was_idle = turns.running.is_none();
        }
    }

    // What must be true at the end.

    /// Checks the commands that run in a thread in which nothing happens until the gate opens.
    pub(crate) fn run(&self, thread: &str, commands: Vec<String>) -> Result<(), String> {
        let of_turn = |id: &String| {
            self.commands.get(&(thread.to_owned(), id.clone())) == self.turn_of_codex(thread)
        };
        let left = commands.iter().find(|id| !of_turn(id));
        match left.filter(|_| !self.failed_cleanups.contains(thread)) {
            Some(left) => Err(format!("{left} runs on after an interrupt")),
            None => Ok(()),
        }
    }

    /// Checks a session in which nothing happens until the gate opens.
    pub(crate) fn is_still(&self) -> Result<(), String> {
        if let Some((request, _)) = self.requests.iter().find(|it| !it.1.1) {
            return Err(format!("request {request} waits for ever"));
        }
        for (thread, turns) in &self.threads {
            let Some(turn) = &turns.running else { continue };
            let pending = self.interrupts.values();
            if pending.clone().any(|it| it.0 == *thread && !it.1) {
                return Err(format!("{turn} runs, and its interrupt waits for ever"));
            }
            let waiting = self.messages.iter().filter(|(_, it)| {
                it.thread == *thread && it.end.is_none() && it.state == SubmissionState::Waiting
            });
            let first = waiting.min_by_key(|(_, it)| (it.priority, it.number));
            let Some((id, first)) = first else { continue };
            let is_stuck = match first.priority {
                Priority::Now => !self.interrupted_turns.contains(turn),
                Priority::Next => !self.steered_turns.contains(turn),
                _ => false,
            };
            if is_stuck && !self.interrupted_turns.contains(turn) {
                return Err(format!("{id} does not reach {turn}"));
            }
        }
        Ok(())
    }

    /// Checks a session in which nothing happens any more.
    pub(crate) fn is_over(&self) -> Result<(), String> {
        if let Some((request, _)) = self.requests.iter().find(|it| !it.1.1) {
            return Err(format!("request {request} waits for ever"));
        }
        if let Some((interrupt, _)) = self.interrupts.iter().find(|it| !it.1.1) {
            return Err(format!("interrupt {interrupt} waits for ever"));
        }
        if let Some((id, _)) = self.pending_requests.first_key_value() {
            return Err(format!("request {id} of Codex waits for ever"));
        }
        for (id, message) in &self.messages {
            let Some(end) = &message.end else {
                return Err(format!("{id} is {} for ever", message.state));
            };
            let turns_of_messages = self.turns_of_messages.get(id);
            let fits = match (message.state, end) {
                (_, Ok((turn, outcome))) => {
                    turns_of_messages == Some(turn)
                        || turns_of_messages.is_none() && *outcome == TurnOutcome::Failed
                }
                // Nobody knows.
                (SubmissionState::Unknown, _) => true,
                (SubmissionState::CutOff, _) => turns_of_messages.is_some(),
                _ => turns_of_messages.is_none(),
            };
            if !fits {
                let state = message.state;
                return Err(format!(
                    "{id} is {state} by {end:?}, but read by {turns_of_messages:?}"
                ));
            }
        }
        Ok(())
    }

    /// Returns the open threads in which the machine follows turns.
    pub(crate) fn threads(&self) -> BTreeSet<String> {
        self.threads.keys().cloned().collect()
    }
}

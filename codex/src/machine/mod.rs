//! The host's side of `codex app-server`, as a state machine.
//!
//! [`Machine`] does no I/O, reads no clock and generates no IDs but the numbers of requests. A
//! driver passes it input and deadlines (`handle_*`) and the user's calls. After each, it polls
//! (`poll_*`) until all return `None`:
//!
//! ```
//! use agentwire_codex::machine::{Event, Machine};
//! use agentwire_protocol::Json;
//! use std::time::{Duration, Instant};
//!
//! let now = Instant::now();
//! let mut machine = Machine::default();
//! let request = machine.request(now, "model/list", &Json::of_text("{}"), Duration::from_secs(10));
//! assert_eq!(machine.poll_transmit().unwrap(), "{\"id\":1,\"method\":\"model/list\",\"params\":{}}\n");
//!
//! machine.handle_input(now, b"{\"id\":1,\"result\":{\"data\":[]}}\n");
//! assert!(matches!(
//!     machine.poll_event(),
//!     Some(Event::Response { request: 1, outcome: Ok(_) }) if request == 1
//! ));
//! ```
//!
//! - Every request has a deadline, and only some are in flight: Codex drops responses when it has
//!   too many to write.
//! - A turn is started only when the thread is idle: `turn/start` on a running turn steers it.
//! - A turn is interrupted only after `turn/started`: before, Codex refuses and the turn runs on.
//! - When an interrupted turn has ended, the commands that it left running are terminated.

mod event;
mod frame;
mod thread;

pub use event::{Event, Problem, RequestError, SubmissionError, TurnEnd, TurnOutcome};
pub use frame::{ErrorObject, Frame};

use agentwire_protocol::Json;
use agentwire_protocol::codec::{Line, LineDecoder};
use agentwire_protocol::host::SubmissionState;
use bytes::Bytes;
use frame::{Incoming, lenient};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::{Duration, Instant};
use thread::Thread;

/// The number of requests in flight. Codex responds to only a part of a burst of thousands.
const IN_FLIGHT: usize = 16;

/// The maximum number of queued requests.
const MAX_WAITING: usize = 4096;

/// The maximum number of pending requests of Codex.
const MAX_INCOMING: usize = 1024;

/// The timeout of the machine's own requests, to which Codex responds immediately.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The priority of a message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Priority {
    /// Interrupts the running turn, and starts a turn.
    Now,
    /// Joins the running turn, by `turn/steer`. Codex then cuts off its current text.
    Next,
    /// Starts a turn when the thread is idle.
    #[default]
    Later,
}

/// A message to a thread.
#[derive(Debug, Clone)]
pub struct Submission {
    /// The ID of the message, which Codex returns as the `clientId` of an item. Must be unique.
    pub id: Box<str>,
    /// The priority.
    pub priority: Priority,
    /// The `input`: a list of texts, images, and so on.
    pub input: Value,
    /// Further members of `turn/start`, as an object. Empty for a message that steers.
    pub options: Value,
}

/// The host's side of `codex app-server`. See the [module](self).
#[derive(Debug, Default)]
pub struct Machine {
    decoder: LineDecoder,
    outgoing: VecDeque<Bytes>,
    events: VecDeque<Event>,
    last_request: u64,
    last_interrupt: u64,
    /// Requests that are queued until fewer are in flight.
    waiting: VecDeque<(u64, Bytes)>,
    pending: HashMap<u64, Pending>,
    in_flight: usize,
    deadlines: BTreeSet<(Instant, u64)>,
    incoming: HashMap<Box<str>, Waiting>,
    /// The latest requests of Codex that are no longer pending.
    closed: VecDeque<(Box<str>, Waiting)>,
    threads: HashMap<Box<str>, Thread>,
    /// The reason why Codex has ended.
    end: Option<Box<str>>,
}

/// A request without a response.
#[derive(Debug)]
struct Pending {
    deadline: Instant,
    purpose: Purpose,
    /// Whether it counts as in flight.
    is_counted: bool,
}

#[derive(Debug, Clone)]
enum Purpose {
    Host,
    /// Opens a thread.
    Open,
    /// Starts a turn. The submission is in the thread.
    Start(Box<str>),
    Compact(Box<str>),
    Steer(Box<str>),
    /// Interrupts this turn of a thread.
    Interrupt(Box<str>, Box<str>),
    /// Lists the commands of a thread, to terminate these items.
    Commands(Box<str>, Vec<Box<str>>),
    /// Terminates a command. The response is ignored.
    Terminate,
}

/// A request of Codex without a response.
#[derive(Debug, PartialEq)]
struct Waiting {
    method: Box<str>,
    thread_id: Option<Box<str>>,
    turn_id: Option<Box<str>>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct OfTurn<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    turn_id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "lenient")]
    turn: Option<TurnHead<'a>>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct TurnHead<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "lenient")]
    status: Option<Cow<'a, str>>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct OfItem<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    turn_id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "lenient")]
    item: Option<ItemHead<'a>>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct ItemHead<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "lenient")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "lenient")]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "lenient")]
    client_id: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "lenient")]
    process_id: Option<Cow<'a, str>>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct OfStatus<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    status: Option<StatusHead<'a>>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
struct StatusHead<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "lenient")]
    kind: Option<Cow<'a, str>>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct OfRequest {
    #[serde(deserialize_with = "lenient")]
    request_id: Option<Json>,
}

impl Machine {
    /// Creates a machine that skips lines of more than this many bytes.
    #[must_use]
    pub fn with_line_limit(limit: usize) -> Self {
        Self {
            decoder: LineDecoder::new(limit),
            ..Self::default()
        }
    }

    /// Returns the next line to write, with its end.
    pub fn poll_transmit(&mut self) -> Option<Bytes> {
        self.outgoing.pop_front()
    }

    /// Returns the next event.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// Returns when to call [`handle_timeout`](Self::handle_timeout).
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.deadlines.first().map(|it| it.0)
    }

    /// Sends a request. Returns its number, which its [`Event::Response`] has. The timeout begins
    /// now, even if the request is queued.
    pub fn request(&mut self, now: Instant, method: &str, params: &Json, timeout: Duration) -> u64 {
        self.send(now, method, params.get(), timeout, Purpose::Host, true)
    }

    /// Sends a request that opens a thread, as [`request`](Self::request) does. The machine follows
    /// the thread in the response.
    pub fn open(&mut self, now: Instant, method: &str, params: &Json, timeout: Duration) -> u64 {
        self.send(now, method, params.get(), timeout, Purpose::Open, true)
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: &Json) {
        if self.end.is_none() {
            let line = format!(
                "{{\"method\":{},\"params\":{}}}\n",
                json!(method),
                params.get()
            );
            self.outgoing.push_back(line.into());
        }
    }

    /// Responds to a request of Codex. Returns false if it is not pending, and then sends nothing.
    pub fn respond(&mut self, request_id: &str, response: Result<Json, ErrorObject>) -> bool {
        let Some(waiting) = self.incoming.remove(request_id) else {
            return false;
        };
        let line = match response {
            Ok(result) => format!("{{\"id\":{request_id},\"result\":{}}}\n", result.get()),
            Err(error) => refusal(request_id, &error),
        };
        self.outgoing.push_back(line.into());
        self.resolved(request_id.into(), waiting);
        true
    }

    /// Follows the turns of a thread, which must be open. `is_active` tells whether a turn is
    /// running whose start the machine has missed. Has no effect if the thread is followed already.
    pub fn follow(&mut self, thread_id: &str, is_active: bool) {
        if !self.threads.contains_key(thread_id) {
            let thread = Thread {
                turn: is_active.then(Default::default),
                ..Thread::default()
            };
            self.threads.insert(thread_id.into(), thread);
        }
    }

    fn opened(&mut self, thread: &Json) {
        if let Some(Ok(id)) = thread.member("id").map(|it| it.read::<Box<str>>()) {
            let status = thread.member("status").and_then(|it| it.member("type"));
            self.follow(&id, status.is_some_and(|it| it.get() == "\"active\""));
        }
    }

    /// Sends a message to a thread, ordered by priority.
    pub fn submit(&mut self, now: Instant, thread_id: &str, submission: Submission) {
        let has_options = submission
            .options
            .as_object()
            .is_some_and(|it| !it.is_empty());
        let steers = submission.priority == Priority::Next;
        let error = match (&self.end, self.threads.get(thread_id)) {
            (Some(why), _) => Some(RequestError::Ended(why.clone()).into()),
            (_, None) => Some(SubmissionError::NoThread),
            _ if steers && has_options => Some(SubmissionError::OptionsOfSteering),
            (_, Some(thread)) if thread.queue.len() >= MAX_WAITING => {
                Some(RequestError::QueueFull.into())
            }
            _ => None,
        };
        if let Some(error) = error {
            return self.submission_failed(thread_id, submission.id, SubmissionState::Lost, error);
        }
        let id = submission.id.clone();
        if let Some(thread) = self.threads.get_mut(thread_id) {
            thread.enqueue(submission);
        }
        self.events.push_back(Event::Submission {
            thread_id: thread_id.into(),
            id,
            state: SubmissionState::Waiting,
        });
        self.drive(now, thread_id);
    }

    /// Withdraws a message. Returns false if it was sent already.
    pub fn withdraw(&mut self, thread_id: &str, id: &str) -> bool {
        let withdrawn = self
            .threads
            .get_mut(thread_id)
            .and_then(|thread| thread.dequeue(id));
        let Some(submission) = withdrawn else {
            return false;
        };
        let (state, error) = (SubmissionState::Withdrawn, SubmissionError::Withdrawn);
        self.submission_failed(thread_id, submission.id, state, error);
        true
    }

    /// Withdraws all queued messages of a thread.
    pub fn withdraw_all(&mut self, thread_id: &str) {
        while let Some(id) = self
            .threads
            .get(thread_id)
            .and_then(|it| it.queue.front())
            .map(|it| it.id.clone())
        {
            self.withdraw(thread_id, &id);
        }
    }

    /// Interrupts the turn of a thread. Returns the number that its [`Event::InterruptEnded`] has.
    /// A starting turn is interrupted as soon as Codex allows it.
    pub fn interrupt(&mut self, now: Instant, thread_id: &str) -> u64 {
        self.last_interrupt += 1;
        let interrupt = self.last_interrupt;
        let is_active = self
            .threads
            .get(thread_id)
            .is_some_and(|it| it.turn.is_some() || it.starting.is_some());
        match (&self.end, self.threads.get_mut(thread_id)) {
            (None, Some(thread)) if is_active => {
                thread.interrupts.push(interrupt);
                self.drive(now, thread_id);
            }
            (end, _) => {
                let outcome = match end {
                    Some(why) => Err(RequestError::Ended(why.clone())),
                    None => Ok(None),
                };
                self.events
                    .push_back(Event::InterruptEnded { interrupt, outcome });
            }
        }
        interrupt
    }

    /// Starts a compaction, a turn of its own. Messages wait until it has ended. Returns the
    /// number of the request.
    pub fn compact(&mut self, now: Instant, thread_id: &str) -> u64 {
        let params = json!({"threadId": thread_id}).to_string();
        let purpose = match self.threads.get(thread_id) {
            Some(thread) if thread.starting.is_none() && thread.turn.is_none() => {
                Purpose::Compact(thread_id.into())
            }
            _ => Purpose::Host,
        };
        let starts = matches!(purpose, Purpose::Compact(_));
        let request = self.send(now, "thread/compact/start", &params, TIMEOUT, purpose, true);
        if starts && let Some(thread) = self.threads.get_mut(thread_id) {
            thread.starting = Some(thread::Starting { submission: None });
        }
        request
    }

    /// Handles output of Codex.
    pub fn handle_input(&mut self, now: Instant, bytes: &[u8]) {
        if self.end.is_some() {
            return;
        }
        self.decoder.push(bytes);
        while let Some(line) = self.decoder.next_line() {
            self.line(now, line);
        }
    }

    /// Handles the exit of Codex, the end of its output, or closing by the host. Pending requests
    /// and submissions fail, and later calls fail immediately. Only the first reason is used; later
    /// input is ignored.
    pub fn handle_end(&mut self, now: Instant, why: &str) {
        if self.end.is_some() {
            return;
        }
        if let Some(line) = self.decoder.finish() {
            self.line(now, line);
        }
        let why: Box<str> = why.into();
        self.end = Some(why.clone());
        self.outgoing.clear();
        self.waiting.clear();
        self.deadlines.clear();
        let ended = || RequestError::Ended(why.clone());
        let mut requests: Vec<_> = self.pending.drain().collect();
        requests.sort_unstable_by_key(|it| it.0);
        for (request, pending) in requests {
            if matches!(
                pending.purpose,
                Purpose::Host | Purpose::Open | Purpose::Compact(_)
            ) {
                let outcome = Err(ended());
                self.events.push_back(Event::Response { request, outcome });
            }
        }
        self.resolve(|_| true);
        let mut threads: Vec<_> = self.threads.drain().collect();
        threads.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        for (thread_id, thread) in threads {
            for (id, state) in thread.abandoned() {
                self.submission_failed(&thread_id, id, state, ended().into());
            }
            for interrupt in thread.interrupts {
                let outcome = Err(ended());
                self.events
                    .push_back(Event::InterruptEnded { interrupt, outcome });
            }
        }
        self.events.push_back(Event::Ended(why));
    }

    /// Handles deadlines that have passed.
    pub fn handle_timeout(&mut self, now: Instant) {
        while let Some((deadline, request)) = self.deadlines.first().copied()
            && deadline <= now
        {
            let place = self.waiting.iter().position(|it| it.0 == request);
            if place.and_then(|it| self.waiting.remove(it)).is_some()
                && let Some(pending) = self.pending.get_mut(&request)
            {
                pending.is_counted = false;
            }
            self.response(now, request, Err(RequestError::TimedOut));
        }
    }

    fn line(&mut self, now: Instant, line: Line) {
        let line = match line {
            Line::Whole(line) => line,
            Line::TooLong { head, length } => {
                return self.unreadable("it is too long", &head, length);
            }
            Line::Unfinished(line) => {
                let length = line.len() as u64;
                return self.unreadable("it has no end", &line, length);
            }
        };
        match Incoming::read(&line) {
            Ok(Incoming::Notification(frame)) => self.notification(now, frame),
            Ok(Incoming::Request(id, frame)) => self.request_of_codex(id, frame),
            Ok(Incoming::Response(request, outcome)) => {
                let outcome = outcome.map_err(RequestError::Refused);
                self.response(now, request, outcome);
            }
            Ok(Incoming::UnknownResponse) => {
                let problem = Event::Problem(Problem::UnknownResponse);
                self.events.push_back(problem);
            }
            Err(reason) => self.unreadable(&reason, &line, line.len() as u64),
        }
    }

    fn unreadable(&mut self, reason: &str, line: &Bytes, length: u64) {
        let head = Bytes::copy_from_slice(&line[..line.len().min(4096)]);
        let reason = reason.to_owned();
        self.events.push_back(Event::Problem(Problem::Unreadable {
            reason,
            head,
            length,
        }));
    }

    fn request_of_codex(&mut self, request_id: Box<str>, frame: Frame) {
        if self.end.is_some() {
            return;
        }
        let waiting = Waiting {
            method: frame.method().into(),
            thread_id: frame.thread_id().map(Into::into),
            turn_id: frame.head::<OfTurn<'_>>().turn_id.map(Into::into),
        };
        // A thread that is resumed again has its open requests again, also one whose response is
        // on its way.
        let mut closed = self.closed.iter();
        let is_closed = closed.any(|it| it.0 == request_id && it.1 == waiting);
        if is_closed || self.incoming.get(&request_id) == Some(&waiting) {
            return;
        }
        if let Some(before) = self.incoming.remove(&request_id) {
            self.resolved(request_id.clone(), before);
        }
        if self.incoming.len() >= MAX_INCOMING {
            let error = ErrorObject::new(-32603, "too many requests wait for the client");
            self.outgoing.push_back(refusal(&request_id, &error).into());
            return;
        }
        self.incoming.insert(request_id.clone(), waiting);
        self.events.push_back(Event::Request { request_id, frame });
    }

    fn resolved(&mut self, request_id: Box<str>, waiting: Waiting) {
        self.events.push_back(Event::Resolved {
            request_id: request_id.clone(),
            thread_id: waiting.thread_id.clone(),
        });
        self.closed.push_back((request_id, waiting));
        if self.closed.len() > MAX_INCOMING {
            self.closed.pop_front();
        }
    }

    fn send(
        &mut self,
        now: Instant,
        method: &str,
        params: &str,
        timeout: Duration,
        purpose: Purpose,
        is_counted: bool,
    ) -> u64 {
        self.last_request += 1;
        let request = self.last_request;
        let error = match &self.end {
            Some(why) => Some(RequestError::Ended(why.clone())),
            None if self.waiting.len() >= MAX_WAITING => Some(RequestError::QueueFull),
            None => None,
        };
        if let Some(error) = error {
            let outcome = Err(error);
            self.events.push_back(Event::Response { request, outcome });
            return request;
        }
        // A timeout without an end is the longest that the clock can represent.
        let deadline = [timeout, Duration::from_secs(1 << 32)]
            .into_iter()
            .find_map(|it| now.checked_add(it))
            .unwrap_or(now);
        let line = format!(
            "{{\"id\":{request},\"method\":{},\"params\":{params}}}\n",
            json!(method)
        );
        self.deadlines.insert((deadline, request));
        let pending = Pending {
            deadline,
            purpose,
            is_counted,
        };
        self.pending.insert(request, pending);
        if is_counted && self.in_flight >= IN_FLIGHT {
            self.waiting.push_back((request, line.into()));
        } else {
            self.in_flight += usize::from(is_counted);
            self.outgoing.push_back(line.into());
        }
        request
    }

    fn response(&mut self, now: Instant, request: u64, outcome: Result<Json, RequestError>) {
        let Some(pending) = self.pending.remove(&request) else {
            let problem = Event::Problem(Problem::UnknownResponse);
            return self.events.push_back(problem);
        };
        self.deadlines.remove(&(pending.deadline, request));
        if pending.is_counted {
            self.in_flight -= 1;
            if let Some((_, line)) = self.waiting.pop_front() {
                self.in_flight += 1;
                self.outgoing.push_back(line);
            }
        }
        match pending.purpose {
            Purpose::Host => self.events.push_back(Event::Response { request, outcome }),
            Purpose::Open => {
                if let Some(thread) = outcome.as_ref().ok().and_then(|it| it.member("thread")) {
                    self.opened(&thread);
                }
                self.events.push_back(Event::Response { request, outcome });
            }
            Purpose::Compact(thread_id) => {
                if let Some(thread) = self.threads.get_mut(&thread_id) {
                    thread.starting = None;
                    // It runs, and `turn/started` follows.
                    if outcome.is_ok() && !thread.has_ended() {
                        thread.turn.get_or_insert_default();
                    }
                    thread.ended.clear();
                }
                self.events.push_back(Event::Response { request, outcome });
                self.drive(now, &thread_id);
            }
            Purpose::Start(thread_id) => self.turn_accepted(now, &thread_id, outcome),
            Purpose::Steer(thread_id) => self.steered(now, &thread_id, request, outcome),
            Purpose::Interrupt(thread_id, turn_id) => {
                if let Err(error) = outcome {
                    self.interrupt_failed(now, &thread_id, &turn_id, error);
                }
            }
            Purpose::Commands(thread_id, items) => {
                if let Ok(list) = outcome {
                    self.commands_listed(now, &thread_id, &items, &list);
                }
            }
            Purpose::Terminate => {}
        }
    }

    fn submission_failed(
        &mut self,
        thread_id: &str,
        id: Box<str>,
        state: SubmissionState,
        error: SubmissionError,
    ) {
        self.events.push_back(Event::SubmissionEnded {
            thread_id: thread_id.into(),
            id,
            state,
            outcome: Err(error),
        });
    }
}

fn refusal(request_id: &str, error: &ErrorObject) -> String {
    let mut members = json!({"code": error.code, "message": error.message});
    if let Some(data) = error.data.as_ref().and_then(|it| it.to_value().ok()) {
        members["data"] = data;
    }
    format!("{{\"id\":{request_id},\"error\":{members}}}\n")
}

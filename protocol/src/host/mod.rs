//! The host's side of a session, as a state machine.
//!
//! It does no I/O, reads no clock and makes no ids. A driver tells it what
//! happened (`handle_*`), passes on what the user wants (`submit`, `request`,
//! `respond`, `finish`, `end`), and then asks what is to be done (`poll_*`)
//! until there is nothing left:
//!
//! ```
//! use agentwire_protocol::control::{self, Initialize};
//! use agentwire_protocol::host::{Event, Host, Request, Transmit};
//! use std::time::{Duration, Instant};
//!
//! let now = Instant::now();
//! let mut host = Host::default();
//! host.request(now, Request::new("r1", &Initialize::default())?, Duration::from_secs(60))?;
//!
//! // The pipe gets one frame at a time.
//! let Some(Transmit::Line(line)) = host.poll_transmit() else { panic!() };
//! assert!(line.starts_with(br#"{"type":"control_request","request_id":"r1""#));
//! assert!(host.poll_transmit().is_none());
//! host.handle_written(now);
//!
//! host.handle_input(now, b"{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"r1\"}}\n");
//! assert!(matches!(host.poll_event(), Some(Event::Answered { outcome: Ok(_), .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod activity;
mod background;
mod event;
mod incoming;
mod news;
mod queueing;
mod reading;
mod sign;
mod submissions;
mod transmit;
mod turns;
mod unclaimed;

pub use activity::Activity;
pub use event::{Ask, Event, Notice, RequestFailure};
pub use news::SessionNews;
pub use queueing::Queueing;
pub use submissions::SubmissionState;
pub use transmit::{NotTaken, Prompt, Request, Transmit};
pub use turns::{TurnEnd, TurnEvent, TurnOutcome};

use crate::codec::{DEFAULT_LINE_LIMIT, LineDecoder};
use crate::control::{self, Answer, CancelAsyncMessageAnswer};
use crate::frame::Frame;
use crate::json::{Json, Members};
use crate::outbox::{Class, Limits, Outbox, Outgoing, Waiting};
use crate::sabotage::{Bug, is_on};
use activity::{Open, Work};
use background::Background;
use bytes::Bytes;
use news::Known;
use queueing::Pressing;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};
use submissions::Submissions;
use turns::Turns;
use unclaimed::Unclaimed;

/// The host's side of a session.
#[derive(Debug)]
pub struct Host {
    decoder: LineDecoder,
    outbox: Outbox,
    /// The line that was handed to the pipe and is not yet known to be
    /// written.
    in_flight: Option<(Class, Box<str>)>,
    /// Requests of ours that are not answered.
    requests: BTreeMap<Box<str>, Pending>,
    /// Requests of the agent's that are not answered.
    asks: BTreeSet<Box<str>>,
    /// Those that were answered while an `initialize` was under way, whose
    /// answer may list them still.
    asks_answered: BTreeSet<Box<str>>,
    turns: Turns,
    work: Work,
    background: Background,
    known: Known,
    submissions: Submissions,
    queueing: Queueing,
    pressing: Pressing,
    /// How many requests the host has made for itself.
    own_requests: u64,
    /// How long the end is put off for what runs in the background.
    patience: Duration,
    /// Since when it is: until then.
    owed_until: Option<Instant>,
    /// Nothing in the background is waited for any more.
    gave_up: bool,
    unclaimed: Unclaimed,
    events: VecDeque<Event>,
    outgoing: OutgoingState,
    /// Whether the driver has stopped reading.
    is_unread: bool,
}

/// A request of ours that is not answered.
#[derive(Debug)]
struct Pending {
    subtype: Box<str>,
    /// `None` when it is so far away that no clock can say it.
    deadline: Option<Instant>,
    patience: Duration,
    /// User messages that still waited here when the request passed them.
    passed: Vec<String>,
    /// User messages that it withdrew here.
    withdrawn: Vec<String>,
    /// The user message that the agent is to take out of its queue.
    takes_back: Option<Box<str>>,
    /// What the host made it for, if it made it for itself: then nobody else
    /// waits for its answer.
    own: Option<OwnRequest>,
}

/// What the host makes requests for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OwnRequest {
    /// To make room for a message that is for now.
    Press,
    /// To see whether the agent reads.
    Doubt,
}

impl Pending {
    fn own(subtype: &str, now: Instant, patience: Duration, own: OwnRequest) -> Self {
        Self {
            subtype: subtype.into(),
            deadline: now.checked_add(patience),
            patience,
            passed: vec![],
            withdrawn: vec![],
            takes_back: None,
            own: Some(own),
        }
    }
}

/// How many asks are remembered that were answered while the agent owed its
/// answer to `initialize`.
const MOST_REMEMBERED: usize = 4096;

/// How far the host is with its own side of the pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutgoingState {
    Open,
    /// Nothing new is taken; the pipe is closed once the session is idle.
    Finishing,
    /// The pipe is to be closed as soon as nothing is in flight.
    Ending,
    /// Nothing can be written any more.
    Closed,
}

impl Default for Host {
    fn default() -> Self {
        Self::new(DEFAULT_LINE_LIMIT)
    }
}

impl Host {
    /// A session in which nothing has happened yet. Nothing but answers goes
    /// out before `initialize` was sent and answered.
    #[must_use]
    pub fn new(line_limit: usize) -> Self {
        Self {
            decoder: LineDecoder::new(line_limit),
            outbox: Outbox::held(),
            in_flight: None,
            requests: BTreeMap::new(),
            asks: BTreeSet::new(),
            asks_answered: BTreeSet::new(),
            turns: Turns::default(),
            work: Work::default(),
            background: Background::default(),
            known: Known::default(),
            submissions: Submissions::default(),
            queueing: Queueing::ByAgent,
            pressing: Pressing::No,
            own_requests: 0,
            patience: Duration::ZERO,
            owed_until: None,
            gave_up: false,
            unclaimed: Unclaimed::Nothing,
            events: VecDeque::new(),
            outgoing: OutgoingState::Open,
            is_unread: false,
        }
    }

    /// What the session is doing.
    #[must_use]
    pub fn activity(&self) -> Activity {
        self.work.activity(self.open())
    }

    /// The session's id, once a turn has begun.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        self.known.session_id()
    }

    /// Whether an ask is waiting for its answer.
    #[must_use]
    pub fn is_open(&self, request_id: &str) -> bool {
        self.asks.contains(request_id)
    }

    // What the user wants.

    /// Sets how many bytes may wait to be written.
    pub fn set_limits(&mut self, limits: Limits) {
        self.outbox.set_limits(limits);
    }

    /// What waits to be written.
    #[must_use]
    pub fn waiting(&self) -> Waiting {
        self.outbox.waiting()
    }

    /// Whether there is room for this message among those that wait.
    #[must_use]
    pub fn has_room(&self, prompt: &Prompt) -> bool {
        self.outbox.has_room(prompt.0.class, prompt.0.line.len())
    }

    /// Sends a user message.
    ///
    /// # Errors
    ///
    /// When the session is closing, or too much waits already.
    pub fn submit(&mut self, now: Instant, mut prompt: Prompt) -> Result<(), NotTaken> {
        self.check_open()?;
        if !self.has_room(&prompt) {
            return Err(NotTaken::Full);
        }
        prompt.0.since = Some(now);
        self.submissions.submitted(&prompt.0.id);
        self.outbox.push(prompt.0);
        self.press(now);
        self.after_change();
        Ok(())
    }

    /// Sends a request that has to be answered within `patience`. Every
    /// request ends in one [`Event::Answered`].
    ///
    /// # Errors
    ///
    /// When the session is closing, too much waits already, or the agent's
    /// output is not read. A session that is finishing still takes requests,
    /// for a callback may want to make one.
    pub fn request(
        &mut self,
        now: Instant,
        request: Request,
        patience: Duration,
    ) -> Result<(), NotTaken> {
        if matches!(self.outgoing, OutgoingState::Ending | OutgoingState::Closed) {
            return Err(NotTaken::Closing);
        }
        let Request {
            subtype,
            withdraws_waiting,
            takes_back,
            outgoing,
        } = request;
        if let Some(uuid) = takes_back.as_deref()
            && self.outbox.has_user(uuid)
        {
            self.withdraw_prompt(uuid);
            self.events.push_back(Event::Answered {
                outcome: Ok(taken_back(&outgoing.id, uuid)),
                request_id: outgoing.id,
            });
            self.after_change();
            return Ok(());
        }
        if self.is_unread {
            return Err(NotTaken::NotRead);
        }
        if !self.outbox.has_room(outgoing.class, outgoing.line.len()) {
            return Err(NotTaken::Full);
        }
        let (mut passed, mut withdrawn) = (Vec::new(), Vec::new());
        if outgoing.class == Class::Interrupt {
            passed.extend(self.outbox.passed_by_interrupt().map(str::to_owned));
        }
        if withdraws_waiting {
            withdrawn = std::mem::take(&mut passed);
            for uuid in &withdrawn {
                self.withdraw_prompt(uuid);
            }
        }
        let mut deadline = now.checked_add(patience);
        if is_on(Bug::DeadlineForgotten) {
            deadline = None;
        }
        let pending = Pending {
            subtype,
            deadline,
            patience,
            passed,
            withdrawn,
            takes_back,
            own: None,
        };
        self.requests.insert(outgoing.id.clone(), pending);
        self.outbox.push(outgoing);
        self.after_change();
        Ok(())
    }

    /// Takes a request back that is not answered yet: it ends at once, and the
    /// agent is told if it has left. `false` when it is answered, or was never
    /// made.
    pub fn cancel(&mut self, request_id: &str) -> bool {
        let Some((request_id, pending)) = self.requests.remove_entry(request_id) else {
            return false;
        };
        self.withdraw_request(&request_id);
        self.events.push_back(Event::Answered {
            request_id,
            outcome: Err(RequestFailure::Cancelled {
                subtype: pending.subtype,
            }),
        });
        self.after_change();
        true
    }

    /// Sends the answer to an ask; `line` is that of [`control::success`] or
    /// [`control::failure`]. `false` when the ask is not open: it was
    /// answered already, or cancelled, and a late answer must not be sent.
    pub fn respond(&mut self, request_id: &str, line: Bytes) -> bool {
        if !self.settle(request_id) {
            return false;
        }
        if self.outgoing != OutgoingState::Closed {
            self.outbox.push(Outgoing {
                class: Class::Answer,
                id: request_id.into(),
                line,
                since: None,
            });
        }
        self.after_change();
        true
    }

    /// Leaves an ask without an answer, as the protocol demands for dialogs
    /// that the host did not declare.
    pub fn leave_unanswered(&mut self, request_id: &str) {
        self.settle(request_id);
        self.after_change();
    }

    /// Closes the pipe once everything is written and the session is idle, and
    /// nothing runs in the background any more of which the agent would tell
    /// something. That, and an agent that says nothing of what it was sent, is
    /// waited for as long as `background` says, counted
    /// from when the session is idle.
    pub fn finish(&mut self, now: Instant, background: Duration) {
        if self.outgoing == OutgoingState::Open {
            self.outgoing = OutgoingState::Finishing;
            self.patience = background;
            self.watch(now);
        }
    }

    /// Closes the pipe as soon as the line in flight is written. What still
    /// waits is lost, and said to be.
    pub fn end(&mut self) {
        if self.outgoing != OutgoingState::Closed {
            self.outgoing = OutgoingState::Ending;
            self.lose_what_waits();
            self.after_change();
        }
    }

    // What happened.

    /// Bytes arrived from the agent.
    pub fn handle_input(&mut self, now: Instant, bytes: &[u8]) {
        self.decoder.push(bytes);
        while let Some(line) = self.decoder.next_line() {
            self.handle_line(now, line);
            self.after_change();
        }
        self.watch(now);
    }

    /// The agent's output ended. What came after the last newline is still
    /// read if it is a whole frame, and reported if it is not.
    pub fn handle_input_end(&mut self, now: Instant) {
        if let Some(line) = self.decoder.finish() {
            self.handle_line(now, line);
        }
        self.after_change();
    }

    /// The line that was handed out is written.
    pub fn handle_written(&mut self, now: Instant) {
        if let Some((Class::User(_), uuid)) = self.in_flight.take() {
            self.submissions.advance(&uuid, SubmissionState::Written);
            self.after_change();
        }
        self.watch(now);
    }

    /// The line that was handed out could not be written, and nothing can be
    /// from now on.
    pub fn handle_write_failed(&mut self) {
        self.outgoing = OutgoingState::Closed;
        if let Some((class, id)) = self.in_flight.take() {
            self.lose(class, id);
        }
        self.lose_what_waits();
        self.after_change();
    }

    /// Time has passed. Requests whose deadline is over end.
    pub fn handle_timeout(&mut self, now: Instant) {
        let late: Vec<Box<str>> = self
            .requests
            .iter()
            .filter(|(_, pending)| pending.deadline.is_some_and(|deadline| deadline <= now))
            .map(|(id, _)| id.clone())
            .collect();
        for id in late {
            let Some(pending) = self.requests.remove(&id) else {
                continue;
            };
            self.withdraw_request(&id);
            let failure = RequestFailure::TimedOut {
                subtype: pending.subtype,
                after: pending.patience,
            };
            self.end_request(now, id, pending.own, Err(failure));
        }
        if self.overdue().is_some_and(|until| until <= now) {
            self.pressing = Pressing::No;
            self.end_turn(TurnOutcome::NoResult, None);
            self.submissions.all_over(SubmissionState::Interrupted);
        }
        if self.owed_until.is_some_and(|until| until <= now) {
            self.owed_until = None;
            self.gave_up = true;
        }
        self.watch(now);
        if self.unclaimed_until().is_some_and(|until| until <= now) {
            self.doubt(now);
        }
        self.after_change();
        self.watch(now);
    }

    /// The session is over: everything that waits ends.
    pub fn handle_end(&mut self) {
        self.outgoing = OutgoingState::Closed;
        self.in_flight = None;
        self.outbox.drain();
        let requests = std::mem::take(&mut self.requests);
        for (request_id, pending) in requests.into_iter().filter(|(_, it)| it.own.is_none()) {
            let outcome = Err(RequestFailure::SessionEnded {
                subtype: pending.subtype,
            });
            self.events.push_back(Event::Answered {
                request_id,
                outcome,
            });
        }
        for request_id in std::mem::take(&mut self.asks) {
            self.events.push_back(Event::AskCancelled { request_id });
        }
        self.submissions.end();
        self.tell_submissions();
        self.end_turn(TurnOutcome::Lost, None);
        self.work.end();
        self.background.end();
        self.pressing = Pressing::No;
        self.owed_until = None;
        self.unclaimed = Unclaimed::Nothing;
    }

    // What to do next.

    /// What to do with the pipe. Nothing, as long as a line is in flight.
    pub fn poll_transmit(&mut self) -> Option<Transmit> {
        if self.in_flight.is_some() {
            return None;
        }
        match self.outgoing {
            OutgoingState::Closed => None,
            OutgoingState::Ending => {
                self.outgoing = OutgoingState::Closed;
                Some(Transmit::End)
            }
            OutgoingState::Open | OutgoingState::Finishing => match self.next_line() {
                Some(Outgoing {
                    class, id, line, ..
                }) => {
                    self.note_passed(class, &id);
                    if let Class::User(_) = class {
                        // What was proved before says nothing of this one.
                        self.unclaimed = Unclaimed::Nothing;
                        self.submissions.advance(&id, SubmissionState::Handed);
                        self.after_change();
                    }
                    self.in_flight = Some((class, id));
                    Some(Transmit::Line(line))
                }
                None if self.outgoing == OutgoingState::Finishing && self.is_done() => {
                    self.outgoing = OutgoingState::Closed;
                    Some(Transmit::End)
                }
                None => None,
            },
        }
    }

    /// What has happened, in the order of the wire.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// When [`Host::handle_timeout`] is to be called.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        let deadlines = self
            .requests
            .values()
            .filter_map(|pending| pending.deadline);
        let others = [self.overdue(), self.owed_until, self.unclaimed_until()];
        deadlines.chain(others.into_iter().flatten()).min()
    }

    // Inside.

    fn check_open(&self) -> Result<(), NotTaken> {
        if self.outgoing == OutgoingState::Open {
            Ok(())
        } else {
            Err(NotTaken::Closing)
        }
    }

    /// What goes out next.
    fn next_line(&mut self) -> Option<Outgoing> {
        self.outbox.pop().or_else(|| self.next_kept())
    }

    /// Nothing waits, nobody is waited for, and no turn runs.
    fn is_quiet(&self) -> bool {
        if is_on(Bug::ClosedTooEarly) {
            return self.outbox.is_empty() && self.submissions.is_empty();
        }
        self.outbox.is_empty()
            && self.requests.is_empty()
            && self.asks.is_empty()
            && self.activity() == Activity::Idle
    }

    fn is_done(&self) -> bool {
        if self.gave_up {
            return self.is_quiet() || self.is_stuck();
        }
        self.is_quiet() && !self.background.is_owed()
    }

    /// Nothing waits but for an agent that rests, and says nothing.
    fn is_stuck(&self) -> bool {
        self.outbox.is_empty() && self.asks.is_empty() && self.is_unclaimed()
    }

    /// Begins to count how long something is waited for that may never come, or
    /// counts no more.
    fn watch(&mut self, now: Instant) {
        self.watch_unclaimed(now);
        let is_waited_for = self.outgoing == OutgoingState::Finishing
            && !self.gave_up
            && (self.background.is_owed() && self.is_quiet() || self.is_stuck());
        if !is_waited_for {
            self.owed_until = None;
        } else if self.owed_until.is_none() {
            self.owed_until = now.checked_add(self.patience);
        }
    }

    /// What is open between the two sides.
    fn open(&self) -> Open {
        Open {
            turn: self.turns.is_running(),
            asks: !self.asks.is_empty(),
            messages: !self.submissions.is_empty(),
        }
    }

    /// A request has come to its end. Of one that the host made for itself
    /// nobody hears.
    fn end_request(
        &mut self,
        now: Instant,
        request_id: Box<str>,
        own: Option<OwnRequest>,
        outcome: Result<Answer, RequestFailure>,
    ) {
        match own {
            Some(OwnRequest::Press) => self.pressed(now, outcome.is_ok()),
            Some(OwnRequest::Doubt) => self.doubt_ended(now, outcome.as_ref().err()),
            None => self.events.push_back(Event::Answered {
                request_id,
                outcome,
            }),
        }
    }

    /// An ask of the agent's needs no answer any more. `false` when it was not
    /// open.
    fn settle(&mut self, request_id: &str) -> bool {
        let was_open = self.asks.remove(request_id);
        if was_open {
            self.remember_answered(request_id);
        }
        was_open
    }

    /// An answer to `initialize` that is under way may list an ask that is
    /// answered by now.
    fn remember_answered(&mut self, request_id: &str) {
        if self.asks_answered.len() < MOST_REMEMBERED && self.is_greeting() {
            self.asks_answered.insert(request_id.into());
        }
    }

    /// Whether an `initialize` waits for its answer.
    fn is_greeting(&self) -> bool {
        self.requests
            .values()
            .any(|pending| &*pending.subtype == "initialize")
    }

    /// Tells what the last thing that happened has changed.
    fn after_change(&mut self) {
        self.tell_submissions();
        let open = self.open();
        if let Some(activity) = self.work.poll_change(open) {
            self.events.push_back(Event::Activity(activity));
        }
    }

    fn tell_submissions(&mut self) {
        while let Some((uuid, state)) = self.submissions.poll_change() {
            let took_up = (state == SubmissionState::Started).then(|| self.turns.take_up(&uuid));
            self.events.push_back(Event::Submission { uuid, state });
            self.tell_turn(took_up.flatten());
        }
    }

    fn tell_turn(&mut self, event: Option<TurnEvent>) {
        self.events.extend(event.map(Event::Turn));
    }

    /// The turn that runs is over.
    fn end_turn(&mut self, outcome: TurnOutcome, frame: Option<Frame>) {
        let ended = self.turns.end(outcome, frame);
        self.tell_turn(ended);
    }

    /// A user message that waits is taken back.
    fn withdraw_prompt(&mut self, uuid: &str) {
        let is_it = |line: &Outgoing| matches!(line.class, Class::User(_)) && &*line.id == uuid;
        if self.outbox.withdraw(is_it).is_some() {
            self.submissions.advance(uuid, SubmissionState::Withdrawn);
        }
    }

    /// An interrupt leaves: what it passed is what waited when it was made
    /// and waits still.
    fn note_passed(&mut self, class: Class, id: &str) {
        if class == Class::Interrupt
            && let Some(pending) = self.requests.get_mut(id)
        {
            pending.passed.retain(|uuid| self.outbox.has_user(uuid));
        }
    }

    /// Nobody waits for the answer any more: the request is taken back where
    /// it still waits, and cancelled where it has left.
    fn withdraw_request(&mut self, request_id: &str) {
        let is_it =
            |line: &Outgoing| !matches!(line.class, Class::User(_)) && &*line.id == request_id;
        if self.outbox.withdraw(is_it).is_none() && self.outgoing != OutgoingState::Closed {
            let line = control::cancel(request_id);
            self.outbox.push(Outgoing {
                class: Class::Control,
                id: request_id.into(),
                line,
                since: None,
            });
        }
    }

    fn lose_what_waits(&mut self) {
        for outgoing in self.outbox.drain() {
            self.lose(outgoing.class, outgoing.id);
        }
    }

    /// Something will never be written. A request among it still ends: by its
    /// deadline, or with the session, which knows the reason.
    fn lose(&mut self, class: Class, id: Box<str>) {
        if let Class::User(_) = class {
            self.submissions.not_written(&id);
        }
    }
}

/// The answer to a request that takes a message back which never left the
/// host.
fn taken_back(request_id: &str, uuid: &str) -> Answer {
    let answer = CancelAsyncMessageAnswer {
        cancelled: true,
        message_uuid: Some(uuid.to_owned()),
        extra: Members::default(),
    };
    Answer::success(request_id, Json::from_value(&answer).ok())
}

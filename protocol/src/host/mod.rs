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
mod asks;
mod background;
mod doubt;
mod ending;
mod event;
mod incoming;
mod kept;
mod login;
mod mcp;
mod news;
mod pending;
mod queueing;
mod reading;
mod requests;
mod sign;
mod submissions;
mod transmit;
mod turns;
mod unclaimed;

pub use activity::Activity;
pub use event::{Ask, Event, Notice, RequestFailure};
pub use login::AuthUpdate;
pub use news::SessionUpdate;
pub use queueing::Queueing;
pub use submissions::SubmissionState;
pub use transmit::{NotTaken, Prompt, Request, Transmit};
pub use turns::{TurnEnd, TurnEvent, TurnOutcome};

use crate::codec::{DEFAULT_LINE_LIMIT, LineDecoder};
use crate::frame::Frame;
use crate::outbox::{Class, Limits, Outbox, Outgoing, Waiting};
use activity::{Open, Work};
use asks::Asks;
use background::Background;
use bytes::Bytes;
use news::Known;
use pending::Requests;
use queueing::Pressing;
use std::collections::{BTreeSet, VecDeque};
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
    requests: Requests,
    /// Requests of the agent's that are not answered.
    asks: Asks,
    /// When it was told last that asks are refused, and how many were since.
    told_refused: Option<Instant>,
    untold: u32,
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
    /// How many messages of MCP servers it has passed on.
    relayed: u64,
    /// How long the end is put off for what runs in the background.
    patience: Duration,
    /// Since when it is: until then.
    owed_until: Option<Instant>,
    /// Nothing in the background is waited for any more.
    gave_up: bool,
    unclaimed: Unclaimed,
    events: VecDeque<Event>,
    outgoing: OutgoingState,
    /// Whether the driver has paused reading.
    is_paused: bool,
    /// Whether the agent takes a request back when it is asked to.
    takes_cancels: bool,
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
            requests: Requests::default(),
            asks: Asks::default(),
            told_refused: None,
            untold: 0,
            asks_answered: BTreeSet::new(),
            turns: Turns::default(),
            work: Work::default(),
            background: Background::default(),
            known: Known::default(),
            submissions: Submissions::default(),
            queueing: Queueing::ByAgent,
            pressing: Pressing::No,
            own_requests: 0,
            relayed: 0,
            patience: Duration::ZERO,
            owed_until: None,
            gave_up: false,
            unclaimed: Unclaimed::Nothing,
            events: VecDeque::new(),
            outgoing: OutgoingState::Open,
            is_paused: false,
            takes_cancels: false,
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

    /// Sends the answer to an ask; `line` is that of [`control::success`](crate::control::success) or
    /// [`control::failure`](crate::control::failure). `false` when the ask is not open: it was
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
        self.end_late_requests(now);
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
        let deadlines = [
            self.requests.deadline(),
            self.overdue(),
            self.owed_until,
            self.unclaimed_until(),
        ];
        deadlines.into_iter().flatten().min()
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

    /// What is open between the two sides.
    fn open(&self) -> Open {
        Open {
            turn: self.turns.is_running(),
            asks: self.asks.wait_for_people(),
            messages: !self.submissions.is_empty(),
        }
    }

    /// An ask of the agent's needs no answer any more. `false` when it was not
    /// open.
    fn settle(&mut self, request_id: &str) -> bool {
        let was_open = self.asks.close(request_id);
        if was_open {
            self.remember_answered(request_id);
        }
        was_open
    }

    /// An answer to `initialize` that is under way may list an ask that is
    /// answered by now.
    fn remember_answered(&mut self, request_id: &str) {
        if self.asks_answered.len() < MOST_REMEMBERED && self.requests.has_greeting() {
            self.asks_answered.insert(request_id.into());
        }
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
        let is_user = |class| matches!(class, Class::User(_));
        if self.outbox.withdraw(uuid, is_user).is_some() {
            self.submissions.advance(uuid, SubmissionState::Withdrawn);
        }
    }
}

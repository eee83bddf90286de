//! The host's side of a session, as a state machine.
//!
//! [`Host`] does no I/O, reads no clock and generates no IDs. A driver reports
//! what happened (`handle_*`) and passes on the user's calls (`submit`,
//! `request`, `respond`, `finish`, `end`). After each call it polls (`poll_*`)
//! until there is nothing left to do:
//!
//! ```
//! use agentwire_protocol::control::{self, Initialize};
//! use agentwire_protocol::host::{HostEvent, Host, Request, Transmit};
//! use std::time::{Duration, Instant};
//!
//! let now = Instant::now();
//! let mut host = Host::default();
//! host.request(now, Request::new("r1", &Initialize::default())?, Duration::from_secs(60))?;
//!
//! // The driver writes one frame at a time.
//! let Some(Transmit::Line(line)) = host.poll_transmit() else { panic!() };
//! assert!(line.starts_with(br#"{"type":"control_request","request_id":"r1""#));
//! assert!(host.poll_transmit().is_none());
//! host.handle_written(now);
//!
//! host.handle_input(now, b"{\"type\":\"control_response\",\"response\":{\"subtype\":\"success\",\"request_id\":\"r1\"}}\n");
//! assert!(matches!(host.poll_event(), Some(HostEvent::RequestEnded { outcome: Ok(_), .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod activity;
mod background;
mod backlog;
mod classify;
mod ending;
mod event;
mod idle_probe;
mod incoming;
mod incoming_requests;
mod journal;
mod login;
mod mcp;
mod metadata;
mod pending;
mod queueing;
mod reading;
mod redelivery;
mod requests;
mod restart;
mod submissions;
mod succession;
mod transmit;
mod turns;
mod watchdog;

pub use activity::Activity;
pub use event::{HostEvent, IncomingRequest, RequestFailure, WireNotice};
pub use login::AuthUpdate;
pub use metadata::SessionUpdate;
pub use queueing::Queueing;
pub use redelivery::Redelivery;
pub use submissions::SubmissionState;
pub use succession::{Handover, ToolCall, TurnRecovery};
pub use transmit::{Prompt, QueueError, Request, Transmit};
pub use turns::{TurnEnd, TurnEvent, TurnOutcome};

use crate::codec::{DEFAULT_LINE_LIMIT, LineDecoder};
use crate::frame::Frame;
use crate::outbox::{Class, Limits, Outbox, Outgoing, QueueSize, Urgency};
use crate::sorted::SortedMap;
use activity::{Open, Work};
use background::Background;
use bytes::{Bytes, BytesMut};
use idle_probe::IdleProbe;
use incoming_requests::IncomingRequests;
use journal::Journal;
use metadata::Metadata;
use pending::Requests;
use queueing::Preemption;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use submissions::Submissions;
use succession::Succession;
use turns::Turns;
use watchdog::Watchdog;

/// The host's side of a session.
#[derive(Debug)]
pub struct Host {
    decoder: LineDecoder,
    outbox: Outbox,
    /// The class, ID and size of the line that the driver is writing.
    in_flight: Option<(Class, Arc<str>, usize)>,
    /// The IDs and sizes of the user messages that are written together with
    /// the line in flight.
    batched: Vec<(Arc<str>, usize)>,
    /// Pending requests of the host.
    requests: Requests,
    /// Pending requests of the agent.
    incoming_requests: IncomingRequests,
    /// The time of the last notice about refused requests, and the number of
    /// refused requests since.
    last_refusal_notice: Option<Instant>,
    suppressed: u32,
    /// Requests to which the host responded while an `initialize` was pending.
    /// The response to that `initialize` may still list them.
    answered_requests: SortedMap<Box<str>, ()>,
    turns: Turns,
    work: Work,
    background: Background,
    known: Metadata,
    submissions: Submissions,
    queueing: Queueing,
    preemption: Preemption,
    /// The number of requests that the host made on its own.
    own_requests: u64,
    /// The number of messages of MCP servers sent to the agent.
    relayed: u64,
    /// The maximum wait for background tasks before closing.
    background_timeout: Duration,
    /// The deadline of the wait for background tasks, once it has started.
    background_deadline: Option<Instant>,
    /// Whether the deadline for background tasks has passed.
    background_expired: bool,
    idle_probe: IdleProbe,
    events: VecDeque<HostEvent>,
    outgoing: OutgoingState,
    /// Whether the driver has paused reading.
    is_paused: bool,
    /// Whether the agent supports cancellation of requests.
    supports_cancellation: bool,
    /// Whether the agent has a queue and reports the IDs of its messages.
    reports_message_ids: bool,
    line_limit: usize,
    /// The settings to restore in the agent's next process.
    journal: Journal,
    succession: Succession,
    watchdog: Watchdog,
}

/// The maximum length of `answered_requests`.
const MAX_ANSWERED: usize = 4096;

/// The maximum number of lines that a call of [`Host::handle_received`]
/// handles.
const MAX_LINES: usize = 16;

/// The maximum capacity of an empty event queue.
const MAX_EVENT_CAPACITY: usize = 256;

/// The state of the host's side of the pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutgoingState {
    Open,
    /// New messages are refused, and the pipe is closed once the session is
    /// idle.
    Finishing,
    /// The pipe is closed as soon as nothing is in flight.
    Ending,
    /// Nothing can be written any more.
    Closed,
    /// Nothing can be written to this process any more. The outbound queue is
    /// retained for the next process.
    Broken,
}

impl Default for Host {
    fn default() -> Self {
        Self::new(DEFAULT_LINE_LIMIT)
    }
}

impl Host {
    /// Creates a session. Until `initialize` has a response, only responses are
    /// sent to the agent.
    #[must_use]
    pub fn new(line_limit: usize) -> Self {
        Self {
            decoder: LineDecoder::new(line_limit),
            outbox: Outbox::gated(),
            in_flight: None,
            batched: Vec::new(),
            requests: Requests::default(),
            incoming_requests: IncomingRequests::default(),
            last_refusal_notice: None,
            suppressed: 0,
            answered_requests: SortedMap::new(),
            turns: Turns::default(),
            work: Work::default(),
            background: Background::default(),
            known: Metadata::default(),
            submissions: Submissions::default(),
            queueing: Queueing::ByAgent,
            preemption: Preemption::No,
            own_requests: 0,
            relayed: 0,
            background_timeout: Duration::ZERO,
            background_deadline: None,
            background_expired: false,
            idle_probe: IdleProbe::Inactive,
            events: VecDeque::new(),
            outgoing: OutgoingState::Open,
            is_paused: false,
            supports_cancellation: false,
            reports_message_ids: false,
            line_limit,
            journal: Journal::default(),
            succession: Succession::default(),
            watchdog: Watchdog::default(),
        }
    }

    /// Returns the activity of the session.
    #[must_use]
    pub fn activity(&self) -> Activity {
        self.work.activity(self.open())
    }

    /// Returns whether nothing runs, and at most this many messages have no final state.
    #[must_use]
    pub fn is_idle_but_for(&self, messages: usize) -> bool {
        let open = Open {
            messages: self.submissions.len() > messages,
            ..self.open()
        };
        self.work.activity(open) == Activity::Idle
    }

    /// Returns the session ID, once the first turn has started.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        self.known.session_id()
    }

    /// Returns whether a request of the agent is pending.
    #[must_use]
    pub fn is_open(&self, request_id: &str) -> bool {
        self.incoming_requests.contains(request_id)
    }

    // Methods that pass on calls of the user.

    /// Sets the limits of the outbound queue.
    pub fn set_limits(&mut self, limits: Limits) {
        self.outbox.set_limits(limits);
    }

    /// Returns the delivery state of a user message, until it is final.
    #[must_use]
    pub fn submission_state(&self, uuid: &str) -> Option<SubmissionState> {
        self.submissions.state(uuid)
    }

    /// Returns the size of the outbound queue.
    #[must_use]
    pub fn waiting(&self) -> QueueSize {
        self.outbox.waiting()
    }

    /// Returns whether the outbound queue has room for this message.
    #[must_use]
    pub fn has_room(&self, prompt: &Prompt) -> bool {
        self.outbox.has_room(prompt.0.class, prompt.0.line.len())
    }

    /// Queues a user message.
    ///
    /// # Errors
    ///
    /// [`QueueError::Closing`] if the session is closing, [`QueueError::Full`] if
    /// the outbound queue is full.
    pub fn submit(&mut self, now: Instant, mut prompt: Prompt) -> Result<(), QueueError> {
        self.check_open()?;
        if !self.has_room(&prompt) {
            return Err(QueueError::Full);
        }
        prompt.0.since = Some(now);
        self.submissions.submitted(&prompt.0.id);
        self.outbox.push(prompt.0);
        self.preempt(now);
        self.after_change();
        Ok(())
    }

    /// Sends a response to a request of the agent. Create `line` with
    /// [`control::success`](crate::control::success) or
    /// [`control::failure`](crate::control::failure).
    ///
    /// Returns `false`, and sends nothing, if the request is not pending,
    /// because it already has a response or was cancelled.
    pub fn respond(&mut self, request_id: &str, line: Bytes) -> bool {
        if !self.settle(request_id) {
            return false;
        }
        if self.outgoing != OutgoingState::Closed {
            self.outbox.push(Outgoing {
                class: Class::Response,
                id: request_id.into(),
                line,
                since: None,
            });
        }
        self.after_change();
        true
    }

    /// Leaves a request of the agent without a response, as the protocol
    /// requires for dialogs that the host did not declare.
    pub fn leave_unanswered(&mut self, request_id: &str) {
        self.settle(request_id);
        self.after_change();
    }

    // Methods that report events of the driver.

    /// Handles bytes from the agent.
    pub fn handle_input(&mut self, now: Instant, bytes: &[u8]) {
        self.decoder.push(bytes);
        while self.handle_received(now) {}
    }

    /// Returns the buffer of incomplete lines, to which a reader appends. See
    /// [`LineDecoder::buffer`]. Call [`handle_received`](Host::handle_received)
    /// afterwards.
    pub fn buffer(&mut self) -> &mut BytesMut {
        self.decoder.buffer()
    }

    /// Handles up to 16 lines that were appended to the buffer. Returns whether
    /// the buffer may contain more lines. The limit bounds the number of
    /// buffered events after a large read.
    pub fn handle_received(&mut self, now: Instant) -> bool {
        self.feed_watchdog(now);
        let mut lines = 0;
        while lines < MAX_LINES
            && let Some(line) = self.decoder.next_line()
        {
            self.handle_line(now, line);
            self.after_change();
            lines += 1;
        }
        self.watch(now);
        lines == MAX_LINES
    }

    /// Handles the end of the agent's output. If the bytes after the last
    /// newline are a whole frame, handles this frame. Otherwise, reports these
    /// bytes as a notice.
    pub fn handle_input_end(&mut self, now: Instant) {
        if let Some(line) = self.decoder.finish() {
            self.handle_line(now, line);
        }
        self.after_change();
    }

    /// Handles a successful write of the lines in flight.
    pub fn handle_written(&mut self, now: Instant) {
        self.handle_partly_written(now, usize::MAX);
    }

    /// Handles a write of only `bytes` bytes of the lines in flight. Complete lines count as
    /// written. Call this before [`Host::handle_write_failed`] if several lines are in flight.
    pub fn handle_partly_written(&mut self, now: Instant, bytes: usize) {
        let is_whole = |(.., size): &mut (Class, Arc<str>, usize)| *size <= bytes;
        if let Some((class, uuid, size)) = self.in_flight.take_if(is_whole) {
            let mut rest = bytes - size;
            if let Class::User(_) = class {
                self.submissions.advance(&uuid, SubmissionState::Written);
            }
            let whole = self.batched.iter().take_while(|(_, size)| {
                let is_whole = *size <= rest;
                rest = rest.saturating_sub(*size);
                is_whole
            });
            let whole = whole.count();
            for (uuid, _) in self.batched.drain(..whole) {
                self.submissions.advance(&uuid, SubmissionState::Written);
            }
            if !self.batched.is_empty() {
                let (uuid, size) = self.batched.remove(0);
                self.in_flight = Some((Class::User(Urgency::Next), uuid, size));
            }
            self.after_change();
        }
        self.watch(now);
    }

    /// Handles a failed write of the lines in flight. Nothing can be written
    /// from now on. Queued messages are lost, unless they are
    /// [retained](Host::retain_for_restart) for the next process.
    pub fn handle_write_failed(&mut self) {
        if self.succession.retains_lines && self.can_restart() {
            self.outgoing = OutgoingState::Broken;
            self.forget_in_flight();
            return;
        }
        self.outgoing = OutgoingState::Closed;
        if let Some((class, id, _)) = self.in_flight.take() {
            self.lose(class, &id);
        }
        for (id, _) in std::mem::take(&mut self.batched) {
            self.lose(Class::User(Urgency::Next), &id);
        }
        self.lose_queued();
        self.after_change();
    }

    /// Handles the passing of time. Ends requests whose deadline has passed.
    pub fn handle_timeout(&mut self, now: Instant) {
        self.end_expired_requests(now);
        if self.overdue().is_some_and(|until| until <= now) {
            self.preemption = Preemption::No;
            self.end_turn(TurnOutcome::NoResult, None);
            self.submissions.end_all(SubmissionState::Interrupted);
        }
        if self.background_deadline.is_some_and(|until| until <= now) {
            self.background_deadline = None;
            self.background_expired = true;
        }
        self.watch(now);
        self.handle_watchdog_deadline(now);
        if self.idle_probe_deadline().is_some_and(|until| until <= now) {
            self.handle_idle_probe_deadline(now);
        }
        self.after_change();
        self.watch(now);
    }

    // Methods that the driver polls.

    /// Returns the next action on the pipe. `None` while a line is in flight,
    /// or if there is nothing to do.
    pub fn poll_transmit(&mut self) -> Option<Transmit> {
        if self.in_flight.is_some() {
            return None;
        }
        match self.outgoing {
            OutgoingState::Closed | OutgoingState::Broken => None,
            OutgoingState::Ending => {
                self.outgoing = OutgoingState::Closed;
                Some(Transmit::End)
            }
            OutgoingState::Open | OutgoingState::Finishing => match self.next_line() {
                Some(outgoing) => {
                    self.note_in_flight(&outgoing);
                    let Outgoing {
                        class, id, line, ..
                    } = outgoing;
                    self.in_flight = Some((class, id, line.len()));
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

    /// Returns a user message to be written together with the user message in
    /// flight, if its line has at most `bytes` bytes. [`Host::handle_written`]
    /// then confirms all of them. Call this before writing has begun.
    pub fn poll_transmit_behind(&mut self, bytes: usize) -> Option<Bytes> {
        let is_open = matches!(
            self.outgoing,
            OutgoingState::Open | OutgoingState::Finishing
        );
        if !is_open || !matches!(self.in_flight, Some((Class::User(_), ..))) {
            return None;
        }
        let outgoing = self.outbox.pop_user(bytes)?;
        self.note_in_flight(&outgoing);
        let Outgoing { id, line, .. } = outgoing;
        self.batched.push((id, line.len()));
        Some(line)
    }

    /// Records that a line is handed to the driver.
    fn note_in_flight(&mut self, outgoing: &Outgoing) {
        let Outgoing { class, id, .. } = outgoing;
        let is_user = matches!(class, Class::User(_));
        if self.succession.retains_lines && is_user {
            self.submissions.retain(outgoing);
        }
        self.note_passed(*class, id);
        if is_user {
            // The running idle probe does not cover this message.
            self.idle_probe = IdleProbe::Inactive;
            self.submissions.advance(id, SubmissionState::Handed);
            self.after_change();
        }
    }

    fn forget_in_flight(&mut self) {
        self.in_flight = None;
        self.batched.clear();
    }

    /// Returns the next event, in wire order.
    pub fn poll_event(&mut self) -> Option<HostEvent> {
        if self.events.is_empty() && self.events.capacity() > MAX_EVENT_CAPACITY {
            self.events = VecDeque::new();
        }
        self.events.pop_front()
    }

    /// Returns the instant at which to call [`Host::handle_timeout`].
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Instant> {
        let deadlines = [
            self.requests.deadline(),
            self.overdue(),
            self.background_deadline,
            self.idle_probe_deadline(),
            self.watchdog.deadline(),
        ];
        deadlines.into_iter().flatten().min()
    }

    /// Defers a user message that is about to be queued. It stays in the queue
    /// until [`Host::release`], with all messages and requests behind it. It
    /// can still be withdrawn.
    pub fn defer(&mut self, uuid: &str) {
        self.outbox.defer(uuid);
    }

    /// Releases a deferred user message.
    pub fn release(&mut self, uuid: &str) {
        self.outbox.release(uuid);
    }

    /// Returns whether the agent is known to report which messages its turns
    /// pick up.
    #[must_use]
    pub fn reports_pick_ups(&self) -> bool {
        self.submissions.are_reported()
    }

    // Private methods.

    fn check_open(&self) -> Result<(), QueueError> {
        if self.can_restart() {
            Ok(())
        } else {
            Err(QueueError::Closing)
        }
    }

    /// Returns the next line to send.
    fn next_line(&mut self) -> Option<Outgoing> {
        self.outbox.pop().or_else(|| self.next_from_backlog())
    }

    /// Returns the pending work between the two sides.
    fn open(&self) -> Open {
        Open {
            turn: self.turns.is_running(),
            incoming_requests: self.incoming_requests.await_user(),
            messages: !self.submissions.is_empty(),
        }
    }

    /// Removes a pending request of the agent. Returns `false` if the request
    /// was not pending.
    fn settle(&mut self, request_id: &str) -> bool {
        let was_open = self.incoming_requests.close(request_id);
        if was_open {
            self.remember_answered(request_id);
        }
        was_open
    }

    /// Remembers a request to which the host responded while an `initialize` is
    /// pending, whose response may still list the request.
    fn remember_answered(&mut self, request_id: &str) {
        if self.answered_requests.len() < MAX_ANSWERED && self.requests.has_initialize() {
            self.answered_requests.insert(request_id.into(), ());
        }
    }

    /// Emits the events that follow from the last change.
    fn after_change(&mut self) {
        self.report_submissions();
        let open = self.open();
        if let Some(activity) = self.work.poll_change(open) {
            self.events.push_back(HostEvent::Activity(activity));
        }
    }

    fn report_submissions(&mut self) {
        while let Some((uuid, state)) = self.submissions.poll_change() {
            let took_up = (state == SubmissionState::Started).then(|| self.turns.pick_up(&uuid));
            self.events.push_back(HostEvent::Submission { uuid, state });
            self.report_turn(took_up.flatten());
        }
    }

    fn report_turn(&mut self, event: Option<TurnEvent>) {
        self.events.extend(event.map(HostEvent::Turn));
    }

    /// Ends the running turn.
    fn end_turn(&mut self, outcome: TurnOutcome, frame: Option<Frame>) {
        let ended = self.turns.end(outcome, frame);
        self.report_turn(ended);
    }

    /// Withdraws a queued user message.
    fn withdraw_prompt(&mut self, uuid: &str) {
        let is_user = |class| matches!(class, Class::User(_));
        if self.outbox.withdraw(uuid, is_user).is_some() {
            self.submissions.advance(uuid, SubmissionState::Withdrawn);
        }
    }
}

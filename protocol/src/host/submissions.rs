//! Delivery states of user messages.
//!
//! The states are derived from lifecycle reports, from the IDs that messages
//! and results name, from receipts and from echoes. Not every agent sends all
//! of these. Each state is reported once and never goes back. Late and repeated
//! reports are ignored.

use super::TurnOutcome;
use super::classify::{FrameClass, ResultSummary, is_queue_named, named};
use crate::control::InterruptReceipt;
use crate::frame::Frame;
use crate::ids::IdMap;
use crate::message::{CommandLifecycle, CommandState};
use crate::outbox::Outgoing;
use std::collections::VecDeque;
use std::fmt;
use std::mem;
use std::sync::Arc;

/// The delivery state of a user message. A later state implies the earlier
/// ones. Not every agent reports all states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SubmissionState {
    /// The message is in the host's outbound queue, and can be withdrawn.
    Waiting,
    /// The driver has the message, which can no longer be withdrawn.
    Handed,
    /// The message was written to the pipe.
    Written,
    /// The message is in the agent's queue.
    Queued,
    /// A turn picked up the message.
    Started,
    /// Final: the turn has ended, successfully or not.
    Completed,
    /// Final: the turn was cut off by an interrupt or by a message with the
    /// priority `now`.
    Interrupted,
    /// Final: the message was withdrawn before it left the host.
    Withdrawn,
    /// Final: the message was removed from the agent's queue before a turn
    /// picked it up.
    Cancelled,
    /// Final: a hook blocked the message.
    Refused,
    /// Final: the end of the agent's process cut off the message's turn, and
    /// the session's next process does not resume the turn.
    CutOff,
    /// Final: the agent's process ended, and it is unknown whether a turn had
    /// picked up the message. The message is not sent again, because it might
    /// run twice.
    Unknown,
    /// Final: the message never reached the agent, the agent ignored it, or the
    /// session ended first.
    Lost,
}

impl SubmissionState {
    /// Returns whether this is a final state.
    #[must_use]
    pub fn is_end(self) -> bool {
        self >= Self::Completed
    }
}

impl fmt::Display for SubmissionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Waiting => "waiting",
            Self::Handed => "handed",
            Self::Written => "written",
            Self::Queued => "queued",
            Self::Started => "started",
            Self::Completed => "completed",
            Self::Interrupted => "interrupted",
            Self::Withdrawn => "withdrawn",
            Self::Cancelled => "cancelled",
            Self::Refused => "refused",
            Self::CutOff => "cut off",
            Self::Unknown => "unknown",
            Self::Lost => "lost",
        })
    }
}

impl From<TurnOutcome> for SubmissionState {
    /// Returns the state of a message after a turn with this outcome.
    fn from(outcome: TurnOutcome) -> Self {
        match outcome {
            TurnOutcome::Interrupted | TurnOutcome::Preempted => Self::Interrupted,
            TurnOutcome::CutOff => Self::CutOff,
            TurnOutcome::Lost => Self::Lost,
            _ => Self::Completed,
        }
    }
}

/// The maximum number of finished messages whose IDs are remembered.
const MAX_REMEMBERED: usize = 256;

/// User messages that are not in a final state.
#[derive(Debug, Default)]
pub(super) struct Submissions {
    pub(super) open: IdMap<Open>,
    /// The number of messages that were sent.
    sent: u64,
    /// The number of sent messages that are not in a final state.
    pub(super) outstanding: usize,
    /// Messages that were sent as one, by the ID that the agent knows.
    pub(super) joined: IdMap<Vec<Arc<str>>>,
    /// The IDs of the last finished messages. The agent ignores another message
    /// with the same ID.
    finished: VecDeque<Arc<str>>,
    changes: VecDeque<(Arc<str>, SubmissionState)>,
    /// Whether the agent reports lifecycles.
    pub(super) has_lifecycles: bool,
    /// Whether the agent names the messages that its turns answer.
    has_names: bool,
    /// Whether a turn has ended since the last message was sent.
    pub(super) turn_ended: bool,
    /// Whether a hook has blocked the prompt of the running turn.
    pub(super) is_blocked: bool,
}

/// A user message that is not in a final state.
#[derive(Debug)]
pub(super) struct Open {
    id: Arc<str>,
    /// The state of the message in the agent's current process.
    pub(super) state: SubmissionState,
    /// The last state that was reported to the user. A process to which the
    /// message is sent again repeats states.
    reported: SubmissionState,
    /// The position of the message among the sent messages, counted from 1.
    pub(super) sequence: u64,
    /// The line of the message, if the session may restart. Boxed, because most sessions may not.
    pub(super) line: Option<Box<Outgoing>>,
    /// Whether the message was sent to an earlier process, and no turn of this
    /// process has picked it up.
    pub(super) is_redelivered: bool,
    /// Whether this process has reported that it already knew the message.
    pub(super) is_known: bool,
}

impl Open {
    fn new(id: &Arc<str>) -> Self {
        Self {
            id: Arc::clone(id),
            state: SubmissionState::Waiting,
            reported: SubmissionState::Waiting,
            sequence: 0,
            line: None,
            is_redelivered: false,
            is_known: false,
        }
    }

    pub(super) fn is_sent(&self) -> bool {
        self.state > SubmissionState::Waiting
    }
}

impl Submissions {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns the number of messages that are not in a final state.
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    /// Returns whether a sent message is not in a final state.
    pub(super) fn are_outstanding(&self) -> bool {
        self.outstanding > 0
    }

    /// Returns the messages for which `is_wanted` returns `true`, with their
    /// states, in the order in which they were sent. Messages that were not
    /// sent come last.
    pub(super) fn select(
        &self,
        is_wanted: &dyn Fn(&str, &Open) -> bool,
    ) -> Vec<(Arc<str>, SubmissionState)> {
        let wanted = self.open.iter().filter(|(uuid, it)| is_wanted(uuid, it));
        let mut wanted: Vec<_> = wanted.collect();
        wanted.sort_unstable_by_key(|(uuid, it)| (it.sequence.wrapping_sub(1), *uuid));
        wanted
            .into_iter()
            .map(|(uuid, it)| (uuid.clone(), it.state))
            .collect()
    }

    /// Returns the state of a message, if it is not final.
    pub(super) fn state(&self, uuid: &str) -> Option<SubmissionState> {
        self.open.get(uuid).map(|it| it.state)
    }

    /// Adds a queued message. Like the agent, treats a pending message with the same
    /// ID as the same message.
    pub(super) fn submitted(&mut self, uuid: &Arc<str>) {
        self.open
            .entry(Arc::clone(uuid))
            .or_insert_with(|| Open::new(uuid));
    }

    /// Records that messages are sent as one, under the ID of the first.
    pub(super) fn join(&mut self, first: &Arc<str>, others: Vec<Arc<str>>) {
        if !others.is_empty() {
            self.joined.insert(Arc::clone(first), others);
        }
    }

    /// Advances a message, and the messages sent together with it, to a state.
    /// Ignores a state that is not later than the known one.
    pub(super) fn advance(&mut self, uuid: &str, state: SubmissionState) {
        let others = if self.joined.is_empty() {
            None
        } else if state.is_end() {
            self.joined.remove(uuid)
        } else {
            self.joined.get(uuid).cloned()
        };
        self.advance_one(uuid, state);
        for other in others.into_iter().flatten() {
            self.advance_one(&other, state);
        }
    }

    fn advance_one(&mut self, uuid: &str, state: SubmissionState) {
        let Some(known) = self.open.get_mut(uuid) else {
            return;
        };
        if state <= known.state {
            return;
        }
        let was_sent = known.state > SubmissionState::Waiting;
        known.state = state;
        if state >= SubmissionState::Queued {
            known.is_redelivered = false;
        }
        if state > known.reported {
            known.reported = state;
            self.changes.push_back((Arc::clone(&known.id), state));
        }
        if !was_sent {
            self.sent += 1;
            known.sequence = self.sent;
        }
        match (was_sent, state.is_end()) {
            (false, false) => {
                self.outstanding += 1;
                self.turn_ended = false;
            }
            (true, true) => self.outstanding -= 1,
            _ => {}
        }
        if state.is_end()
            && let Some((uuid, _)) = self.open.remove_entry(uuid)
            && was_sent
        {
            self.finished.truncate(MAX_REMEMBERED - 1);
            self.finished.push_front(uuid);
        }
    }

    /// Returns the next change of a message's state, in order.
    pub(super) fn poll_change(&mut self) -> Option<(Arc<str>, SubmissionState)> {
        self.changes.pop_front()
    }

    /// Ends every pending message at the end of the session.
    pub(super) fn end(&mut self) {
        self.joined.clear();
        self.outstanding = 0;
        for (uuid, _) in self.select(&|_, _| true) {
            self.changes.push_back((uuid, SubmissionState::Lost));
        }
        self.open = IdMap::default();
    }

    /// Handles the response to an interrupt.
    pub(super) fn handle_receipt(&mut self, receipt: &InterruptReceipt) {
        for uuid in receipt.still_queued.iter().flatten() {
            self.reached_agent(uuid, SubmissionState::Queued);
        }
        for uuid in receipt.cancelled.iter().flatten() {
            self.cancelled(uuid);
        }
    }

    /// Handles the removal of a message from the agent's queue, or the end of
    /// its turn by an interrupt.
    pub(super) fn cancelled(&mut self, uuid: &str) {
        let how = match self.open.get(uuid) {
            Some(open) if open.state == SubmissionState::Started => SubmissionState::Interrupted,
            _ => SubmissionState::Cancelled,
        };
        self.reached_agent(uuid, how);
    }

    /// Handles a report of the agent about a sent message. Ignores a report
    /// about a queued message, because the report concerns an earlier message
    /// with the same ID.
    fn reached_agent(&mut self, uuid: &str, state: SubmissionState) {
        if self.state(uuid) > Some(SubmissionState::Waiting) {
            self.advance(uuid, state);
        }
    }

    /// Handles the messages that a frame starts.
    pub(super) fn handle_start(
        &mut self,
        class: &FrameClass,
        frame: &Frame,
        is_turn_running: bool,
    ) {
        match class {
            FrameClass::Lifecycle(_) => self.has_lifecycles = true,
            FrameClass::Init(init) => {
                self.has_names |= is_queue_named(init.capabilities.as_deref());
            }
            _ => {}
        }
        if self.open.is_empty() {
            return;
        }
        match class {
            FrameClass::Lifecycle(CommandLifecycle {
                command_uuid: uuid,
                state,
                ..
            }) => match state {
                CommandState::Queued => self.reached_agent(uuid, SubmissionState::Queued),
                CommandState::Started => self.reached_agent(uuid, SubmissionState::Started),
                _ => {}
            },
            FrameClass::Blocked => self.is_blocked = true,
            FrameClass::Echo => {
                if let Some(uuid) = frame.uuid() {
                    self.reached_agent(uuid, SubmissionState::Queued);
                }
            }
            // An agent that reports lifecycles has already reported this state.
            _ if self.has_lifecycles => {}
            FrameClass::Init(init) => {
                let names = init.user_message_uuids.as_deref().unwrap_or_default();
                self.started(names, is_turn_running);
            }
            FrameClass::Status { names, .. } => self.started(names, is_turn_running),
            FrameClass::ModelOutput if frame.kind() == "assistant" => {
                self.started(&named(frame), is_turn_running);
            }
            FrameClass::Result(result) => {
                self.started(result.names.as_deref().unwrap_or_default(), is_turn_running);
            }
            _ => {}
        }
    }

    /// Marks the named messages as started. If this agent never names messages,
    /// a turn is running and only one message is outstanding, marks that one.
    fn started(&mut self, names: &[String], is_turn_running: bool) {
        self.has_names |= !names.is_empty();
        for uuid in names {
            self.reached_agent(uuid, SubmissionState::Started);
        }
        if !self.has_names
            && is_turn_running
            && let Some(uuid) = self.only_outstanding()
        {
            self.advance(&uuid, SubmissionState::Started);
        }
    }

    /// Returns the outstanding message, if there is only one (or several were
    /// sent as one).
    fn only_outstanding(&self) -> Option<Arc<str>> {
        let (first, others) = match self.joined.iter().next() {
            Some((first, others)) => (first, others.len()),
            None => {
                let mut sent = self.open.iter().filter(|(_, it)| it.is_sent());
                (sent.next()?.0, 0)
            }
        };
        (self.outstanding == 1 + others).then(|| first.clone())
    }

    /// Handles the messages that a frame ends. `outcome` is the outcome of the
    /// turn, if the frame ends one.
    pub(super) fn handle_end(&mut self, class: &FrameClass, outcome: TurnOutcome) {
        match class {
            FrameClass::Lifecycle(CommandLifecycle {
                command_uuid: uuid,
                state,
                ..
            }) => match state {
                CommandState::Completed if self.is_repeated(uuid) => {}
                CommandState::Completed => self.reached_agent(uuid, SubmissionState::Completed),
                CommandState::Cancelled => self.cancelled(uuid),
                _ => {}
            },
            FrameClass::Result(result) => self.handle_result(result, outcome),
            _ => {}
        }
    }

    /// Ends the messages that a result names. A result ends all messages sent
    /// before it only if the agent names no messages and reports no lifecycles.
    /// Results are never counted.
    fn handle_result(&mut self, result: &ResultSummary, outcome: TurnOutcome) {
        let how = match outcome.into() {
            SubmissionState::Completed if mem::take(&mut self.is_blocked) => {
                SubmissionState::Refused
            }
            how => how,
        };
        self.is_blocked = false;
        self.turn_ended = true;
        let names = result.names.as_deref().unwrap_or_default();
        // A malformed result may have named messages.
        let is_nameless = names.is_empty() && (!self.has_names || result.names.is_none());
        if is_nameless && !self.has_lifecycles {
            self.end_all(how);
        }
        for uuid in names {
            self.reached_agent(uuid, how);
        }
        // The messages belong to the resumed turn, which has ended.
        self.end_known(how);
    }

    /// Handles an idle agent. Without lifecycles, all messages that the agent
    /// has received are done. A message with a repeated ID is done as well,
    /// because the agent ignores it without a report.
    pub(super) fn agent_is_idle(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let was_over = |uuid: &str| self.finished.iter().any(|it| &**it == uuid);
        let is_over = |uuid: &str, open: &Open| match open.state {
            _ if open.is_known => true,
            SubmissionState::Queued | SubmissionState::Started => {
                !self.has_lifecycles || was_over(uuid)
            }
            SubmissionState::Written => was_over(uuid),
            _ => false,
        };
        for (uuid, _) in self.select(&is_over) {
            self.advance(&uuid, SubmissionState::Completed);
        }
    }

    /// Handles a failed write of a message. If the agent has already reported
    /// the message, it was written, although the pipe reports an error.
    pub(super) fn not_written(&mut self, uuid: &str) {
        if self.state(uuid) <= Some(SubmissionState::Handed) {
            self.advance(uuid, SubmissionState::Lost);
        }
    }

    /// Returns whether an agent that names the messages of its turns has ended
    /// a turn since the last message was sent. The next turn picks up a message
    /// that was not named, or no turn does.
    pub(super) fn missed_a_turn(&self) -> bool {
        self.has_names && self.turn_ended
    }

    /// Ends the messages that an agent has not acknowledged after a long idle
    /// time.
    pub(super) fn give_up(&mut self) {
        for (uuid, state) in self.select(&|_, it| it.is_sent()) {
            let how = match state {
                SubmissionState::Started => SubmissionState::Completed,
                _ => SubmissionState::Lost,
            };
            self.advance(&uuid, how);
        }
    }

    /// Ends all sent messages. For an agent that does not report which messages
    /// a turn answered.
    pub(super) fn end_all(&mut self, how: SubmissionState) {
        for (uuid, _) in self.select(&|_, it| it.is_sent()) {
            self.advance(&uuid, how);
        }
    }
}

//! What becomes of each user message.
//!
//! Several sources tell, and not every agent has all of them: the lifecycle of
//! each message, the ids that messages and results name, receipts, echoes. A
//! state is told once, and never goes back: whatever comes late, or twice, says
//! nothing new.

use super::TurnOutcome;
use super::sign::{ResultSign, Sign, is_queue_named, named};
use crate::control::InterruptReceipt;
use crate::frame::Frame;
use crate::message::{CommandLifecycle, CommandState};
use crate::sabotage::{Bug, is_on};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::mem;

/// How far a user message has come. A later one takes in the earlier ones; not
/// every agent tells all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SubmissionState {
    /// It waits in the host's outbox, where it can be withdrawn.
    Waiting,
    /// It was handed to the pipe, and is out of reach.
    Handed,
    /// It is in the pipe.
    Written,
    /// It waits in the agent's queue.
    Queued,
    /// A turn has taken it up.
    Started,
    /// Over: that turn is done, well or not.
    Completed,
    /// Over: that turn was cut off, by an interrupt or by a message that was
    /// for now.
    Interrupted,
    /// Over: it was taken back before it left the host.
    Withdrawn,
    /// Over: it was taken out of the agent's queue before a turn took it up.
    Cancelled,
    /// Over: a hook did not let it through to the model.
    Refused,
    /// Over: it never reached the agent, the agent takes no notice of it, or
    /// the session ended first.
    Lost,
}

impl SubmissionState {
    /// Whether nothing comes after it.
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
            Self::Lost => "lost",
        })
    }
}

impl From<TurnOutcome> for SubmissionState {
    /// What becomes of a message whose turn ended so.
    fn from(outcome: TurnOutcome) -> Self {
        match outcome {
            TurnOutcome::Interrupted | TurnOutcome::Preempted => Self::Interrupted,
            TurnOutcome::Lost => Self::Lost,
            _ => Self::Completed,
        }
    }
}

/// Ids of messages that are over are remembered up to so many.
const REMEMBERED: usize = 256;

/// User messages that are not dealt with yet.
#[derive(Debug, Default)]
pub(super) struct Submissions {
    open: BTreeMap<Box<str>, SubmissionState>,
    /// How many of these have left the host.
    outstanding: usize,
    /// Messages that went out as one, by the one that the agent knows.
    joined: BTreeMap<Box<str>, Vec<Box<str>>>,
    /// The last messages that are over: the agent does nothing about another
    /// one with the same id.
    over: VecDeque<Box<str>>,
    changes: VecDeque<(Box<str>, SubmissionState)>,
    /// Whether the agent reports what becomes of each message.
    has_lifecycles: bool,
    /// Whether it says which messages its turns answer.
    has_names: bool,
    /// A turn has ended since the last message left.
    turn_ended: bool,
    /// A hook has blocked the prompt of the turn that runs.
    is_blocked: bool,
}

impl Submissions {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Whether a message has left of which the agent may not be done.
    pub(super) fn are_outstanding(&self) -> bool {
        self.outstanding > 0
    }

    /// A message was put into the outbox. One with the id of another that is
    /// not dealt with yet is the same to the agent, and so it is here.
    pub(super) fn submitted(&mut self, uuid: &str) {
        self.open
            .entry(uuid.into())
            .or_insert(SubmissionState::Waiting);
    }

    /// Messages leave as one, under the id of the first.
    pub(super) fn join(&mut self, first: &str, others: Vec<Box<str>>) {
        if !others.is_empty() {
            self.joined.insert(first.into(), others);
        }
    }

    /// A message has come so far, and those that went out with it. Says
    /// nothing that was said, or that is less than what is known.
    pub(super) fn advance(&mut self, uuid: &str, state: SubmissionState) {
        let others = if state.is_end() {
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
        if state <= *known && !(is_on(Bug::StateBackwards) && state != *known) {
            return;
        }
        let had_left = *known > SubmissionState::Waiting;
        *known = state;
        match (had_left, state.is_end()) {
            (false, false) => {
                self.outstanding += 1;
                self.turn_ended = false;
            }
            (true, true) => self.outstanding -= 1,
            _ => {}
        }
        if state.is_end() {
            self.open.remove(uuid);
            if had_left {
                self.over.truncate(REMEMBERED - 1);
                self.over.push_front(uuid.into());
            }
        }
        self.changes.push_back((uuid.into(), state));
    }

    /// What has changed, in order.
    pub(super) fn poll_change(&mut self) -> Option<(Box<str>, SubmissionState)> {
        self.changes.pop_front()
    }

    /// The session is over, and with it every message that was not dealt with.
    pub(super) fn end(&mut self) {
        self.joined.clear();
        self.outstanding = 0;
        if is_on(Bug::MessageForgotten) {
            return;
        }
        for uuid in mem::take(&mut self.open).into_keys() {
            self.changes.push_back((uuid, SubmissionState::Lost));
        }
    }

    /// An interrupt was answered.
    pub(super) fn saw_receipt(&mut self, receipt: &InterruptReceipt) {
        for uuid in receipt.still_queued.iter().flatten() {
            self.reached_agent(uuid, SubmissionState::Queued);
        }
        for uuid in receipt.cancelled.iter().flatten() {
            self.cancelled(uuid);
        }
    }

    /// The agent has taken a message out of its queue, or stopped its turn.
    pub(super) fn cancelled(&mut self, uuid: &str) {
        let how = match self.open.get(uuid) {
            Some(SubmissionState::Started) => SubmissionState::Interrupted,
            _ => SubmissionState::Cancelled,
        };
        self.reached_agent(uuid, how);
    }

    /// The agent says something of a message: it has to have left. A message
    /// that waits here has its id from an earlier one.
    fn reached_agent(&mut self, uuid: &str, state: SubmissionState) {
        if self.open.get(uuid) > Some(&SubmissionState::Waiting) {
            self.advance(uuid, state);
        }
    }

    /// What a frame begins.
    pub(super) fn saw_begin(&mut self, sign: &Sign, frame: &Frame, is_turn: bool) {
        match sign {
            Sign::Lifecycle(_) => self.has_lifecycles = true,
            Sign::Init(init) => self.has_names |= is_queue_named(init.capabilities.as_deref()),
            _ => {}
        }
        if self.open.is_empty() {
            return;
        }
        match sign {
            Sign::Lifecycle(CommandLifecycle {
                command_uuid: uuid,
                state,
                ..
            }) => match state {
                CommandState::Queued => self.reached_agent(uuid, SubmissionState::Queued),
                CommandState::Started if is_on(Bug::WrongMessage) => {
                    if let Some(uuid) = self.open.keys().next_back().cloned() {
                        self.reached_agent(&uuid, SubmissionState::Started);
                    }
                }
                CommandState::Started => self.reached_agent(uuid, SubmissionState::Started),
                _ => {}
            },
            Sign::Blocked => self.is_blocked = true,
            Sign::Echo => {
                if let Some(uuid) = frame.uuid() {
                    self.reached_agent(uuid, SubmissionState::Queued);
                }
            }
            // With lifecycles it is known already.
            _ if self.has_lifecycles => {}
            Sign::Init(init) => {
                let names = init.user_message_uuids.as_deref().unwrap_or_default();
                self.started(names, is_turn);
            }
            Sign::Status { names, .. } => self.started(names, is_turn),
            Sign::Talk if frame.kind() == "assistant" => self.started(&named(frame), is_turn),
            Sign::Result(result) => {
                self.started(result.names.as_deref().unwrap_or_default(), is_turn);
            }
            _ => {}
        }
    }

    /// A turn has taken messages up. When the agent names none, and only one
    /// has left, it is that one.
    fn started(&mut self, names: &[String], is_turn: bool) {
        self.has_names |= !names.is_empty();
        for uuid in names {
            self.reached_agent(uuid, SubmissionState::Started);
        }
        if !self.has_names
            && is_turn
            && let Some(uuid) = self.only_one()
        {
            self.advance(&uuid, SubmissionState::Started);
        }
    }

    /// The message that has left, when it is one, or went out as one.
    fn only_one(&self) -> Option<Box<str>> {
        let (first, others) = match self.joined.first_key_value() {
            Some((first, others)) => (first.clone(), others.len()),
            None => {
                let mut left = (self.open.iter()).filter(|(_, it)| **it > SubmissionState::Waiting);
                (left.next()?.0.clone(), 0)
            }
        };
        (self.outstanding == 1 + others).then_some(first)
    }

    /// What a frame ends, and how the turn came to its end if it ends one.
    pub(super) fn saw_end(&mut self, sign: &Sign, outcome: TurnOutcome) {
        match sign {
            Sign::Lifecycle(CommandLifecycle {
                command_uuid: uuid,
                state,
                ..
            }) => match state {
                CommandState::Completed => self.reached_agent(uuid, SubmissionState::Completed),
                CommandState::Cancelled => self.cancelled(uuid),
                _ => {}
            },
            Sign::Result(result) => self.saw_result(result, outcome),
            _ => {}
        }
    }

    /// A result ends the messages that it names. Only that of an agent that
    /// names none and reports no lifecycles ends everything that was sent
    /// before it: results are never counted.
    fn saw_result(&mut self, result: &ResultSign, outcome: TurnOutcome) {
        let how = match outcome.into() {
            SubmissionState::Completed if mem::take(&mut self.is_blocked) => {
                SubmissionState::Refused
            }
            how => how,
        };
        self.is_blocked = false;
        self.turn_ended = true;
        let names = result.names.as_deref().unwrap_or_default();
        // One that cannot be read may have named them.
        let is_nameless = names.is_empty() && (!self.has_names || result.names.is_none());
        if is_nameless && !self.has_lifecycles {
            self.all_over(how);
        }
        for uuid in names {
            self.reached_agent(uuid, how);
        }
    }

    /// The agent rests. Without lifecycles, whatever it has had is over; and
    /// so is a message with an id that it has had before, of which it says
    /// nothing at all.
    pub(super) fn agent_rests(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let was_over = |uuid: &str| self.over.iter().any(|it| &**it == uuid);
        let is_over = |uuid: &str, state: SubmissionState| match state {
            SubmissionState::Queued | SubmissionState::Started => {
                !self.has_lifecycles || was_over(uuid)
            }
            SubmissionState::Written => was_over(uuid),
            _ => false,
        };
        let over = (self.open.iter()).filter(|(uuid, state)| is_over(uuid, **state));
        let over: Vec<Box<str>> = over.map(|(uuid, _)| uuid.clone()).collect();
        for uuid in over {
            self.advance(&uuid, SubmissionState::Completed);
        }
    }

    /// A message could not be written. One of which the agent has spoken was,
    /// whatever the pipe says.
    pub(super) fn not_written(&mut self, uuid: &str) {
        if self.open.get(uuid) <= Some(&SubmissionState::Handed) {
            self.advance(uuid, SubmissionState::Lost);
        }
    }

    /// Whether an agent that names the messages of its turns has ended one
    /// since the last message left: what it did not name is next, or it will
    /// never be.
    pub(super) fn missed_a_turn(&self) -> bool {
        self.has_names && self.turn_ended
    }

    /// The agent has rested for long, and said nothing of what it has.
    pub(super) fn give_up(&mut self) {
        let left = (self.open.iter()).filter(|(_, state)| **state > SubmissionState::Waiting);
        let all: Vec<_> = left.map(|(uuid, state)| (uuid.clone(), *state)).collect();
        for (uuid, state) in all {
            let how = match state {
                SubmissionState::Started => SubmissionState::Completed,
                _ => SubmissionState::Lost,
            };
            self.advance(&uuid, how);
        }
    }

    /// A turn is over, and the agent does not say whose it was.
    pub(super) fn all_over(&mut self, how: SubmissionState) {
        let left = (self.open.iter()).filter(|(_, state)| **state > SubmissionState::Waiting);
        let all: Vec<Box<str>> = left.map(|(uuid, _)| uuid.clone()).collect();
        for uuid in all {
            self.advance(&uuid, how);
        }
    }
}

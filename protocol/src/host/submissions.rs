//! What becomes of each user message.
//!
//! Several sources tell, and not every agent has all of them: the lifecycle of
//! each message, the ids that messages and results name, receipts, echoes. A
//! state is told once, and never goes back: whatever comes late, or twice, says
//! nothing new.

use crate::control::InterruptReceipt;
use crate::frame::Frame;
use crate::json::Members;
use crate::message::{
    CommandLifecycle, CommandState, Message, ResultMessage, SystemMessage, TerminalReason,
};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;

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
    /// Over: it never reached the agent, or the session ended first.
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

/// User messages that are not dealt with yet.
#[derive(Debug, Default)]
pub(super) struct Submissions {
    open: BTreeMap<Box<str>, SubmissionState>,
    changes: VecDeque<(Box<str>, SubmissionState)>,
    /// Whether the agent reports what becomes of each message.
    has_lifecycles: bool,
    /// A hook has blocked the prompt of the turn that runs.
    is_blocked: bool,
}

impl Submissions {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// A message was put into the outbox. One with the id of another that is
    /// not dealt with yet is the same to the agent, and so it is here.
    pub(super) fn submitted(&mut self, uuid: &str) {
        self.open
            .entry(uuid.into())
            .or_insert(SubmissionState::Waiting);
    }

    /// A message has come so far. Says nothing that was said, or that is less
    /// than what is known.
    pub(super) fn advance(&mut self, uuid: &str, state: SubmissionState) {
        let Some(known) = self.open.get_mut(uuid) else {
            return;
        };
        if state <= *known {
            return;
        }
        *known = state;
        if state.is_end() {
            self.open.remove(uuid);
        }
        self.changes.push_back((uuid.into(), state));
    }

    /// What has changed, in order.
    pub(super) fn poll_change(&mut self) -> Option<(Box<str>, SubmissionState)> {
        self.changes.pop_front()
    }

    /// The session is over, and with it every message that was not dealt with.
    pub(super) fn end(&mut self) {
        for uuid in std::mem::take(&mut self.open).into_keys() {
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

    /// A frame of the data plane came by.
    pub(super) fn saw(&mut self, frame: &Frame) {
        if self.open.is_empty() {
            return;
        }
        match (frame.kind(), frame.subtype()) {
            ("command_lifecycle", _) => self.saw_lifecycle(frame),
            ("result", _) => self.saw_result(frame),
            ("system", Some("informational")) => self.saw_line(frame),
            ("user", _) => self.saw_echo(frame),
            // With lifecycles it is known already.
            ("system", Some("init" | "status")) | ("assistant", _) if !self.has_lifecycles => {
                if let Ok(members) = frame.read::<Members>() {
                    for uuid in named(&members) {
                        self.reached_agent(&uuid, SubmissionState::Started);
                    }
                }
            }
            _ => {}
        }
    }

    fn saw_lifecycle(&mut self, frame: &Frame) {
        let Ok(CommandLifecycle {
            command_uuid: uuid,
            state,
            ..
        }) = frame.read()
        else {
            return;
        };
        self.has_lifecycles = true;
        match state {
            CommandState::Queued => self.reached_agent(&uuid, SubmissionState::Queued),
            CommandState::Started => self.reached_agent(&uuid, SubmissionState::Started),
            CommandState::Completed => self.reached_agent(&uuid, SubmissionState::Completed),
            CommandState::Cancelled => self.cancelled(&uuid),
            CommandState::Unknown(_) => {}
        }
    }

    /// A hook that blocks a prompt says so in a line for people, before the
    /// result.
    fn saw_line(&mut self, frame: &Frame) {
        if let Ok(Message::System(SystemMessage::Informational(line))) = frame.message()
            && let Some(outcome) = line.prompt_submit_outcome
        {
            self.is_blocked |= outcome.kind.as_deref() == Some("blocked_by_hook");
        }
    }

    fn saw_echo(&mut self, frame: &Frame) {
        if let Some(uuid) = frame.uuid() {
            self.reached_agent(uuid, SubmissionState::Queued);
        }
    }

    /// A result ends the messages that it names. Only that of an agent that
    /// names none and reports no lifecycles ends everything that was sent
    /// before it: results are never counted.
    fn saw_result(&mut self, frame: &Frame) {
        let is_blocked = std::mem::take(&mut self.is_blocked);
        let result = frame.read::<ResultMessage>().ok();
        let cut_off = |reason: &TerminalReason| {
            matches!(
                reason,
                TerminalReason::AbortedStreaming | TerminalReason::AbortedTools
            )
        };
        let how = match result.as_ref().and_then(|it| it.terminal_reason.as_ref()) {
            Some(reason) if cut_off(reason) => SubmissionState::Interrupted,
            _ if is_blocked => SubmissionState::Refused,
            _ => SubmissionState::Completed,
        };
        let uuids = match result {
            Some(ResultMessage {
                user_message_uuids: Some(uuids),
                ..
            }) => uuids,
            Some(ResultMessage {
                user_message_uuid: Some(uuid),
                ..
            }) => vec![uuid],
            _ => vec![],
        };
        if uuids.is_empty() {
            self.turn_ended(how);
        }
        for uuid in uuids {
            self.reached_agent(&uuid, how);
        }
    }

    /// A turn ended, and nobody says whose it was.
    pub(super) fn turn_ended(&mut self, how: SubmissionState) {
        if self.has_lifecycles {
            return;
        }
        let all: Vec<Box<str>> = (self.open.iter())
            .filter(|(_, state)| **state > SubmissionState::Waiting)
            .map(|(uuid, _)| uuid.clone())
            .collect();
        for uuid in all {
            self.advance(&uuid, how);
        }
    }
}

/// The user messages that a message says it belongs to.
fn named(members: &Members) -> Vec<String> {
    let all = members
        .get("user_message_uuids")
        .and_then(|it| it.read().ok());
    all.or_else(|| Some(vec![members.get_str("user_message_uuid")?]))
        .unwrap_or_default()
}

//! Delivery of user messages across a restart.
//!
//! An agent that reports lifecycles knows the IDs of the messages in its
//! transcript and does not run a message twice. Therefore every message that is
//! not in a final state can be sent again. The agent reports known messages as
//! completed, without a turn.

use super::SubmissionState;
use super::submissions::Submissions;
use crate::outbox::Outgoing;
use std::sync::Arc;

/// How the delivery of a message continues after the agent's process has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Redelivery {
    /// The agent had not reported that a turn picked up the message. The
    /// message is sent to the next process under the same ID. If a turn had
    /// picked it up after all, its state becomes
    /// [`SubmissionState::Completed`], or [`SubmissionState::CutOff`] if such
    /// turns are not resumed.
    Resent,
    /// The message's turn was cut off, and continues in the next process.
    Resumed,
    /// The message's turn was cut off, and does not continue. The message is
    /// not sent again.
    CutOff,
    /// The message's turn was cut off after the host had interrupted it.
    Interrupted,
    /// The host had requested the withdrawal of the message.
    Cancelled,
    /// The agent does not report which messages it picked up. The message is not
    /// sent again, because it might run twice.
    Unknown,
}

impl Redelivery {
    /// Returns the final state that follows, if there is one.
    fn state(self) -> Option<SubmissionState> {
        match self {
            Self::Resent | Self::Resumed => None,
            Self::CutOff => Some(SubmissionState::CutOff),
            Self::Interrupted => Some(SubmissionState::Interrupted),
            Self::Cancelled => Some(SubmissionState::Cancelled),
            Self::Unknown => Some(SubmissionState::Unknown),
        }
    }
}

impl Submissions {
    /// Retains the line of a sent message until its state is final.
    pub(super) fn retain(&mut self, line: &Outgoing) {
        if let Some(open) = self.open.get_mut(&line.id) {
            open.line = Some(Box::new(line.clone()));
        }
    }

    /// Returns whether the agent reports which messages it picks up.
    pub(super) fn are_reported(&self) -> bool {
        self.has_lifecycles
    }

    /// Returns whether a message is pending that no turn has picked up.
    pub(super) fn are_waiting(&self) -> bool {
        let mut states = self.open.values().map(|it| it.state);
        states.any(|state| state < SubmissionState::Started)
    }

    /// Returns the sent messages in order, and whether a turn has picked them up.
    pub(super) fn sent_messages(&self) -> Vec<(Arc<str>, bool)> {
        let sent = self.select(&|_, it| it.is_sent());
        sent.into_iter()
            .map(|(uuid, state)| (uuid, state == SubmissionState::Started))
            .collect()
    }

    /// Applies the redelivery of a message. Returns its line if it is sent again.
    pub(super) fn redeliver(&mut self, uuid: &str, redelivery: Redelivery) -> Option<Outgoing> {
        if let Some(state) = redelivery.state() {
            self.advance(uuid, state);
            return None;
        }
        let open = self.open.get_mut(uuid)?;
        open.state = SubmissionState::Waiting;
        open.is_redelivered = true;
        open.is_known = false;
        self.outstanding -= 1;
        let line = open.line.take().map(|line| *line);
        if line.is_none() {
            // The message was sent before lines were retained.
            self.advance(uuid, SubmissionState::Unknown);
        }
        line
    }

    /// Records that the next process has resumed the turn of a message. The
    /// message is then not sent again.
    pub(super) fn resumes(&mut self, line: &Outgoing) {
        self.retain(line);
        self.advance(&line.id, SubmissionState::Started);
    }

    /// Returns whether a message was sent again and this process has not picked
    /// it up.
    pub(super) fn is_repeated(&self, uuid: &str) -> bool {
        self.open.get(uuid).is_some_and(|it| it.is_redelivered)
    }

    /// Records that the agent already knew a resent message. The running turn
    /// may be the turn of this message.
    pub(super) fn mark_known(&mut self, uuid: &str) {
        if let Some(open) = self.open.get_mut(uuid) {
            open.is_known = true;
        }
    }

    /// Ends the resent messages that the agent already knew.
    pub(super) fn end_known(&mut self, how: SubmissionState) {
        for (uuid, _) in self.select(&|_, it| it.is_known) {
            self.advance(&uuid, how);
        }
    }

    /// Resets the state of the process for the next one.
    pub(super) fn begin_process(&mut self) {
        self.joined.clear();
        self.turn_ended = false;
        self.is_blocked = false;
    }
}

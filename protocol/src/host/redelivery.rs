//! User messages that the next process of a session takes over.
//!
//! An agent that reports lifecycles knows the IDs of the messages in its
//! transcript: it does not run one again. So everything that is not over can be
//! sent again, and what the agent knows already it reports as completed,
//! without a turn.

use super::SubmissionState;
use super::submissions::Submissions;
use crate::outbox::Outgoing;

/// How delivery of a message continues when the agent's process has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Redelivery {
    /// No turn had picked it up, as far as the agent reported. The next process
    /// is sent it under the same ID. If it turns out that it had been picked
    /// up, its state becomes [`SubmissionState::Completed`], or
    /// [`SubmissionState::CutOff`] if such turns are not resumed.
    Resent,
    /// Its turn was cut off, and continues in the next process.
    Resumed,
    /// Its turn was cut off, and does not continue. It is not sent again.
    CutOff,
    /// Its turn was cut off after the host had asked for its end.
    Interrupted,
    /// The host had asked for its withdrawal.
    Cancelled,
    /// The agent does not report what it picked up. The message is not sent
    /// again, because it might run twice.
    Unknown,
}

impl Redelivery {
    /// The final state that follows, if one does.
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
    /// Retains the line of a message that is sent, until its state is final.
    pub(super) fn retain(&mut self, line: &Outgoing) {
        if let Some(open) = self.open.get_mut(&line.id) {
            open.line = Some(line.clone());
        }
    }

    /// Whether the agent reports which messages it picks up.
    pub(super) fn are_reported(&self) -> bool {
        self.has_lifecycles
    }

    /// Whether a message has not been picked up by a turn.
    pub(super) fn are_waiting(&self) -> bool {
        let mut states = self.open.values().map(|it| it.state);
        states.any(|state| state < SubmissionState::Started)
    }

    /// The messages that were sent, in that order, and whether a turn has picked
    /// them up.
    pub(super) fn sent_messages(&self) -> Vec<(Box<str>, bool)> {
        let sent = self.select(&|_, it| it.is_sent());
        sent.into_iter()
            .map(|(uuid, state)| (uuid, state == SubmissionState::Started))
            .collect()
    }

    /// Settles a message for the next process, and returns its line if it is to
    /// be sent again.
    pub(super) fn redeliver(&mut self, uuid: &str, redelivery: Redelivery) -> Option<Outgoing> {
        if let Some(state) = redelivery.state() {
            self.advance(uuid, state);
            return None;
        }
        let open = self.open.get_mut(uuid)?;
        open.state = SubmissionState::Waiting;
        open.is_redelivered = true;
        open.was_known = false;
        self.outstanding -= 1;
        let line = open.line.take();
        if line.is_none() {
            // It was sent before lines were retained.
            self.advance(uuid, SubmissionState::Unknown);
        }
        line
    }

    /// Records that the next process has resumed the turn of a message,
    /// which therefore is not sent again.
    pub(super) fn resumes(&mut self, line: &Outgoing) {
        self.retain(line);
        self.advance(&line.id, SubmissionState::Started);
    }

    /// Whether the agent reports a message as completed that it was sent again,
    /// and that it had not picked up in this process.
    pub(super) fn is_repeated(&self, uuid: &str) -> bool {
        self.open.get(uuid).is_some_and(|it| it.is_redelivered)
    }

    /// Records that the agent knew a message that it was sent again: a turn that
    /// goes on may be its turn.
    pub(super) fn knows(&mut self, uuid: &str) {
        if let Some(open) = self.open.get_mut(uuid) {
            open.was_known = true;
        }
    }

    /// Ends the messages that the agent knew when they were sent again.
    pub(super) fn end_known(&mut self, how: SubmissionState) {
        for (uuid, _) in self.select(&|_, it| it.was_known) {
            self.advance(&uuid, how);
        }
    }

    /// Prepares for another process, which has not said anything yet.
    pub(super) fn begin_process(&mut self) {
        self.joined.clear();
        self.turn_ended = false;
        self.is_blocked = false;
    }
}

//! Replies that do not come to their end: they grow too long, are refused, or
//! the connection breaks.

use crate::message::StopReason;

/// How often in a row the model is asked to go on with a reply. Results of
/// tools begin a new row.
const RESUMES: u64 = 3;

/// What the turn knows of replies that were not whole.
#[derive(Debug, Default)]
pub(super) struct Unfinished {
    /// Why the last reply is not, where it is not.
    reply: Option<Why>,
    /// How often in a row the model was asked to go on.
    resumed: u64,
    /// How many replies were refused.
    refused: u64,
}

/// Why a reply is not whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Why {
    TooLong,
    CutOff,
    /// The message of this id was.
    Refused(String),
}

impl Unfinished {
    /// Tools have answered.
    pub(super) fn begin_row(&mut self) {
        self.reply = None;
        self.resumed = 0;
    }

    /// Notes that the connection broke in the middle of the reply.
    pub(super) fn cut_off(&mut self) {
        self.reply = Some(Why::CutOff);
    }

    /// Notes why the reply stops, which is in the message of this id.
    pub(super) fn note_stop(&mut self, message_id: &str, reason: &StopReason) {
        self.reply = match reason {
            StopReason::MaxTokens | StopReason::ContextWindowExceeded => Some(Why::TooLong),
            StopReason::Refusal => Some(Why::Refused(message_id.to_owned())),
            _ => None,
        };
        self.refused += u64::from(*reason == StopReason::Refusal);
    }

    /// Returns whether more than one reply was refused.
    pub(super) fn is_refused_again(&self) -> bool {
        self.refused > 1
    }

    /// Takes the reason why the last reply is not whole.
    pub(super) fn take(&mut self) -> Option<Why> {
        self.reply.take()
    }

    /// Counts that the model is asked to go on. Returns whether it may be asked
    /// once more in this row.
    pub(super) fn may_resume(&mut self) -> bool {
        self.resumed += 1;
        self.resumed <= RESUMES
    }
}

//! Incomplete replies: too long, refused, or cut off by a broken connection.

use agentwire_protocol::message::StopReason;

/// The maximum number of times in a row that the model is asked to continue a
/// reply. Tool results reset the count.
const MAX_RESUMES: u64 = 3;

/// The incomplete replies of a turn.
#[derive(Debug, Default)]
pub(super) struct Unfinished {
    /// The reason why the last reply is incomplete. `None` if it is complete.
    reply: Option<IncompleteReason>,
    /// How many times in a row the model was asked to continue.
    resumed: u64,
    /// The number of refused replies.
    refused: u64,
}

/// The reason why a reply is incomplete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum IncompleteReason {
    TooLong,
    CutOff,
    /// The message with this ID was refused.
    Refused(String),
}

impl Unfinished {
    /// Resets the count after tool results.
    pub(super) fn reset_count(&mut self) {
        self.reply = None;
        self.resumed = 0;
    }

    /// Records that the connection broke in the middle of the reply.
    pub(super) fn cut_off(&mut self) {
        self.reply = Some(IncompleteReason::CutOff);
    }

    /// Records the stop reason of the reply. `message_id` is the ID of its
    /// message.
    pub(super) fn note_stop(&mut self, message_id: &str, reason: &StopReason) {
        self.reply = match reason {
            StopReason::MaxTokens | StopReason::ContextWindowExceeded => {
                Some(IncompleteReason::TooLong)
            }
            StopReason::Refusal => Some(IncompleteReason::Refused(message_id.to_owned())),
            _ => None,
        };
        self.refused += u64::from(*reason == StopReason::Refusal);
    }

    /// Returns whether more than one reply was refused.
    pub(super) fn is_refused_again(&self) -> bool {
        self.refused > 1
    }

    /// Takes the reason why the last reply is incomplete.
    pub(super) fn take(&mut self) -> Option<IncompleteReason> {
        self.reply.take()
    }

    /// Counts a request to continue. Returns whether the model may be asked
    /// again.
    pub(super) fn may_resume(&mut self) -> bool {
        self.resumed += 1;
        self.resumed <= MAX_RESUMES
    }
}

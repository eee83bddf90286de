//! Events of the machine.

use super::frame::{ErrorObject, Frame};
use agentwire_protocol::Json;
use agentwire_protocol::host::SubmissionState;

/// An event of the [`Machine`](super::Machine).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event {
    /// A notification of Codex. Its effects on turns and requests follow as separate events.
    Notification(Frame),
    /// A request of Codex. Respond with [`Machine::respond`](super::Machine::respond).
    Request {
        /// The ID of the request.
        request_id: Box<str>,
        /// The request.
        frame: Frame,
    },
    /// A request of Codex is no longer pending: the host has responded, or its turn has ended.
    Resolved {
        /// The ID of the request.
        request_id: Box<str>,
        /// The thread of the request.
        thread_id: Option<Box<str>>,
    },
    /// A request of the host has ended, with its response or an error.
    Response {
        /// The number of the request.
        request: u64,
        /// The result.
        outcome: Result<Json, RequestError>,
    },
    /// A submission changed its state.
    Submission {
        /// The thread.
        thread_id: Box<str>,
        /// The ID of the submission.
        id: Box<str>,
        /// The state.
        state: SubmissionState,
    },
    /// A submission has ended.
    SubmissionEnded {
        /// The thread.
        thread_id: Box<str>,
        /// The ID of the submission.
        id: Box<str>,
        /// The state, a final one.
        state: SubmissionState,
        /// The end of the turn that read the message, or the reason why no turn did.
        outcome: Result<TurnEnd, SubmissionError>,
    },
    /// A turn has ended. Other clients can start turns, too.
    TurnEnded(TurnEnd),
    /// An interrupt has ended.
    InterruptEnded {
        /// The number of the interrupt.
        interrupt: u64,
        /// The end of the turn, also if it was not interrupted in time. `None` if no turn was
        /// running.
        outcome: Result<Option<TurnEnd>, RequestError>,
    },
    /// Codex has exited or was closed, for this reason. This is the last event.
    Ended(Box<str>),
    /// A malformed line of Codex, or a response to no pending request.
    Problem(Problem),
}

/// The end of a turn.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TurnEnd {
    /// The thread.
    pub thread_id: Box<str>,
    /// The turn.
    pub turn_id: Box<str>,
    /// The outcome.
    pub outcome: TurnOutcome,
    /// The `turn/completed` of Codex.
    pub frame: Frame,
}

/// The outcome of a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TurnOutcome {
    /// The turn was completed.
    Completed,
    /// The turn was interrupted.
    Interrupted,
    /// It failed. The turn failed. The reason is in its error.
    Failed,
    /// A status unknown to this version.
    Unknown(Box<str>),
}

impl From<&str> for TurnOutcome {
    fn from(status: &str) -> Self {
        match status {
            "completed" => Self::Completed,
            "interrupted" => Self::Interrupted,
            "failed" => Self::Failed,
            other => Self::Unknown(other.into()),
        }
    }
}

/// The reason why a request has no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// Codex refused it.
    #[error("Codex refused it: {0}")]
    Refused(ErrorObject),
    /// Codex did not respond in time.
    #[error("Codex did not respond in time")]
    TimedOut,
    /// Too many requests are queued.
    #[error("too many requests wait")]
    QueueFull,
    /// Codex has exited or was closed, for this reason.
    #[error("Codex has ended: {0}")]
    Ended(Box<str>),
}

/// The reason why a submission has no turn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SubmissionError {
    /// The message was withdrawn before it was sent.
    #[error("it was withdrawn")]
    Withdrawn,
    /// The turn ended before Codex had read the message that was to steer it.
    #[error("the turn ended before Codex had read the message")]
    NotRead,
    /// The message has options of a turn, which cannot be applied to the running turn.
    #[error("a message that steers a turn cannot change the options of the turn")]
    OptionsOfSteering,
    /// The thread is not open.
    #[error("the thread is not open")]
    NoThread,
    /// The request for the turn failed.
    #[error(transparent)]
    Request(#[from] RequestError),
}

/// A violation of the protocol by Codex.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// A line that is not a frame.
    #[error("a line of {length} bytes cannot be read: {reason}")]
    Unreadable {
        /// The reason.
        reason: String,
        /// The beginning of the line.
        head: bytes::Bytes,
        /// The length of the line in bytes.
        length: u64,
    },
    /// A response to an unknown request, or a second one. If a request has timed out, this is its
    /// late response.
    #[error("a response to no pending request")]
    UnknownResponse,
    /// The response to `turn/start` has no turn.
    #[error("the response to `turn/start` has no turn")]
    NoTurn,
}

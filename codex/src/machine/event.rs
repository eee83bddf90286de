//! What the machine reports.

use super::frame::{ErrorObject, Frame};
use agentwire_protocol::Json;
use agentwire_protocol::host::SubmissionState;

/// An event of the [`Machine`](super::Machine).
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event {
    /// A notification of Codex. What it means for turns and requests are events of their own,
    /// after it.
    Notification(Frame),
    /// A request of Codex, which waits for [`Machine::respond`](super::Machine::respond).
    Request {
        /// The ID of the request.
        request_id: Box<str>,
        /// The request.
        frame: Frame,
    },
    /// A request of Codex needs no response any more: it was answered, or its turn has ended.
    Resolved {
        /// The ID of the request.
        request_id: Box<str>,
        /// The thread of the request.
        thread_id: Option<Box<str>>,
    },
    /// The response to a request of the host, or why there is none.
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
        /// The end of the turn that took it, or why there was none.
        outcome: Result<TurnEnd, SubmissionError>,
    },
    /// A turn has ended, whoever started it.
    TurnEnded(TurnEnd),
    /// An interrupt has ended: what it stopped, `None` if nothing ran.
    InterruptEnded {
        /// The number of the interrupt.
        interrupt: u64,
        /// The end of the turn, also if it ended by itself meanwhile.
        outcome: Result<Option<TurnEnd>, RequestError>,
    },
    /// Codex has ended, or was closed. The text says why. The last event.
    Ended(Box<str>),
    /// A line of Codex that cannot be read, or a response that nobody waits for.
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
    /// How it ended.
    pub outcome: TurnOutcome,
    /// The `turn/completed` of Codex.
    pub frame: Frame,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TurnOutcome {
    /// It was completed.
    Completed,
    /// It was interrupted.
    Interrupted,
    /// It failed. The reason is in the turn's error.
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

/// Why a request has no result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// Codex refused it.
    #[error("Codex refused it: {0}")]
    Refused(ErrorObject),
    /// Codex did not respond in time.
    #[error("Codex did not respond in time")]
    TimedOut,
    /// Too many requests wait.
    #[error("too many requests wait")]
    QueueFull,
    /// Codex has exited, or was closed. The text says why.
    #[error("Codex has ended: {0}")]
    Ended(Box<str>),
}

/// Why a submission has no turn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SubmissionError {
    /// It was withdrawn before it was sent.
    #[error("it was withdrawn")]
    Withdrawn,
    /// The turn that it was to steer ended before Codex had read it.
    #[error("the turn ended before Codex had read the message")]
    NotRead,
    /// The options of a turn cannot be applied to the one that runs.
    #[error("a message that steers a turn cannot change the options of the turn")]
    OptionsOfSteering,
    /// The thread is not open.
    #[error("the thread is not open")]
    NoThread,
    /// Its request failed.
    #[error(transparent)]
    Request(#[from] RequestError),
}

/// Something that Codex should not have sent.
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

//! What a session tells its driver.

use super::{Activity, SessionUpdate, SubmissionState, TurnEvent};
use crate::control::{Answer, Refusal};
use crate::frame::{Frame, FrameError, Head, ViewError};
use crate::message::BackgroundTask;
use bytes::Bytes;
use std::fmt;
use std::time::Duration;

/// Something that happened, in the order of the wire.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A frame of the data plane, of a known type or not.
    Frame(Frame),
    /// The agent asks something and waits for the answer.
    Ask(Ask),
    /// The agent does not wait any more. An answer would not be sent.
    AskCancelled {
        /// The ask.
        request_id: Box<str>,
    },
    /// A request of the host's has ended. Comes once for each.
    Answered {
        /// The request.
        request_id: Box<str>,
        /// The answer, or why there is none.
        outcome: Result<Answer, RequestFailure>,
    },
    /// A user message has come further. Its last state comes once.
    Submission {
        /// The message.
        uuid: Box<str>,
        /// How far it has come.
        state: SubmissionState,
    },
    /// A turn began, took a message up, or ended.
    Turn(TurnEvent),
    /// The session is not what it was: its id, its model, its title.
    Session(SessionUpdate),
    /// These tasks run in the background, and no others.
    Background(Vec<BackgroundTask>),
    /// The session began to work, to rest, or to wait for somebody.
    Activity(Activity),
    /// Something that is no frame, or that nobody waited for.
    Notice(Notice),
}

/// The agent asks something.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// The id that the answer has to carry.
    pub request_id: Box<str>,
    /// The request as it came.
    pub frame: Frame,
}

/// Something that is not as the protocol has it. The session goes on.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// A line that is not JSON, or not a message.
    NotAFrame {
        /// The line.
        line: Bytes,
        /// What was wrong with it.
        error: FrameError,
    },
    /// The output ended in the middle of a line.
    UnfinishedLine {
        /// What had come of it.
        line: Bytes,
    },
    /// A line was longer than the limit and was not kept.
    LineTooLong {
        /// What could be read of its beginning.
        head: Option<Box<Head<'static>>>,
        /// How long it was, in bytes.
        length: u64,
    },
    /// An answer that nobody waits for: it came too late, or it is an echo.
    StrayAnswer {
        /// The answer.
        frame: Frame,
    },
    /// A request without an id, which cannot be answered.
    AskWithoutId {
        /// The request.
        frame: Frame,
    },
    /// A request that nobody was asked about: too many are open already (4,096,
    /// or 64 MiB of them), or its id is longer than 4 KiB, and it was answered
    /// with an error; or the agent reads no answers, and it was left. Told once a
    /// second at most.
    TooManyAsks {
        /// The request.
        frame: Frame,
        /// How many there were before it that were not told of.
        untold: u32,
    },
}

impl Notice {
    /// How many bytes from the wire it holds.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::NotAFrame { line, .. } | Self::UnfinishedLine { line } => line.len(),
            Self::StrayAnswer { frame }
            | Self::AskWithoutId { frame }
            | Self::TooManyAsks { frame, .. } => frame.raw().len(),
            Self::LineTooLong { .. } => 0,
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAFrame { line, error } => {
                write!(f, "{error}: {}", Excerpt(line))
            }
            Self::UnfinishedLine { line } => {
                write!(
                    f,
                    "the output ended in the middle of a line: {}",
                    Excerpt(line)
                )
            }
            Self::LineTooLong { head, length } => {
                let what = head
                    .as_ref()
                    .map_or_else(|| "a".to_owned(), |head| format!("a `{}`", head.label()));
                write!(
                    f,
                    "{what} line of {length} bytes was longer than the limit and was not kept"
                )
            }
            Self::StrayAnswer { frame } => write!(
                f,
                "an answer to `{}`, which nobody waits for",
                frame.request_id().unwrap_or("nothing")
            ),
            Self::TooManyAsks { frame, untold } => {
                let label = frame.head().label();
                write!(
                    f,
                    "a `{label}` that nobody was asked about: too much is asked, or no answer is read"
                )?;
                match untold {
                    0 => Ok(()),
                    untold => write!(f, "; so it was with {untold} before"),
                }
            }
            Self::AskWithoutId { frame } => write!(
                f,
                "a `{}` without a request_id, which cannot be answered",
                frame.head().label()
            ),
        }
    }
}

/// The beginning of a line, for people.
struct Excerpt<'a>(&'a [u8]);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 200;
        let text = String::from_utf8_lossy(&self.0[..self.0.len().min(SHOWN)]);
        write!(f, "{text:?}")?;
        if self.0.len() > SHOWN {
            write!(f, " and {} bytes more", self.0.len() - SHOWN)?;
        }
        Ok(())
    }
}

/// What may be behind it when a request is not answered. The first one every
/// agent knows.
fn may_not_know(subtype: &str) -> &'static str {
    if subtype == "initialize" {
        ""
    } else {
        "; agents up to 2.0.77 do not answer requests that they do not know"
    }
}

/// Why a request has no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestFailure {
    /// The agent refused it.
    #[error("the agent refused `{subtype}`: {refusal}")]
    Refused {
        /// The request.
        subtype: Box<str>,
        /// The agent's reason.
        refusal: Refusal,
    },
    /// There was no answer in time. Agents up to 2.0.77 do not answer
    /// requests that they do not know.
    #[error("the agent did not answer `{subtype}` within {after:?}{}", may_not_know(.subtype))]
    TimedOut {
        /// The request.
        subtype: Box<str>,
        /// How long it was waited for.
        after: Duration,
    },
    /// The host took it back before it was answered. What the agent has done
    /// of it by then is done.
    #[error("`{subtype}` was cancelled")]
    Cancelled {
        /// The request.
        subtype: Box<str>,
    },
    /// The session ended first.
    #[error("the session ended before `{subtype}` was answered")]
    SessionEnded {
        /// The request.
        subtype: Box<str>,
    },
    /// There is an answer whose envelope cannot be read.
    #[error("the answer cannot be read: {error}")]
    Unreadable {
        /// What was wrong with it.
        error: ViewError,
        /// The answer.
        frame: Frame,
    },
    /// There was an answer, longer than the limit for lines.
    #[error("the answer to `{subtype}` was {length} bytes long, more than the limit for a line")]
    AnswerTooLong {
        /// The request.
        subtype: Box<str>,
        /// How long it was, in bytes.
        length: u64,
    },
}

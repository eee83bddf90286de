//! Events of a session.

use super::{Activity, SessionUpdate, SubmissionState, TurnEvent};
use crate::control::{Answer, Refusal};
use crate::frame::{Frame, FrameError, Head, ViewError};
use crate::message::BackgroundTask;
use bytes::Bytes;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// An event of a session, in wire order.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum HostEvent {
    /// A frame of the data plane. Its type may be unknown.
    Frame(Frame),
    /// The agent sent a request. The request requires a response.
    IncomingRequest(IncomingRequest),
    /// The agent no longer waits for a response. A late response is not sent.
    IncomingRequestCancelled {
        /// The ID of the cancelled request.
        request_id: Box<str>,
    },
    /// A request of the host has ended. Sent exactly once for each request.
    RequestEnded {
        /// The ID of the request.
        request_id: Arc<str>,
        /// The response, or the reason why there is none.
        outcome: Result<Answer, RequestFailure>,
    },
    /// A user message changed its delivery state. A final state is sent exactly
    /// once.
    Submission {
        /// The ID of the message.
        uuid: Arc<str>,
        /// The new state.
        state: SubmissionState,
    },
    /// A turn started, picked up a message, or ended.
    Turn(TurnEvent),
    /// Session metadata changed: its ID, model or title.
    Session(SessionUpdate),
    /// The current set of background tasks.
    Background(Vec<BackgroundTask>),
    /// The session started to work, became idle, or waits for the user.
    Activity(Activity),
    /// The watchdog expired: the agent had work pending, wrote nothing, and did
    /// not respond to a probe. See
    /// [`Host::set_watchdog`](super::Host::set_watchdog).
    Hung,
    /// A line that is not a frame, or that belongs to no pending request.
    Notice(WireNotice),
}

/// A request of the agent.
#[derive(Debug, Clone, PartialEq)]
pub struct IncomingRequest {
    /// The ID that the response must carry.
    pub request_id: Box<str>,
    /// The request as received.
    pub frame: Frame,
}

/// A deviation from the protocol. The session continues.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum WireNotice {
    /// A line that is not JSON, or not a message.
    NotAFrame {
        /// The line.
        line: Bytes,
        /// The error.
        error: FrameError,
    },
    /// The output ended in the middle of a line.
    UnfinishedLine {
        /// The part of the line that was received.
        line: Bytes,
    },
    /// A line exceeded the length limit and was discarded.
    LineTooLong {
        /// The routing members that could be read from the beginning of the
        /// line.
        head: Option<Box<Head<'static>>>,
        /// The length of the line in bytes.
        length: u64,
    },
    /// A response that belongs to no pending request, because it came too late
    /// or is an echo.
    StrayResponse {
        /// The response.
        frame: Frame,
    },
    /// A request without an ID. The host cannot respond to it.
    RequestWithoutId {
        /// The request.
        frame: Frame,
    },
    /// A request that was not passed on, because a limit was exceeded (4,096
    /// pending requests, 64 MiB in total, an ID of 4 KiB) or because the agent
    /// does not read responses. In the first case the host responded with an
    /// error, in the second case it did not respond. Sent at most once a
    /// second.
    TooManyRequests {
        /// The request.
        frame: Frame,
        /// The number of further refused requests since the last notice.
        suppressed: u32,
    },
}

impl WireNotice {
    /// Returns the number of bytes from the wire in this notice.
    #[must_use]
    pub fn size(&self) -> usize {
        match self {
            Self::NotAFrame { line, .. } | Self::UnfinishedLine { line } => line.len(),
            Self::StrayResponse { frame }
            | Self::RequestWithoutId { frame }
            | Self::TooManyRequests { frame, .. } => frame.raw().len(),
            Self::LineTooLong { .. } => 0,
        }
    }
}

impl fmt::Display for WireNotice {
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
                    "{what} line of {length} bytes exceeds the line limit and was discarded"
                )
            }
            Self::StrayResponse { frame } => write!(
                f,
                "unexpected response: no pending request with id `{}`",
                frame.request_id().unwrap_or_default()
            ),
            Self::TooManyRequests { frame, suppressed } => {
                let label = frame.head().label();
                write!(
                    f,
                    "dropped a `{label}`: too many pending requests, or the agent does not read responses"
                )?;
                match suppressed {
                    0 => Ok(()),
                    suppressed => write!(f, "; dropped {suppressed} more since the last notice"),
                }
            }
            Self::RequestWithoutId { frame } => write!(
                f,
                "a `{}` without a request_id, which cannot be answered",
                frame.head().label()
            ),
        }
    }
}

/// The beginning of a line, for display.
struct Excerpt<'a>(&'a [u8]);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MAX_SHOWN: usize = 200;
        let text = String::from_utf8_lossy(&self.0[..self.0.len().min(MAX_SHOWN)]);
        write!(f, "{text:?}")?;
        if self.0.len() > MAX_SHOWN {
            write!(f, " and {} bytes more", self.0.len() - MAX_SHOWN)?;
        }
        Ok(())
    }
}

/// Returns a hint why the agent did not respond to a request. Every agent
/// supports `initialize`.
fn may_not_know(subtype: &str) -> &'static str {
    if subtype == "initialize" {
        ""
    } else {
        "; agents up to 2.0.77 ignore unknown requests"
    }
}

/// The reason why a request has no usable response.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestFailure {
    /// The agent responded with an error.
    #[error("the agent refused `{subtype}`: {refusal}")]
    Refused {
        /// The subtype of the request.
        subtype: Box<str>,
        /// The agent's error.
        refusal: Refusal,
    },
    /// The timeout expired. Agents up to 2.0.77 ignore requests that they do
    /// not support.
    #[error("the agent did not answer `{subtype}` within {after:?}{}", may_not_know(.subtype))]
    TimedOut {
        /// The subtype of the request.
        subtype: Box<str>,
        /// The timeout.
        after: Duration,
    },
    /// The host cancelled the request. Effects that the request already had are
    /// not undone.
    #[error("`{subtype}` was cancelled")]
    Cancelled {
        /// The subtype of the request.
        subtype: Box<str>,
    },
    /// The session ended before the response.
    #[error("the session ended before `{subtype}` was answered")]
    SessionEnded {
        /// The subtype of the request.
        subtype: Box<str>,
    },
    /// The agent's process ended before the response. The session continues in
    /// another process, which does not know the request. It is unknown whether
    /// the request had an effect.
    #[error("the agent's process ended before `{subtype}` was answered; the session goes on")]
    Restarted {
        /// The subtype of the request.
        subtype: Box<str>,
    },
    /// The envelope of the response is malformed.
    #[error("the response is malformed: {error}")]
    Unreadable {
        /// The error.
        error: ViewError,
        /// The response.
        frame: Frame,
    },
    /// The response exceeded the length limit for lines.
    #[error("the response to `{subtype}` is {length} bytes long, over the line limit")]
    ResponseTooLong {
        /// The subtype of the request.
        subtype: Box<str>,
        /// The length of the response in bytes.
        length: u64,
    },
}

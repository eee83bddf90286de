//! That something is not as it should be, and the session goes on.

use super::asked::{Asked, CallbackFailure};
use super::ignored_option::IgnoredOption;
use crate::store::{StoreFailure, TranscriptKey};
use agentwire_protocol::host;
use std::fmt;

/// Something is not as it should be, and the session goes on.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// Something on the wire is not as the protocol has it.
    Wire(host::Notice),
    /// There was no callback, or it gave no valid answer. The agent was denied
    /// what it requested; a hook that is no gate was passed over.
    CallbackFailed {
        /// The ask.
        request_id: Box<str>,
        /// What was asked.
        asked: Asked,
        /// Why there is no answer.
        failure: CallbackFailure,
    },
    /// The agent asked something that this host does not know, or cannot
    /// read. It was answered with an error, dialogs excepted, which the
    /// protocol wants left alone.
    NotSupported {
        /// The ask.
        request_id: Box<str>,
        /// What was asked.
        subtype: String,
        /// Why it could not be dealt with.
        reason: String,
    },
    /// An MCP server that runs inside this program panicked. What it was asked
    /// failed; the server goes on.
    McpServerPanicked {
        /// The server.
        server: Box<str>,
        /// The tool that was called, or else the method.
        during: String,
        /// What the panic said.
        message: String,
    },
    /// An MCP server that runs inside this program has ended, or did not come
    /// to begin. What it is asked fails, until the agent connects to it again.
    McpServerEnded {
        /// The server.
        server: Box<str>,
        /// Why.
        reason: String,
    },
    /// An option has no effect, since another one takes it.
    IgnoredOption(IgnoredOption),
    /// The agent did not take plugins that it was given in the first request: it
    /// is too old, one could not be loaded, or whoever started it
    /// ([`Pipes`](crate::Pipes)) did not pass
    /// [`Options::arguments`](crate::Options::arguments). What a session relies
    /// on more is an [`Error::NotApplied`](crate::Error::NotApplied).
    NotApplied {
        /// The option.
        option: &'static str,
    },
    /// Entries of a transcript are not in the session store: what comes back
    /// from there has a hole. The agent's own file has them.
    NotMirrored {
        /// The transcript; `None` when that could not be read.
        key: Option<TranscriptKey>,
        /// How many entries. 0 when that could not be read.
        entries: usize,
        /// Why.
        failure: StoreFailure,
    },
    /// A user message never reached the agent, or the session ended before
    /// the agent was done with it.
    Lost {
        /// The message.
        uuid: Box<str>,
    },
    /// A user message that still waited was taken back, by an interrupt that
    /// asked for it.
    Withdrawn {
        /// The message.
        uuid: Box<str>,
    },
    /// The consumer was so far behind that events were dropped, all of them
    /// older than what follows; see
    /// [`Options::unread_hard_limit`](crate::Options::unread_hard_limit).
    Lagged {
        /// How many. Partial messages that had been joined count as one.
        events: usize,
        /// How many bytes they had.
        bytes: usize,
    },
}

impl Notice {
    /// The bytes of the texts in it.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Wire(notice) => notice.size(),
            Self::CallbackFailed { failure, .. } => match failure {
                CallbackFailure::Panicked(why)
                | CallbackFailure::Failed(why)
                | CallbackFailure::Invalid(why) => why.len(),
                CallbackFailure::InvalidRequest(fault) => fault.path.len() + fault.reason.len(),
                CallbackFailure::Dropped | CallbackFailure::NoCallback => 0,
            },
            Self::McpServerPanicked {
                during, message, ..
            } => during.len() + message.len(),
            Self::McpServerEnded { reason, .. } => reason.len(),
            Self::NotSupported {
                subtype, reason, ..
            } => subtype.len() + reason.len(),
            Self::NotMirrored { failure, .. } => match failure {
                StoreFailure::Failed(why)
                | StoreFailure::Panicked(why)
                | StoreFailure::Unreadable(why) => why.len(),
                _ => 0,
            },
            Self::IgnoredOption(it) => it.option.len() + it.by.len() + it.effect.len(),
            Self::NotApplied { .. }
            | Self::Withdrawn { .. }
            | Self::Lost { .. }
            | Self::Lagged { .. } => 0,
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wire(notice) => notice.fmt(f),
            Self::CallbackFailed { asked, failure, .. } => f.write_str(&asked.failed(failure)),
            Self::NotSupported {
                subtype, reason, ..
            } => {
                write!(f, "the agent asked `{subtype}`: {reason}")
            }
            Self::McpServerPanicked {
                server,
                during,
                message,
            } => {
                write!(
                    f,
                    "the MCP server `{server}` panicked in `{during}`: {message}"
                )
            }
            Self::McpServerEnded { server, reason } => {
                write!(f, "the MCP server `{server}` has ended: {reason}")
            }
            Self::IgnoredOption(ignored) => ignored.fmt(f),
            Self::NotApplied { option } => {
                write!(
                    f,
                    "the agent does without the option `{option}`, or a part of it"
                )
            }
            Self::NotMirrored {
                key: Some(key),
                entries,
                failure,
            } => write!(
                f,
                "{entries} entries of {key} are not in the session store: {failure}"
            ),
            Self::NotMirrored { failure, .. } => {
                write!(
                    f,
                    "part of a transcript is not in the session store: {failure}"
                )
            }
            Self::Lost { uuid } => {
                write!(
                    f,
                    "the session ended before the agent was done with message {uuid}"
                )
            }
            Self::Withdrawn { uuid } => write!(f, "message {uuid} was withdrawn"),
            Self::Lagged { events, bytes } => write!(
                f,
                "{events} events ({bytes} bytes) were dropped: they were not read in time"
            ),
        }
    }
}

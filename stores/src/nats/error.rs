//! Errors of the store.

use crate::session_log::{AppendError, LogKey, Position};
use std::error::Error;
use std::fmt;

/// The error of [`Nats`](super::Nats).
///
/// The store returns it in a [`StoreError`](agentwire::store::StoreError):
/// `error.downcast_ref::<NatsError>()`.
#[derive(Debug)]
#[non_exhaustive]
pub enum NatsError {
    /// A request failed, or the server did not respond in time.
    Request {
        /// A description of the request.
        what: &'static str,
        /// The error of `async-nats`.
        error: Box<dyn Error + Send + Sync>,
    },
    /// The summary and the key of a batch are too large for a message.
    TooLarge {
        /// The size of summary and key in bytes.
        bytes: usize,
        /// The maximum size that the server accepts.
        limit: usize,
    },
    /// The [prefix](super::NatsOptions::prefix) is empty, longer than 32 bytes, or contains
    /// characters other than ASCII letters, digits, `-` and `_`.
    Prefix(String),
    /// A log is damaged.
    Damaged {
        /// The key of the log.
        session: LogKey,
        /// The position of the damage.
        position: Position,
        /// A description of the damage.
        problem: &'static str,
    },
}

impl NatsError {
    /// Returns a function that converts the error of a request.
    pub(super) fn request<E: Into<Box<dyn Error + Send + Sync>>>(
        what: &'static str,
    ) -> impl FnOnce(E) -> Self {
        move |error| Self::Request {
            what,
            error: error.into(),
        }
    }

    pub(super) fn damaged(session: &LogKey, position: u64, problem: &'static str) -> Self {
        Self::Damaged {
            session: session.clone(),
            position: Position(position),
            problem,
        }
    }
}

impl fmt::Display for NatsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request { what, error } => write!(f, "NATS: {what} failed: {error}"),
            Self::TooLarge { bytes, limit } => write!(
                f,
                "the summary and the key have {bytes} bytes; the server accepts {limit} in a message (`max_payload`)"
            ),
            Self::Prefix(prefix) => write!(
                f,
                "invalid prefix: {prefix:?}; it needs 1 to 32 ASCII letters, digits, `-` and `_`"
            ),
            Self::Damaged {
                session,
                position,
                problem,
            } => write!(f, "log {session} is damaged at {position}: {problem}"),
        }
    }
}

// The error has no source, because its text already contains that of the cause.
impl Error for NatsError {}

impl From<NatsError> for AppendError {
    fn from(error: NatsError) -> Self {
        Self::failed(error)
    }
}

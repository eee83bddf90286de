//! Errors of the store.

use crate::session_log::{AppendError, LogKey, Position};
use object_store::Error;
use std::fmt;
use std::time::Duration;

/// The error of [`Objects`](super::Objects).
///
/// The store returns it in a [`StoreError`](agentwire::store::StoreError):
/// `error.downcast_ref::<ObjectsError>()`.
#[derive(Debug)]
#[non_exhaustive]
pub enum ObjectsError {
    /// A request failed.
    Request {
        /// A description of the request.
        what: &'static str,
        /// The error of `object_store`.
        error: Error,
    },
    /// A request took longer than the [timeout](super::ObjectsOptions::timeout). The request may
    /// still succeed.
    TimedOut {
        /// A description of the request.
        what: &'static str,
        /// The timeout.
        limit: Duration,
    },
    /// The object store overwrites existing objects. It cannot create objects exclusively.
    NotExclusive,
    /// A batch exists, but the object store does not list it.
    NotListed {
        /// The key of the log.
        session: LogKey,
        /// The position of the batch.
        position: Position,
    },
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

impl ObjectsError {
    pub(super) fn damaged(session: &LogKey, position: u64, problem: &'static str) -> Self {
        Self::Damaged {
            session: session.clone(),
            position: Position(position),
            problem,
        }
    }
}

impl fmt::Display for ObjectsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request { what, error } => write!(f, "object store: {what} failed: {error}"),
            Self::TimedOut { what, limit } => {
                write!(f, "object store: {what} took longer than {limit:?}")
            }
            Self::NotExclusive => f.write_str(
                "the object store ignores `If-None-Match: *` and overwrites existing objects; two hosts could write one session",
            ),
            Self::NotListed { session, position } => write!(
                f,
                "the object store does not list the batch at {position} of log {session}, which exists"
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
impl std::error::Error for ObjectsError {}

impl From<ObjectsError> for AppendError {
    fn from(error: ObjectsError) -> Self {
        Self::failed(error)
    }
}

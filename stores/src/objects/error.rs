//! Why the store failed.

use crate::session_log::{AppendError, LogKey, Position};
use object_store::Error;
use std::fmt;
use std::time::Duration;

/// A failure of [`Objects`](super::Objects).
///
/// The [`StoreError`](agentwire::store::StoreError) that the store returns holds this type:
/// `error.downcast_ref::<ObjectsError>()`.
#[derive(Debug)]
#[non_exhaustive]
pub enum ObjectsError {
    /// A request failed.
    Request {
        /// What was requested.
        what: &'static str,
        /// The error of `object_store`.
        error: Error,
    },
    /// A request took longer than the [timeout](super::ObjectsOptions::timeout). It may
    /// still be carried out.
    TimedOut {
        /// What was requested.
        what: &'static str,
        /// The timeout.
        limit: Duration,
    },
    /// The object store has written over an object that it was to create.
    NotExclusive,
    /// The object store says that a batch exists, and does not list it.
    NotListed {
        /// The log.
        session: LogKey,
        /// The position of the batch.
        position: Position,
    },
    /// A log is damaged.
    Damaged {
        /// The log.
        session: LogKey,
        /// The position at which it is damaged.
        position: Position,
        /// What is wrong.
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
                "the object store writes over objects that it is to create (`If-None-Match: *`); two hosts could write one session",
            ),
            Self::NotListed { session, position } => write!(
                f,
                "the object store says that the batch at {position} of log {session} exists, and does not list it"
            ),
            Self::Damaged {
                session,
                position,
                problem,
            } => write!(f, "log {session} is damaged at {position}: {problem}"),
        }
    }
}

impl std::error::Error for ObjectsError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Request { error, .. } => Some(error),
            _ => None,
        }
    }
}

impl From<ObjectsError> for AppendError {
    fn from(error: ObjectsError) -> Self {
        Self::failed(error)
    }
}

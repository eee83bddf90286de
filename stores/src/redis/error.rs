//! Errors of the store.

use crate::session_log::{AppendError, LogKey, Position};
use std::fmt;

/// The error of [`Redis`](super::Redis).
///
/// The store returns it in a [`StoreError`](agentwire::store::StoreError):
/// `error.downcast_ref::<RedisError>()`.
#[derive(Debug)]
#[non_exhaustive]
pub enum RedisError {
    /// The server cannot be reached, did not respond in time, or refused a command.
    Server(redis::RedisError),
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

impl RedisError {
    pub(super) fn damaged(session: &LogKey, position: u64, problem: &'static str) -> Self {
        Self::Damaged {
            session: session.clone(),
            position: Position(position),
            problem,
        }
    }
}

impl fmt::Display for RedisError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server(error) => write!(f, "Redis: {error}"),
            Self::Damaged {
                session,
                position,
                problem,
            } => write!(f, "log {session} is damaged at {position}: {problem}"),
        }
    }
}

// The error has no source, because its text already contains that of the cause.
impl std::error::Error for RedisError {}

impl From<redis::RedisError> for RedisError {
    fn from(error: redis::RedisError) -> Self {
        Self::Server(error)
    }
}

impl From<RedisError> for AppendError {
    fn from(error: RedisError) -> Self {
        Self::failed(error)
    }
}

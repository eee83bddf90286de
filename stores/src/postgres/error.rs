//! Errors of the store.

use crate::session_log::{AppendError, LogKey, Position};
use deadpool_postgres::PoolError;
use std::error::Error;
use std::fmt;
use std::time::Duration;
use tokio_postgres::error::SqlState;

/// The maximum length of a project and of a session ID in bytes. Both are in an index, whose rows
/// have a limited size.
pub const KEY_BYTES: usize = 1_000;

/// The error of [`Postgres`](super::Postgres).
///
/// The store returns it in a [`StoreError`](agentwire::store::StoreError):
/// `error.downcast_ref::<PostgresError>()`.
#[derive(Debug)]
#[non_exhaustive]
pub enum PostgresError {
    /// There is no connection, because the server cannot be reached or refuses the login.
    Connection(PoolError),
    /// A statement failed, or its connection was lost.
    Statement(tokio_postgres::Error),
    /// The [timeout](super::PostgresOptions::timeout) has passed. The server may
    /// still execute the statement.
    TimedOut(Duration),
    /// A text contains the character NUL, which PostgreSQL does not support. The value describes
    /// the text.
    Nul(&'static str),
    /// A project or a session ID is longer than [`KEY_BYTES`].
    KeyTooLong {
        /// The kind of key: `project` or `session ID`.
        name: &'static str,
        /// The length of the key in bytes.
        bytes: usize,
    },
    /// The name of the schema is empty, longer than 63 bytes, or contains the character NUL.
    SchemaName(String),
    /// The encoding of the database is not UTF-8.
    Encoding(String),
    /// A newer release of this crate has migrated the schema.
    NewerSchema {
        /// The version of the schema.
        found: i32,
        /// The newest version that this release supports.
        supported: i32,
    },
    /// Batches are missing from a log.
    Damaged {
        /// The key of the log.
        session: LogKey,
        /// The position of the missing batch.
        position: Position,
    },
}

impl PostgresError {
    /// Returns whether the connection was lost. The call can then be retried on another connection.
    pub(super) fn is_lost_connection(&self) -> bool {
        let Self::Statement(error) = self else {
            return false;
        };
        let is_shutdown = |state: &SqlState| {
            [
                SqlState::ADMIN_SHUTDOWN,
                SqlState::CRASH_SHUTDOWN,
                SqlState::IDLE_SESSION_TIMEOUT,
            ]
            .contains(state)
        };
        match error.code() {
            Some(state) => is_shutdown(state),
            None => {
                let source = error.source().and_then(|it| it.downcast_ref());
                error.is_closed() || source.is_some_and(|_: &std::io::Error| true)
            }
        }
    }

    /// Returns whether a concurrent transaction caused a rollback.
    pub(super) fn is_conflict(&self) -> bool {
        let Self::Statement(error) = self else {
            return false;
        };
        let conflicts = [
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
        ];
        error.code().is_some_and(|state| conflicts.contains(state))
    }

    /// Returns whether the schema or its tables do not exist.
    pub(super) fn is_missing_table(&self) -> bool {
        let Self::Statement(error) = self else {
            return false;
        };
        let missing = [SqlState::UNDEFINED_TABLE, SqlState::INVALID_SCHEMA_NAME];
        error.code().is_some_and(|state| missing.contains(state))
    }
}

impl fmt::Display for PostgresError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connection(PoolError::Backend(error)) => {
                f.write_str("cannot connect to PostgreSQL: ")?;
                with_cause(error, f)
            }
            Self::Connection(error) => write!(f, "cannot connect to PostgreSQL: {error}"),
            Self::Statement(error) => {
                f.write_str("PostgreSQL: a statement failed: ")?;
                with_cause(error, f)
            }
            Self::TimedOut(limit) => write!(f, "PostgreSQL did not respond in {limit:?}"),
            Self::Nul(name) => write!(
                f,
                "the {name} contains the character NUL, which PostgreSQL does not support"
            ),
            Self::KeyTooLong { name, bytes } => write!(
                f,
                "the {name} has {bytes} bytes; the maximum is {}",
                KEY_BYTES
            ),
            Self::SchemaName(name) => write!(
                f,
                "invalid schema name {name:?}: it must have 1 to 63 bytes without NUL"
            ),
            Self::Encoding(found) => write!(
                f,
                "the database has the encoding {found}; the store requires UTF8"
            ),
            Self::NewerSchema { found, supported } => write!(
                f,
                "the schema has version {found}; this release of agentwire-stores supports up to {supported}; update it"
            ),
            Self::Damaged { session, position } => {
                write!(f, "log {session} is damaged: no batch at {position}")
            }
        }
    }
}

/// Writes an error with its source, because the client's messages lack the server's message.
fn with_cause(error: &tokio_postgres::Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match error.source() {
        Some(cause) => write!(f, "{error}: {cause}"),
        None => write!(f, "{error}"),
    }
}

// The error has no source, because its text already contains that of the cause.
impl Error for PostgresError {}

impl From<tokio_postgres::Error> for PostgresError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Statement(error)
    }
}

impl From<PoolError> for PostgresError {
    fn from(error: PoolError) -> Self {
        Self::Connection(error)
    }
}

impl From<PostgresError> for AppendError {
    fn from(error: PostgresError) -> Self {
        Self::failed(error)
    }
}

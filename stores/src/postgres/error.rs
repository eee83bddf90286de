//! Why the store failed.

use crate::session_log::{AppendError, LogKey, Position};
use deadpool_postgres::PoolError;
use std::error::Error;
use std::fmt;
use std::time::Duration;
use tokio_postgres::error::SqlState;

/// The longest project and the longest session ID, in bytes. They are in an index,
/// whose rows are limited.
pub const KEY_BYTES: usize = 1_000;

/// A failure of [`Postgres`](super::Postgres).
///
/// The [`StoreError`](agentwire::store::StoreError) that the store returns holds this type:
/// `error.downcast_ref::<PostgresError>()`.
#[derive(Debug)]
#[non_exhaustive]
pub enum PostgresError {
    /// No connection could be had: the server is not reached, or refuses the login.
    Connection(PoolError),
    /// A statement failed, or its connection was lost.
    Statement(tokio_postgres::Error),
    /// The [timeout](super::PostgresOptions::timeout) has passed. The server may
    /// still execute the statement.
    TimedOut(Duration),
    /// PostgreSQL cannot keep this text, because it has the character NUL. The name
    /// says which text it is.
    Nul(&'static str),
    /// A project or a session ID is longer than [`KEY_BYTES`].
    KeyTooLong {
        /// Which of the two.
        name: &'static str,
        /// Its length in bytes.
        bytes: usize,
    },
    /// The name of the schema is empty, longer than 63 bytes, or has the character
    /// NUL.
    SchemaName(String),
    /// The database has another encoding than UTF-8.
    Encoding(String),
    /// A newer version of this crate has migrated the schema.
    NewerSchema {
        /// The version of the schema.
        found: i32,
        /// The newest version that this crate supports.
        supported: i32,
    },
    /// Batches are missing from a log.
    Damaged {
        /// The log.
        session: LogKey,
        /// The position at which a batch is missing.
        position: Position,
    },
}

impl PostgresError {
    /// Whether the connection is lost, and the call can be made again with another.
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

    /// Whether the transaction was rolled back because of others at the same time.
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

    /// Whether the schema or its tables do not exist.
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
                f.write_str("no connection to PostgreSQL: ")?;
                with_cause(error, f)
            }
            Self::Connection(error) => write!(f, "no connection to PostgreSQL: {error}"),
            Self::Statement(error) => {
                f.write_str("a statement failed in PostgreSQL: ")?;
                with_cause(error, f)
            }
            Self::TimedOut(limit) => write!(f, "PostgreSQL did not respond in {limit:?}"),
            Self::Nul(name) => write!(
                f,
                "the {name} has the character NUL, which PostgreSQL cannot keep"
            ),
            Self::KeyTooLong { name, bytes } => write!(
                f,
                "the {name} has {bytes} bytes; PostgreSQL keeps up to {}",
                KEY_BYTES
            ),
            Self::SchemaName(name) => write!(
                f,
                "invalid name of a schema: {name:?}; it needs 1 to 63 bytes, without NUL"
            ),
            Self::Encoding(found) => write!(
                f,
                "the database has the encoding {found}; the store needs one with UTF8"
            ),
            Self::NewerSchema { found, supported } => write!(
                f,
                "the schema has version {found}, and this agentwire-stores supports up to {supported}; update it"
            ),
            Self::Damaged { session, position } => {
                write!(f, "log {session} is damaged: no batch at {position}")
            }
        }
    }
}

/// The client's errors leave out what the server said.
fn with_cause(error: &tokio_postgres::Error, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match error.source() {
        Some(cause) => write!(f, "{error}: {cause}"),
        None => write!(f, "{error}"),
    }
}

impl Error for PostgresError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Connection(error) => Some(error),
            Self::Statement(error) => Some(error),
            _ => None,
        }
    }
}

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

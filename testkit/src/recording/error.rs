//! Why a recording cannot be read.

use std::io;

/// A recording that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// There is no session of that number.
    #[error("it has {count} sessions, and none of the number {number}")]
    NoSession {
        /// The number, counted from 1.
        number: usize,
        /// How many there are.
        count: usize,
    },
    /// A line is no entry.
    #[error("line {line}, column {}: {error}", error.column())]
    Line {
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        error: serde_json::Error,
    },
}

//! Errors of reading a recording.

use std::io;

/// An error of reading a recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// There is no session with this number.
    #[error("the recording has {count} sessions; there is no session {number}")]
    NoSession {
        /// The number, counted from 1.
        number: usize,
        /// The number of sessions.
        count: usize,
    },
    /// A line is not an entry.
    #[error("line {line}, column {}: {error}", error.column())]
    Line {
        /// The line, counted from 1.
        line: u64,
        /// The cause.
        error: serde_json::Error,
    },
}

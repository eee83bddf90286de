//! Errors of reading a recording.

use std::io;

/// An error of reading a recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// There is no session with this number in the recording.
    #[error("the recording has {count} sessions; there is no session {number}")]
    NoSession {
        /// The number of the session, counted from 1.
        number: usize,
        /// The number of sessions in the recording.
        count: usize,
    },
    /// A line of the recording is not an entry.
    #[error("line {line}, column {}: {error}", error.column())]
    Line {
        /// The line number, counted from 1.
        line: u64,
        /// The cause.
        error: serde_json::Error,
    },
}

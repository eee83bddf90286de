//! Keys of logs.

use agentwire::store::TranscriptKey;
use std::fmt;

/// The key of a session's log. Both parts are any texts, and say nothing to a
/// store: it has to keep `a/b` and `a%2fb`, or `A` and `a`, apart.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct LogKey {
    /// The project, or whatever else keeps sessions apart, such as a tenant.
    pub project: String,
    /// The session's ID.
    pub session_id: String,
}

impl LogKey {
    /// Creates a key.
    pub fn new(project: impl Into<String>, session_id: impl Into<String>) -> Self {
        Self {
            project: project.into(),
            session_id: session_id.into(),
        }
    }
}

impl From<&TranscriptKey> for LogKey {
    /// Returns the key of the session that the transcript belongs to.
    fn from(transcript: &TranscriptKey) -> Self {
        Self::new(transcript.project(), transcript.session_id())
    }
}

impl fmt::Display for LogKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.project, self.session_id)
    }
}

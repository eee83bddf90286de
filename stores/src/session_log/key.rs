//! The key of a log.

use agentwire::store::TranscriptKey;
use std::fmt;

/// The key of a session's log. Both parts are arbitrary texts. A store must distinguish all texts,
/// such as `a/b` from `a%2fb`, and `A` from `a`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub struct LogKey {
    /// The project or another group of sessions, such as a tenant.
    pub project: String,
    /// The session ID.
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
    /// Returns the key of the session to which the transcript belongs.
    fn from(transcript: &TranscriptKey) -> Self {
        Self::new(transcript.project(), transcript.session_id())
    }
}

impl fmt::Display for LogKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.project, self.session_id)
    }
}

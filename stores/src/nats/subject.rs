//! The subjects of a store's messages.

use crate::names::name;
use crate::session_log::LogKey;

/// The subjects of a store.
#[derive(Debug)]
pub(super) struct Subjects {
    prefix: String,
}

impl Subjects {
    pub(super) fn new(prefix: &str) -> Self {
        Self {
            prefix: prefix.to_owned(),
        }
    }

    /// Returns the subjects of the stream.
    pub(super) fn all(&self) -> Vec<String> {
        ["log", "chunk"]
            .map(|kind| format!("{}.{kind}.*.*", self.prefix))
            .into()
    }

    /// Returns the subject of a session's batches.
    pub(super) fn log(&self, session: &LogKey) -> String {
        self.subject("log", &session.project, &name(&session.session_id))
    }

    /// Returns the subject of a session's chunks.
    pub(super) fn chunks(&self, session: &LogKey) -> String {
        self.subject("chunk", &session.project, &name(&session.session_id))
    }

    /// Returns the subjects of the batches of a project.
    pub(super) fn project(&self, project: &str) -> String {
        self.subject("log", project, "*")
    }

    fn subject(&self, kind: &str, project: &str, session: &str) -> String {
        format!("{}.{kind}.{}.{session}", self.prefix, name(project))
    }
}

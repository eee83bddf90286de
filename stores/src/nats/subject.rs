//! Subjects: keys as tokens.

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

    /// Those of the stream.
    pub(super) fn all(&self) -> Vec<String> {
        ["log", "chunk"]
            .map(|kind| format!("{}.{kind}.*.*", self.prefix))
            .into()
    }

    /// That of a session's batches.
    pub(super) fn log(&self, session: &LogKey) -> String {
        self.of("log", &session.project, &name(&session.session_id))
    }

    /// That of the parts of a session's large batches.
    pub(super) fn chunks(&self, session: &LogKey) -> String {
        self.of("chunk", &session.project, &name(&session.session_id))
    }

    /// Those of the batches of a project's sessions.
    pub(super) fn project(&self, project: &str) -> String {
        self.of("log", project, "*")
    }

    fn of(&self, kind: &str, project: &str, session: &str) -> String {
        format!("{}.{kind}.{}.{session}", self.prefix, name(project))
    }
}

//! Which conversation a session is.

use super::Options;

/// Which conversation the session is: a new one, or one that goes on.
impl Options {
    /// The session that goes on, by its id (`--resume`).
    pub fn resume(self, session_id: impl Into<String>) -> Self {
        self.set("--resume", session_id.into())
    }

    /// Whether the last session of the working directory goes on
    /// (`--continue`).
    pub fn continue_latest(self, wanted: bool) -> Self {
        self.switch("--continue", wanted)
    }

    /// Whether the session that goes on gets an id of its own, and the old one
    /// stays as it is (`--fork-session`).
    pub fn fork_session(self, wanted: bool) -> Self {
        self.switch("--fork-session", wanted)
    }

    /// The id of the new session (`--session-id`), a UUID.
    pub fn session_id(self, id: impl Into<String>) -> Self {
        self.set("--session-id", id.into())
    }

    /// The last message that the resumed session knows, by its id
    /// (`--resume-session-at`); what came after it is left out.
    pub fn resume_at(self, message: impl Into<String>) -> Self {
        self.set("--resume-session-at", message.into())
    }

    /// The turn that [`Options::resume_at`] is to leave out, by the id of its
    /// prompt (`--resume-drops-turn`). The CLI refuses if anything else would
    /// be left out as well.
    pub fn resume_drops_turn(self, prompt: impl Into<String>) -> Self {
        self.set("--resume-drops-turn", prompt.into())
    }

    /// Whether the session is kept on disk, so that it can be resumed
    /// (`--no-session-persistence`, if not). It is, if not set.
    pub fn persist_session(self, kept: bool) -> Self {
        self.switch("--no-session-persistence", !kept)
    }

    /// The title of a new session. The agent makes one, if not set.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.initialize.title = Some(title.into());
        self
    }
}

//! Which conversation a session starts or resumes.

use super::Options;

/// Starting, resuming and forking conversations.
impl Options {
    /// Resumes the session with this ID (`--resume`).
    pub fn resume(self, session_id: impl Into<String>) -> Self {
        self.set("--resume", session_id.into())
    }

    /// Sets whether to resume the latest session of the working directory
    /// (`--continue`).
    #[doc(alias = "continue")]
    #[doc(alias = "continue_conversation")]
    pub fn continue_latest(self, wanted: bool) -> Self {
        self.switch("--continue", wanted)
    }

    /// Sets whether a resumed session gets a new ID, leaving the original
    /// unchanged (`--fork-session`).
    pub fn fork_session(self, wanted: bool) -> Self {
        self.switch("--fork-session", wanted)
    }

    /// Sets the ID of the new session (`--session-id`), a UUID.
    pub fn session_id(self, id: impl Into<String>) -> Self {
        self.set("--session-id", id.into())
    }

    /// Resumes the session at this message, by its ID, and leaves out
    /// everything after it (`--resume-session-at`).
    #[doc(alias = "resumeSessionAt")]
    #[doc(alias = "resume_session_at")]
    pub fn resume_at(self, message: impl Into<String>) -> Self {
        self.set("--resume-session-at", message.into())
    }

    /// Sets the turn that [`Options::resume_at`] is expected to leave out, by
    /// the ID of its prompt (`--resume-drops-turn`). The CLI refuses to start
    /// if anything else would be left out too.
    pub fn resume_drops_turn(self, prompt: impl Into<String>) -> Self {
        self.set("--resume-drops-turn", prompt.into())
    }

    /// Sets whether the session is stored on disk, so that it can be resumed;
    /// `true` if unset. `false` passes `--no-session-persistence`.
    pub fn persist_session(self, kept: bool) -> Self {
        self.switch("--no-session-persistence", !kept)
    }

    /// Sets the title of a new session. If unset, the agent generates one.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.initialize.title = Some(title.into());
        self
    }
}

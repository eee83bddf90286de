//! Which conversation a session starts or resumes.

use super::Options;
use crate::ownership::WhenOwned;

/// Starting, resuming and forking conversations.
impl Options {
    /// Resumes the session with this ID (`--resume`). If there is none,
    /// connecting fails with
    /// [`Error::NoSuchSession`](crate::Error::NoSuchSession).
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

    /// Sets what happens if the session is open in another process: on this machine, with
    /// another program that uses agentwire, or in an agent that was started by hand. Two
    /// processes that write one session spoil it. By default connecting waits for five
    /// seconds, and then fails with [`Error::SessionOwned`](crate::Error::SessionOwned).
    ///
    /// A session is locked from the moment its ID is known until its agent has exited, a new
    /// one from when its transcript is there: by a
    /// file in the agent's configuration folder (`agentwire/ID.lock`), whose lock ends with
    /// this process. One that was killed leaves no session locked; its agent keeps the session as long as it
    /// still runs. The ID is known before the agent is started if the session is
    /// [resumed](Options::resume) or has an [ID](Options::session_id), and of the latest
    /// session if a [store](Options::session_store) tells it. Otherwise the agent tells it, and a
    /// session that is open elsewhere is reported as a
    /// [`Notice::SessionShared`](crate::Notice::SessionShared).
    ///
    /// With a [store](Options::session_store) whose sessions are claimed, the same holds for
    /// other hosts, and a session whose host is gone is taken over when that is certain.
    ///
    /// Not locked are sessions that are not persisted, that which is forked, sessions over a
    /// [`Transport`](crate::transport::Transport) that does not start the agent, and where there is no
    /// configuration folder or its file system has no locks.
    pub fn when_owned(mut self, when: WhenOwned) -> Self {
        self.when_owned = when;
        self
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
    pub fn persist_session(self, persist: bool) -> Self {
        self.switch("--no-session-persistence", !persist)
    }

    /// Sets the title of a new session. If unset, the agent generates one.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.initialize.title = Some(title.into());
        self
    }
}

//! What happens to a session whose agent process ends, or has nothing to do.

use super::Options;
use super::restart_policy::RestartPolicy;
use std::time::Duration;

/// Sessions with several processes.
impl Options {
    /// Starts the agent again, with the session resumed, if its process ends
    /// although the session was not closed: it crashed, was killed, exited, or
    /// hangs. Off by default. Has no effect once the session is being closed, and
    /// none on a [`query`](crate::query()), which closes when it is idle.
    ///
    /// The new process gets the same options and first request, and then what was
    /// set meanwhile: model, permission mode, settings, MCP servers. An
    /// [`Event::Restarted`](crate::Event::Restarted) tells what was restored and what
    /// became of each message. What no process can bring back is listed at
    /// [`Restart`](crate::event::Restart).
    ///
    /// A new session gets an ID from agentwire (`--session-id`), so that it can
    /// be resumed from its first message on.
    ///
    /// # Errors
    ///
    /// Connecting fails with [`Error::Option`](crate::Error::Option) if the
    /// session cannot be resumed: with
    /// [`persist_session(false)`](Self::persist_session), or over a
    /// [`Transport`](crate::transport::Transport) that does not start the agent.
    pub fn restart(mut self, policy: RestartPolicy) -> Self {
        self.restart = Some(policy);
        self
    }

    /// Sets after which time without work the agent is put to sleep, as
    /// [`Handle::sleep`](crate::Handle::sleep) does. Never, if unset.
    ///
    /// # Errors
    ///
    /// As for [`Options::restart`].
    pub fn sleep_after(mut self, idle: Duration) -> Self {
        self.sleep_after = Some(idle);
        self
    }
}

//! Restarting and suspending the agent of a session.

use super::Options;
use super::restart_policy::RestartPolicy;
use std::time::Duration;

/// Sessions with several processes.
impl Options {
    /// Starts the agent again and resumes the session if its process exits unexpectedly: it
    /// crashed, was killed, exited, or hangs. Off by default. Has no effect while the session is
    /// being closed, nor on a [`query`](crate::query()), which closes when it is idle.
    ///
    /// The new process gets the same options and first request, and then the values set meanwhile:
    /// model, permission mode, settings, MCP servers. An
    /// [`Event::Restarted`](crate::Event::Restarted) reports the restored settings and the delivery
    /// status of each message. [`Restart`](crate::event::Restart) lists what a new process does not
    /// have.
    ///
    /// A new session gets an ID from agentwire (`--session-id`), so that it can be resumed from its
    /// first message.
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

    /// Sets the idle time after which the agent is put to sleep, as by
    /// [`Handle::sleep`](crate::Handle::sleep). Default: never.
    ///
    /// # Errors
    ///
    /// As for [`Options::restart`].
    pub fn sleep_after(mut self, idle: Duration) -> Self {
        self.sleep_after = Some(idle);
        self
    }
}

//! Putting the agent to sleep.

use super::Handle;
use crate::command::Command;
use crate::event::Error;
use tokio::sync::oneshot;

impl Handle {
    /// Puts the agent to sleep: ends its process, and keeps the session. The
    /// next message or control request starts another process, in which the
    /// session is resumed and what was set is restored. Waits until the process
    /// and everything that it started has ended; and before that, behind the
    /// result of a turn, until the agent has said that it rests.
    ///
    /// Handles, subscriptions and callbacks stay. [`Event::Asleep`] and, after
    /// waking, [`Event::Restarted`] tell of it. Returns at once if the agent sleeps
    /// already. Closing a session that sleeps does not wake it.
    ///
    /// [`Event::Asleep`]: crate::Event::Asleep
    /// [`Event::Restarted`]: crate::Event::Restarted
    ///
    /// # Errors
    ///
    /// - [`Error::Busy`] if the agent has something to do, or would lose
    ///   something. Nothing has changed then.
    /// - [`Error::Ended`] if the session is over or closing.
    ///
    /// # Cancel safety
    ///
    /// The agent falls asleep all the same.
    pub async fn sleep(&self) -> Result<(), Error> {
        let (reply, asleep) = oneshot::channel();
        self.link.command(Command::Sleep { reply })?;
        asleep
            .await
            .unwrap_or_else(|_| Err(Error::Ended(self.link.end())))
    }
}

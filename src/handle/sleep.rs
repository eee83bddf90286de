//! Putting the agent to sleep.

use super::Handle;
use crate::command::Command;
use crate::event::Error;
use tokio::sync::oneshot;

impl Handle {
    /// Puts the agent to sleep: shuts down its process, but not the session. The next message or
    /// control request starts another process, in which the session is resumed and its settings are
    /// restored. After the result of a turn, first waits until the agent reports that it is idle.
    /// Then waits until the process and all its descendants have exited.
    ///
    /// Handles, subscriptions and callbacks remain valid. The session delivers [`Event::Asleep`]
    /// and, after waking, [`Event::Restarted`]. Returns immediately if the agent is already asleep.
    /// Closing a sleeping session does not wake the agent.
    ///
    /// [`Event::Asleep`]: crate::Event::Asleep
    /// [`Event::Restarted`]: crate::Event::Restarted
    ///
    /// # Errors
    ///
    /// - [`Error::Busy`] if the agent has pending work or would lose state. The agent is not
    ///   affected.
    /// - [`Error::Ended`] if the session has ended or is closing.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the agent still falls asleep.
    pub async fn sleep(&self) -> Result<(), Error> {
        let (reply, asleep) = oneshot::channel();
        self.link.command(Command::Sleep { reply })?;
        asleep
            .await
            .unwrap_or_else(|_| Err(Error::Ended(self.link.end())))
    }
}

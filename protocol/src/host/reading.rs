//! A driver that pauses reading, since the user has not read what came before.

use super::Host;
use std::time::Instant;

impl Host {
    /// Returns whether `initialize` was answered. Before that no user can read
    /// anything, so reading is never paused.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        !self.outbox.is_held()
    }

    /// Returns whether a control request waits for its response, one that the
    /// host made for itself included. A driver that pauses reading then would
    /// never see the response.
    #[must_use]
    pub fn awaits_response(&self) -> bool {
        !self.requests.is_empty()
    }

    /// The driver reads no more of the agent's output, until
    /// [`Host::handle_reading_resumed`].
    ///
    /// Meanwhile the session counts as busy: what is still unread may say that
    /// it is. Messages and responses still go out.
    pub fn handle_reading_paused(&mut self) {
        self.is_paused = true;
        self.after_change();
    }

    /// The driver reads again.
    pub fn handle_reading_resumed(&mut self, now: Instant) {
        self.is_paused = false;
        self.after_change();
        // What was not waited for meanwhile is waited for again.
        self.watch(now);
    }
}

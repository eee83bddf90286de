//! Pauses the driver's reading when the user is slow to consume events.

use super::Host;
use std::time::Instant;

impl Host {
    /// Returns whether `initialize` has a response. Reading is never paused
    /// before that, because the user cannot consume anything yet.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        !self.outbox.is_gated()
    }

    /// Returns whether a control request is pending, including requests that
    /// the host made on its own. A driver that paused reading now would never
    /// read the response.
    #[must_use]
    pub fn awaits_response(&self) -> bool {
        !self.requests.is_empty()
    }

    /// Records that the driver has paused reading, until
    /// [`Host::handle_reading_resumed`].
    ///
    /// During the pause the session counts as busy, because unread output may
    /// show that it is. Messages and responses are still sent.
    pub fn handle_reading_paused(&mut self) {
        self.is_paused = true;
        self.after_change();
    }

    /// Records that the driver has resumed reading.
    pub fn handle_reading_resumed(&mut self, now: Instant) {
        self.is_paused = false;
        self.after_change();
        // Restarts the timers that the pause stopped.
        self.watch(now);
    }
}

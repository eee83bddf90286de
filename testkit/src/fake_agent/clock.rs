//! The clock of the script.

use std::time::{Duration, Instant};

/// The system's clock, or a virtual one that skips the script's pauses.
#[derive(Debug, Default)]
pub(super) struct Clock {
    pub(super) is_virtual: bool,
    skipped: Duration,
}

impl Clock {
    pub(super) fn new(is_virtual: bool) -> Self {
        Self {
            is_virtual,
            skipped: Duration::ZERO,
        }
    }

    pub(super) fn now(&self) -> Instant {
        Instant::now() + self.skipped
    }

    /// Advances the virtual clock to this time.
    pub(super) fn skip_to(&mut self, time: Instant) {
        self.skipped += time.saturating_duration_since(self.now());
    }
}

//! The state of the check whether the agent still answers.

use std::time::{Duration, Instant};

/// The check whether the agent answers.
#[derive(Debug, Default)]
pub(super) struct Alive {
    /// How long the agent may be silent, and then take to answer. `None` if it
    /// is not checked.
    pub(super) patience: Option<Duration>,
    /// When the agent is asked, unless it says something first.
    pub(super) asks_at: Option<Instant>,
    /// Whether it was asked and said nothing since.
    pub(super) is_asked: bool,
}

impl Alive {
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.asks_at
    }

    /// Prepares for another process.
    pub(super) fn begin_process(&mut self) {
        (self.asks_at, self.is_asked) = (None, false);
    }
}

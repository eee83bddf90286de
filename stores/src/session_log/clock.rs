//! The clock of leases.

use super::since_boot::since_boot;
use std::time::Duration;

/// The clock of leases, which returns the time since an arbitrary moment. It must not stop while
/// the machine is suspended.
#[derive(Debug, Clone, Copy)]
pub struct LeaseClock(fn() -> Duration);

impl LeaseClock {
    /// Creates a clock from a function, for tests.
    #[must_use]
    pub fn new(now: fn() -> Duration) -> Self {
        Self(now)
    }

    /// Returns the current time.
    #[must_use]
    pub fn now(&self) -> Duration {
        (self.0)()
    }
}

impl Default for LeaseClock {
    /// Returns a clock of the time since boot, including suspension.
    fn default() -> Self {
        Self(since_boot)
    }
}

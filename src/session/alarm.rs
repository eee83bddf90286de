//! The timer of the session's state machine.

use std::pin::Pin;
use std::time::{Duration, Instant};
use tokio::time::{Sleep, sleep_until};

/// A timer that fires at the deadline or earlier.
///
/// Resetting a timer costs more than the rest of a request, and most deadlines are moved or
/// removed before they are reached. So the timer is only reset to an earlier time. The caller
/// checks the deadline when it fires.
pub(super) struct Alarm {
    sleep: Pin<Box<Sleep>>,
    /// The time at which it fires.
    set: Option<Instant>,
}

impl Alarm {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            sleep: Box::pin(sleep_until((now + Duration::from_secs(1)).into())),
            set: None,
        }
    }

    /// Makes it fire by `due`.
    pub(super) fn set(&mut self, due: Option<Instant>) {
        let is_late = |due| self.set.is_none_or(|set| due < set);
        if let Some(due) = due.filter(|due| is_late(*due)) {
            self.sleep.as_mut().reset(due.into());
            self.set = Some(due);
        }
    }

    /// Waits until it fires; pending forever if unset. Cancel safe.
    pub(super) async fn rings(&mut self) {
        if self.set.is_none() {
            return std::future::pending().await;
        }
        self.sleep.as_mut().await;
        self.set = None;
    }
}

//! When the session's machine is to be told that time has passed.

use std::pin::Pin;
use std::time::{Duration, Instant};
use tokio::time::{Sleep, sleep_until};

/// Rings at a time, or before.
///
/// Setting a timer costs more than all else that a request does here, and few
/// deadlines are ever reached: most move on or go away. So a timer that is set
/// stays, unless it is too late; whoever hears it looks whether it is time.
pub(super) struct Alarm {
    sleep: Pin<Box<Sleep>>,
    /// When it rings, if it is set.
    set: Option<Instant>,
}

impl Alarm {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            sleep: Box::pin(sleep_until((now + Duration::from_secs(1)).into())),
            set: None,
        }
    }

    /// Rings by then, if there is a time to ring at.
    pub(super) fn set(&mut self, due: Option<Instant>) {
        let is_late = |due| self.set.is_none_or(|set| due < set);
        if let Some(due) = due.filter(|due| is_late(*due)) {
            self.sleep.as_mut().reset(due.into());
            self.set = Some(due);
        }
    }

    /// Waits until it rings; for ever, while it is not set. Cancel safe.
    pub(super) async fn rings(&mut self) {
        if self.set.is_none() {
            return std::future::pending().await;
        }
        self.sleep.as_mut().await;
        self.set = None;
    }
}

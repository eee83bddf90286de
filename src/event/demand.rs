//! Pending operations that depend on input from the agent.
//!
//! A session pauses reading for slow consumers. While an operation waits for input that follows
//! the unread part, the session must continue to read, or both would deadlock. Each such
//! operation has a [`Wanted`] guard.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;

/// Counts the operations that wait for input in one session. Clones share the
/// count.
#[derive(Debug, Clone, Default)]
pub(crate) struct Demand(Arc<State>);

#[derive(Debug, Default)]
struct State {
    wanted: AtomicUsize,
    /// Notifies the driver to decide again whether to read.
    changed: Notify,
}

/// A guard of an operation that waits for input.
#[derive(Debug)]
#[must_use]
pub(crate) struct Wanted(Arc<State>);

impl Demand {
    /// Registers an operation that waits for input.
    pub(crate) fn want(&self) -> Wanted {
        if self.0.wanted.fetch_add(1, Ordering::SeqCst) == 0 {
            self.0.changed.notify_one();
        }
        Wanted(Arc::clone(&self.0))
    }

    /// Returns whether an operation waits for input.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.wanted.load(Ordering::SeqCst) > 0
    }

    /// Called after the application has read, so that there may be space.
    pub(crate) fn has_read(&self) {
        self.0.changed.notify_one();
    }

    /// Waits until input may be needed, or there may be space for it. Cancel safe. Only one task
    /// may wait.
    pub(crate) async fn changed(&self) {
        self.0.changed.notified().await;
    }
}

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.wanted.fetch_sub(1, Ordering::SeqCst);
    }
}

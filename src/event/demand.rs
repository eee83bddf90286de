//! What the program waits for that only input from the agent can bring.
//!
//! A session pauses reading when the program has too much unread. It must not
//! do so while the program waits for something that lies behind what is
//! unread, or both would wait for each other. So whatever of ours waits for
//! input holds a [`Wanted`] for as long as it does.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;

/// Counts what waits for input in one session. Clones count together.
#[derive(Debug, Clone, Default)]
pub(crate) struct Demand(Arc<State>);

#[derive(Debug, Default)]
struct State {
    wanted: AtomicUsize,
    /// Tells the driver to look again whether it has to read.
    changed: Notify,
}

/// Held by what waits for input.
#[derive(Debug)]
#[must_use]
pub(crate) struct Wanted(Arc<State>);

impl Demand {
    /// Something begins to wait for input.
    pub(crate) fn want(&self) -> Wanted {
        if self.0.wanted.fetch_add(1, Ordering::SeqCst) == 0 {
            self.0.changed.notify_one();
        }
        Wanted(Arc::clone(&self.0))
    }

    /// Whether something waits for input.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.wanted.load(Ordering::SeqCst) > 0
    }

    /// The program has read: there may be room again.
    pub(crate) fn has_read(&self) {
        self.0.changed.notify_one();
    }

    /// Waits until input may be wanted, or there may be room for it. Cancel
    /// safe; only one task may wait.
    pub(crate) async fn changed(&self) {
        self.0.changed.notified().await;
    }
}

impl Drop for Wanted {
    fn drop(&mut self) {
        self.0.wanted.fetch_sub(1, Ordering::SeqCst);
    }
}

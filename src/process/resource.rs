//! Resources of a child, such as a private folder, which are dropped after its
//! exit.

use super::{lock, spawn_thread};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

/// A resource that is dropped before others are notified of the exit.
#[derive(Clone, Default)]
pub(super) struct Resource(Arc<Mutex<State>>);

type OnDropped = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    value: Option<Box<dyn Send>>,
    is_being_dropped: bool,
    /// Callbacks to run after the drop, in order.
    then: Vec<OnDropped>,
}

impl Resource {
    pub(super) fn set(&self, value: impl Send + 'static) {
        lock(&self.0).value = Some(Box::new(value));
    }

    /// Drops the resource, if any, and then calls `then`. The drop runs in a thread, because
    /// removing files may block. Without a resource, `then` runs immediately.
    pub(super) fn drop_then(&self, then: impl FnOnce() + Send + 'static) {
        let mut state = lock(&self.0);
        if state.value.is_none() && !state.is_being_dropped {
            drop(state);
            return then();
        }
        state.then.push(Box::new(then));
        if state.is_being_dropped {
            return;
        }
        state.is_being_dropped = true;
        drop(state);
        let this = self.clone();
        if spawn_thread("agentwire-clean", move || this.drop_now()).is_err() {
            self.drop_now();
        }
    }

    fn drop_now(&self) {
        // The lock is released before the drop.
        let value = lock(&self.0).value.take();
        let _ = catch_unwind(AssertUnwindSafe(|| drop(value)));
        loop {
            let mut state = lock(&self.0);
            if state.then.is_empty() {
                state.is_being_dropped = false;
                return;
            }
            let then = state.then.remove(0);
            drop(state);
            then();
        }
    }
}

impl fmt::Debug for Resource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resource").finish_non_exhaustive()
    }
}

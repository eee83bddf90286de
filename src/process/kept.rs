//! What a child works with, such as a private folder, which goes when the child has gone.

use super::{lock, spawn_thread};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

/// Something that is dropped before others hear of its going.
#[derive(Clone, Default)]
pub(super) struct Kept(Arc<Mutex<State>>);

type Then = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    what: Option<Box<dyn Send>>,
    is_being_dropped: bool,
    /// To be called when it is dropped, in order.
    then: Vec<Then>,
}

impl Kept {
    pub(super) fn keep(&self, what: impl Send + 'static) {
        lock(&self.0).what = Some(Box::new(what));
    }

    /// Drops it, if it was not, and calls `then` afterwards; at once if there is nothing to drop.
    /// That takes a thread: files may have to be removed, and nobody else should wait for that.
    pub(super) fn drop_then(&self, then: impl FnOnce() + Send + 'static) {
        let mut state = lock(&self.0);
        if state.what.is_none() && !state.is_being_dropped {
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
        // Not while it is locked.
        let what = lock(&self.0).what.take();
        let _ = catch_unwind(AssertUnwindSafe(|| drop(what)));
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

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kept").finish_non_exhaustive()
    }
}

//! A lease, and who is told of it.

use crate::ClaimKeeper;
use crate::session_log::Lease;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// A lease, and who is told of it.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) lease: Lease,
    /// The task that renews it has it, if it runs.
    keeper: Weak<ClaimKeeper>,
}

impl Held {
    /// An append was kept.
    pub(super) fn kept(&mut self) {
        self.lease.kept();
        if let (Some(keeper), Some(until)) = (self.keeper.upgrade(), self.lease.valid_until()) {
            keeper.renew(until);
        }
    }

    /// Begins a lease of this length.
    pub(super) fn new(length: Duration) -> Self {
        Self {
            lease: Lease::new(length),
            keeper: Weak::new(),
        }
    }

    /// Tells this one of the lease from here on.
    pub(super) fn keep(&mut self, keeper: &Arc<ClaimKeeper>) {
        self.keeper = Arc::downgrade(keeper);
    }

    /// Whether a session has it.
    pub(super) fn is_kept(&self) -> bool {
        self.keeper.strong_count() > 0
    }

    /// The log is another host's.
    pub(super) fn lost(&mut self) {
        self.lease.lost();
        if let Some(keeper) = self.keeper.upgrade() {
            keeper.lose();
        }
    }
}

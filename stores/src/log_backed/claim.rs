//! The claim of a log, with its lease.

use crate::ClaimRenewer;
use crate::session_log::Lease;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// The lease of a claimed log, and the renewer of the session's claim.
#[derive(Debug)]
pub(super) struct LeasedLog {
    pub(super) lease: Lease,
    /// The renewer, which the task that renews the lease owns.
    renewer: Weak<ClaimRenewer>,
}

impl LeasedLog {
    /// Extends the lease, because an append was stored.
    pub(super) fn append_stored(&mut self) {
        self.lease.append_stored();
        if let (Some(renewer), Some(until)) = (self.renewer.upgrade(), self.lease.valid_until()) {
            renewer.renew(until);
        }
    }

    /// Creates a claim whose lease has this length.
    pub(super) fn new(length: Duration) -> Self {
        Self {
            lease: Lease::new(length),
            renewer: Weak::new(),
        }
    }

    /// Sets the renewer.
    pub(super) fn set_renewer(&mut self, renewer: &Arc<ClaimRenewer>) {
        self.renewer = Arc::downgrade(renewer);
    }

    /// Returns whether a session owns the claim.
    pub(super) fn is_active(&self) -> bool {
        self.renewer.strong_count() > 0
    }

    /// Ends the claim, because another host owns the log.
    pub(super) fn revoke(&mut self) {
        self.lease.revoke();
        if let Some(renewer) = self.renewer.upgrade() {
            renewer.revoke();
        }
    }
}

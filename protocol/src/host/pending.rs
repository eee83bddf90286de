//! Pending requests of the host.

use crate::ids::IdMap;
use crate::sorted::SortedMap;
use bytes::Bytes;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A pending request of the host.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) subtype: Box<str>,
    /// The deadline. `None` if it is too far in the future for an `Instant`.
    pub(super) deadline: Option<Instant>,
    pub(super) timeout: Duration,
    /// Queued user messages that the request overtook.
    pub(super) passed: Vec<String>,
    /// Queued user messages that the request withdrew.
    pub(super) withdrawn: Vec<String>,
    /// The user message that this request removes from the agent's queue.
    pub(super) withdraws: Option<Box<str>>,
    /// Whether this request removes all messages from the agent's queue.
    pub(super) withdraws_sent: bool,
    /// The line of a setting or of a read-only request, which is retained
    /// because the next process needs it.
    pub(super) line: Option<Bytes>,
    /// The purpose of a request that the host made on its own. Its response is not
    /// delivered.
    pub(super) own: Option<OwnRequest>,
}

/// The purpose of a request that the host made on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnRequest {
    /// Interrupts the turn to make room for a message with the priority `now`.
    Preempt,
    /// Checks that the agent is reading.
    IdleProbe,
    /// Checks that the agent still responds.
    Watchdog,
}

/// The host's pending requests by ID. The first deadline is found without a
/// scan.
#[derive(Debug, Default)]
pub(super) struct Requests {
    pending: IdMap<Pending>,
    deadlines: SortedMap<(Instant, Arc<str>), ()>,
    /// The number of pending `initialize` requests.
    initializes: usize,
}

impl Requests {
    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Returns whether an `initialize` is pending.
    pub(super) fn has_initialize(&self) -> bool {
        self.initializes > 0
    }

    /// Adds a request. Replaces a request with the same ID.
    pub(super) fn insert(&mut self, id: Arc<str>, pending: Pending) {
        self.remove(&id);
        self.initializes += usize::from(pending.is_initialize());
        if let Some(deadline) = pending.deadline {
            self.deadlines.insert((deadline, id.clone()), ());
        }
        self.pending.insert(id, pending);
    }

    pub(super) fn contains(&self, id: &str) -> bool {
        self.pending.contains_key(id)
    }

    pub(super) fn remove(&mut self, id: &str) -> Option<(Arc<str>, Pending)> {
        let (id, pending) = self.pending.remove_entry(id)?;
        if self.pending.is_empty() {
            self.pending = IdMap::default();
        }
        self.initializes -= usize::from(pending.is_initialize());
        match pending.deadline {
            None => Some((id, pending)),
            Some(deadline) => {
                let deadline = (deadline, id);
                self.deadlines.remove(&deadline);
                Some((deadline.1, pending))
            }
        }
    }

    /// Returns the first deadline.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    /// Removes and returns a request whose deadline has passed.
    pub(super) fn take_expired(&mut self, now: Instant) -> Option<(Arc<str>, Pending)> {
        let (deadline, id) = self.deadlines.first()?;
        let id = (*deadline <= now).then(|| id.clone())?;
        self.remove(&id)
    }

    /// Restarts the timeout of a request that the agent is working on.
    pub(super) fn extend(&mut self, id: &str, now: Instant) {
        if let Some((id, mut pending)) = self.remove(id) {
            pending.deadline = now.checked_add(pending.timeout);
            self.insert(id, pending);
        }
    }

    /// Returns the user messages that a request overtook.
    pub(super) fn passed(&mut self, id: &str) -> Option<&mut Vec<String>> {
        self.pending.get_mut(id).map(|it| &mut it.passed)
    }

    /// Removes and returns all requests.
    pub(super) fn take(&mut self) -> IdMap<Pending> {
        std::mem::take(self).pending
    }
}

impl Pending {
    fn is_initialize(&self) -> bool {
        &*self.subtype == "initialize"
    }
}

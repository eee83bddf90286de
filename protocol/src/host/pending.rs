//! Requests of the host's that wait for their responses.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// A request of ours that is not answered.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) subtype: Box<str>,
    /// `None` when it is so far away that no clock can say it.
    pub(super) deadline: Option<Instant>,
    pub(super) patience: Duration,
    /// User messages that still waited here when the request passed them.
    pub(super) passed: Vec<String>,
    /// User messages that it withdrew here.
    pub(super) withdrawn: Vec<String>,
    /// The user message that the agent is to take out of its queue.
    pub(super) takes_back: Option<Box<str>>,
    /// What the host made it for, if it made it for itself: then nobody else
    /// waits for its answer.
    pub(super) own: Option<OwnRequest>,
}

/// What the host makes requests for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OwnRequest {
    /// To make room for a message that is for now.
    Press,
    /// To see whether the agent reads.
    Doubt,
}

/// The requests that are not answered, by id. However many there are, the first
/// deadline is at hand.
#[derive(Debug, Default)]
pub(super) struct Requests {
    pending: BTreeMap<Box<str>, Pending>,
    deadlines: BTreeSet<(Instant, Box<str>)>,
    /// How many of them greet the agent.
    greetings: usize,
}

impl Requests {
    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// Whether an `initialize` waits for its answer.
    pub(super) fn has_greeting(&self) -> bool {
        self.greetings > 0
    }

    /// Adds a request; one with the same id that is there is forgotten.
    pub(super) fn insert(&mut self, id: Box<str>, pending: Pending) {
        self.remove(&id);
        self.greetings += usize::from(pending.greets());
        if let Some(deadline) = pending.deadline {
            self.deadlines.insert((deadline, id.clone()));
        }
        self.pending.insert(id, pending);
    }

    pub(super) fn remove(&mut self, id: &str) -> Option<(Box<str>, Pending)> {
        let (id, pending) = self.pending.remove_entry(id)?;
        self.greetings -= usize::from(pending.greets());
        match pending.deadline {
            None => Some((id, pending)),
            Some(deadline) => {
                let deadline = (deadline, id);
                self.deadlines.remove(&deadline);
                Some((deadline.1, pending))
            }
        }
    }

    /// The first deadline.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.deadlines.first().map(|(deadline, _)| *deadline)
    }

    /// Takes a request whose deadline is over.
    pub(super) fn take_late(&mut self, now: Instant) -> Option<(Box<str>, Pending)> {
        let (deadline, id) = self.deadlines.first()?;
        let id = (*deadline <= now).then(|| id.clone())?;
        self.remove(&id)
    }

    /// The agent works on a request: its time begins anew.
    pub(super) fn extend(&mut self, id: &str, now: Instant) {
        if let Some((id, mut pending)) = self.remove(id) {
            pending.deadline = now.checked_add(pending.patience);
            self.insert(id, pending);
        }
    }

    /// The user messages that a request passed.
    pub(super) fn passed(&mut self, id: &str) -> Option<&mut Vec<String>> {
        self.pending.get_mut(id).map(|it| &mut it.passed)
    }

    /// Takes all of them.
    pub(super) fn take(&mut self) -> BTreeMap<Box<str>, Pending> {
        std::mem::take(self).pending
    }
}

impl Pending {
    fn greets(&self) -> bool {
        &*self.subtype == "initialize"
    }
}

//! The queue: tenants are served in turn, and each has its own order.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The maximum number of tenants without waiters whose last grants are stored.
const MAX_IDLE_TENANTS: usize = 1024;

/// Waiters by tenant.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    tenants: HashMap<Arc<str>, Tenant>,
    /// The number of the last waiter.
    last: u64,
    /// The number of the last grant.
    grants: u64,
    length: usize,
}

#[derive(Debug, Default)]
struct Tenant {
    waiters: BTreeMap<Key, u64>,
    /// The number of the last grant to this tenant.
    granted: u64,
}

/// The key of a waiter in its tenant's queue: by priority, then by arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(Reverse<i32>, u64);

impl Queue {
    pub(crate) fn push(&mut self, tenant: &Arc<str>, priority: i32, id: u64) -> Key {
        self.last += 1;
        let key = Key(Reverse(priority), self.last);
        let of = self.tenants.entry(Arc::clone(tenant)).or_default();
        of.waiters.insert(key, id);
        self.length += 1;
        key
    }

    pub(crate) fn remove(&mut self, tenant: &str, key: Key) {
        let of = self.tenants.get_mut(tenant);
        if of.and_then(|it| it.waiters.remove(&key)).is_some() {
            self.length -= 1;
        }
        self.forget();
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Returns the next waiter among those that can be served.
    pub(crate) fn next(&self, may_go_on: impl Fn(u64) -> bool) -> Option<u64> {
        let firsts = self.tenants.values().filter_map(|tenant| {
            let (key, id) = tenant.waiters.iter().find(|(_, id)| may_go_on(**id))?;
            Some(((tenant.granted, key.1), *id))
        });
        Some(firsts.min()?.1)
    }

    /// Records that a waiter of this tenant is served.
    pub(crate) fn granted(&mut self, tenant: &str) {
        self.grants += 1;
        if let Some(of) = self.tenants.get_mut(tenant) {
            of.granted = self.grants;
        }
    }

    /// Returns the waiters in the order in which they are served, if no others join.
    pub(crate) fn order(&self) -> Vec<u64> {
        let mut rows: Vec<_> = Vec::with_capacity(self.length);
        for tenant in self.tenants.values() {
            let first = tenant.waiters.keys().next().map(|key| key.1);
            for (round, (key, id)) in tenant.waiters.iter().enumerate() {
                // In the first round by the last grant, then by the turns of that round.
                rows.push(((round, tenant.granted, first, key.1), *id));
            }
        }
        rows.sort_unstable();
        rows.into_iter().map(|(_, id)| id).collect()
    }

    /// Removes tenants without waiters whose last grants do not affect the order.
    fn forget(&mut self) {
        if self.tenants.len() <= MAX_IDLE_TENANTS {
            return;
        }
        let waiting = self.tenants.values().filter(|it| !it.waiters.is_empty());
        let least = waiting.map(|it| it.granted).min();
        let least = least.unwrap_or(self.grants + 1);
        self.tenants
            .retain(|_, it| !it.waiters.is_empty() || it.granted >= least);
    }
}

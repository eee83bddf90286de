//! Maps for few entries.
//!
//! Each pair of types in a `BTreeMap` compiles another copy of its code: 5,000
//! to 10,000 lines of LLVM IR, which each build of this crate has to process. A
//! sorted vector has 500 lines. Insertion and removal move the entries behind,
//! so a map that can have thousands of entries in random order should be an
//! [`IdMap`](crate::ids::IdMap).

use std::borrow::Borrow;
use std::mem;
use std::sync::Arc;

/// A sorted map for few entries. With `()` as values, it is a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortedMap<K, V>(Vec<(K, V)>);

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> SortedMap<K, V> {
    /// Creates an empty map.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Returns whether the map is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the entries in the order of their keys.
    #[must_use]
    pub fn entries(&self) -> &[(K, V)] {
        &self.0
    }

    /// Returns the entries in the order of their keys.
    #[must_use]
    pub fn into_entries(self) -> Vec<(K, V)> {
        self.0
    }

    /// Returns the keys in order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, _)| key)
    }

    /// Returns the values in the order of their keys.
    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.0.iter().map(|(_, value)| value)
    }

    /// Returns the first key.
    #[must_use]
    pub fn first(&self) -> Option<&K> {
        match self.0.first() {
            Some((key, _)) => Some(key),
            None => None,
        }
    }

    /// Removes all entries.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Removes the entries for which `keep` returns `false`.
    pub fn retain(&mut self, mut keep: impl FnMut(&K, &mut V) -> bool) {
        self.0.retain_mut(|(key, value)| keep(key, value));
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    /// Returns the position of a key.
    ///
    /// # Errors
    ///
    /// The insertion position of the key, if the map does not contain it.
    pub fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.0.binary_search_by(|(it, _)| it.borrow().cmp(key))
    }

    /// Returns whether there is an entry with this key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// Returns the value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        match self.find(key) {
            Ok(at) => Some(&self.0[at].1),
            Err(_) => None,
        }
    }

    /// Returns the value of a key, for changes.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        match self.find(key) {
            Ok(at) => Some(&mut self.0[at].1),
            Err(_) => None,
        }
    }

    /// Returns the value of a key. Creates the value if it is missing.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let at = match self.find(&key) {
            Ok(at) => at,
            Err(at) => {
                self.0.insert(at, (key, make()));
                at
            }
        };
        &mut self.0[at].1
    }

    /// Sets the value of a key. Returns the previous value.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(at) => Some(mem::replace(&mut self.0[at].1, value)),
            Err(at) => {
                self.0.insert(at, (key, value));
                None
            }
        }
    }

    /// Removes an entry. Returns its value.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        match self.find(key) {
            Ok(at) => Some(self.0.remove(at).1),
            Err(_) => None,
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::new();
        map.extend(entries);
        map
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

/// Sorts IDs. Every other sorted type would compile another copy of the sorting
/// code.
#[must_use]
pub fn sorted_ids(mut ids: Vec<Arc<str>>) -> Vec<Arc<str>> {
    ids.sort_unstable();
    ids
}

#[cfg(test)]
mod tests {
    use super::SortedMap;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn a_sorted_map_has_the_entries_of_a_btree_map(steps: Vec<(u8, u8, u8)>) {
            let (mut map, mut model) = (SortedMap::new(), BTreeMap::new());
            for (step, key, value) in steps {
                match step % 3 {
                    0 => prop_assert_eq!(map.insert(key, value), model.insert(key, value)),
                    1 => prop_assert_eq!(map.remove(&key), model.remove(&key)),
                    _ => prop_assert_eq!(
                        map.get_or_insert_with(key, || value),
                        model.entry(key).or_insert(value)
                    ),
                }
                prop_assert_eq!(map.get(&key), model.get(&key));
                prop_assert_eq!(map.first(), model.keys().next());
                let entries: Vec<_> = model.iter().map(|(key, value)| (*key, *value)).collect();
                prop_assert_eq!(map.entries(), entries);
            }
        }
    }
}

//! Hash maps with IDs as keys.
//!
//! An ID is a short string, mostly a random UUID, and the ID of a message is
//! looked up many times. The hash of the standard library would cost more than
//! the rest of a lookup.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::sync::LazyLock;

/// A hash map with IDs as keys.
pub type IdMap<V, K = Arc<str>> = HashMap<K, V, IdState>;

/// Creates hashers of IDs, with a random key for the process. An agent that
/// chooses IDs therefore cannot make them collide.
#[derive(Debug, Clone, Copy)]
pub struct IdState(u64);

impl Default for IdState {
    fn default() -> Self {
        static KEY: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0));
        Self(*KEY)
    }
}

impl BuildHasher for IdState {
    type Hasher = IdHasher;

    fn build_hasher(&self) -> IdHasher {
        IdHasher(self.0)
    }
}

/// A hasher of IDs.
#[derive(Debug)]
pub struct IdHasher(u64);

impl IdHasher {
    /// Adds a word to the hash. Both halves of a 128-bit product depend on all
    /// bits of both factors.
    fn add(&mut self, word: u64) {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let product = u128::from(self.0 ^ word) * u128::from(FACTOR ^ self.0.rotate_left(32));
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.add(u64::from_le_bytes(last) ^ (bytes.len() as u64) << 56);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Hash tables use the low bits as the position, and compare the high bits.
    #[test]
    fn ids_that_differ_in_little_have_hashes_that_differ_at_both_ends() {
        let state = IdState::default();
        let hashes = |ids: &mut dyn Iterator<Item = String>| {
            let (mut low, mut high) = (HashSet::new(), HashSet::new());
            for id in ids {
                let hash = state.hash_one(id.as_str());
                low.insert(hash & 0xffff);
                high.insert(hash >> 48);
            }
            (low.len(), high.len())
        };
        // Of 10,000 balls in 65,536 bins, about 9,290 fall into different bins.
        for (low, high) in [
            hashes(&mut (0..10_000).map(|it| it.to_string())),
            hashes(&mut (0..10_000).map(|it| format!("request-{it}"))),
            hashes(&mut (0..10_000).map(|it| format!("00000000-0000-4000-8000-{it:012}"))),
            hashes(&mut (0..10_000).map(|it| format!("{it:08}-0000-4000-8000-000000000000"))),
            hashes(&mut (0..10_000).map(|it| "a".repeat(it))),
        ] {
            assert!(low > 9_000 && high > 9_000, "{low} {high}");
        }
    }
}

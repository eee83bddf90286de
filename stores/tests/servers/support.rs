//! Shared helpers.

use agentwire_testing::{Random, number};
use std::time::Duration;

/// Returns a variable of `scripts/stores`. Panics if it is unset.
pub(crate) fn given(name: &str) -> String {
    match std::env::var(name) {
        Ok(value) => value,
        Err(_) => panic!("{name} is not set: run these tests with scripts/stores"),
    }
}

/// Reports the number of checks to `.ci/run`.
pub(crate) fn counted(number: usize, what: &str) {
    println!("counted: {number} {what}");
}

/// Returns the number of repetitions of each crash.
pub(crate) fn kills() -> usize {
    let kills = std::env::var("AGENTWIRE_KILLS");
    kills.map_or(15, |it| it.parse().unwrap())
}

/// Random numbers from a seed.
pub(crate) struct Dice(u64);

impl Dice {
    /// Returns the random numbers of a test.
    pub(crate) fn new(test: u64) -> Self {
        let seed = std::env::var("AGENTWIRE_SEED");
        let seed: u64 = seed.map_or(1, |it| it.parse().unwrap());
        Self((seed * 1_000 + test).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % end
    }

    /// Returns a duration of up to this number of milliseconds.
    pub(crate) fn moment(&mut self, milliseconds: u64) -> Duration {
        Duration::from_micros(self.below(milliseconds * 1_000))
    }
}

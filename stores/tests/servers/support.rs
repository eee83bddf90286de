//! What the tests have in common.

use agentwire_testing::{Random, number};
use std::time::Duration;

/// What `scripts/stores` has put into the environment. Without it a test fails.
pub(crate) fn given(name: &str) -> String {
    match std::env::var(name) {
        Ok(value) => value,
        Err(_) => panic!("{name} is not set: run these tests with scripts/stores"),
    }
}

/// How many times each crash is repeated.
pub(crate) fn kills() -> usize {
    let kills = std::env::var("AGENTWIRE_KILLS");
    kills.map_or(15, |it| it.parse().unwrap())
}

/// Random numbers for a test; `AGENTWIRE_SEED` has others.
pub(crate) fn random(test: u64) -> Random {
    Random::new(number("AGENTWIRE_SEED").unwrap_or(1) * 1_000 + test)
}

/// Some time, up to so many milliseconds.
pub(crate) fn moment(random: &mut Random, milliseconds: usize) -> Duration {
    Duration::from_micros(random.below(milliseconds * 1_000) as u64)
}

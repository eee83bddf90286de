//! Helpers of all tests on servers.

use agentwire_testing::{Random, number};
use std::time::Duration;

/// Returns a variable of `scripts/stores`. Panics if it is unset.
pub(crate) fn required_variable(name: &str) -> String {
    match std::env::var(name) {
        Ok(value) => value,
        Err(_) => panic!("{name} is not set: run these tests with scripts/stores"),
    }
}

/// Returns the number of repetitions of each crash.
pub(crate) fn kills() -> usize {
    let kills = std::env::var("AGENTWIRE_KILLS");
    kills.map_or(15, |it| it.parse().unwrap())
}

/// Returns the random numbers of a test. `AGENTWIRE_SEED` selects other numbers.
pub(crate) fn random(test: u64) -> Random {
    Random::new(number("AGENTWIRE_SEED").unwrap_or(1) * 1_000 + test)
}

/// Returns a duration of up to this number of milliseconds.
pub(crate) fn moment(random: &mut Random, milliseconds: usize) -> Duration {
    Duration::from_micros(random.below(milliseconds * 1_000) as u64)
}

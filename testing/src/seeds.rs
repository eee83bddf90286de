//! Simulations that run with many seeds.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// Returns the number in an environment variable.
///
/// # Panics
///
/// If the variable is set to something else.
#[must_use]
pub fn number(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    let number = text.parse();
    Some(number.unwrap_or_else(|_| panic!("{name} is {text:?}, which is not a number")))
}

/// Runs a simulation with the seeds from 0 to `seeds`, or up to
/// `AGENTWIRE_SIMULATE` if that is set, on all cores. `run` gets a seed, and
/// updates the findings of its thread.
///
/// Returns the number of seeds, and the findings of each thread. If
/// `AGENTWIRE_SEED` is set, calls `alone` with that seed and returns `None`.
///
/// # Panics
///
/// If a seed fails. The message has the number of the seed.
pub fn simulate<T: Default + Send>(
    seeds: u64,
    alone: impl FnOnce(u64) -> Result<(), String>,
    run: impl Fn(u64, &mut T) -> Result<(), String> + Sync,
) -> Option<(u64, Vec<T>)> {
    if let Some(seed) = number("AGENTWIRE_SEED") {
        alone(seed).unwrap_or_else(|problem| panic!("{problem}"));
        return None;
    }
    let seeds = number("AGENTWIRE_SIMULATE").unwrap_or(seeds);
    let next = AtomicU64::new(0);
    let work = || {
        let mut found = T::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds {
                return found;
            }
            if let Err(problem) = run(seed, &mut found) {
                panic!("AGENTWIRE_SEED={seed}: {problem}");
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, Into::into);
    let found = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let found = threads.into_iter().map(thread::ScopedJoinHandle::join);
        found
            .map(|found| found.unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    });
    Some((seeds, found))
}

//! Simulates sessions of host and agent in one thread, in an order that a seed
//! determines. Bytes are split and delayed, turns run and are aborted, tasks
//! end in the background, permission requests are answered or not, requests
//! fail or get no response, the agent sends invalid lines or has no queue, the
//! pipe breaks, the session ends at any point. In every case, everything that
//! was started ends once, no output is lost, and no buffer exceeds its limit.
//!
//! ```text
//! AGENTWIRE_SIMULATE=100000 cargo test -p agentwire-testkit --release --test simulation
//! ```
//!
//! runs that many seeds; `AGENTWIRE_SEED=n` runs one and prints what happened.
//! `scripts/simulate` runs a million, and then shows that the simulation finds
//! its bugs of `tests/bugs/bugs.txt`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod check;
mod coverage;
mod dice;
mod peer;
mod user;
mod world;

use coverage::Coverage;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use world::World;

/// The number of sessions in every test run.
const SEEDS: u64 = 1_000;

fn number(name: &str) -> Option<u64> {
    Some(std::env::var(name).ok()?.parse().unwrap())
}

/// The results of many sessions.
#[derive(Default)]
struct Runs {
    /// The number of steps of each session.
    steps: Vec<u32>,
    coverage: Coverage,
}

impl Runs {
    fn add(&mut self, other: Self) {
        self.steps.extend(other.steps);
        self.coverage.add(&other.coverage);
    }
}

/// Runs sessions until no seed remains. Panics at the first failure, with the
/// end of its trace.
fn run(next: &AtomicU64, seeds: u64) -> Runs {
    let mut runs = Runs::default();
    loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= seeds {
            return runs;
        }
        let mut world = World::new(seed);
        if let Err(problem) = world.run() {
            // Traces only the failed session.
            let mut world = World::new(seed).traced();
            let _ = world.run();
            let trace = world.trace();
            let end = &trace[trace.len().saturating_sub(40)..];
            panic!("AGENTWIRE_SEED={seed}: {problem}\n{}", end.join("\n"));
        }
        runs.steps.push(world.steps());
        runs.coverage.add(world.coverage());
    }
}

#[test]
fn everything_that_is_started_ends_once_and_nothing_is_lost() {
    if let Some(seed) = number("AGENTWIRE_SEED") {
        let mut world = World::new(seed).traced();
        let result = world.run();
        for line in world.trace() {
            println!("{line}");
        }
        result.unwrap();
        return;
    }
    let seeds = number("AGENTWIRE_SIMULATE").unwrap_or(SEEDS);
    let began = Instant::now();
    let next = AtomicU64::new(0);
    let threads = std::thread::available_parallelism().map_or(1, Into::into);
    let mut all = Runs::default();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads)
            .map(|_| scope.spawn(|| run(&next, seeds)))
            .collect();
        for thread in threads {
            match thread.join() {
                Ok(runs) => all.add(runs),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    let line = format!("counted: {seeds} simulated sessions of the state machines\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    all.steps.sort_unstable();
    println!(
        "{seeds} sessions in {:.1?}, {} steps in the median",
        began.elapsed(),
        all.steps[all.steps.len() / 2]
    );
    println!("{}", all.coverage);
    // Some transitions are rare and may be missing in a short run.
    let least = if seeds < 100_000 { 0.9 } else { 0.95 };
    let is_enough = all.coverage.share() >= least;
    assert!(is_enough || seeds < SEEDS, "{}", all.coverage);
}

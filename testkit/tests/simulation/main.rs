//! Whole sessions of host and agent in one thread, in an order that a seed
//! throws: bytes are cut anywhere and come late, turns run and are cut off,
//! tasks end in the background, asks are answered or not, requests are refused
//! or never answered, the agent talks rubbish or has no queue, the pipe breaks,
//! the session ends at any point. Whatever comes of it, everything that was
//! begun ends once, nothing that was said is lost, and nothing that is bounded
//! grows.
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

/// How many sessions every test run has.
const SEEDS: u64 = 1_000;

fn number(name: &str) -> Option<u64> {
    Some(std::env::var(name).ok()?.parse().unwrap())
}

/// What came of many sessions.
#[derive(Default)]
struct Runs {
    /// Steps, session by session.
    steps: Vec<u32>,
    coverage: Coverage,
}

impl Runs {
    fn add(&mut self, other: Self) {
        self.steps.extend(other.steps);
        self.coverage.add(&other.coverage);
    }
}

/// Runs sessions until there is no seed left. Panics at the first that goes
/// wrong, with the end of its trace.
fn run(next: &AtomicU64, seeds: u64) -> Runs {
    let mut runs = Runs::default();
    loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= seeds {
            return runs;
        }
        let mut world = World::new(seed);
        if let Err(problem) = world.run() {
            // Only now is it worth its while to write everything down.
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
fn everything_that_is_begun_ends_once_and_nothing_is_lost() {
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
    // Some are rare: a short run need not see them.
    let least = if seeds < 100_000 { 0.9 } else { 0.95 };
    let is_enough = all.coverage.share() >= least;
    assert!(is_enough || seeds < SEEDS, "{}", all.coverage);
}

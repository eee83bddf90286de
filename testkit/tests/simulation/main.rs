//! Simulates sessions of host and agent in one thread, in an order that a seed
//! determines. Bytes are split and delayed, turns run and are aborted, tasks
//! end in the background, permission requests are answered or not, requests
//! fail or get no response, the agent sends invalid lines or has no queue, the
//! pipe breaks, and the session ends at any point. In every case, each
//! operation that was started ends once, no output is lost, and no buffer
//! exceeds its limit.
//!
//! ```text
//! AGENTWIRE_SIMULATE=100000 cargo test -p agentwire-testkit --release --test simulation
//! ```
//!
//! runs that many seeds; `AGENTWIRE_SEED=n` runs one seed and prints the
//! events. `scripts/simulate` runs a million seeds, and then shows that the
//! simulation finds the bugs in `tests/bugs/bugs.txt` that are meant for it.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod check;
mod coverage;
mod peer;
mod user;
mod world;

use agentwire_testing::{counted, simulate};
use coverage::Coverage;
use std::time::Instant;
use world::World;

/// The number of sessions in every test run.
const SEEDS: u64 = 1_000;

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

/// Runs one session. An error contains the end of the trace of the session.
fn run(seed: u64, runs: &mut Runs) -> Result<(), String> {
    let mut world = World::new(seed);
    if let Err(problem) = world.run() {
        // Traces only the failed session.
        let mut world = World::new(seed).traced();
        let _ = world.run();
        let trace = world.trace();
        let end = &trace[trace.len().saturating_sub(40)..];
        return Err(format!("{problem}\n{}", end.join("\n")));
    }
    runs.steps.push(world.steps());
    runs.coverage.add(world.coverage());
    Ok(())
}

#[test]
fn everything_that_is_started_ends_once_and_nothing_is_lost() {
    let began = Instant::now();
    let alone = |seed| {
        let mut world = World::new(seed).traced();
        let result = world.run();
        println!("{}", world.trace().join("\n"));
        result
    };
    let Some((seeds, runs)) = simulate(SEEDS, alone, run) else {
        return;
    };
    let mut all = Runs::default();
    runs.into_iter().for_each(|runs| all.add(runs));
    counted(seeds, "simulated sessions of the state machines");
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

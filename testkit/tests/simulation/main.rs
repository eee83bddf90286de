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
mod peer;
mod user;
mod world;

use agentwire_testing::{counted, simulate};
use coverage::Coverage;
use std::time::Instant;
use world::World;

/// How many sessions every test run has.
const SEEDS: u64 = 1_000;

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

/// Runs one session. A problem comes with the end of its trace.
fn run(seed: u64, runs: &mut Runs) -> Result<(), String> {
    let mut world = World::new(seed);
    if let Err(problem) = world.run() {
        // Only now is it worth its while to write everything down.
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
fn everything_that_is_begun_ends_once_and_nothing_is_lost() {
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
    // Some are rare: a short run need not see them.
    let least = if seeds < 100_000 { 0.9 } else { 0.95 };
    let is_enough = all.coverage.share() >= least;
    assert!(is_enough || seeds < SEEDS, "{}", all.coverage);
}

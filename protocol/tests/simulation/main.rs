//! Whole sessions of host and agent in one thread, in an order that a seed
//! throws: bytes are cut anywhere and come late, turns run and are cut off,
//! asks are answered or not, requests are refused or never answered, the pipe
//! breaks, the session ends at any point. Whatever comes of it, everything
//! that was begun ends once, and nothing that was said is lost.
//!
//! ```text
//! AGENTWIRE_SIMULATE=100000 cargo test -p agentwire-protocol --release --test simulation
//! ```
//!
//! runs that many seeds; `AGENTWIRE_SEED=n` runs one and prints what happened.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod check;
mod dice;
mod world;

use world::World;

/// How many sessions every test run has.
const SEEDS: u64 = 500;

fn number(name: &str) -> Option<u64> {
    Some(std::env::var(name).ok()?.parse().unwrap())
}

#[test]
fn everything_that_is_begun_ends_once_and_nothing_is_lost() {
    if let Some(seed) = number("AGENTWIRE_SEED") {
        let mut world = World::new(seed);
        let result = world.run();
        for line in world.trace() {
            println!("{line}");
        }
        result.unwrap();
        return;
    }
    let seeds = number("AGENTWIRE_SIMULATE").unwrap_or(SEEDS);
    let mut steps = Vec::new();
    for seed in 0..seeds {
        let mut world = World::new(seed);
        if let Err(problem) = world.run() {
            let trace = world.trace();
            let end = &trace[trace.len().saturating_sub(40)..];
            panic!("AGENTWIRE_SEED={seed}: {problem}\n{}", end.join("\n"));
        }
        steps.push(world.steps());
    }
    steps.sort_unstable();
    println!(
        "{seeds} sessions, {} steps in the median",
        steps[steps.len() / 2]
    );
}

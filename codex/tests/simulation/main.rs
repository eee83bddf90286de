//! Simulates sessions of the machine with the fake Codex, in one thread and in an order that a
//! seed determines. Bytes are split and delayed, responses are lost, late, refused or doubled,
//! lines are invalid, other clients start and interrupt turns, and the process ends at any
//! point. In every case, each call ends once, no message is read twice or lost without an end
//! that says so, and Codex gets no request that it would misunderstand.
//!
//! ```text
//! AGENTWIRE_SIMULATE=100000 cargo test -p agentwire-codex --release --test simulation
//! ```
//!
//! runs that many seeds; `AGENTWIRE_SEED=n` runs one and prints what happens.
//! `scripts/simulate` also shows that the simulation finds the bugs in `tests/bugs/bugs.txt`
//! that are meant for it.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod agent;
mod check;
mod user;
mod world;

use agentwire_testing::{counted, simulate};
use std::collections::BTreeMap;
use std::time::Instant;
use world::World;

/// The number of sessions in every test run.
const SEEDS: u64 = 1_000;

type Seen = BTreeMap<String, u64>;

/// Runs one session. An error contains the end of the trace of the session.
fn run(seed: u64, transitions: &mut Seen) -> Result<(), String> {
    let mut world = World::new(seed);
    if let Err(problem) = world.run() {
        // Traces only the failed session.
        let mut world = World::new(seed).traced();
        let _ = world.run();
        let trace = world.trace();
        let end = &trace[trace.len().saturating_sub(60)..];
        return Err(format!("{problem}\n{}", end.join("\n")));
    }
    for (what, times) in world.seen() {
        *transitions.entry(what).or_default() += times;
    }
    Ok(())
}

#[test]
fn every_call_ends_once_and_codex_understands_every_request() {
    let began = Instant::now();
    let alone = |seed| {
        let mut world = World::new(seed).traced();
        let result = world.run();
        println!("{}", world.trace().join("\n"));
        result
    };
    let Some((seeds, threads)) = simulate(SEEDS, alone, run) else {
        return;
    };
    counted(seeds, "simulated sessions with Codex");
    println!("{seeds} sessions in {:.1?}", began.elapsed());
    let mut all = Seen::new();
    for (what, times) in threads.into_iter().flatten() {
        *all.entry(what).or_default() += times;
    }
    println!("{all:#?}");
    // What a simulation does not reach it does not test.
    let rare: Vec<_> = check::EXPECTED
        .iter()
        .filter(|it| !all.contains_key(**it))
        .collect();
    assert!(rare.is_empty() || seeds < SEEDS, "never seen: {rare:?}");
}

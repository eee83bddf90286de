//! Tests the client and its driver over pipes that a seed controls. The pipes transfer a
//! few bytes at a time, stall, break, or end within a line. At the other end, the fake
//! agent replies, writes invalid lines, hangs, or exits. Users send messages and
//! requests, cancel and drop their handles, read or do not read, and close at any point.
//! In every case, all operations end in time, no line that was read is lost, and no task
//! remains.
//!
//! ```text
//! AGENTWIRE_SIMULATE=20000 cargo test --release --test driver -- --nocapture
//! ```
//!
//! runs that many seeds; `AGENTWIRE_SEED=n` runs one and prints its log.
//! `scripts/simulate` checks that the test finds the bugs in `tests/bugs/bugs.txt` that
//! are meant for it. The seed does not control the order in which tokio's `select!`
//! polls, so a single seed runs up to a hundred times, until it fails.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod agent;
mod check;
mod log;
mod pipe;
mod session;
mod user;

use agentwire_testing::{counted, simulate};
use log::Log;
use std::time::Duration;
use tokio::runtime::Builder;

/// The number of sessions in each test run.
const SEEDS: u64 = 300;

/// The simulated time after which an operation counts as hung.
const FOR_EVER: Duration = Duration::from_secs(60 * 24 * 60 * 60);

/// Runs one session, from its first byte to its last task.
fn run(seed: u64) -> Result<Log, (Log, String)> {
    let runtime = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let log = Log::new();
        let over = tokio::time::timeout(FOR_EVER, session::run(seed, &log)).await;
        let over = over.unwrap_or_else(|_| Err("something waits for ever".to_owned()));
        let problem = over.err().or_else(|| log.problem());
        match problem {
            None => Ok(log),
            Some(problem) => Err((log, problem)),
        }
    })
}

#[test]
fn every_operation_ends_and_no_line_is_lost() {
    let alone = |seed| {
        for _ in 0..99 {
            run(seed).map_err(|(log, problem)| format!("{problem}\n{log}"))?;
        }
        let outcome = run(seed);
        let (Ok(log) | Err((log, _))) = &outcome;
        println!("{log}");
        outcome.map(drop).map_err(|(_, problem)| problem)
    };
    let found = simulate(SEEDS, alone, |seed, found: &mut Vec<(usize, String)>| {
        let log = run(seed).map_err(|(log, problem)| format!("{problem}\n{log}"))?;
        found.push((log.len(), format!("{:?}", log.end())));
        Ok(())
    });
    let Some((seeds, found)) = found else { return };
    let mut ends = std::collections::BTreeMap::<String, u64>::new();
    let mut lines = Vec::new();
    for (length, end) in found.into_iter().flatten() {
        lines.push(length);
        *ends.entry(end).or_default() += 1;
    }
    lines.sort_unstable();
    let median = lines[lines.len() / 2];
    counted(seeds, "simulated sessions of the client");
    println!("{seeds} sessions, in each {median} things that happened, in the median");
    println!("how they ended: {ends:?}");
    // A session can end for six reasons, or fail to start. Some reasons are rare.
    assert!(ends.len() == 7 || seeds < 2_000, "{ends:?}");
}

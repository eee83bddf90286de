//! Sessions with several processes, under a seed: an agent that keeps its
//! transcript on a disk of its own is killed at any point, hangs, or cannot be
//! started, while users send, set, ask, interrupt, and put it to sleep.
//! Whatever comes of it, everything that was begun ends, no message is sent
//! again that was over, none is forgotten, nothing overtakes what was set
//! before it, and no callback runs twice.
//!
//! ```text
//! AGENTWIRE_SIMULATE=1000000 cargo test --release --test moved -- --nocapture
//! ```
//!
//! runs that many seeds; `AGENTWIRE_SEED=n` runs one and prints what happened.
//! `scripts/simulate` shows that it finds its bugs of `tests/bugs/bugs.txt`.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod agent;
mod disk;
#[path = "../driver/log.rs"]
#[allow(dead_code, reason = "another simulation uses the rest")]
mod log;
mod session;
mod transport;

use agentwire_testing::{counted, simulate};
use log::Log;
use std::time::Duration;
use tokio::runtime::Builder;

/// How many sessions every test run has.
const SEEDS: u64 = 500;

/// Simulated: whatever takes longer goes on for ever.
const FOR_EVER: Duration = Duration::from_secs(10 * 24 * 60 * 60);

/// One session, from its first process to its last task.
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
        let problem = log.problem().or(over.err());
        match problem {
            None => Ok(log),
            Some(problem) => Err((log, problem)),
        }
    })
}

#[test]
fn whatever_happens_to_its_processes_a_session_goes_on() {
    let alone = |seed| {
        let outcome = run(seed);
        let (Ok(log) | Err((log, _))) = &outcome;
        println!("{log}");
        outcome.map(drop).map_err(|(_, problem)| problem)
    };
    let found = simulate(SEEDS, alone, |seed, found: &mut Vec<(usize, usize)>| {
        let log = run(seed).map_err(|(log, problem)| format!("{problem}\n{log}"))?;
        let processes = log.to_string().matches("a process starts").count();
        found.push((log.len(), processes));
        Ok(())
    });
    let Some((seeds, found)) = found else { return };
    let (mut lines, processes): (Vec<usize>, Vec<usize>) = found.into_iter().flatten().unzip();
    let processes: usize = processes.iter().sum();
    lines.sort_unstable();
    let median = lines[lines.len() / 2];
    let what = format!("simulated sessions with {processes} processes");
    counted(seeds, &what);
    println!("{seeds} sessions, in each {median} things that happened, in the median");
}

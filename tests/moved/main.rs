//! Tests sessions with several processes, controlled by a seed. An agent with a
//! transcript on its own disk is killed at any point, hangs, or cannot be started, while
//! users send messages, settings and requests, interrupt the agent, and put it to sleep.
//! In every case, all operations end, no finished message is sent again, no message is
//! lost, no message overtakes an earlier setting, and no callback runs twice.
//!
//! ```text
//! AGENTWIRE_SIMULATE=1000000 cargo test --release --test moved -- --nocapture
//! ```
//!
//! runs that many seeds; `AGENTWIRE_SEED=n` runs one and prints its log.
//! `scripts/simulate` checks that the test finds the bugs in `tests/bugs/bugs.txt` that
//! are meant for it.
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

/// The number of sessions in each test run.
const SEEDS: u64 = 500;

/// The simulated time after which an operation counts as hung.
const FOR_EVER: Duration = Duration::from_secs(10 * 24 * 60 * 60);

/// Runs one session, from its first process to its last task.
fn run(seed: u64) -> Result<Log, (Log, String)> {
    let runtime = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let log = Log::new();
        let finished = tokio::time::timeout(FOR_EVER, session::run(seed, &log)).await;
        let finished = finished.unwrap_or_else(|_| Err("something waits for ever".to_owned()));
        let problem = log.problem().or(finished.err());
        match problem {
            None => Ok(log),
            Some(problem) => Err((log, problem)),
        }
    })
}

#[test]
fn a_session_survives_any_failure_of_its_processes() {
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

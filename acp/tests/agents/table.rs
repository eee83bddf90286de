//! Compares the server with the adapter: time, memory and processes.

#![allow(clippy::print_stdout, reason = "prints a table")]

use super::processes::{HANGS, Program, Running, processes};
use crate::support::select;
use agentwire_testkit::{Scenario, Step};
use serde_json::json;
use std::time::{Duration, Instant};

/// Each program starts so often.
const RUNS: usize = 5;

#[derive(Default)]
struct Row {
    starts: Vec<Duration>,
    alone: u64,
    tree: u64,
    remaining: usize,
}

/// Returns the resident memory of a process, in MiB.
fn memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let mut lines = status.lines();
    let line = lines.find_map(|it| it.strip_prefix("VmRSS:"));
    let number = line.and_then(|it| it.split_whitespace().next()?.parse::<u64>().ok());
    number.unwrap_or_default() / 1024
}

async fn measure(program: Program, row: &mut Row) {
    let call = json!({"command": HANGS, "description": "A test"});
    let scenario = Scenario::default().reply([Step::tool("Bash", call, "")]);
    let began = Instant::now();
    let mut running =
        Running::start(program, agentwire_testing::tempdir().unwrap(), scenario).await;
    running.peer.initialize().await;
    let session = running.peer.open(&running.project()).await;
    row.starts.push(began.elapsed());
    running.peer.respond = Box::new(|_, params| Some(select(params, "allow_once")));
    running.peer.send_prompt(&session, "Wait").await;
    running.wait_for_hanging_command().await;
    row.alone = memory(running.child.id().unwrap());
    row.tree = processes(running.home.path()).into_iter().map(memory).sum();
    row.remaining = row.remaining.max(running.end().await.1);
}

#[tokio::test]
#[ignore = "prints a table"]
async fn table() {
    let programs = [
        ("agentwire", Program::Ours),
        ("claude-agent-acp", Program::Adapter),
    ];
    let mut rows = [Row::default(), Row::default()];
    for _ in 0..RUNS {
        for ((_, program), row) in programs.iter().zip(&mut rows) {
            measure(*program, row).await;
        }
    }
    println!(
        "{:18}{:>12}{:>14}{:>14}{:>16}",
        "", "start, ms", "alone, MiB", "tree, MiB", "remaining, 5 s"
    );
    for ((name, _), row) in programs.iter().zip(&mut rows) {
        row.starts.sort();
        let start = row.starts[RUNS / 2].as_millis();
        println!(
            "{name:18}{start:>12}{:>14}{:>14}{:>16}",
            row.alone, row.tree, row.remaining
        );
    }
    assert_eq!(rows[0].remaining, 0);
}

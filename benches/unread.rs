//! How fast control requests are answered while ten thousand messages are
//! unread, and how much memory those take, for each way of dealing with them:
//!
//! ```sh
//! cargo bench --bench unread
//! ```
//!
//! It is its own fake agent. Loaded and unloaded requests are made in the same
//! session. While the turn runs, the agent looks at what it was asked after
//! every hundred messages, so a request waits for a hundred at most; it waits
//! for the pipe in any case.

#![allow(clippy::print_stdout, reason = "a table is what a measurement is for")]

mod memory;

use agentwire::{Client, Error, Event, Notice, Options, WhenUnread};
use agentwire_testkit::{Fault, Scenario, Step, fake_agent};
use serde_json::json;
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const MIB: usize = 1024 * 1024;
const PARTS: usize = 100;
const IN_A_PART: usize = 100;
const REQUESTS: usize = 2_000;

/// Set for a process of this program that makes one row: the row.
const ROW: &str = "UNREAD_ROW";
/// And the script of its agent.
const ROW_SCRIPT: &str = "UNREAD_SCRIPT";

type Row = (&'static str, fn() -> Vec<Step>, usize, WhenUnread);

const ROWS: [Row; 6] = [
    ("whole, no bound", whole, usize::MAX, WhenUnread::ThrowAway),
    (
        "whole, 1 MiB, thrown away",
        whole,
        MIB,
        WhenUnread::ThrowAway,
    ),
    (
        "whole, 1 MiB, reading stops",
        whole,
        MIB,
        WhenUnread::StopReading,
    ),
    (
        "partial, no bound",
        partial,
        usize::MAX,
        WhenUnread::ThrowAway,
    ),
    (
        "partial, 1 MiB, joined",
        partial,
        MIB,
        WhenUnread::ThrowAway,
    ),
    (
        "partial, 1 MiB, reading stops",
        partial,
        MIB,
        WhenUnread::StopReading,
    ),
];

fn main() {
    if std::env::var_os(fake_agent::SCRIPT).is_some() {
        fake_agent::main();
    }
    if let (Ok(row), Ok(script)) = (std::env::var(ROW), std::env::var(ROW_SCRIPT)) {
        let row = ROWS[row.parse::<usize>().expect("a row")];
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        return runtime.block_on(measure(row, &script));
    }
    println!(
        "{:<30} {:>8} {:>6} {:>17} {:>17} {:>7} {:>6} {:>9}",
        "unread", "outcome", "times", "unloaded p50/p99", "loaded p50/p99", "came", "lost", "peak"
    );
    // A process for each, since memory that was used once is not given back.
    for (number, (_, steps, ..)) in ROWS.iter().enumerate() {
        let folder = TempDir::new().expect("a folder");
        let script = folder.path().join("scenario.json");
        let steps = steps().into_iter().chain([Step::text("Done.")]);
        let scenario = Scenario::default().reply(steps);
        std::fs::write(&script, scenario.to_json()).expect("a file");
        let status = Command::new(std::env::current_exe().expect("this program"))
            .env(ROW, number.to_string())
            .env(ROW_SCRIPT, script)
            .status();
        assert!(status.expect("a process").success());
    }
}

/// Whole messages of a kilobyte.
fn whole() -> Vec<Step> {
    let line = format!("{}\n", json!({"type": "drop", "padding": "x".repeat(970)}));
    let part = line.repeat(IN_A_PART);
    let part = || [Step::Fault(Fault::Stdout(part.clone())), Step::WaitMs(1)];
    (0..PARTS).flat_map(|_| part()).collect()
}

/// A text in pieces.
fn partial() -> Vec<Step> {
    let words = "word ".repeat(IN_A_PART);
    let part = || [Step::text(&*words), Step::WaitMs(1)];
    (0..PARTS).flat_map(|_| part()).collect()
}

async fn measure((name, _, limit, when_unread): Row, script: &str) {
    let options = Options::new()
        .cli(std::env::current_exe().expect("this program"))
        .env(fake_agent::SCRIPT, script)
        .partial_messages(true)
        .unread_limit(limit)
        .when_unread(when_unread);
    let mut client = Client::connect(options).await.expect("a session");
    let mut unloaded = Vec::new();
    for _ in 0..REQUESTS {
        let (time, outcome) = request(&client).await;
        outcome.expect("an answer");
        unloaded.push(time);
    }

    memory::forget_peak();
    let before = memory::resident();
    let mut submission = client.send("Go");
    let (mut answered, mut refused) = (Vec::new(), Vec::new());
    let mut is_over = false;
    while !is_over && refused.len() < REQUESTS {
        let (time, outcome) = request(&client).await;
        match outcome {
            Ok(()) => answered.push(time),
            Err(Error::NotRead) => refused.push(time),
            Err(error) => panic!("{error}"),
        }
        is_over = submission.state().is_end();
    }
    let peak = memory::peak() - before;

    // What waits is all there is, or all that is not lost.
    let (mut unread, mut lost) = (0, 0);
    while !submission.state().is_end() {
        let Some(event) = client.next().await else {
            break;
        };
        count(&event.expect("an event"), &mut unread, &mut lost);
    }
    submission.ended().await;
    client.close().await;
    while let Some(event) = client.next().await {
        count(&event.expect("an event"), &mut unread, &mut lost);
    }
    let unloaded = percentiles(unloaded);
    for (outcome, loaded) in [("answer", answered), ("refusal", refused)] {
        if !loaded.is_empty() {
            let (times, loaded) = (loaded.len(), percentiles(loaded));
            println!(
                "{name:<30} {outcome:>8} {times:>6} {unloaded:>17} {loaded:>17} {unread:>7} {lost:>6} {peak:>6} KB"
            );
        }
    }
}

async fn request(client: &Client) -> (Duration, Result<(), Error>) {
    let start = Instant::now();
    let outcome = client.set_model(Some("other")).await.map(drop);
    (start.elapsed(), outcome)
}

fn count(event: &Event, unread: &mut usize, lost: &mut usize) {
    match event {
        Event::Notice(Notice::Lagged { events, .. }) => *lost += events,
        _ => *unread += 1,
    }
}

/// The median and the 99th of a hundred, in microseconds.
fn percentiles(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_micros();
    format!("{}/{} µs", at(50), at(99))
}

//! How fast control requests are answered while ten thousand messages are
//! unread, and how much memory those take, for each kind of backpressure:
//!
//! ```sh
//! cargo bench --bench unread
//! ```
//!
//! It is its own fake agent. Loaded and unloaded requests are made in the same
//! session, whose stream is in use and not read meanwhile. While the turn runs,
//! the agent looks at its requests after every hundred messages, so a request
//! waits for a hundred at most; it waits for the pipe in any case.

#![allow(clippy::print_stdout, reason = "a table is what a measurement is for")]

mod memory;

use agentwire::options::Backpressure;
use agentwire::{Client, Event, Notice, Options};
use agentwire_testkit::{Fault, Scenario, Step, fake_agent};
use serde_json::json;
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::time::timeout;

const MIB: usize = 1024 * 1024;
const PARTS: usize = 100;
const IN_A_PART: usize = 100;
const REQUESTS: usize = 2_000;

/// Set for a process of this program that makes one row: the row.
const ROW: &str = "UNREAD_ROW";
/// And the script of its agent.
const ROW_SCRIPT: &str = "UNREAD_SCRIPT";

/// A name, what the agent says, the two limits, and the kind of backpressure.
type Row = (&'static str, fn() -> Vec<Step>, usize, usize, Backpressure);

use Backpressure::{DropOldest, Pause};

const ROWS: [Row; 8] = [
    ("whole, as by default", whole, 8 * MIB, 64 * MIB, Pause),
    ("whole, 1 MiB, pauses", whole, MIB, 64 * MIB, Pause),
    ("whole, 1 MiB, hard 2 MiB", whole, MIB, 2 * MIB, Pause),
    ("whole, 1 MiB, drops", whole, MIB, MIB, DropOldest),
    ("partial, as by default", partial, 8 * MIB, 64 * MIB, Pause),
    ("partial, 1 MiB, pauses", partial, MIB, 64 * MIB, Pause),
    ("partial, 1 MiB, hard 2 MiB", partial, MIB, 2 * MIB, Pause),
    ("partial, 1 MiB, drops", partial, MIB, MIB, DropOldest),
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
        "{:<28} {:>6} {:>17} {:>17} {:>7} {:>6} {:>9}",
        "unread", "times", "unloaded p50/p99", "loaded p50/p99", "came", "lost", "peak"
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

async fn measure((name, _, limit, hard, backpressure): Row, script: &str) {
    let options = Options::new()
        .cli(std::env::current_exe().expect("this program"))
        .env(fake_agent::SCRIPT, script)
        .partial_messages(true)
        .unread_limit(limit)
        .unread_hard_limit(hard)
        .backpressure(backpressure);
    let mut client = Client::connect(options).await.expect("a session");
    // The stream is in use from its first poll on.
    drop(timeout(Duration::ZERO, client.next()).await);
    let mut unloaded = Vec::new();
    for _ in 0..REQUESTS {
        unloaded.push(request(&client).await);
    }

    memory::forget_peak();
    let before = memory::resident();
    let submission = client.send("Go");
    let mut loaded = Vec::new();
    while !submission.state().is_end() {
        loaded.push(request(&client).await);
    }
    let peak = memory::peak() - before;

    // What is unread is all there is, or all that is not lost.
    let (mut came, mut lost) = (0, 0);
    client.close().await;
    while let Some(event) = client.next().await {
        match event.expect("an event") {
            Event::Notice(Notice::Lagged { events, .. }) => lost += events,
            _ => came += 1,
        }
    }
    let times = loaded.len();
    let (unloaded, loaded) = (percentiles(unloaded), percentiles(loaded));
    println!("{name:<28} {times:>6} {unloaded:>17} {loaded:>17} {came:>7} {lost:>6} {peak:>6} KB");
}

async fn request(client: &Client) -> Duration {
    let start = Instant::now();
    client.set_model("other").await.expect("a response");
    start.elapsed()
}

/// The median and the 99th of a hundred, in microseconds.
fn percentiles(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100].as_micros();
    format!("{}/{} µs", at(50), at(99))
}

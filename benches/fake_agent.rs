//! Measures the start time and the size of a fake agent, and how many messages
//! a second it sends to a reader of its pipe and to our client. The measured
//! binary is the one that is released:
//!
//! ```sh
//! scripts/measure fake-agent
//! ```

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a table is what a measurement is for"
)]

use agentwire::{Client, Event, Message, Options};
use agentwire_testkit::{Load, LoadKind, Scenario, Step, fake_agent};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The variable with the path of the binary.
const BINARY: &str = "FAKE_AGENT";
const SPAWNS: usize = 200;
const MESSAGES: u64 = 500_000;
/// The kinds of messages, and the length of their texts.
const SIZES: [(LoadKind, &str, usize); 2] = [
    (LoadKind::TextDeltas, "text deltas", 20),
    (LoadKind::WholeMessages, "whole messages", 500),
];
const INITIALIZE: &str = concat!(
    r#"{"type":"control_request","request_id":"1","request":{"subtype":"initialize"}}"#,
    "\n"
);
const PROMPT: &str = concat!(
    r#"{"type":"user","message":{"role":"user","content":"Go"}}"#,
    "\n"
);

fn main() {
    let binary = std::env::var_os(BINARY)
        .map(PathBuf::from)
        .unwrap_or_else(|| panic!("{BINARY} is not set: scripts/measure fake-agent sets it"));
    let size = std::fs::metadata(&binary).unwrap().len();
    println!("size: {:.2} MB", to_f64(size) / 1e6);
    let mut starts: Vec<_> = (0..SPAWNS).map(|_| start(&binary)).collect();
    starts.sort_unstable();
    println!(
        "from spawn to the answer to `initialize`: {:.2} ms (median of {SPAWNS}; nine of ten in {:.2} ms)",
        milliseconds(starts[SPAWNS / 2]),
        milliseconds(starts[SPAWNS * 9 / 10]),
    );
    let runtime = tokio::runtime::Runtime::new().unwrap();
    println!("| load | to | messages a second | MB a second |\n|---|---|---|---|");
    for (kind, name, size) in SIZES {
        let scenario = Scenario::default().reply([Step::Load(Load {
            messages: MESSAGES,
            size,
            kind,
        })]);
        let (bytes, took) = to_a_reader(&binary, &scenario);
        print_row(name, size, "a reader of the pipe", bytes, took);
        let took = runtime.block_on(to_our_client(&binary, &scenario));
        print_row(name, size, "our client", bytes, took);
    }
}

fn print_row(name: &str, size: usize, to: &str, bytes: u64, took: Duration) {
    let a_second = |number: u64| to_f64(number) / took.as_secs_f64();
    println!(
        "| {name} of {size} bytes | {to} | {:.0} | {:.0} |",
        a_second(MESSAGES),
        a_second(bytes) / 1e6
    );
}

fn spawn(binary: &Path, scenario: &Scenario) -> Child {
    Command::new(binary)
        .env(fake_agent::SCRIPT, scenario.to_json())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Returns the time from the spawn to the response to the first request.
fn start(binary: &Path) -> Duration {
    let scenario = Scenario::default();
    let started = Instant::now();
    let mut child = spawn(binary, &scenario);
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(INITIALIZE.as_bytes()).unwrap();
    let mut answer = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut answer).unwrap();
    let took = started.elapsed();
    assert!(answer.contains("control_response"), "{answer}");
    drop(stdin);
    child.wait().unwrap();
    took
}

/// Discards all output of the agent. Returns its size, and the time.
fn to_a_reader(binary: &Path, scenario: &Scenario) -> (u64, Duration) {
    let mut child = spawn(binary, scenario);
    let mut stdout = child.stdout.take().unwrap();
    let started = Instant::now();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(PROMPT.as_bytes()).unwrap();
    drop(stdin);
    let mut chunk = vec![0; 64 * 1024];
    let mut bytes = 0;
    loop {
        match stdout.read(&mut chunk).unwrap() {
            0 => break,
            length => bytes += length as u64,
        }
    }
    let took = started.elapsed();
    child.wait().unwrap();
    (bytes, took)
}

/// Reads and counts all messages, typed, with our client. Returns the time.
async fn to_our_client(binary: &Path, scenario: &Scenario) -> Duration {
    let options = Options::new()
        .cli(binary)
        .env(fake_agent::SCRIPT, scenario.to_json());
    let mut client = Client::connect(options).await.unwrap();
    let started = Instant::now();
    client.send("Go");
    let mut count = 0;
    while let Some(event) = client.next().await {
        let Event::Frame(frame) = event.unwrap() else {
            continue;
        };
        match frame.message() {
            Message::StreamEvent(_) | Message::Assistant(_) => count += 1,
            Message::Result(result) => {
                let said = result.result.unwrap();
                assert!(said.starts_with(&format!("sent {MESSAGES} ")), "{said}");
                break;
            }
            _ => {}
        }
    }
    let took = started.elapsed();
    assert!(count >= MESSAGES, "{count} of {MESSAGES}");
    client.close().await;
    took
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

#[allow(clippy::cast_precision_loss, reason = "they are far below 2^53")]
fn to_f64(number: u64) -> f64 {
    number as f64
}

//! Measures the instructions for a message, and the bytes of an idle session.
//! Both do not depend on the load of the machine. The start of a session does
//! not count.
//!
//! ```sh
//! scripts/instructions [PART-OF-A-NAME]
//! ```
//!
//! Compares each case with `benches/instructions/budget`, and exits with 1 if a
//! case exceeds its budget by more than 2 %.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a table is what a measurement is for"
)]

#[allow(
    dead_code,
    unreachable_pub,
    missing_debug_implementations,
    missing_docs,
    reason = "the suite's"
)]
mod corpus;

use agentwire::transport::Pipes;
use agentwire::view::View;
use agentwire::{Client, Event, Message, Options};
use agentwire_protocol::host::{Host, Transmit};
use corpus::Corpus;
use std::collections::BTreeMap;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};

/// The number of repetitions. Each case runs with this number and with twice
/// this number.
const TIMES: usize = 5000;

/// The maximum number of bytes that a read from a pipe returns.
const READ: usize = 32 * 1024;

/// The variable with the case that a process under callgrind runs.
const CASE: &str = "AGENTWIRE_CASE";

/// The name of a case, and a function that does its work n times.
type Case = (&'static str, fn(usize));

const CASES: &[Case] = &[
    ("host, a message", route),
    ("read, a message", read),
    ("client, a message unread", |n| session(messages(n), None)),
    ("client, a message read", |n| {
        session(messages(n), Some(Box::new(read_event)));
    }),
    ("client, a message in a view", |n| {
        session(messages(n), Some(viewing()));
    }),
    ("client, a line of a turn read", |n| {
        session(turn(n), Some(Box::new(read_event)));
    }),
    ("client, a line of a turn in a view", |n| {
        session(turn(n), Some(viewing()));
    }),
    ("client, a send", |n| block_on(send(n))),
    ("client, a control request", |n| block_on(request(n))),
];

/// The name of the case that counts bytes.
const IDLE: &str = "client, bytes of an idle session";

/// Returns the bytes of this number of messages.
fn messages(count: usize) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let corpus = Corpus::messages(folder.path(), count).unwrap();
    fs::read(corpus.path).unwrap()
}

/// Returns the bytes of a turn with this number of lines, most of which are partial.
fn turn(count: usize) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let corpus = Corpus::turn(folder.path(), count).unwrap();
    fs::read(corpus.path).unwrap()
}

/// Runs the work. Callgrind counts only the instructions inside this function.
#[inline(never)]
fn measured(work: Box<dyn FnOnce() + '_>) {
    work();
}

fn route(n: usize) {
    let bytes = messages(n);
    let mut host = Host::default();
    measured(Box::new(|| {
        for read in bytes.chunks(READ) {
            host.handle_input(Instant::now(), read);
            loop {
                if let Some(event) = host.poll_event() {
                    black_box(event);
                } else if let Some(Transmit::Line(_)) = host.poll_transmit() {
                    host.handle_written(Instant::now());
                } else {
                    break;
                }
            }
        }
    }));
}

fn read(n: usize) {
    let bytes = messages(n);
    let lines = bytes
        .split(|byte| *byte == b'\n')
        .filter(|it| !it.is_empty());
    let frames: Vec<_> = lines
        .map(|it| agentwire::Frame::new(it.to_vec().into()).unwrap())
        .collect();
    measured(Box::new(|| {
        for frame in &frames {
            black_box(frame.message());
        }
    }));
}

fn block_on(work: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    measured(Box::new(|| runtime.unwrap().block_on(work)));
}

/// Returns a client, and the agent's ends of its pipes.
async fn connect() -> (Client, BufReader<DuplexStream>, DuplexStream) {
    let (to_agent, input) = tokio::io::duplex(READ);
    let (mut output, from_agent) = tokio::io::duplex(READ);
    let agent = tokio::spawn(async move {
        let mut input = BufReader::with_capacity(READ, input);
        answer(&mut input, &mut output).await;
        (input, output)
    });
    let options = Options::new().partial_messages(true);
    let pipes = Pipes::new(from_agent, to_agent);
    let client = Client::connect_over(pipes, options).await.unwrap();
    let (input, output) = agent.await.unwrap();
    (client, input, output)
}

/// Responds to the next control request.
async fn answer(input: &mut BufReader<DuplexStream>, output: &mut DuplexStream) {
    let mut line = vec![];
    input.read_until(b'\n', &mut line).await.unwrap();
    let id = b"\"request_id\":\"";
    let start = line.windows(id.len()).position(|it| it == id).unwrap() + id.len();
    let length = line[start..].iter().position(|it| *it == b'"').unwrap();
    let mut answer =
        br#"{"type":"control_response","response":{"subtype":"success","request_id":""#.to_vec();
    answer.extend_from_slice(&line[start..start + length]);
    answer.extend_from_slice(b"\",\"response\":{\"capabilities\":[\"interrupt_receipt_v1\"]}}}\n");
    output.write_all(&answer).await.unwrap();
}

/// A program's handler of events.
type OnEvent = Box<dyn FnMut(&Event)>;

fn read_event(event: &Event) {
    if let Event::Frame(frame) = event {
        match frame.message() {
            Message::Unknown(_) => panic!("no type for a {}", frame.kind()),
            message => drop(black_box(message)),
        }
    }
}

/// Returns a program that keeps a view.
fn viewing() -> OnEvent {
    let mut view = View::new();
    Box::new(move |event| {
        black_box(view.push(event));
    })
}

fn session(bytes: Vec<u8>, mut look: Option<OnEvent>) {
    block_on(async move {
        let (mut client, _input, mut output) = connect().await;
        tokio::spawn(async move { output.write_all(&bytes).await });
        while let Some(event) = client.next().await {
            let event = event.unwrap();
            if let Some(look) = &mut look {
                look(&event);
            }
            if matches!(&event, Event::Frame(frame) if frame.kind() == "result") {
                break;
            }
        }
    });
}

async fn send(n: usize) {
    let (client, mut input, _output) = connect().await;
    for _ in 0..n {
        drop(client.send("Say hello."));
    }
    let mut buffer = vec![0; READ];
    let mut lines = 0;
    while lines < n {
        let length = input.read(&mut buffer).await.unwrap();
        lines += buffer[..length].iter().filter(|it| **it == b'\n').count();
    }
}

async fn request(n: usize) {
    let (client, mut input, mut output) = connect().await;
    tokio::spawn(async move {
        for _ in 0..n {
            answer(&mut input, &mut output).await;
        }
    });
    for _ in 0..n {
        client.set_model("m").await.unwrap();
    }
}

fn main() -> ExitCode {
    if let Ok(case) = std::env::var(CASE) {
        let (_, run) = CASES.iter().find(|(name, _)| *name == case).unwrap();
        run(TIMES);
        run(2 * TIMES);
        return ExitCode::SUCCESS;
    }
    let wanted = std::env::args().skip(1).find(|it| !it.starts_with('-'));
    let wanted = wanted.unwrap_or_default();
    let budget = Path::new(env!("CARGO_MANIFEST_DIR")).join("budget");
    let budget = fs::read_to_string(budget).unwrap();
    let lines = budget.lines().filter(|line| !line.starts_with('#'));
    let budget: BTreeMap<&str, u64> = lines
        .map(|line| {
            let (name, number) = line.rsplit_once(' ').unwrap();
            (name, number.parse().unwrap())
        })
        .collect();
    let mut is_over = false;
    println!("{:>12} {:>8}", "instructions", "budget");
    let names = CASES.iter().map(|(name, _)| *name).chain([IDLE]);
    for name in names.filter(|name| name.contains(&wanted)) {
        let now = match name {
            IDLE => idle(),
            name => count(name),
        };
        let most = budget[name];
        let mark = if now * 50 > most * 51 { "!!" } else { "" };
        is_over |= !mark.is_empty();
        println!("{now:>12} {most:>8}  {name} {mark}");
    }
    ExitCode::from(u8::from(is_over))
}

/// Returns the number of bytes of an idle session.
fn idle() -> u64 {
    let program = std::env::current_exe().unwrap().with_file_name("idle");
    let output = Command::new(program).output().unwrap();
    let number = String::from_utf8(output.stdout).unwrap();
    number.trim().parse().unwrap()
}

/// Returns the number of instructions of one repetition of a case.
fn count(case: &str) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let status = Command::new("valgrind")
        .args([
            "--tool=callgrind",
            "--quiet",
            "--collect-atstart=no",
            "--compress-strings=no",
        ])
        .args([
            "--toggle-collect=instructions::measured",
            "--dump-after=instructions::measured",
        ])
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(std::env::current_exe().unwrap())
        .env(CASE, case)
        .stdin(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{case}");
    if let Some(kept) = std::env::var_os("AGENTWIRE_CALLGRIND") {
        fs::copy(out.with_extension("2"), Path::new(&kept)).unwrap();
    }
    let total = |dump: &str| {
        let dump = fs::read_to_string(out.with_extension(dump)).unwrap();
        let total = dump
            .lines()
            .rev()
            .find_map(|it| it.strip_prefix("totals: "));
        total.unwrap().trim().parse::<u64>().unwrap()
    };
    (total("2") - total("1")) / TIMES as u64
}

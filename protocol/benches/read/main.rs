//! How fast lines are routed and read, beside `serde_json::Value`:
//!
//! ```text
//! cargo bench -p agentwire-protocol --bench read
//! ```
//!
//! Two corpora of 100 MB each, made of the recorded sessions: what the agent
//! wrote, session after session, with fresh ids. One has the partial messages,
//! the other has not. Each round reads a whole corpus in every way, one after
//! the other, on one thread; what is printed is the median of the rounds, and
//! the median of how many times as fast as `Value` each was in the same round:
//! a machine is not equally fast all the time.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod corpus;

use agentwire_protocol::Frame;
use agentwire_protocol::control::{
    ControlCancel, ControlRequest, ControlResponse, GetContextUsage, HostRequest, Initialize,
};
use corpus::{Asked, Corpus};
use serde_json::Value;
use std::hint::black_box;
use std::time::{Duration, Instant};

const BYTES: usize = 100_000_000;
const ROUNDS: usize = 7;

/// A way to read a line, and its name.
type Way = (&'static str, fn(&Frame, Asked));

const WAYS: &[Way] = &[
    ("serde_json::Value", |line, _| {
        black_box(serde_json::from_slice::<Value>(line.raw()).unwrap());
    }),
    ("route: Frame::new", |line, _| {
        black_box(Frame::new(line.raw().clone()).unwrap());
    }),
    ("read: the typed view", |line, asked| typed(line, asked)),
    ("route and read", |line, asked| {
        typed(&Frame::new(line.raw().clone()).unwrap(), asked);
    }),
];

/// Reads all of a line: an answer by the type that its request has.
fn typed(frame: &Frame, asked: Asked) {
    match frame.kind() {
        "control_request" => drop(black_box(frame.read::<ControlRequest>().unwrap())),
        "control_cancel_request" => drop(black_box(frame.read::<ControlCancel>().unwrap())),
        "control_response" => {
            let answer = frame.read::<ControlResponse>().unwrap().response;
            match asked {
                Asked::Initialize => drop(black_box(
                    answer
                        .read::<<Initialize as HostRequest>::Answer>()
                        .unwrap(),
                )),
                Asked::ContextUsage => drop(black_box(
                    answer
                        .read::<<GetContextUsage as HostRequest>::Answer>()
                        .unwrap(),
                )),
                Asked::Other => drop(black_box(answer)),
            }
        }
        _ => drop(black_box(frame.message())),
    }
}

fn main() {
    for partial in [true, false] {
        let corpus = Corpus::new(BYTES, partial);
        println!(
            "{} partial messages: {} lines, {:.1} MB",
            if partial { "with" } else { "without" },
            corpus.lines.len(),
            corpus.megabytes(),
        );
        let mut times = vec![vec![]; WAYS.len()];
        for _ in 0..ROUNDS {
            for (way, times) in WAYS.iter().zip(&mut times) {
                times.push(time(way.1, &corpus));
            }
        }
        let values = times[0].clone();
        for ((name, _), times) in WAYS.iter().zip(&times) {
            let took = median(times.iter().map(Duration::as_secs_f64));
            let rounds = values.iter().zip(times);
            let factor = median(rounds.map(|(value, time)| value.div_duration_f64(*time)));
            println!(
                "  {name:<22} {:>7.0} ms {:>7.0} MB/s {factor:>7.2} x",
                took * 1e3,
                corpus.megabytes() / took,
            );
        }
    }
}

fn time(way: fn(&Frame, Asked), corpus: &Corpus) -> Duration {
    let start = Instant::now();
    for (line, asked) in &corpus.lines {
        way(line, *asked);
    }
    start.elapsed()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

//! The contestants. Each runs a program in its own process, and prints its
//! measurements as one line of JSON. The official SDKs do the same in
//! `benches/sdks`.

mod agentwire;
mod bare;
mod cc_sdk;
mod claude_agent_sdk_rs;
mod claude_codes;
mod claude_wrapper;
mod reading;

use crate::{Failure, process};
use std::path::PathBuf;
use std::time::Instant;

/// The measurements of a program, by name.
pub type Metrics = Vec<(&'static str, f64)>;

pub type Outcome = Result<Metrics, Failure>;

/// The task of a program. It is passed in variables, which contestants in other
/// languages also read.
pub struct Task {
    /// The name of the program: `stream`, `round-trip`, …
    pub program: String,
    /// The executable that replaces the CLI.
    pub cli: PathBuf,
    /// The number of repetitions.
    pub count: usize,
    /// The number of lines in the response to a message.
    pub lines: usize,
    /// The average length of these lines.
    pub line_bytes: f64,
}

impl Task {
    fn from_environment(program: String) -> Result<Self, Failure> {
        let number = |name| -> Result<usize, Failure> {
            Ok(std::env::var(name).map_or(Ok(0), |text| text.parse())?)
        };
        Ok(Self {
            program,
            cli: std::env::var_os("BENCH_CLI")
                .ok_or("BENCH_CLI is not set")?
                .into(),
            count: number("BENCH_COUNT")?,
            lines: number("BENCH_LINES")?,
            line_bytes: number("BENCH_LINE_BYTES")? as f64,
        })
    }

    fn unsupported(&self) -> Outcome {
        Err(format!("no program {}", self.program).into())
    }
}

/// Runs a program with one of the contestants, and prints the measurements.
pub fn run(name: &str, program: String) -> Result<(), Failure> {
    let task = Task::from_environment(program)?;
    let multi = || {
        tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
    };
    let current = || {
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
    };
    let metrics = match name {
        "agentwire" => multi()?.block_on(agentwire::run(&task, true)),
        "agentwire-heads" => multi()?.block_on(agentwire::run(&task, false)),
        "agentwire-current-thread" => current()?.block_on(agentwire::run(&task, true)),
        "loop" => bare::run(&task),
        "tokio-loop" => current()?.block_on(bare::run_on_tokio(&task)),
        "cc-sdk" => multi()?.block_on(cc_sdk::run(&task)),
        "claude-agent-sdk-rs" => multi()?.block_on(claude_agent_sdk_rs::run(&task)),
        "claude-codes" => multi()?.block_on(claude_codes::run(&task)),
        "claude-wrapper" => multi()?.block_on(claude_wrapper::run(&task)),
        way if task.program == "read" => reading::run(way),
        other => Err(format!("no contestant {other}").into()),
    }?;
    let members = metrics
        .into_iter()
        .map(|(name, number)| (name.to_owned(), number.into()));
    println!("{}", serde_json::Value::Object(members.collect()));
    Ok(())
}

/// Measures a stream of messages, from before the start of the CLI to the
/// result.
struct Watch {
    start: Instant,
    first: Option<Instant>,
    messages: usize,
}

impl Watch {
    fn start() -> Self {
        Self {
            start: Instant::now(),
            first: None,
            messages: 0,
        }
    }

    /// Records that a message has arrived.
    fn message(&mut self) {
        self.messages += 1;
        self.first.get_or_insert_with(Instant::now);
    }

    /// Ends the measurement when the result has arrived.
    fn finish(self) -> Outcome {
        let first = self.first.ok_or("no message arrived")?;
        Ok(vec![
            ("messages", self.messages as f64),
            ("seconds", first.elapsed().as_secs_f64()),
            ("total_seconds", self.start.elapsed().as_secs_f64()),
            ("cpu_seconds", process::cpu_seconds()),
            ("peak_kb", process::peak_kb()),
        ])
    }
}

/// The times of many repetitions of an operation.
struct Times(Vec<f64>);

impl Times {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn push(&mut self, since: Instant) {
        self.0.push(since.elapsed().as_secs_f64() * 1e6);
    }

    fn finish(mut self) -> Outcome {
        if self.0.is_empty() {
            return Err("nothing was timed".into());
        }
        self.0.sort_by(f64::total_cmp);
        let at = |percent: usize| self.0[(self.0.len() * percent / 100).min(self.0.len() - 1)];
        Ok(vec![("p50_us", at(50)), ("p99_us", at(99))])
    }
}

/// Measures open sessions that do nothing.
struct Idle {
    resident_kb: f64,
    descriptors: f64,
    others: f64,
}

impl Idle {
    /// Starts to measure when the first session is open, so that shared memory
    /// does not count.
    fn first(sessions: usize) -> Self {
        Self {
            resident_kb: process::resident_kb(),
            descriptors: process::descriptors(),
            others: sessions as f64 - 1.0,
        }
    }

    /// Ends the measurement when all sessions are open.
    fn finish(self) -> Outcome {
        Ok(vec![
            (
                "kb_each",
                (process::resident_kb() - self.resident_kb) / self.others,
            ),
            (
                "descriptors_each",
                (process::descriptors() - self.descriptors) / self.others,
            ),
        ])
    }
}

/// The data that user code retains of each message.
struct Kept<T> {
    all: Vec<T>,
    before_kb: f64,
    line_bytes: f64,
}

impl<T> Kept<T> {
    fn new(task: &Task) -> Self {
        let mut all = Vec::new();
        all.reserve_exact(task.lines);
        Self {
            all,
            before_kb: process::resident_kb(),
            line_bytes: task.line_bytes,
        }
    }

    fn push(&mut self, message: T) {
        self.all.push(message);
    }

    fn finish(self) -> Outcome {
        let bytes = (process::resident_kb() - self.before_kb) * 1024.0 / self.all.len() as f64;
        Ok(vec![
            ("kept", self.all.len() as f64),
            ("bytes_each", bytes),
            ("bytes_over_line", bytes - self.line_bytes),
        ])
    }
}

/// Measures sessions that all run at once, each in its own task.
struct ConcurrentSessions {
    start: Instant,
    finished: Vec<f64>,
    lines: usize,
}

impl ConcurrentSessions {
    /// Starts to measure when all sessions are connected, before they get their
    /// prompts.
    fn start(task: &Task) -> Self {
        Self {
            start: Instant::now(),
            finished: Vec::new(),
            lines: task.lines,
        }
    }

    /// Records the result of a session.
    fn finished(&mut self) {
        self.finished.push(self.start.elapsed().as_secs_f64());
    }

    fn finish(self) -> Outcome {
        let (Some(first), Some(last)) = (self.finished.first(), self.finished.last()) else {
            return Err("no session finished".into());
        };
        let count = self.finished.len();
        Ok(vec![
            ("lines_per_second", (count * self.lines) as f64 / last),
            ("first_seconds", *first),
            ("median_seconds", self.finished[count / 2]),
            ("last_seconds", *last),
            ("peak_kb", process::peak_kb()),
            ("cpu_ms_each", process::cpu_seconds() * 1e3 / count as f64),
        ])
    }
}

/// The text of a user message, which `send` sends many times.
const PROMPT: &str = "hello";

fn rate(count: usize, start: Instant) -> Outcome {
    Ok(vec![(
        "sent_per_second",
        count as f64 / start.elapsed().as_secs_f64(),
    )])
}

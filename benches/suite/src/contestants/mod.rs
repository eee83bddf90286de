//! What is measured: each contestant runs a program, in a process of its own,
//! and prints what it measured as one line of JSON. The official SDKs do the
//! same in `benches/sdks`.

mod agentwire;
mod bare;
mod cc_sdk;
mod claude_agent_sdk_rs;
mod claude_codes;
mod claude_wrapper;

use crate::process;
use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

/// What a program printed: numbers by their names.
pub type Metrics = Vec<(&'static str, f64)>;

pub type Outcome = Result<Metrics, Box<dyn Error>>;

/// What a program is given, by variables, which contestants in other languages
/// read as well.
pub struct Task {
    /// What is to be done: `stream`, `round-trip`, …
    pub program: String,
    /// The executable that stands for the CLI.
    pub cli: PathBuf,
    /// How often it is to be done.
    pub count: usize,
    /// How many lines come in answer to a message.
    pub lines: usize,
}

impl Task {
    fn from_environment(program: String) -> Result<Self, Box<dyn Error>> {
        let number = |name| -> Result<usize, Box<dyn Error>> {
            Ok(std::env::var(name).map_or(Ok(0), |text| text.parse())?)
        };
        Ok(Self {
            program,
            cli: std::env::var_os("BENCH_CLI")
                .ok_or("BENCH_CLI is not set")?
                .into(),
            count: number("BENCH_COUNT")?,
            lines: number("BENCH_LINES")?,
        })
    }

    fn unsupported(&self) -> Outcome {
        Err(format!("no program {}", self.program).into())
    }
}

/// Runs a program as one of the contestants and prints what it measured.
pub fn run(name: &str, program: String) -> Result<(), Box<dyn Error>> {
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
        other => Err(format!("no contestant {other}").into()),
    }?;
    let members = metrics
        .into_iter()
        .map(|(name, number)| (name.to_owned(), number.into()));
    println!("{}", serde_json::Value::Object(members.collect()));
    Ok(())
}

/// Times a stream of messages, from before the start of the CLI to the result.
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

    /// A message has arrived.
    fn message(&mut self) {
        self.messages += 1;
        self.first.get_or_insert_with(Instant::now);
    }

    /// The last one was the result.
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

/// How long each of many operations took.
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

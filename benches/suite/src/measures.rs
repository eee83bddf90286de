//! The measures: which contestants run which program, and with what.

use crate::corpus::Corpus;
use std::path::Path;

/// Something that is measured, a section of the README.
pub struct Measure {
    pub name: &'static str,
    pub title: &'static str,
    /// What is done, and what the numbers are.
    pub about: &'static str,
    pub program: &'static str,
    pub cases: fn(&Path) -> std::io::Result<Vec<Case>>,
    /// What is shown of what was measured.
    pub columns: &'static [Column],
    /// How many of those are in the plot, from the first on.
    pub plotted: usize,
}

/// One load of a measure.
#[derive(Default)]
pub struct Case {
    /// Empty where there is only one.
    pub label: String,
    pub contestants: Vec<&'static str>,
    /// What the stand-in for the CLI answers with.
    pub corpus: Option<Corpus>,
    /// What else the processes are told.
    pub variables: Vec<(&'static str, String)>,
}

/// A number that is shown: its name in what contestants print, and in the table.
pub struct Column {
    pub metric: &'static str,
    pub title: &'static str,
}

const fn column(metric: &'static str, title: &'static str) -> Column {
    Column { metric, title }
}

const RATE: Column = column("lines_per_second", "messages/s");
const THROUGHPUT: Column = column("mb_per_second", "MB/s");
const DELIVERED: Column = column("messages", "delivered");
const PEAK: Column = column("peak_kb", "peak memory, kB");
const CPU: Column = column("cpu_seconds", "CPU, s");
const P50: Column = column("p50_us", "median, µs");
const P99: Column = column("p99_us", "p99, µs");

const PEERS: [&str; 4] = [
    "claude-agent-sdk-rs",
    "claude-codes",
    "cc-sdk",
    "claude-wrapper",
];
const OFFICIAL: [&str; 2] = ["typescript", "python"];

/// These, the Rust SDKs and the official ones.
fn with_everybody(first: &[&'static str]) -> Vec<&'static str> {
    [first, &PEERS, &OFFICIAL].concat()
}

pub const MEASURES: &[Measure] = &[
    Measure {
        name: "messages",
        title: "200,000 messages through a pipe",
        about: "One session, one turn of 200,000 messages, from the first message to the result. User code gets each \
                message in the type that its SDK has; `agentwire-heads` only looks at the kind of each frame. \
                `loop` is a blocking loop in Rust that reads the same pipe and counts newlines.",
        program: "stream",
        cases: |folder| {
            Ok(vec![Case {
                contestants: with_everybody(&["agentwire", "agentwire-heads", "loop"]),
                corpus: Some(Corpus::messages(folder, 200_000)?),
                ..Case::default()
            }])
        },
        columns: &[RATE, THROUGHPUT, DELIVERED, CPU, PEAK],
        plotted: 1,
    },
    Measure {
        name: "turn",
        title: "A turn of 50,000 lines",
        about: "From before the start of the CLI to the result: 50,000 lines, mostly partial messages.",
        program: "stream",
        cases: |folder| {
            Ok(vec![Case {
                contestants: with_everybody(&["agentwire", "loop"]),
                corpus: Some(Corpus::turn(folder, 50_000)?),
                ..Case::default()
            }])
        },
        columns: &[column("total_seconds", "seconds"), DELIVERED, CPU, PEAK],
        plotted: 1,
    },
    Measure {
        name: "round-trip",
        title: "Control round trip",
        about: "A `set_model` request and its response, 5,000 times one after the other. `loop` is a blocking loop in \
                Rust over the same child, `tokio-loop` one with tokio's pipes on a current-thread runtime; neither \
                parses anything. `agentwire` runs on a multi-thread runtime.",
        program: "round-trip",
        cases: |_| {
            Ok(vec![Case {
                contestants: vec![
                    "agentwire",
                    "agentwire-current-thread",
                    "loop",
                    "tokio-loop",
                    "claude-agent-sdk-rs",
                    "typescript",
                    "python",
                ],
                variables: vec![("BENCH_COUNT", "5000".to_owned())],
                ..Case::default()
            }])
        },
        columns: &[P50, P99],
        plotted: 2,
    },
];

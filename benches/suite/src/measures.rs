//! The measures: their contestants, programs and parameters.

use crate::corpus::Corpus;
use std::io::Result;
use std::path::Path;

/// A measure, which is a section of the README.
pub struct Measure {
    pub name: &'static str,
    pub title: &'static str,
    /// The description of the measure and its numbers.
    pub about: &'static str,
    /// The program that contestants run. Builds have none.
    pub program: Option<&'static str>,
    /// Returns the loads, at least one. Writes their corpora to the folder.
    pub cases: fn(&Path) -> Result<Vec<Case>>,
    /// The columns of the table.
    pub columns: &'static [Column],
    /// The metrics that are plotted.
    pub plots: &'static [&'static str],
}

/// A load of a measure.
#[derive(Default)]
pub struct Case {
    /// The label of the load. Empty if the measure has one load.
    pub label: String,
    pub contestants: Vec<&'static str>,
    /// The output of the replaced CLI.
    pub corpus: Option<Corpus>,
    /// Further environment variables of the processes.
    pub variables: Vec<(&'static str, String)>,
}

impl Case {
    fn new(contestants: &[&'static str]) -> Self {
        Self {
            contestants: contestants.to_vec(),
            ..Self::default()
        }
    }

    fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    fn corpus(mut self, corpus: Corpus) -> Self {
        self.corpus = Some(corpus);
        self
    }

    fn variable(mut self, name: &'static str, value: usize) -> Self {
        self.variables.push((name, value.to_string()));
        self
    }
}

/// A column of a table: the name of the metric, and its title.
pub struct Column {
    pub metric: &'static str,
    pub title: &'static str,
}

const fn column(metric: &'static str, title: &'static str) -> Column {
    Column { metric, title }
}

/// Returns whether a larger value of a metric is better.
pub fn more_is_better(metric: &str) -> bool {
    metric.ends_with("_per_second")
}

const RATE: Column = column("lines_per_second", "messages/s");
const THROUGHPUT: Column = column("mb_per_second", "MB/s");
const DELIVERED: Column = column("messages", "delivered");
const PEAK: Column = column("peak_kb", "peak memory, kB");
const CPU: Column = column("cpu_seconds", "CPU, s");
const P50: Column = column("p50_us", "median, µs");
const P99: Column = column("p99_us", "p99, µs");

const OURS: &str = "agentwire";
const CURRENT_THREAD: &str = "agentwire-current-thread";
const HEADS: &str = "agentwire-heads";
const LOOP: &str = "loop";
/// The SDK in Rust that also has control requests and clients for several
/// turns.
const PEER: &str = "claude-agent-sdk-rs";
const CODES: &str = "claude-codes";
const TYPESCRIPT: &str = "typescript";
const PYTHON: &str = "python";

pub const MEASURES: &[Measure] = &[
    Measure {
        name: "messages",
        title: "200,000 messages through a pipe",
        about: "One session and one turn of 200,000 messages, from the first message to the \
                result. User code gets each message in the type that its SDK has. \
                `agentwire-heads` only looks at the kind of each frame. `loop` is a blocking \
                loop in Rust that reads the same pipe and counts newlines.",
        program: Some("stream"),
        cases: |folder| {
            Ok(vec![
                Case::new(&[
                    OURS,
                    HEADS,
                    LOOP,
                    PEER,
                    CODES,
                    "cc-sdk",
                    "claude-wrapper",
                    TYPESCRIPT,
                    PYTHON,
                ])
                .corpus(Corpus::messages(folder, 200_000)?),
            ])
        },
        columns: &[RATE, THROUGHPUT, DELIVERED, CPU, PEAK],
        plots: &["lines_per_second"],
    },
    Measure {
        name: "turn",
        title: "A turn of 50,000 lines",
        about: "From before the CLI is spawned to the result: 50,000 lines, mostly partial \
                messages.",
        program: Some("stream"),
        cases: |folder| {
            Ok(vec![
                Case::new(&[
                    OURS,
                    LOOP,
                    PEER,
                    CODES,
                    "cc-sdk",
                    "claude-wrapper",
                    TYPESCRIPT,
                    PYTHON,
                ])
                .corpus(Corpus::turn(folder, 50_000)?),
            ])
        },
        columns: &[
            column("turns_per_second", "turns/s"),
            column("total_seconds", "seconds"),
            DELIVERED,
            CPU,
            PEAK,
        ],
        plots: &["total_seconds"],
    },
    Measure {
        name: "read",
        title: "Reading lines in memory",
        about: "The lines of that turn, in memory, on one thread. `route` is `Frame::new`; \
                `typed read` is `Frame::message`.",
        program: Some("read"),
        cases: |folder| {
            Ok(vec![
                Case::new(&[
                    "serde_json::Value",
                    "route",
                    "typed read",
                    "route and typed read",
                ])
                .corpus(Corpus::turn(folder, 50_000)?),
            ])
        },
        columns: &[RATE, THROUGHPUT],
        plots: &["lines_per_second"],
    },
    Measure {
        name: "round-trip",
        title: "Control round trip",
        about: "A `set_model` request and its response, 5,000 times one after the other. \
                `loop` is a blocking loop in Rust over the same child; `tokio-loop` is one \
                with tokio's pipes on a current-thread runtime. Neither parses anything. \
                `agentwire` runs on a multi-thread runtime.",
        program: Some("round-trip"),
        cases: |_| {
            Ok(vec![
                Case::new(&[
                    OURS,
                    CURRENT_THREAD,
                    LOOP,
                    "tokio-loop",
                    PEER,
                    TYPESCRIPT,
                    PYTHON,
                ])
                .variable("BENCH_COUNT", 5000),
            ])
        },
        columns: &[P50, P99],
        plots: &["p50_us"],
    },
    Measure {
        name: "sizes",
        title: "Messages of 100 bytes to 10 MB",
        about: "A turn of messages of one size, typed, from the first message to the result.",
        program: Some("stream"),
        cases: sizes,
        columns: &[THROUGHPUT, RATE, DELIVERED, PEAK],
        plots: &["mb_per_second"],
    },
    Measure {
        name: "sessions",
        title: "Sessions at once",
        about: "One process has so many sessions open; all are sent a prompt at once, and each \
                reads its share of 400,000 lines, from 400 to 100,000. `first`, `median` and \
                `last` say when sessions had their result. Memory is the most that was \
                resident; CPU time includes connecting.",
        program: Some("sessions"),
        cases: sessions,
        columns: &[
            RATE,
            column("first_seconds", "first, s"),
            column("median_seconds", "median, s"),
            column("last_seconds", "last, s"),
            column("cpu_ms_each", "CPU a session, ms"),
            PEAK,
        ],
        plots: &["lines_per_second"],
    },
    Measure {
        name: "idle",
        title: "Idle sessions",
        about: "200 sessions that are connected and do nothing: what each one but the first \
                takes in the host's process.",
        program: Some("idle"),
        cases: |_| {
            Ok(vec![
                Case::new(&[OURS, PEER, CODES, TYPESCRIPT, PYTHON]).variable("BENCH_COUNT", 200),
            ])
        },
        columns: &[
            column("kb_each", "kB each"),
            column("descriptors_each", "descriptors each"),
        ],
        plots: &["kb_each"],
    },
    Measure {
        name: "kept",
        title: "100,000 kept messages",
        about: "A program that keeps every message of a turn of 100,000 lines: resident memory \
                a message, and how much of that is beyond the length of its line. \
                `agentwire-heads` keeps frames, `agentwire` typed messages.",
        program: Some("keep"),
        cases: |folder| {
            Ok(vec![
                Case::new(&[OURS, HEADS, PEER, CODES, TYPESCRIPT, PYTHON])
                    .corpus(Corpus::turn(folder, 100_000)?),
            ])
        },
        columns: &[
            column("bytes_each", "bytes each"),
            column("bytes_over_line", "over its line"),
            column("kept", "kept"),
        ],
        plots: &["bytes_each"],
    },
    Measure {
        name: "start",
        title: "Start-up",
        about: "From before the CLI is spawned to its response to `initialize`, 50 times. \
                `loop` spawns it, writes the request and reads a line. An SDK that asks the \
                CLI for its version starts it twice.",
        program: Some("connect"),
        cases: |_| {
            Ok(vec![
                Case::new(&[OURS, CURRENT_THREAD, LOOP, PEER, CODES, TYPESCRIPT, PYTHON])
                    .variable("BENCH_COUNT", 50),
            ])
        },
        columns: &[P50, P99],
        plots: &["p50_us"],
    },
    Measure {
        name: "first-token",
        title: "Time to the first token",
        about: "From the call that sends a user message to the text delta in user code, in a \
                session that is open, 1,000 turns one after the other. `loop` writes the \
                message and reads the pipe once.",
        program: Some("first-token"),
        cases: |folder| {
            Ok(vec![
                Case::new(&[OURS, CURRENT_THREAD, LOOP, PEER, CODES, TYPESCRIPT, PYTHON])
                    .corpus(Corpus::first_token(folder)?)
                    .variable("BENCH_COUNT", 1000),
            ])
        },
        columns: &[P50, P99],
        plots: &["p50_us"],
    },
    Measure {
        name: "callbacks",
        title: "Permission callbacks under load",
        about: "20,000 permission requests, 16 of them unanswered at a time, each after four \
                other messages; the callback allows at once. Measured by the stand-in for the \
                CLI, from writing a request to reading its response. `claude-codes` has no \
                callbacks: user code answers in the loop that reads messages.",
        program: Some("callbacks"),
        cases: |folder| {
            Ok(vec![
                Case::new(&[OURS, CURRENT_THREAD, CODES, TYPESCRIPT, PYTHON])
                    .corpus(Corpus::turn(folder, 5_000)?)
                    .variable("EMIT_CALLBACKS", 20_000)
                    .variable("EMIT_OUTSTANDING", 16),
            ])
        },
        columns: &[column("callbacks_per_second", "callbacks/s"), P50, P99],
        plots: &["callbacks_per_second"],
    },
    Measure {
        name: "sending",
        title: "Sending",
        about: "20,000 user messages, as fast as the SDK takes them, until the CLI has read \
                the last.",
        program: Some("send"),
        cases: |_| {
            Ok(vec![
                Case::new(&[OURS, CURRENT_THREAD, LOOP, PEER, CODES, TYPESCRIPT, PYTHON])
                    .variable("BENCH_COUNT", 20_000)
                    .variable("EMIT_SINK", 20_000),
            ])
        },
        columns: &[column("sent_per_second", "messages/s")],
        plots: &["sent_per_second"],
    },
    Measure {
        name: "builds",
        title: "Builds",
        about: "CPU seconds of builds from nothing: a program that depends on the crate alone, \
                by `scripts/measure builds`; and the release build of `agentwire-cli`, with the \
                text of its binary. Taken once, with `--builds`, and not with the other measures.",
        program: None,
        cases: |_| Ok(vec![]),
        columns: &[
            column("dev_cpu_seconds", "dev"),
            column("release_cpu_seconds", "release"),
            column("crates", "crates"),
            column("text_mb", "text, MB"),
            column("minutes", "minutes"),
        ],
        plots: &[],
    },
];

const KB: usize = 1000;

fn sizes(folder: &Path) -> Result<Vec<Case>> {
    let sizes = [
        ("100 B", 100, 200_000),
        ("1 kB", KB, 50_000),
        ("10 kB", 10 * KB, 10_000),
        ("100 kB", 100 * KB, 1000),
        ("1 MB", 1000 * KB, 100),
        ("10 MB", 10_000 * KB, 10),
    ];
    let case = |(label, size, count)| {
        let corpus = Corpus::of_size(folder, size, count)?;
        Ok(Case::new(&[OURS, LOOP, PEER, TYPESCRIPT])
            .label(label)
            .corpus(corpus))
    };
    sizes.into_iter().map(case).collect()
}

fn sessions(folder: &Path) -> Result<Vec<Case>> {
    let case = |count: usize| {
        let contestants: &[_] = if count > 100 {
            &[OURS, PEER]
        } else {
            &[OURS, PEER, TYPESCRIPT]
        };
        let corpus = Corpus::turn(folder, (400_000 / count).clamp(400, 100_000))?;
        let label = if count == 1 {
            "1 session".to_owned()
        } else {
            format!("{count} sessions")
        };
        Ok(Case::new(contestants)
            .label(label)
            .corpus(corpus)
            .variable("BENCH_COUNT", count))
    };
    [1, 10, 100, 1000].into_iter().map(case).collect()
}

//! The requirements of agentwire, and whether they are met.

use crate::measures::more_is_better;
use crate::results::{Results, Spread};

/// A requirement on a number of agentwire, or on the quotient of a number of
/// agentwire and that of another contestant from the same round.
pub struct Claim {
    pub what: &'static str,
    /// The measure, which must have one case.
    measure: &'static str,
    ours: &'static str,
    /// The contestants to compare with; the best of them counts. If empty, the
    /// number of agentwire itself counts.
    against: &'static [&'static str],
    metric: &'static str,
    pub required: f64,
    pub aim: Option<f64>,
}

/// The measured value of a claim.
pub struct Verdict {
    /// The contestant that agentwire was compared with.
    pub against: Option<&'static str>,
    pub measured: Spread,
    pub holds: bool,
}

const fn claim(
    what: &'static str,
    (measure, metric): (&'static str, &'static str),
    ours: &'static str,
    against: &'static [&'static str],
    (required, aim): (f64, Option<f64>),
) -> Claim {
    Claim {
        what,
        measure,
        ours,
        against,
        metric,
        required,
        aim,
    }
}

pub const CLAIMS: &[Claim] = &[
    claim(
        "200,000 messages, typed, against the official TypeScript SDK",
        ("messages", "lines_per_second"),
        "agentwire",
        &["typescript"],
        (2.5, Some(3.5)),
    ),
    claim(
        "200,000 messages, typed, against the best typed Rust SDK",
        ("messages", "lines_per_second"),
        "agentwire",
        &["claude-agent-sdk-rs", "claude-codes", "cc-sdk"],
        (1.8, Some(2.5)),
    ),
    claim(
        "a turn of 50,000 lines, start-up included, against the best typed Rust SDK",
        ("turn", "turns_per_second"),
        "agentwire",
        &["claude-agent-sdk-rs", "claude-codes", "cc-sdk"],
        (1.8, Some(2.5)),
    ),
    claim(
        "heads only, against a loop that reads the same pipe and counts newlines",
        ("messages", "lines_per_second"),
        "agentwire-heads",
        &["loop"],
        (0.4, Some(0.5)),
    ),
    claim(
        "route and typed read of lines in memory, against `serde_json::Value`",
        ("read", "lines_per_second"),
        "route and typed read",
        &["serde_json::Value"],
        (1.3, Some(1.6)),
    ),
    claim(
        "control round trip, median, current-thread runtime, against a blocking loop in Rust",
        ("round-trip", "p50_us"),
        "agentwire-current-thread",
        &["loop"],
        (1.4, None),
    ),
    claim(
        "control round trip, median, multi-thread runtime, against a blocking loop in Rust",
        ("round-trip", "p50_us"),
        "agentwire",
        &["loop"],
        (1.7, None),
    ),
    claim(
        "control round trip, median, multi-thread runtime",
        ("round-trip", "p50_us"),
        "agentwire",
        &["claude-agent-sdk-rs"],
        (0.9, Some(0.7)),
    ),
    claim(
        "sending",
        ("sending", "sent_per_second"),
        "agentwire",
        &["claude-agent-sdk-rs"],
        (0.8, Some(1.2)),
    ),
    claim(
        "an idle session, kB",
        ("idle", "kb_each"),
        "agentwire",
        &[],
        (20.0, Some(15.0)),
    ),
    claim(
        "cold build, dev, CPU seconds",
        ("builds", "dev_cpu_seconds"),
        "agentwire",
        &["claude-agent-sdk-rs"],
        (1.0, Some(0.9)),
    ),
    claim(
        "cold build, release, CPU seconds",
        ("builds", "release_cpu_seconds"),
        "agentwire",
        &["claude-agent-sdk-rs"],
        (1.4, Some(1.2)),
    ),
    claim(
        "release build of `agentwire-cli`, CPU seconds",
        ("builds", "release_cpu_seconds"),
        "agentwire-cli",
        &[],
        (300.0, None),
    ),
    claim(
        "text of `agentwire-cli`, MB",
        ("builds", "text_mb"),
        "agentwire-cli",
        &[],
        (12.0, Some(9.0)),
    ),
    claim(
        "`cargo test --workspace` from nothing, minutes",
        ("builds", "minutes"),
        "cargo test --workspace",
        &[],
        (5.0, Some(3.0)),
    ),
];

impl Claim {
    /// Returns whether the value must be at least the required one.
    pub fn more_is_better(&self) -> bool {
        more_is_better(self.metric)
    }

    /// Returns the measured value, or `None` if it was not measured.
    pub fn verdict(&self, results: &Results) -> Option<Verdict> {
        let numbers = |contestant| results.numbers(self.measure, "", contestant, self.metric);
        let ours = numbers(self.ours);
        let (against, measured) = if self.against.is_empty() {
            (None, Spread::of(ours)?)
        } else {
            let quotient = |theirs: &&'static str| {
                Some((
                    Some(*theirs),
                    Spread::of_quotients(&ours, &numbers(theirs))?,
                ))
            };
            let quotients = self.against.iter().filter_map(quotient);
            // The best contestant is the one with the worst quotient for
            // agentwire.
            let worse = |a: &Spread, b: &Spread| {
                let order = a.median.total_cmp(&b.median);
                if self.more_is_better() {
                    order
                } else {
                    order.reverse()
                }
            };
            quotients.min_by(|(_, a), (_, b)| worse(a, b))?
        };
        let holds = if self.more_is_better() {
            measured.median >= self.required
        } else {
            measured.median <= self.required
        };
        Some(Verdict {
            against,
            measured,
            holds,
        })
    }
}

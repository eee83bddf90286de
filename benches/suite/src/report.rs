//! Tables of what was measured.

use crate::measures::{MEASURES, Measure};
use crate::results::{Results, Spread};
use std::fmt::Write as _;

/// The tables of a measure, as Markdown.
pub fn tables(measure: &Measure, results: &Results) -> String {
    let mut text = String::new();
    for (case, contestants) in results.cases(measure.name) {
        if !case.is_empty() {
            let _ = writeln!(text, "**{case}**\n");
        }
        let titles: Vec<_> = measure.columns.iter().map(|column| column.title).collect();
        let _ = writeln!(text, "| | {} |", titles.join(" | "));
        let _ = writeln!(text, "|---|{}", "--:|".repeat(titles.len()));
        for contestant in contestants {
            let cells: Vec<_> = measure
                .columns
                .iter()
                .map(|column| {
                    results
                        .spread(measure.name, case, contestant, column.metric)
                        .map_or_else(|| "–".to_owned(), cell)
                })
                .collect();
            let _ = writeln!(text, "| {contestant} | {} |", cells.join(" | "));
        }
        text.push('\n');
    }
    text
}

/// The median, and from the least to the most where they differ.
fn cell(spread: Spread) -> String {
    let (median, least, most) = (
        number(spread.median),
        number(spread.least),
        number(spread.most),
    );
    if least == most {
        median
    } else {
        format!("{median} ({least}..{most})")
    }
}

/// Three significant digits, and all of what is before the point.
pub fn number(value: f64) -> String {
    let digits = match value.abs() {
        100.0.. => 0,
        10.0.. => 1,
        1.0.. => 2,
        _ => 3,
    };
    let text = format!("{value:.digits$}");
    let (whole, fraction) = text
        .split_once('.')
        .map_or((text.as_str(), None), |(whole, fraction)| {
            (whole, Some(fraction))
        });
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 && grouped != "-" {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    match fraction {
        Some(fraction) => format!("{grouped}.{fraction}"),
        None => grouped,
    }
}

/// What the README compares: a row of the table of what is required.
pub struct Claim {
    pub what: &'static str,
    measure: &'static str,
    case: &'static str,
    ours: &'static str,
    /// The best of these is what ours is held against.
    against: &'static [&'static str],
    metric: &'static str,
    bound: Bound,
}

/// What the quotient of ours and theirs, in the same round, is to be.
enum Bound {
    AtLeast { required: f64, aim: f64 },
    AtMost { required: f64, aim: f64 },
}

pub const CLAIMS: &[Claim] = &[
    Claim {
        what: "200,000 messages, typed, against the official TypeScript SDK",
        measure: "messages",
        case: "",
        ours: "agentwire",
        against: &["typescript"],
        metric: "lines_per_second",
        bound: Bound::AtLeast {
            required: 3.0,
            aim: 4.0,
        },
    },
    Claim {
        what: "200,000 messages, typed, against the official Python SDK",
        measure: "messages",
        case: "",
        ours: "agentwire",
        against: &["python"],
        metric: "lines_per_second",
        bound: Bound::AtLeast {
            required: 15.0,
            aim: 20.0,
        },
    },
    Claim {
        what: "a turn of 50,000 lines, start-up included, against the best typed Rust SDK",
        measure: "turn",
        case: "",
        ours: "agentwire",
        against: &["claude-agent-sdk-rs", "claude-codes", "cc-sdk"],
        metric: "turns_per_second",
        bound: Bound::AtLeast {
            required: 2.0,
            aim: 2.5,
        },
    },
    Claim {
        what: "heads only, against a loop that counts newlines",
        measure: "messages",
        case: "",
        ours: "agentwire-heads",
        against: &["loop"],
        metric: "lines_per_second",
        bound: Bound::AtLeast {
            required: 0.4,
            aim: 0.5,
        },
    },
    Claim {
        what: "control round trip, median, on a current-thread runtime, against a blocking loop",
        measure: "round-trip",
        case: "",
        ours: "agentwire-current-thread",
        against: &["loop"],
        metric: "p50_us",
        bound: Bound::AtMost {
            required: 1.4,
            aim: 1.4,
        },
    },
    Claim {
        what: "control round trip, median, on a multi-thread runtime, against a blocking loop",
        measure: "round-trip",
        case: "",
        ours: "agentwire",
        against: &["loop"],
        metric: "p50_us",
        bound: Bound::AtMost {
            required: 1.7,
            aim: 1.7,
        },
    },
];

/// The table of what is required, as far as it was measured.
pub fn claims(results: &Results) -> String {
    let mut text = "| | ratio | required | aim | |\n|---|--:|--:|--:|---|\n".to_owned();
    for claim in CLAIMS {
        let numbers =
            |contestant| results.numbers(claim.measure, claim.case, contestant, claim.metric);
        let ours = numbers(claim.ours);
        let ratios = claim
            .against
            .iter()
            .filter_map(|theirs| Some((theirs, Spread::of_quotients(&ours, &numbers(theirs))?)));
        // The best of them is what leaves ours the worst ratio.
        let (best, required, aim) = match claim.bound {
            Bound::AtLeast { required, aim } => (
                ratios.min_by(|a, b| a.1.median.total_cmp(&b.1.median)),
                required,
                aim,
            ),
            Bound::AtMost { required, aim } => (
                ratios.max_by(|a, b| a.1.median.total_cmp(&b.1.median)),
                required,
                aim,
            ),
        };
        let Some((theirs, ratio)) = best else {
            continue;
        };
        let holds = match claim.bound {
            Bound::AtLeast { .. } => ratio.median >= required,
            Bound::AtMost { .. } => ratio.median <= required,
        };
        let _ = writeln!(
            text,
            "| {} ({theirs}) | {} | {required} | {aim} | {} |",
            claim.what,
            cell(ratio),
            if holds { "holds" } else { "**does not hold**" },
        );
    }
    text
}

pub fn summary(results: &Results) -> String {
    let mut text = claims(results);
    for measure in MEASURES.iter().filter(|measure| results.has(measure.name)) {
        let _ = write!(
            text,
            "\n## {}\n\n{}\n\n{}",
            measure.title,
            measure.about,
            tables(measure, results)
        );
    }
    text
}

//! Generates `benches/README.md`: tables of the results. A contestant printed every
//! number in it, or it follows from such numbers.

use crate::claims::CLAIMS;
use crate::measures::{Column, MEASURES, Measure, more_is_better};
use crate::results::{Results, Spread};
use serde_json::Value;
use std::fmt::Write as _;

const HEAD: &str = "\
<!-- Written by benches/run. -->

# Benchmarks

```sh
benches/run                          # everything but builds; some minutes
benches/run messages --rounds 3      # one measure; the others stay
benches/run --builds                 # builds too; fifteen minutes more
```

Every contestant drives the same stand-in for the CLI (`suite/src/bin/emit.rs`), each in a process of its own with a \
clean environment. In each round all contestants of a measure run once, one after the other, and every other round \
runs backwards. Numbers are the median of the rounds, with the least and the most in parentheses. Ratios and \
differences are of numbers from the same round. CPU time is that of the contestant's whole process, the start of its \
runtime included. All Rust contestants are in one binary: release, thin LTO, one codegen \
unit.

The Rust SDKs are those that can be pointed at an executable: `claude-agent-sdk-rs` by `ClaudeAgentOptions::cli_path`, \
`claude-codes` by `ClaudeCliBuilder::command`, `cc-sdk` by `SubprocessTransport::with_cli_path`, `claude-wrapper` by \
`ClaudeBuilder::binary`. Messages of `claude-wrapper` are `serde_json::Value`; in the others the event of a \
partial message is one. `cc-sdk` does not deliver user messages with tool results. Its channel holds 262,144 messages \
here; with its default of 100 a slow consumer loses messages.
";

/// Returns the text of `benches/README.md`.
pub fn readme(results: &Results) -> String {
    let mut text = HEAD.to_owned();
    let measured: Vec<&Measure> = MEASURES
        .iter()
        .filter(|measure| results.has(measure.name))
        .collect();
    let Some(first) = measured.first() else {
        return text;
    };
    let environment = results.environment(first.name);
    let _ = write!(
        text,
        "\n## Machine and versions\n\n{}",
        versions(environment)
    );
    let _ = write!(text, "\n## What is required\n\n{}", claims(results));
    for measure in measured {
        let _ = write!(text, "\n## {}\n\n{}\n\n", measure.title, measure.about);
        let own = results.environment(measure.name);
        let _ = writeln!(
            text,
            "{}\n",
            provenance(results.rounds(measure.name), own, environment)
        );
        for plot in measure.plots {
            let _ = writeln!(
                text,
                "![{}](plots/{})\n",
                title(measure, plot),
                file_name(measure, plot)
            );
        }
        text.push_str(&tables(measure, results));
    }
    text
}

/// Returns the name of the file of a plot.
pub fn file_name(measure: &Measure, metric: &str) -> String {
    format!("{}-{}.svg", measure.name, metric.replace('_', "-"))
}

/// Returns the title of a plot.
pub fn title(measure: &Measure, metric: &str) -> String {
    let column = measure
        .columns
        .iter()
        .find(|column| column.metric == metric);
    format!(
        "{}: {}",
        measure.title,
        column.map_or(metric, |column| column.title)
    )
}

fn versions(environment: &Value) -> String {
    let mut text = "| | |\n|---|---|\n".to_owned();
    for (title, member) in [
        ("processor", "processor"),
        ("cores", "cores"),
        ("kernel", "kernel"),
    ] {
        let _ = writeln!(text, "| {title} | {} |", plain(&environment[member]));
    }
    for (name, version) in environment["versions"].as_object().into_iter().flatten() {
        let _ = writeln!(text, "| {name} | {} |", plain(version));
    }
    text
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns how often a measure was taken, and how its environment differs from that of
/// the others.
fn provenance(rounds: u64, own: &Value, environment: &Value) -> String {
    let mut text = match rounds {
        1 => "One round".to_owned(),
        rounds => format!("{rounds} rounds"),
    };
    let _ = write!(
        text,
        "; load average when it began: {}",
        plain(&own["load_average_at_start"])
    );
    for member in ["processor", "cores", "kernel"] {
        if own[member] != environment[member] {
            let _ = write!(text, "; {member}: {}", plain(&own[member]));
        }
    }
    for (name, version) in own["versions"].as_object().into_iter().flatten() {
        if *version != environment["versions"][name] {
            let _ = write!(text, "; {name}: {}", plain(version));
        }
    }
    text + "."
}

/// Returns the table of the requirements that were measured.
pub fn claims(results: &Results) -> String {
    let mut text = "| | measured | required | aim | |\n|---|--:|--:|--:|---|\n".to_owned();
    for claim in CLAIMS {
        let Some(verdict) = claim.verdict(results) else {
            continue;
        };
        let bound = if claim.more_is_better() { "≥" } else { "≤" };
        let against = match verdict.against {
            Some(theirs) if !claim.what.to_lowercase().contains(&theirs.to_lowercase()) => {
                format!(" ({theirs})")
            }
            _ => String::new(),
        };
        let _ = writeln!(
            text,
            "| {}{against} | {} | {bound} {} | {} | {} |",
            claim.what,
            cell(verdict.measured),
            claim.required,
            claim
                .aim
                .map_or_else(String::new, |aim| format!("{bound} {aim}")),
            if verdict.holds {
                "holds"
            } else {
                "**does not hold**"
            },
        );
    }
    text
}

/// A number that is derived from the first column of a table.
struct Comparison {
    title: &'static str,
    /// The contestant to compare with, in the same round.
    with: &'static str,
    of: fn(&[f64], &[f64]) -> Option<Spread>,
    /// Returns whether the comparison makes sense for a metric.
    fits: fn(&str) -> bool,
}

const COMPARISONS: &[Comparison] = &[
    Comparison {
        title: "÷ agentwire",
        with: "agentwire",
        of: Spread::of_quotients,
        fits: |_| true,
    },
    // What an SDK adds to the time of the CLI.
    Comparison {
        title: "− loop",
        with: "loop",
        of: Spread::of_differences,
        fits: |metric| metric.ends_with("_us"),
    },
];

/// Returns a table for each case of a measure. Its rows are sorted by the first column,
/// the best first.
pub fn tables(measure: &Measure, results: &Results) -> String {
    let mut text = String::new();
    for (case, mut contestants) in results.cases(measure.name) {
        if !case.is_empty() {
            let _ = writeln!(text, "**{case}**\n");
        }
        let spread = |contestant, metric| results.spread(measure.name, case, contestant, metric);
        let numbers = |contestant, metric| results.numbers(measure.name, case, contestant, metric);
        // Some columns are only for some contestants.
        let columns: Vec<&Column> = measure
            .columns
            .iter()
            .filter(|column| {
                contestants
                    .iter()
                    .any(|contestant| spread(contestant, column.metric).is_some())
            })
            .collect();
        let Some(first) = columns.first().map(|column| column.metric) else {
            continue;
        };
        contestants.sort_by(|a, b| {
            let median = |contestant| {
                spread(contestant, first).map_or(f64::INFINITY, |spread| spread.median)
            };
            let order = median(a).total_cmp(&median(b));
            if more_is_better(first) {
                order.reverse()
            } else {
                order
            }
        });
        let comparisons: Vec<&Comparison> = COMPARISONS
            .iter()
            .filter(|comparison| {
                (comparison.fits)(first) && !numbers(comparison.with, first).is_empty()
            })
            .collect();
        let mut titles: Vec<_> = columns.iter().map(|column| column.title).collect();
        titles.splice(1..1, comparisons.iter().map(|comparison| comparison.title));
        let _ = writeln!(
            text,
            "| | {} |\n|---|{}",
            titles.join(" | "),
            "--:|".repeat(titles.len())
        );
        for contestant in contestants {
            if let Some(error) = results.error(measure.name, case, contestant) {
                let _ = writeln!(text, "| {contestant} | failed: {error} |");
                continue;
            }
            let shown = |spread: Option<Spread>| spread.map_or_else(String::new, cell);
            let mut cells: Vec<_> = columns
                .iter()
                .map(|column| shown(spread(contestant, column.metric)))
                .collect();
            let compared = comparisons.iter().map(|comparison| {
                let with = numbers(comparison.with, first);
                shown((comparison.of)(&numbers(contestant, first), &with))
            });
            cells.splice(1..1, compared.collect::<Vec<_>>());
            let _ = writeln!(text, "| {contestant} | {} |", cells.join(" | "));
        }
        text.push('\n');
    }
    text
}

/// Returns the median, and the minimum and the maximum if they differ.
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

/// Returns three significant digits, and all digits before the decimal point. A whole
/// number has no decimal point.
pub fn number(value: f64) -> String {
    let digits = match value.abs() {
        whole if whole.fract() == 0.0 => 0,
        100.0.. => 0,
        10.0.. => 1,
        1.0.. => 2,
        0.1.. => 3,
        _ => 4,
    };
    let text = format!("{value:.digits$}");
    let (whole, fraction) = text.split_at(text.find('.').unwrap_or(text.len()));
    let (sign, whole) = whole.split_at(whole.len() - whole.trim_start_matches('-').len());
    let mut grouped = sign.to_owned();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + fraction
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_have_three_significant_digits() {
        let written = [0.012_345, 0.5123, 1.2345, 12.345, 123.45, 1_234_567.8, 4.0].map(number);
        let expected = ["0.0123", "0.512", "1.23", "12.3", "123", "1,234,568", "4"];
        assert_eq!(written, expected);
    }
}

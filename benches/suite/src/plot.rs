//! Draws plots as SVG: a bar for each contestant, and a group of bars for each
//! case.
//!
//! Colours have a middle brightness, so that they can be read on white and on
//! black.

use crate::measures::{Measure, more_is_better};
use crate::readme::{number, title};
use crate::results::{Results, Spread};
use std::fmt::Write as _;

const WIDTH: f64 = 800.0;
/// The horizontal position at which bars begin.
const LEFT: f64 = 200.0;
/// The length of the longest bar. Its number follows the bar.
const LENGTH: f64 = 440.0;
const ROW: f64 = 22.0;
const BAR: f64 = 14.0;

const TEXT: &str = "#7d8590";
const OURS: &str = "#2f81f7";
const OTHERS: &str = "#9aa4ae";
/// The colour of the line from the minimum to the maximum.
const SPREAD: &str = "#d1651f";

/// A bar, or the title of the bars below it.
enum Row<'a> {
    Case(&'a str),
    Bar(&'a str, Spread),
}

/// Returns the plot of a metric, or `None` if it was not measured.
pub fn plot(measure: &Measure, metric: &str, results: &Results) -> Option<String> {
    let mut rows = Vec::new();
    for (case, contestants) in results.cases(measure.name) {
        if !case.is_empty() {
            rows.push(Row::Case(case));
        }
        let spread = |contestant| {
            Some((
                contestant,
                results.spread(measure.name, case, contestant, metric)?,
            ))
        };
        let mut bars: Vec<_> = contestants.into_iter().filter_map(spread).collect();
        bars.sort_by(|(_, a), (_, b)| {
            let order = a.median.total_cmp(&b.median);
            if more_is_better(metric) {
                order.reverse()
            } else {
                order
            }
        });
        rows.extend(
            bars.into_iter()
                .map(|(contestant, spread)| Row::Bar(contestant, spread)),
        );
    }
    let spreads: Vec<Spread> = rows
        .iter()
        .filter_map(|row| match row {
            Row::Bar(_, spread) => Some(*spread),
            Row::Case(_) => None,
        })
        .collect();
    let scale = Scale::of(&spreads)?;

    let height = ROW * (rows.len() as f64 + 3.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"sans-serif\" \
         font-size=\"13\" fill=\"{TEXT}\">\n"
    );
    let hint = if more_is_better(metric) {
        "more is better"
    } else {
        "less is better"
    };
    let _ = writeln!(
        svg,
        "<text x=\"8\" y=\"17\" font-size=\"15\">{} ({hint})</text>",
        title(measure, metric)
    );
    let bottom = ROW * (rows.len() as f64 + 1.6);
    for (tick, label) in scale.ticks() {
        let x = LEFT + LENGTH * tick;
        let _ = writeln!(
            svg,
            "<path d=\"M{x:.1} {:.1}V{bottom:.1}\" stroke=\"{TEXT}\" stroke-opacity=\"0.35\"/>\n\
             <text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"11\" text-anchor=\"middle\">{label}</text>",
            ROW * 1.4,
            bottom + 14.0,
        );
    }
    for (at, row) in rows.iter().enumerate() {
        let top = ROW * (at as f64 + 1.5);
        let base = top + 12.0;
        match row {
            Row::Case(case) => {
                let _ = writeln!(
                    svg,
                    "<text x=\"8\" y=\"{base:.1}\" font-weight=\"bold\">{case}</text>"
                );
            }
            Row::Bar(contestant, spread) => {
                let end = |value| LEFT + LENGTH * scale.at(value);
                let (median, least, most) =
                    (end(spread.median), end(spread.least), end(spread.most));
                let colour = if is_ours(contestant) { OURS } else { OTHERS };
                let middle = top + BAR / 2.0;
                let _ = writeln!(
                    svg,
                    "<text x=\"{:.1}\" y=\"{base:.1}\" text-anchor=\"end\">{contestant}</text>\n\
                     <rect x=\"{LEFT}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{BAR}\" fill=\"{colour}\"/>\n\
                     <path d=\"M{least:.1} {middle:.1}H{most:.1}\" stroke=\"{SPREAD}\" stroke-width=\"3\"/>\n\
                     <text x=\"{:.1}\" y=\"{base:.1}\">{}</text>",
                    LEFT - 8.0,
                    median - LEFT,
                    most.max(median) + 8.0,
                    number(spread.median),
                );
            }
        }
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

/// Returns whether a contestant is this project, or one of its ways to read
/// lines.
fn is_ours(contestant: &str) -> bool {
    contestant.starts_with("agentwire")
        || ["route", "typed read", "route and typed read"].contains(&contestant)
}

/// Maps a number to a position between 0 and 1.
enum Scale {
    Linear {
        most: f64,
    },
    /// A logarithmic scale between two powers of ten.
    Logarithmic {
        from: f64,
        to: f64,
    },
}

impl Scale {
    fn of(spreads: &[Spread]) -> Option<Self> {
        let most = spreads
            .iter()
            .map(|spread| spread.most)
            .max_by(f64::total_cmp)?;
        let least = spreads
            .iter()
            .map(|spread| spread.least)
            .min_by(f64::total_cmp)?;
        Some(if least > 0.0 && most / least > 20.0 {
            Self::Logarithmic {
                from: (least.log10() - 0.3).floor(),
                to: most.log10().ceil(),
            }
        } else {
            Self::Linear { most }
        })
    }

    fn at(&self, value: f64) -> f64 {
        match self {
            Self::Linear { most } => (value / most).max(0.0),
            Self::Logarithmic { from, to } => ((value.log10() - from) / (to - from)).max(0.0),
        }
    }

    /// Returns the positions of grid lines, and their labels.
    fn ticks(&self) -> Vec<(f64, String)> {
        match self {
            Self::Linear { .. } => vec![(0.0, "0".to_owned())],
            Self::Logarithmic { from, to } => (*from as i32..=*to as i32)
                .map(|power| {
                    let value = 10f64.powi(power);
                    (self.at(value), number(value))
                })
                .collect(),
        }
    }
}

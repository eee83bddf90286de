//! The results of the rounds by phase and disturbance.

use crate::round::{Kind, Outcome, Phase};
use std::collections::BTreeMap;
use std::fmt;

/// The sums of the outcomes of all rounds.
#[derive(Default)]
pub(crate) struct Table {
    rows: BTreeMap<(Phase, Kind), Row>,
    problems: Vec<String>,
}

#[derive(Default, Clone, Copy)]
struct Row {
    rounds: usize,
    two_writers: usize,
    lost: usize,
    twice: usize,
    late: usize,
    problems: usize,
    took: u128,
}

impl Row {
    fn add(&mut self, other: Self) {
        self.rounds += other.rounds;
        self.two_writers += other.two_writers;
        self.lost += other.lost;
        self.twice += other.twice;
        self.late += other.late;
        self.problems += other.problems;
        self.took = self.took.max(other.took);
    }
}

impl Table {
    pub(crate) fn add(&mut self, outcome: Outcome) {
        let row = Row {
            rounds: 1,
            two_writers: outcome.two_writers,
            lost: outcome.lost,
            twice: outcome.twice,
            late: outcome.late,
            problems: outcome.problems.len(),
            took: outcome.taken_over_after,
        };
        let place = (outcome.phase, outcome.kind);
        self.rows.entry(place).or_default().add(row);
        let of = format!("round {} ({:?}, {:?})", outcome.round, place.0, place.1);
        let problems = outcome.problems.into_iter();
        self.problems
            .extend(problems.map(|it| format!("{of}: {it}")));
    }

    pub(crate) fn failed(&self) -> usize {
        let all = self.rows.values();
        all.map(|it| it.two_writers + it.lost + it.twice + it.late + it.problems)
            .sum()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<10} {:<8} {:>6} {:>11} {:>5} {:>9} {:>11} {:>8} {:>11}",
            "phase",
            "host is",
            "rounds",
            "two writers",
            "lost",
            "run twice",
            "tools after",
            "problems",
            "longest, ms"
        )?;
        let mut all = Row::default();
        let line = |f: &mut fmt::Formatter<'_>, phase: &str, kind: &str, row: Row| {
            writeln!(
                f,
                "{phase:<10} {kind:<8} {:>6} {:>11} {:>5} {:>9} {:>11} {:>8} {:>11}",
                row.rounds, row.two_writers, row.lost, row.twice, row.late, row.problems, row.took
            )
        };
        for ((phase, kind), row) in &self.rows {
            let lower = |name: String| name.to_lowercase();
            line(
                f,
                &lower(format!("{phase:?}")),
                &lower(format!("{kind:?}")),
                *row,
            )?;
            all.add(*row);
        }
        line(f, "all", "", all)?;
        for problem in &self.problems {
            writeln!(f, "{problem}")?;
        }
        Ok(())
    }
}

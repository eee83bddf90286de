//! What is said of a case, for people and for programs.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// What came of a case.
#[derive(Debug)]
pub(super) struct Came {
    /// Why it had to be ended, if it did not come to its end.
    pub(super) stuck: Option<String>,
    /// In what else it departs, for people. There is nothing when it does not.
    pub(super) departures: Vec<String>,
    /// The same for programs: an object with members of the report.
    pub(super) details: Value,
}

/// A case, and how it went.
#[derive(Debug)]
pub(super) struct Report<'a> {
    name: &'a str,
    about: Option<&'a str>,
    verdict: Verdict,
    came: Came,
    /// Why it is expected not to go right, if it is.
    reason: Option<String>,
    took: Duration,
}

/// What is said of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Ok,
    /// It departs or is stuck, as expected.
    Expected,
    Departs,
    Stuck,
    /// It does not depart, as it was expected to.
    Passes,
}

impl Verdict {
    fn of(came: &Came, is_expected: bool) -> Self {
        let departs = came.stuck.is_some() || !came.departures.is_empty();
        match (departs, is_expected) {
            (false, false) => Self::Ok,
            (false, true) => Self::Passes,
            (true, true) => Self::Expected,
            (true, false) if came.stuck.is_some() => Self::Stuck,
            (true, false) => Self::Departs,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Expected => "expected",
            Self::Departs => "departs",
            Self::Stuck => "stuck",
            Self::Passes => "passes",
        }
    }
}

impl<'a> Report<'a> {
    pub(super) fn new(
        name: &'a str,
        about: Option<&'a str>,
        came: Came,
        reason: Option<String>,
        took: Duration,
    ) -> Self {
        Self {
            name,
            about,
            verdict: Verdict::of(&came, reason.is_some()),
            came,
            reason,
            took,
        }
    }

    /// A line of JSON.
    pub(super) fn for_programs(&self) -> String {
        let mut report = json!({
            "case": self.name,
            "about": self.about,
            "verdict": self.verdict.word(),
            "expected": self.reason,
            "ms": u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
            "stuck": self.came.stuck,
        });
        if let (Value::Object(members), Value::Object(more)) = (&mut report, &self.came.details) {
            members.extend(more.clone());
        }
        format!("{report}\n")
    }
}

/// For people.
impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, took) = (self.verdict.word(), self.took.as_secs_f32());
        writeln!(f, "{word:<9} {} ({took:.1} s)", self.name)?;
        let reason = self.reason.iter().map(String::as_str);
        let departures = self.came.stuck.iter().chain(&self.came.departures);
        let lines: Vec<_> = match self.verdict {
            Verdict::Ok => vec![],
            Verdict::Expected => reason.collect(),
            Verdict::Passes => {
                let reason = self.reason.as_deref().unwrap_or_default();
                return writeln!(f, "    it was expected to depart: {reason}");
            }
            Verdict::Departs | Verdict::Stuck => (self.about.into_iter())
                .chain(departures.flat_map(|it| it.lines()))
                .collect(),
        };
        lines.iter().try_for_each(|line| writeln!(f, "    {line}"))
    }
}

/// How often what was said.
#[derive(Debug, Default)]
pub(super) struct Counts(BTreeMap<Verdict, usize>);

impl Counts {
    pub(super) fn add(&mut self, report: &Report<'_>) {
        *self.0.entry(report.verdict).or_default() += 1;
    }

    /// Whether every case went as it was expected to.
    pub(super) fn is_fine(&self) -> bool {
        let is_fine = |verdict: &Verdict| matches!(verdict, Verdict::Ok | Verdict::Expected);
        self.0.keys().all(is_fine)
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cases", self.0.values().sum::<usize>())?;
        for (at, (verdict, count)) in self.0.iter().enumerate() {
            let separator = if at == 0 { ": " } else { ", " };
            let what = match verdict {
                Verdict::Ok => "ok",
                Verdict::Expected => "depart as expected",
                Verdict::Departs => "depart",
                Verdict::Stuck => "are stuck",
                Verdict::Passes => "pass although they were expected to depart",
            };
            write!(f, "{separator}{count} {what}")?;
        }
        Ok(())
    }
}

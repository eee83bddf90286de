//! Reports of cases, as text and as JSON.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// The outcome of a case.
#[derive(Debug)]
pub(super) struct Came {
    /// Why the case was stopped, if it did not complete.
    pub(super) stuck: Option<String>,
    /// The other departures, as text. Empty if there are none.
    pub(super) departures: Vec<String>,
    /// Why the case was skipped, if it was.
    pub(super) skipped: Option<String>,
    /// The departures as JSON: an object with members of the report.
    pub(super) details: Value,
}

/// A case and its verdict.
#[derive(Debug)]
pub(super) struct Report<'a> {
    name: &'a str,
    about: Option<&'a str>,
    verdict: Verdict,
    came: Came,
    /// Why the case is expected to fail, if it is.
    reason: Option<String>,
    took: Duration,
}

/// The verdict about a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Ok,
    Skipped,
    /// The case fails as expected: it departs or is stuck.
    Expected,
    Departs,
    Stuck,
    /// The case passes unexpectedly.
    Passes,
}

impl Verdict {
    fn of(came: &Came, is_expected: bool) -> Self {
        if came.skipped.is_some() {
            return Self::Skipped;
        }
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
            Self::Skipped => "skipped",
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

    /// Formats the report as a line of JSON.
    pub(super) fn for_programs(&self) -> String {
        let mut report = json!({
            "case": self.name,
            "about": self.about,
            "verdict": self.verdict.word(),
            "expected": self.reason,
            "ms": u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
            "stuck": self.came.stuck,
            "skipped": self.came.skipped,
        });
        if let (Value::Object(members), Value::Object(more)) = (&mut report, &self.came.details) {
            members.extend(more.clone());
        }
        format!("{report}\n")
    }
}

/// Formats the report as text.
impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, took) = (self.verdict.word(), self.took.as_secs_f32());
        writeln!(f, "{word:<9} {} ({took:.1} s)", self.name)?;
        let reason = self.reason.iter().map(String::as_str);
        let departures = self.came.stuck.iter().chain(&self.came.departures);
        let lines: Vec<_> = match self.verdict {
            Verdict::Ok => vec![],
            Verdict::Skipped => self.came.skipped.iter().map(String::as_str).collect(),
            Verdict::Expected => reason.collect(),
            Verdict::Passes => {
                let reason = self.reason.as_deref().unwrap_or_default();
                return writeln!(f, "    it was expected to fail: {reason}");
            }
            Verdict::Departs | Verdict::Stuck => (self.about.into_iter())
                .chain(departures.flat_map(|it| it.lines()))
                .collect(),
        };
        lines.iter().try_for_each(|line| writeln!(f, "    {line}"))
    }
}

/// Counts verdicts.
#[derive(Debug, Default)]
pub(super) struct Counts(BTreeMap<Verdict, usize>);

impl Counts {
    pub(super) fn add(&mut self, report: &Report<'_>) {
        *self.0.entry(report.verdict).or_default() += 1;
    }

    /// Returns whether every case passed, or failed as expected.
    pub(super) fn is_fine(&self) -> bool {
        let is_fine = |verdict: &Verdict| {
            matches!(verdict, Verdict::Ok | Verdict::Skipped | Verdict::Expected)
        };
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
                Verdict::Skipped => "skipped",
                Verdict::Expected => "fail as expected",
                Verdict::Departs => "depart",
                Verdict::Stuck => "are stuck",
                Verdict::Passes => "pass unexpectedly",
            };
            write!(f, "{separator}{count} {what}")?;
        }
        Ok(())
    }
}

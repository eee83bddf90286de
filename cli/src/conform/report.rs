//! Reports of cases, as text and as JSON.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// The outcome of a case.
#[derive(Debug)]
pub(super) struct CaseOutcome {
    /// Where and why the case stopped, if it did not complete.
    pub(super) stuck: Option<String>,
    /// The other departures from the expectation, as text.
    pub(super) departures: Vec<String>,
    /// The reason why the case was skipped.
    pub(super) skipped: Option<String>,
    /// Further members of the JSON report.
    pub(super) details: Value,
}

/// A case and its verdict.
#[derive(Debug)]
pub(super) struct Report<'a> {
    name: &'a str,
    about: Option<&'a str>,
    verdict: Verdict,
    outcome: CaseOutcome,
    /// The reason why the case is expected to fail.
    reason: Option<String>,
    duration: Duration,
}

/// The verdict about a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Ok,
    Skipped,
    /// The case fails as expected.
    Expected,
    Departs,
    Stuck,
    /// The case passes unexpectedly.
    Passes,
}

impl Verdict {
    fn of(outcome: &CaseOutcome, is_expected: bool) -> Self {
        if outcome.skipped.is_some() {
            return Self::Skipped;
        }
        let departs = outcome.stuck.is_some() || !outcome.departures.is_empty();
        match (departs, is_expected) {
            (false, false) => Self::Ok,
            (false, true) => Self::Passes,
            (true, true) => Self::Expected,
            (true, false) if outcome.stuck.is_some() => Self::Stuck,
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
        outcome: CaseOutcome,
        reason: Option<String>,
        duration: Duration,
    ) -> Self {
        Self {
            name,
            about,
            verdict: Verdict::of(&outcome, reason.is_some()),
            outcome,
            reason,
            duration,
        }
    }

    /// Formats the report as a line of JSON.
    pub(super) fn to_json_line(&self) -> String {
        let mut report = json!({
            "case": self.name,
            "about": self.about,
            "verdict": self.verdict.word(),
            "expected": self.reason,
            "ms": u64::try_from(self.duration.as_millis()).unwrap_or(u64::MAX),
            "stuck": self.outcome.stuck,
            "skipped": self.outcome.skipped,
        });
        if let (Value::Object(members), Value::Object(more)) = (&mut report, &self.outcome.details)
        {
            members.extend(more.clone());
        }
        format!("{report}\n")
    }
}

/// Formats the report as text.
impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, duration) = (self.verdict.word(), self.duration.as_secs_f32());
        writeln!(f, "{word:<9} {} ({duration:.1} s)", self.name)?;
        let reason = self.reason.iter().map(String::as_str);
        let departures = self.outcome.stuck.iter().chain(&self.outcome.departures);
        let lines: Vec<_> = match self.verdict {
            Verdict::Ok => vec![],
            Verdict::Skipped => self.outcome.skipped.iter().map(String::as_str).collect(),
            Verdict::Expected => reason.collect(),
            Verdict::Passes => {
                let reason = self.reason.as_deref().unwrap_or_default();
                return writeln!(f, "    expected to fail: {reason}");
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
    pub(super) fn is_success(&self) -> bool {
        let is_success = |verdict: &Verdict| {
            matches!(verdict, Verdict::Ok | Verdict::Skipped | Verdict::Expected)
        };
        self.0.keys().all(is_success)
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

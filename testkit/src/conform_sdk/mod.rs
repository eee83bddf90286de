//! Does an SDK cope with what agents do? A suite of cases that says so.
//!
//! In each case a small program that is written with the SDK, its **adapter**,
//! drives the fake agent. The adapter does what the case tells it to, and
//! prints what its user saw; the fake agent does what is odd or goes wrong in
//! the case, and writes down what the SDK sent. Both are held against what is
//! right. `testkit/CONFORM.md` says how an adapter is written.
//!
//! The command is `agentwire conform sdk`.

mod case;
mod check;
mod process;
mod run;

pub use case::{Case, cases};
pub use run::Suite;

use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// The environment variable that tells the adapter which executable is the
/// CLI.
pub const CLI: &str = "AGENTWIRE_CONFORM_CLI";

/// The environment variable that names the file with what the adapter is to
/// do.
pub const CASE: &str = "AGENTWIRE_CONFORM_CASE";

/// What came of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The case.
    pub case: &'static str,
    /// What it shows.
    pub about: String,
    /// How it went.
    pub outcome: Outcome,
    /// In what the SDK, or its adapter, departs from what is right.
    pub departures: Vec<String>,
    /// How long it took.
    #[serde(rename = "ms", serialize_with = "as_ms")]
    pub took: Duration,
    /// Why it was expected not to be right, if it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
}

/// How a case went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// All was right.
    Ok,
    /// Something was not.
    Departs,
    /// The adapter was not done in time, and was ended.
    Hangs,
}

impl Report {
    /// Whether it went as it was expected to go: right, or wrong where a
    /// reason was given for that.
    #[must_use]
    pub fn is_as_expected(&self) -> bool {
        (self.outcome == Outcome::Ok) == self.expected.is_none()
    }
}

/// Cases that are expected not to go right, by name, each with the reason.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expected(BTreeMap<String, String>);

impl Expected {
    /// Reads them: a JSON object with a reason for each name of a case.
    ///
    /// # Errors
    ///
    /// When it is something else, when a reason is empty, or when there is no
    /// such case: it says what is wrong.
    pub fn from_json(text: &str) -> Result<Self, String> {
        let expected: BTreeMap<String, String> =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        for (name, reason) in &expected {
            if !cases().iter().any(|case| case.name == name) {
                return Err(format!("there is no case `{name}`"));
            }
            if reason.trim().is_empty() {
                return Err(format!("`{name}` has no reason"));
            }
        }
        Ok(Self(expected))
    }

    /// Why this case is expected not to go right, if it is.
    #[must_use]
    pub fn reason(&self, case: &str) -> Option<&str> {
        self.0.get(case).map(String::as_str)
    }
}

fn as_ms<S: serde::Serializer>(time: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u128(time.as_millis())
}

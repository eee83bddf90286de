//! Accepted differences between the real CLI and the fake agent, from
//! `conform/accepted.json`.

use super::Hunk;
use serde::Deserialize;

const FILE: &str = include_str!("../../../conform/accepted.json");

/// An accepted difference between the real CLI and the fake agent.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct AcceptedDifference {
    /// The names of the cases with this difference.
    pub cases: Vec<String>,
    /// The reason.
    pub why: String,
    /// The lines that only the real CLI writes.
    pub real: Vec<String>,
    /// The lines that only the fake agent writes.
    pub fake: Vec<String>,
}

impl AcceptedDifference {
    /// Returns the accepted differences in this crate.
    ///
    /// # Errors
    ///
    /// Fails only if the file was edited by hand.
    pub fn embedded() -> serde_json::Result<Vec<Self>> {
        serde_json::from_str(FILE)
    }

    /// Returns whether `hunk` is this difference, if the fake agent's lines were
    /// the expected ones.
    #[must_use]
    pub fn matches(&self, case: &str, hunk: &Hunk) -> bool {
        self.cases.iter().any(|it| it == case)
            && self.fake == hunk.expected
            && self.real == hunk.found
    }
}

//! Accepted differences, from `accepted.json`, each with its reason. Entries that match
//! no difference any more are reported.

use serde::Deserialize;
use std::path::Path;

/// The contents of `accepted.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Accepted {
    /// The places where the two sequences of lines differ.
    pub(crate) differences: Vec<Difference>,
}

/// A place where the agents differ.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Difference {
    /// The names of the cases with this difference.
    pub(crate) cases: Vec<String>,
    /// The lines that only the real agent writes.
    #[serde(default)]
    pub(crate) real: Vec<String>,
    /// The lines that only the fake agent writes.
    #[serde(default)]
    pub(crate) fake: Vec<String>,
    pub(crate) why: String,
}

impl Accepted {
    pub(crate) fn read() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/calibration/accepted.json");
        let text = std::fs::read_to_string(path).unwrap();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("accepted.json: {error}"))
    }
}

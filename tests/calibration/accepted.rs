//! Accepted differences, from `accepted.json`, each with its reason. Reports entries
//! that match no difference any more.

use serde::Deserialize;
use std::path::Path;

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Accepted {
    /// Places where the two sequences differ.
    pub(crate) differences: Vec<Difference>,
}

/// A place where the agents differ.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Difference {
    /// The cases in which it is.
    pub(crate) cases: Vec<String>,
    /// Lines of the real agent only.
    #[serde(default)]
    pub(crate) real: Vec<String>,
    /// Lines of the fake agent only.
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

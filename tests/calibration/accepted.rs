//! What may differ, from `accepted.json`: each with its reason. A line there
//! that explains nothing any more is reported as well.

use serde::Deserialize;
use std::path::Path;

/// The file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Accepted {
    /// Lines that are not compared at all.
    lines: Vec<Lines>,
    /// Members that are not compared.
    members: Vec<Members>,
    /// Places where the two sequences differ.
    pub(crate) differences: Vec<Difference>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lines {
    of: String,
    #[serde(rename = "why")]
    _why: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Members {
    /// The lines, by type and subtype; a `*` at the end stands for any.
    of: Vec<String>,
    /// The members, by their paths. Items of arrays have that of the array.
    members: Vec<String>,
    #[serde(rename = "why")]
    _why: String,
}

/// A place where the agents differ.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Difference {
    /// The cases in which it is.
    pub(crate) cases: Vec<String>,
    /// What only the real one has.
    #[serde(default)]
    pub(crate) real: Vec<String>,
    /// What only the fake one has.
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

    pub(crate) fn passes_over(&self, head: &str) -> bool {
        self.lines.iter().any(|it| fits(head, &it.of))
    }

    /// The rule by which a member is not compared.
    pub(crate) fn leaves_out(&self, head: &str, path: &str) -> Option<usize> {
        self.members.iter().position(|rule| {
            rule.of.iter().any(|of| fits(head, of)) && rule.members.iter().any(|it| it == path)
        })
    }

    /// What a rule is about, for people.
    pub(crate) fn rule(&self, number: usize) -> String {
        let rule = &self.members[number];
        format!("{} of {}", rule.members.join(", "), rule.of.join(", "))
    }

    pub(crate) fn rules(&self) -> usize {
        self.members.len()
    }
}

fn fits(head: &str, pattern: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => head.starts_with(start),
        None => head == pattern,
    }
}

//! Accepted differences, from `accepted.json`. Each has lists of line patterns and a
//! reason.

use agentwire_testkit::conform::cli::Hunk;
use serde::Deserialize;
use std::path::Path;

/// The contents of `accepted.json`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Accepted {
    pub(crate) differences: Vec<Difference>,
    unordered: Vec<Unordered>,
}

/// Lines whose place in the session depends on how busy the machine is. Both agents must
/// write the same ones.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Unordered {
    line: String,
    #[serde(rename = "why")]
    _why: String,
}

/// An accepted difference of the agents. In a pattern, `*` stands for any text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Difference {
    /// The patterns of lines that only the real agent writes. Each line must match one of
    /// them.
    #[serde(default)]
    real: Vec<String>,
    /// The patterns of lines that only the fake agent writes.
    #[serde(default)]
    fake: Vec<String>,
    pub(crate) why: String,
}

impl Accepted {
    pub(crate) fn read() -> Self {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/random/accepted.json");
        let text = std::fs::read_to_string(path).unwrap();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("accepted.json: {error}"))
    }

    /// Moves the lines that have no place of their own to the end. Returns the index of the
    /// first.
    pub(crate) fn put_last(&self, lines: &mut Vec<String>) -> usize {
        let (last, mut rest): (Vec<_>, Vec<_>) = std::mem::take(lines)
            .into_iter()
            .partition(|line| self.unordered.iter().any(|it| fits(line, &it.line)));
        let first = rest.len();
        rest.extend(last);
        *lines = rest;
        first
    }

    /// Returns the number of the reason why the agents may differ in this hunk.
    pub(crate) fn reason(&self, hunk: &Hunk) -> Option<usize> {
        let all_fit = |lines: &[String], patterns: &[String]| {
            let fits_one = |line: &String| patterns.iter().any(|it| fits(line, it));
            lines.iter().all(fits_one)
        };
        self.differences
            .iter()
            .position(|it| all_fit(&hunk.expected, &it.real) && all_fit(&hunk.found, &it.fake))
    }
}

/// Returns whether a line matches a pattern.
fn fits(line: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|it| line.strip_prefix(it)) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        let Some(place) = rest.find(part) else {
            return false;
        };
        rest = &rest[place + part.len()..];
        last = Some(part);
    }
    last.map_or(rest.is_empty(), |it| it.is_empty() || rest.is_empty())
}

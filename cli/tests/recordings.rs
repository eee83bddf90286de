//! Tests of `agentwire inspect --json` with the recorded sessions. Every line is typed and
//! lossless, without untyped members.

#![allow(clippy::unwrap_used)]

use crate::support;

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use support::{agentwire, stdout};

/// Deliberately invalid lines: file, line, and the fault.
const NO_PROTOCOL: &[(&str, u64, &str)] = &[
    ("04_sdk_mcp", 207, "a server of the type `weird`"),
    ("06_control_sweep", 171, "`set_cwd` without a path"),
    ("06_control_sweep", 177, "a subtype that nobody has"),
    (
        "06_control_sweep",
        181,
        "`set_permission_mode` without a mode",
    ),
    ("06_control_sweep", 183, "`set_model` with a number"),
    ("06b_malformed", 4, "a request without `request`"),
    ("06b_malformed", 10, "a request without an id"),
    ("06b_malformed", 11, "the answer to it"),
    ("06b_malformed", 19, "a type that nobody has"),
    ("06b_malformed", 20, "an empty line"),
    ("06b_malformed", 21, "spaces"),
    ("06b_malformed", 22, "an assistant message from the host"),
    ("06b_malformed", 52, "a user message without `message`"),
    ("06b_malformed", 58, "no JSON"),
    ("06b_malformed", 64, "a list"),
    ("06b_malformed", 70, "no `type`"),
];

#[test]
fn every_recorded_line_is_typed_and_lossless_and_has_no_unknown_member() {
    let mut odd = BTreeSet::new();
    let mut lines = 0;
    for path in agentwire_testing::recordings() {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        for report in reports(&path) {
            lines += 1;
            let fine = report["typed"] == true
                && report["lossless"] == true
                && report["untyped"].as_array().unwrap().is_empty()
                && report["faults"].as_array().unwrap().is_empty()
                && report["error"].is_null();
            if !fine {
                odd.insert((name.clone(), report["line"].as_u64().unwrap()));
            }
        }
    }
    let expected: BTreeSet<_> = NO_PROTOCOL
        .iter()
        .map(|(name, line, _)| ((*name).to_owned(), *line))
        .collect();
    assert_eq!(odd, expected);
    assert_eq!(lines, 2278);
}

fn reports(recording: &Path) -> Vec<Value> {
    let output = agentwire("inspect")
        .arg("--json")
        .arg(recording)
        .output()
        .unwrap();
    assert!(output.status.success());
    stdout(&output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

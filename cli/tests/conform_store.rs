//! Tests of `agentwire conform store`.

#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use crate::support;

use serde_json::Value;
use std::process::Output;
use support::{agentwire, stderr, stdout};

/// A program that fails every call.
const FAILS: &str = r#"
    echo '{"calls":["append","load","delete"]}'
    number=1
    while read -r line; do
        echo "{\"id\":$number,\"error\":\"the disk is full\"}"
        number=$((number + 1))
    done
"#;

fn conform(arguments: &[&str], script: &str) -> Output {
    agentwire("conform")
        .arg("store")
        .args(arguments)
        .args(["--", "sh", "-c", script])
        .output()
        .unwrap()
}

#[test]
fn contracts_are_listed() {
    let output = agentwire("conform").args(["store", "--list"]).output();
    let listed = stdout(&output.unwrap());
    assert_eq!(listed.lines().count(), 28, "{listed}");
    assert!(listed.contains("delete_main_cascades_to_subkeys\n"));
    let output = agentwire("conform")
        .args(["store", "--log", "--list"])
        .output();
    let listed = stdout(&output.unwrap());
    assert_eq!(listed.lines().count(), 35, "{listed}");
    assert!(listed.contains("an_append_with_a_newer_token_takes_ownership\n"));
}

#[test]
fn errors_of_a_store_are_reported() {
    let arguments = [
        "--json",
        "--case",
        "load_unknown",
        "--case",
        "list_sessions",
    ];
    let output = conform(&arguments, FAILS);
    assert_eq!((output.status.code(), &*stderr(&output)), (Some(1), ""));
    let reports: Vec<Value> = stdout(&output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let verdicts: Vec<&str> = reports
        .iter()
        .map(|it| it["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(verdicts, ["departs", "skipped", "skipped"]);
    let problem = reports[0]["problem"].as_str().unwrap();
    assert!(problem.contains("the disk is full"), "{problem}");
    assert_eq!(
        reports[1]["skipped"],
        "the program does not support `sessions`"
    );
}

#[test]
fn a_program_without_a_store_is_an_error() {
    let output = conform(&["--case", "load_unknown"], "echo hello");
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(said.contains("expected its `calls`"), "{said}");
}

#[test]
fn a_line_that_is_not_a_response_is_reported() {
    let script = r#"echo '{"calls":["append","load","delete"]}'; read -r line; echo hello; cat"#;
    let output = conform(&["--case", "load_unknown"], script);
    assert_eq!(output.status.code(), Some(1));
    let printed = stdout(&output);
    assert!(
        printed.contains(r#"not a response: \"hello\""#),
        "{printed}"
    );
}

//! Tests of `agentwire rules`.

#![allow(clippy::unwrap_used)]

use crate::support;

use serde_json::{Value, json};
use std::io::Write;
use std::process::{Output, Stdio};
use support::{agentwire, stderr, stdout};

fn rules(arguments: &[&str], lines: &str) -> Output {
    let mut child = agentwire("rules")
        .args(["--cwd", "/project", "--home", "/home/me"])
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The command may have exited because a rule is invalid.
    drop(child.stdin.take().unwrap().write_all(lines.as_bytes()));
    child.wait_with_output().unwrap()
}

fn bash(command: &str) -> Value {
    json!({"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": command}, "tool_use_id": "t"})
}

const RULES: &[&str] = &[
    "--allow",
    "Bash(git *)",
    "--allow",
    "Read",
    "--ask",
    "Bash(git push *)",
    "--deny",
    "Read(.env)",
];

#[test]
fn a_decision_is_printed_for_each_request() {
    let wrapped =
        json!({"type": "control_request", "request_id": "1", "request": bash("git push")});
    let read = json!({"tool_name": "Read", "input": {"file_path": "/project/.env"}});
    let lines = format!("{}\n{wrapped}\n\n{read}\n{}", bash("git log"), bash("make"));
    let output = rules(RULES, &lines);
    assert_eq!(stdout(&output), "allow\nask\ndeny\nnone\n");
    assert_eq!(
        (output.status.code(), stderr(&output)),
        (Some(0), String::new())
    );
}

#[test]
fn explain_prints_the_reason_on_the_line_of_the_decision() {
    let lines = format!("{}\n{}\n", bash("git log"), bash("rm '\u{1b}[2K\n\t'"));
    let output = rules(&[RULES, &["--explain"]].concat(), &lines);
    let expected = "allow\tthe rule Bash(git *) allows the call\n\
        none\tthe line does not consist of simple commands with literal words\n";
    assert_eq!(stdout(&output), expected);
}

#[test]
fn an_invalid_request_is_an_error() {
    let lines = format!(
        "{}\n{{\"tool\": 1}}\n{}\n",
        bash("git log"),
        bash("git log")
    );
    let output = rules(RULES, &lines);
    assert_eq!(stdout(&output), "allow\n");
    assert!(
        stderr(&output).starts_with("agentwire: line 2 is not a `can_use_tool` request: "),
        "{}",
        stderr(&output)
    );
    assert_eq!(output.status.code(), Some(2));
    let output = rules(&["--allow", "Bash(x"], "");
    assert!(
        stderr(&output).contains("cannot parse the rule `Bash(x`"),
        "{}",
        stderr(&output)
    );
    assert_eq!(output.status.code(), Some(2));
}

//! `agentwire run` against the fake agent: what it prints, and where, and its
//! exit status.

#![allow(clippy::unwrap_used)]

use agentwire_testkit::{Fault, Scenario, Step, fake_agent};
use serde_json::json;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

/// The fake agent: cargo builds the examples of a package with its tests.
fn fake_agent_path() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("examples/cli_fake_agent");
    assert!(
        path.exists(),
        "{} is not built: `cargo test` and `cargo build --examples` build it",
        path.display()
    );
    path
}

fn run(scenario: &Scenario, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_agentwire"))
        .arg("run")
        .arg("--cli")
        .arg(fake_agent_path())
        .args(arguments)
        .env(fake_agent::SCRIPT, scenario.to_json())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn tool_then_text() -> Scenario {
    Scenario::default()
        .reply([
            Step::text("Let me see."),
            Step::tool("Bash", json!({ "command": "date" }), "today"),
        ])
        .reply([Step::text("It is today.")])
}

#[test]
fn the_answer_is_on_standard_output_and_nothing_else() {
    let scenario = Scenario::default().reply([Step::thinking("Hm."), Step::text("Hello there.")]);
    let output = run(&scenario, &["Say hello"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(stdout(&output), "Hello there.\n");
    assert_eq!(stderr(&output), "");
}

#[test]
fn json_prints_the_agents_lines() {
    let output = run(
        &Scenario::default().reply([Step::text("Hello.")]),
        &["--json", "Hello?"],
    );
    assert_eq!(output.status.code(), Some(0));
    let kinds: Vec<String> = stdout(&output)
        .lines()
        .map(|line| {
            let message: serde_json::Value = serde_json::from_str(line).unwrap();
            message["type"].as_str().unwrap().to_owned()
        })
        .collect();
    for kind in [
        "system",
        "command_lifecycle",
        "stream_event",
        "assistant",
        "result",
    ] {
        assert!(kinds.iter().any(|seen| seen == kind), "{kind} in {kinds:?}");
    }
}

#[test]
fn a_tool_that_is_allowed_runs() {
    let output = run(&tool_then_text(), &["--allow", "Bash", "What day is it?"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stdout(&output), "Let me see.\nIt is today.\n");
    assert_eq!(stderr(&output), "· Bash {\"command\":\"date\"}\n");
}

#[test]
fn a_tool_that_is_denied_does_not_and_deny_wins() {
    let output = run(
        &tool_then_text(),
        &["--allow", "*", "--deny", "Bash", "What day is it?"],
    );
    assert_eq!(output.status.code(), Some(0));
    assert!(
        stderr(&output).contains("· denied: Bash"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn where_nobody_can_be_asked_a_tool_is_denied_and_the_way_out_is_said() {
    let output = run(&tool_then_text(), &["What day is it?"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(
        stderr(&output).contains("--allow Bash would allow it"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn an_error_result_is_status_1() {
    let output = run(&Scenario::default(), &["Hello?"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).starts_with("agentwire: api_error: API Error: 400 the script has no reply"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_command_line_that_makes_no_sense_is_status_2() {
    for arguments in [
        &["--no-such-flag", "x"][..],
        &["--cwd", "/no/such/folder", "x"],
        &[],
    ] {
        let output = run(&Scenario::default(), arguments);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn a_cli_that_is_not_there_is_status_3_and_one_line_that_says_what_to_do() {
    let output = Command::new(env!("CARGO_BIN_EXE_agentwire"))
        .args(["run", "--cli", "/no/such/claude", "Hello?"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let said = stderr(&output);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.contains("/no/such/claude") && said.contains("npm install"),
        "{said}"
    );
}

#[test]
fn a_cli_that_dies_is_status_3_and_its_last_words_are_shown() {
    let scenario = Scenario::default().reply([
        Step::text("I feel "),
        Step::Fault(Fault::Stderr("out of memory\n".to_owned())),
        Step::Fault(Fault::Exit(137)),
    ]);
    let output = run(&scenario, &["How are you?"]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(stdout(&output), "I feel \n");
    let said = stderr(&output);
    assert!(
        said.contains("exit status: 137") && said.contains("out of memory"),
        "{said}"
    );
}

//! Records a session with `agentwire tap`, replays it with `agentwire replay`, and converts it
//! to a scenario. The environment configures these commands, as for SDKs that can only name an
//! executable.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire_testing::TempDir;
use agentwire_testkit::{Scenario, Step, fake_agent, replay};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};
use support::{
    AGENTWIRE, agentwire, assert_stderr, fake_agent_path, run_with_input, stderr, stdout,
};

/// Runs `agentwire run` with this CLI.
fn run(cli: &Path, prompt: &str, environment: &[(&str, &str)]) -> Output {
    agentwire("run")
        .args(["--allow", "Bash", "--cli"])
        .arg(cli)
        .arg(prompt)
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Records a session with the fake agent.
fn record(folder: &TempDir) -> (Output, PathBuf) {
    let scenario = Scenario::default()
        .reply([
            Step::text("Let me see."),
            Step::tool("Bash", json!({"command": "date"}), "today"),
        ])
        .reply([Step::text("It is today.")]);
    let file = folder.path().join("session.ndjson");
    let output = run(
        AGENTWIRE.as_ref(),
        "Which day is it?",
        &[
            ("AGENTWIRE_TAP_CLI", fake_agent_path().to_str().unwrap()),
            ("AGENTWIRE_TAP_RECORD", file.to_str().unwrap()),
            ("AGENTWIRE_TAP_SCRUB", "secrets,paths"),
            (fake_agent::SCRIPT, &scenario.to_json()),
        ],
    );
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    (output, file)
}

#[test]
fn a_session_is_recorded_and_played_again() {
    let folder = agentwire_testing::tempdir().unwrap();
    let (first, file) = record(&folder);
    assert!(stdout(&first).contains("It is today."));
    let file = file.to_str().unwrap();

    for pace in ["lockstep", "time"] {
        let environment = [(replay::RECORDING, file), (replay::PACE, pace)];
        let again = run(AGENTWIRE.as_ref(), "Which day is it?", &environment);
        assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
        assert_eq!(stdout(&again), stdout(&first));
        assert_eq!(stderr(&again), stderr(&first));
    }

    let environment = [(replay::RECORDING, file)];
    let other = run(AGENTWIRE.as_ref(), "Which year is it?", &environment);
    assert_eq!(other.status.code(), Some(3));
    let said = stderr(&other);
    assert!(said.contains("expected: \"Which day is it?\""), "{said}");

    let environment = [(replay::RECORDING, file), (replay::TOLERANT, "1")];
    let other = run(AGENTWIRE.as_ref(), "Which year is it?", &environment);
    assert_eq!(other.status.code(), Some(0), "{}", stderr(&other));
    assert_eq!(stdout(&other), stdout(&first));

    let environment = [(replay::RECORDING, file), (replay::TOLERANT, "1")];
    let mut with_more = agentwire("run");
    let other = with_more
        .args(["--allow", "Bash", "--cli", AGENTWIRE, "Which day is it?"])
        .args(["--", "--model=other"])
        .envs(environment)
        .output()
        .unwrap();
    assert_eq!(other.status.code(), Some(0), "{}", stderr(&other));
    assert_eq!(stdout(&other), stdout(&first));

    let environment = [(replay::RECORDING, file), (replay::SESSION, "2")];
    let other = run(AGENTWIRE.as_ref(), "Which day is it?", &environment);
    let said = stderr(&other);
    assert!(said.contains("the recording has 1 sessions"), "{said}");
}

#[test]
fn a_scenario_of_a_recording_has_the_same_content() {
    let folder = agentwire_testing::tempdir().unwrap();
    let (first, file) = record(&folder);
    let made = agentwire("scenario").arg(&file).output().unwrap();
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let script = stdout(&made);
    let host = Scenario::from_json(&script).unwrap().host.unwrap();
    assert_eq!(host["prompts"], json!(["Which day is it?"]));
    let again = run(
        &fake_agent_path(),
        "Which day is it?",
        &[(fake_agent::SCRIPT, &script)],
    );
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
    assert_eq!(stdout(&again), stdout(&first));
    assert_eq!(stderr(&again), stderr(&first));
}

#[test]
fn a_recording_can_be_inspected() {
    let folder = agentwire_testing::tempdir().unwrap();
    let (_, file) = record(&folder);
    let output = agentwire("inspect")
        .arg("--json")
        .arg(file)
        .output()
        .unwrap();
    let kinds: Vec<Value> = stdout(&output)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["kind"].take())
        .collect();
    assert_eq!(kinds[0], "recording/spawn");
    assert_eq!(kinds[1], "control_request/initialize");
    assert_eq!(kinds.last().unwrap(), "recording/exit");
    assert!(kinds.contains(&json!("result/success")));
}

/// Runs `agentwire replay` with the complete input of a host.
fn replayed(arguments: &[&str], input: &str) -> Output {
    run_with_input(agentwire("replay").args(arguments), input)
}

#[test]
fn the_exit_status_is_that_of_the_recorded_cli_or_4_or_2() {
    let folder = agentwire_testing::tempdir().unwrap();
    let file = folder.path().join("session.ndjson");
    let path = file.to_str().unwrap();
    let lines = [
        json!({"t": 0, "dir": "spawn", "msg": {"argv": ["cli", "--version"]}}),
        json!({"t": 0, "dir": "recv_raw", "msg": "9.8.7 (CLI)"}),
        json!({"t": 0, "dir": "exit", "msg": {"code": 0}}),
        json!({"t": 1, "dir": "spawn", "msg": {"argv": ["cli", "--model", "any"]}}),
        json!({"t": 1, "dir": "send", "msg": {"type": "user", "message": {"content": "Go"}}}),
        json!({"t": 1, "dir": "stderr", "msg": "oh"}),
        json!({"t": 1, "dir": "recv_raw", "msg": {"text": "ha", "unfinished": true}}),
        json!({"t": 1, "dir": "exit", "msg": {"code": null, "signal": 9}}),
    ];
    let text_of = |lines: &[Value]| {
        lines
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    std::fs::write(&file, text_of(&lines)).unwrap();
    let prompt = "{\"type\":\"user\",\"message\":{\"content\":\"Go\"}}\n";

    let output = replayed(&[path, "--model", "any"], prompt);
    assert_eq!(output.status.code(), Some(137));
    assert_eq!(
        (stdout(&output), stderr(&output)),
        ("ha".to_owned(), "oh\n".to_owned())
    );

    let output = replayed(&[path, "--model=other"], prompt);
    assert_eq!(output.status.code(), Some(replay::DIFFERS));
    assert_stderr(&output, "at:       /--model/0");

    let output = replayed(&["--session=1", path], "");
    assert_eq!(
        (output.status.code(), stdout(&output)),
        (Some(0), "9.8.7 (CLI)\n".to_owned())
    );

    let output = replayed(&[path], "");
    assert_eq!(output.status.code(), Some(replay::DIFFERS));
    assert_stderr(&output, "line 5");

    std::fs::write(&file, text_of(&lines[..1]) + "{\"t\":1}\n").unwrap();
    for arguments in [&["/no/such/file"][..], &[path]] {
        let output = replayed(arguments, "");
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(arguments[0]));
    }
}

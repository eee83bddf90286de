//! Tests of `agentwire conform sdk` with this project's client and with faulty adapters.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire_testing::TempDir;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use support::processes::{assert_gone, lines_of};
use support::{agentwire, stderr, stdout};

/// Returns the path of the adapter of this project's client.
fn adapter() -> PathBuf {
    support::example("cli_conform")
}

fn conform(arguments: &[&str], adapter: &[&str]) -> Output {
    agentwire("conform")
        .arg("sdk")
        .args(arguments)
        .arg("--")
        .args(adapter)
        .output()
        .unwrap()
}

/// Returns the reports of `--json` and the exit status.
fn reports(arguments: &[&str], adapter: &[&str]) -> (Vec<Value>, Option<i32>) {
    let output = conform(&[&["--json"], arguments].concat(), adapter);
    assert_eq!(stderr(&output), "");
    let lines = stdout(&output);
    let read = |line| serde_json::from_str(line).unwrap();
    (lines.lines().map(read).collect(), output.status.code())
}

/// Returns the report of a failing case.
fn failing_report(case: &str, adapter: &[&str]) -> Value {
    let (reports, status) = reports(&["--case", case], adapter);
    assert_eq!(status, Some(1), "{reports:?}");
    let [report] = &reports[..] else {
        panic!("one case, and not {reports:?}");
    };
    report.clone()
}

#[test]
fn the_adapter_of_this_client_passes_all_cases() {
    let adapter = adapter();
    let (reports, status) = reports(
        &["--deadline", "600", "--jobs", "8"],
        &[adapter.to_str().unwrap()],
    );
    for report in &reports {
        assert_eq!(report["verdict"], "ok", "{report}");
    }
    assert_eq!(status, Some(0));
    let listed = agentwire("conform")
        .args(["sdk", "--list"])
        .output()
        .unwrap();
    assert_eq!(reports.len(), stdout(&listed).lines().count());
    assert!(reports.len() > 40, "{}", reports.len());
}

#[test]
fn an_idle_adapter_fails() {
    let report = failing_report("one_shot_ask", &["true"]);
    assert_eq!(report["verdict"], "departs");
    let departures = report["departures"].as_array().unwrap();
    let message: Vec<_> = departures.iter().map(|it| it.as_str().unwrap()).collect();
    assert_eq!(message.len(), 2, "{message:?}");
    assert!(message[0].contains("did not see"), "{message:?}");
    assert!(message[0].ends_with("but nothing more"), "{message:?}");
    assert_eq!(message[1], "the agent was not started");
}

#[test]
fn a_failing_adapter_is_reported_with_its_stderr() {
    let report = failing_report("hello", &["sh", "-c", "echo 'no such module' >&2; exit 1"]);
    let message = report["departures"][0].as_str().unwrap();
    assert!(
        message.contains("exit status: 1") && message.ends_with("no such module"),
        "{message}"
    );
}

/// Returns an adapter that passes, but leaves a process in another session.
fn with_child(pids: &Path) -> String {
    format!(
        "echo '{{\"saw\":\"text\"}}'; setsid sh -c 'echo $$ >> {0}; exec sleep 600' & \
         echo $$ >> {0}; wait",
        pids.display()
    )
}

#[test]
fn a_hanging_adapter_is_killed_with_all_its_processes() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("pids");
    let arguments = ["--case", "hello", "--deadline", "5"];
    let (reports, status) = reports(&arguments, &["sh", "-c", &with_child(&file)]);
    assert_eq!(status, Some(1));
    assert_eq!(reports[0]["verdict"], "stuck");
    assert_eq!(reports[0]["stuck"], "timed out after 5 s");
    assert_gone(&lines_of(&file, 2));
}

#[test]
fn a_running_adapter_is_killed_with_this_program() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("pids");
    let script = with_child(&file);
    let mut running = agentwire("conform")
        .args(["sdk", "--case", "hello", "--", "sh", "-c", &script])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = lines_of(&file, 2);
    let pid = running.id().to_string();
    assert!(Command::new("kill").arg(pid).status().unwrap().success());
    assert_eq!(running.wait().unwrap().code(), Some(2));
    assert_gone(&started);
}

#[test]
fn remaining_processes_are_reported_and_killed() {
    let script = "sleep 600 & echo done >&2";
    let report = failing_report("one_shot_ask", &["sh", "-c", script]);
    let message = report["departures"][0].as_str().unwrap();
    assert_eq!(message, "still running: sleep 600");
}

#[test]
fn expected_failures_pass_and_unexpected_passes_fail() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("expected.json");
    let expecting = |expected: Value, adapter: &str| {
        std::fs::write(&file, expected.to_string()).unwrap();
        let arguments = ["--case", "hello", "--expected", file.to_str().unwrap()];
        conform(&arguments, &[adapter])
    };
    let expected = json!({"hello": "It does nothing yet."});
    let output = expecting(expected.clone(), "true");
    let said = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("    It does nothing yet.\n"), "{said}");
    assert!(said.ends_with("1 cases: 1 fail as expected\n"), "{said}");

    let output = expecting(expected, adapter().to_str().unwrap());
    let said = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("passes    hello ("), "{said}");

    for (expected, why) in [
        (
            json!({"no_such_case": "Why?"}),
            "there is no case no_such_case",
        ),
        (json!({"hello": " "}), "hello has no reason"),
        (json!([]), "invalid type"),
    ] {
        let output = expecting(expected, "true");
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(why), "{output:?}");
    }
}

#[test]
fn a_missing_adapter_and_an_unknown_case_are_errors() {
    let output = conform(&[], &["/no/such/adapter"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("/no/such/adapter"), "{output:?}");
    let output = conform(&["--case", "nothing like it"], &["true"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no case"), "{output:?}");
}

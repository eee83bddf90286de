//! Tests of `agentwire check` with the fake agent.

#![allow(clippy::unwrap_used)]

use crate::support::processes::{assert_gone, lines_of};
use crate::support::{agentwire, fake_agent_path, stderr, stdout};
use agentwire_testkit::{Scenario, Step, fake_agent};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn check(cli: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> Output {
    let scenario = Scenario::default().reply([Step::text("OK.")]);
    agentwire("check")
        .arg("--cli")
        .arg(cli)
        .args(arguments)
        .env(fake_agent::SCRIPT, scenario.to_json())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn a_ready_cli_is_printed_with_its_version_and_login() {
    let output = check(fake_agent_path(), &[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    for part in ["cli_fake_agent", "version: 2.", "ANTHROPIC_API_KEY"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    assert!(text.ends_with("\nready\n"), "{text}");
    assert!(!text.contains("model:"), "{text}");
    assert_eq!(stderr(&output), "");
}

#[test]
fn a_missing_cli_is_printed_with_a_remedy() {
    let output = check("/no/such/claude", &[]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    for part in ["/no/such/claude", "remedy: ", "\nnot ready\n"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
}

#[test]
fn json_has_all_members_and_the_model_that_replied() {
    let output = check(fake_agent_path(), &["--json", "--turn"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let check: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(check["source"], "option");
    assert_eq!(check["login"]["kind"], "api_key");
    assert!(check["model"].is_string(), "{check}");
    assert_eq!(check["problems"].as_array().unwrap().len(), 0);
}

/// Returns a program that writes its process ID to a file and does nothing else.
fn hanging_cli(folder: &Path) -> PathBuf {
    let path = folder.join("cli");
    let text = format!(
        "#!/bin/sh\necho $$ >> '{}'\nexec sleep 600\n",
        folder.join("pids").display()
    );
    let write = "printf %s \"$1\" > \"$0\" && chmod 755 \"$0\"";
    let mut shell = Command::new("sh");
    let written = shell.args(["-c", write]).arg(&path).arg(text).status();
    assert!(written.unwrap().success());
    path
}

#[test]
fn a_cli_that_does_not_respond_is_a_problem() {
    let folder = agentwire_testing::tempdir().unwrap();
    let cli = hanging_cli(folder.path());
    let output = check(cli, &["--json", "--timeout", "1"]);
    assert_eq!(output.status.code(), Some(1));
    let check: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(check["problems"][0]["kind"], "no_response");
    assert_eq!(check["problems"][0]["is_fatal"], true);
    assert_gone(&lines_of(&folder.path().join("pids"), 1));
}

#[test]
fn terminating_the_command_leaves_no_processes() {
    let folder = agentwire_testing::tempdir().unwrap();
    let mut command = agentwire("check");
    command.arg("--cli").arg(hanging_cli(folder.path()));
    let mut child = command.stdin(Stdio::null()).spawn().unwrap();
    let pids = lines_of(&folder.path().join("pids"), 1);
    let pid = child.id().to_string();
    let killed = Command::new("kill").args(["-TERM", &pid]).status();
    assert!(killed.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_gone(&pids);
}

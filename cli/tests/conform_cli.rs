//! Tests of `agentwire conform cli`.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::support;

use agentwire_testkit::conform::cli::Case;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Stdio};
use support::processes::{assert_gone, lines_of};
use support::{agentwire, fake_agent_path, stderr, stdout};

fn conform() -> Command {
    let mut command = agentwire("conform");
    command.arg("cli");
    command
}

/// Runs the command. Returns its output and the exit status.
fn run(options: &[&str], cli: &[&str]) -> (String, i32) {
    let command = conform().args(options).arg("--").args(cli).output();
    let output = command.unwrap();
    let text = stdout(&output) + &stderr(&output);
    println!("{text}");
    (text, output.status.code().unwrap())
}

/// Runs the command with a shell script as the CLI.
fn run_script(options: &[&str], script: &str) -> (String, i32) {
    let options = [options, &["--case", "hello"]].concat();
    run(&options, &["sh", "-c", script])
}

fn file(folder: &Path, content: &Value) -> String {
    let path = folder.join("file.json");
    std::fs::write(&path, content.to_string()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn the_fake_agent_repeats_every_case() {
    let (report, status) = run(&["--jobs", "8"], &[fake_agent_path().to_str().unwrap()]);
    let cases = Case::embedded().unwrap().len();
    assert!(report.ends_with(&format!("\n{cases} cases: {cases} ok\n")));
    assert_eq!(status, 0);
}

#[test]
fn a_report_in_json_has_the_differences() {
    let script = ["sh", "-c", "echo Oh. >&2; exit 3"];
    let (report, status) = run(&["--case", "hello", "--json"], &script);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["case"], "hello");
    assert_eq!(report["verdict"], "departs");
    assert_eq!(report["differences"][0]["found"], json!(["exit 3"]));
    assert_eq!(report["stderr"], "Oh.");
    assert_eq!(status, 1);
}

#[test]
fn a_folder_can_replace_the_cases() {
    let folder = agentwire_testing::tempdir().unwrap();
    let case = json!({"replies": [[{"text": "Hi."}]], "host": {"prompts": ["Hello"]}});
    file(folder.path(), &case);
    let options = ["--cases", folder.path().to_str().unwrap()];
    let (report, status) = run(&options, &[fake_agent_path().to_str().unwrap()]);
    assert!(report.starts_with("ok        file ("));
    assert!(report.ends_with("\n1 cases: 1 ok\n"));
    assert_eq!(status, 0);
    // The fake agent does not speak again by itself.
    let case = json!({"host": {"steps": [{"prompt": "Hello"}, {"until": {"type": "none"}}]}});
    file(folder.path(), &case);
    let (report, status) = run(&options, &[fake_agent_path().to_str().unwrap()]);
    assert!(report.contains("\n    the fake agent cannot play the case: remaining step: receive"));
    assert_eq!(status, 1);
}

#[test]
fn differences_of_an_older_cli_are_reported() {
    let fake_agent = fake_agent_path();
    let fake_agent = fake_agent.to_str().unwrap();
    let older = ["env", "FAKE_AGENT_PROFILE=2.0.77", fake_agent];
    let (report, status) = run(&["--case", "interrupt_tool"], &older);
    // Only the first difference is reported.
    let expected = " s)\n    An interrupt while a tool runs.\n    \
        < control_response: response.pending_permission_requests is missing, expected []";
    assert!(report.starts_with("departs   interrupt_tool ("));
    assert!(report.contains(expected), "{report}");
    assert!(report.contains("\n2 cases: 2 depart\n"));
    assert_eq!(status, 1);
}

#[test]
fn an_unexpected_pass_is_reported() {
    let folder = agentwire_testing::tempdir().unwrap();
    let expected = file(folder.path(), &json!({"hello": "It cannot greet."}));
    let options = ["--case", "hello", "--expected", &expected];
    let (report, status) = run(&options, &[fake_agent_path().to_str().unwrap()]);
    assert!(report.starts_with("passes    hello ("));
    let expected = "\n    expected to fail: It cannot greet.\n1 cases: 1 pass unexpectedly";
    assert!(report.contains(expected));
    assert_eq!(status, 1);
}

#[test]
fn a_cli_that_exits_at_once_fails() {
    let (report, status) = run_script(&[], "echo Oh. >&2; exit 3");
    assert!(report.starts_with("departs   hello ("));
    assert!(report.contains("\n    remaining step: receive a line with "));
    assert!(report.contains("\n    exit 3, expected < control_response"));
    assert!(report.contains("\n    stderr: Oh.\n"));
    assert_eq!(status, 1);
}

#[test]
fn malformed_lines_and_open_pipes_are_tolerated() {
    let (report, status) = run_script(&[], "echo Hello; echo 42; sleep 1000 & exit 0");
    assert!(report.contains("\n    < (no JSON object) Hello, expected < control_response"));
    assert_eq!(status, 1);
}

#[test]
fn a_silent_cli_fails_at_the_deadline() {
    let (report, status) = run_script(&["--deadline=0.5"], "exec sleep 1000");
    assert!(report.starts_with("stuck     hello ("));
    assert!(report.contains("\n    timed out after 0.5 s\n    remaining step: receive"));
    assert!(report.contains("\n    missing: < control_response"));
    assert!(report.contains("\n1 cases: 1 are stuck\n"));
    assert_eq!(status, 1);
}

#[test]
fn a_case_ends_when_the_cli_is_idle() {
    let (report, status) = run_script(&[], "exec cat");
    assert!(report.starts_with("departs   hello ("));
    assert!(report.contains("\n    remaining step: receive the state idle\n"));
    assert_eq!(status, 1);
}

#[test]
fn a_case_ends_even_if_the_cli_does_not_exit() {
    let folder = agentwire_testing::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let (report, _) = run_script(&[], &with_children(&pids));
    assert!(report.starts_with("departs   hello ("));
    assert_gone(&lines_of(&pids, 3));
    let fake_agent = fake_agent_path();
    let script = format!("{}; sleep 1000", fake_agent.display());
    let (report, _) = run_script(&[], &script);
    assert!(report.starts_with("departs   hello ("));
    assert!(report.contains("\n    remaining step: wait for the exit of the CLI\n"));
}

#[test]
fn a_busy_cli_is_not_idle() {
    let works = "timeout 5 sh -c 'while :; do :; done'";
    let fake_agent = fake_agent_path();
    let exec = format!("exec {} \"$0\" \"$@\"", fake_agent.display());
    let (report, status) = run_script(&[], &format!("{works}; {exec}"));
    assert!(report.starts_with("ok        hello ("));
    assert_eq!(status, 0);
}

#[test]
fn a_cli_without_states_rests_at_a_result() {
    let (fake_agent, variable) = (fake_agent_path(), "CLAUDE_CODE_SDK_READS_SESSION_STATE");
    let older = ["env", "-u", variable, fake_agent.to_str().unwrap()];
    let (report, _) = run(&["--case", "two_turns", "--json"], &older);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["verdict"], "departs");
    assert_eq!(report["left"], Value::Null);
    let first = report["first"].as_str().unwrap();
    assert!(first.contains("session_state_changed"), "{first}");
}

#[test]
fn endless_output_fails() {
    for endless in ["exec yes", "exec yes '{}'", "exec cat /dev/zero"] {
        let (report, status) = run_script(&[], endless);
        assert!(report.contains("\n    the output exceeds the limit\n"));
        assert_eq!(status, 1);
    }
}

/// Returns a script that starts other processes, one of them in its own session, and waits.
fn with_children(pids: &Path) -> String {
    let note = format!("echo $$ >> {}", pids.display());
    format!("{note}; sh -c '{note}; sleep 1000' & setsid sh -c '{note}; sleep 1000' & wait")
}

#[test]
fn the_deadline_kills_all_processes() {
    let folder = agentwire_testing::tempdir().unwrap();
    let pids = folder.path().join("pids");
    // An idle CLI would be killed earlier, so this script keeps busy.
    let script = with_children(&pids).replace("wait", "while :; do :; done");
    let (report, _) = run_script(&["--deadline=5"], &script);
    assert!(report.starts_with("stuck     hello ("));
    assert_gone(&lines_of(&pids, 3));
}

#[test]
fn terminating_the_command_kills_all_processes() {
    let folder = agentwire_testing::tempdir().unwrap();
    let pids = folder.path().join("pids");
    let mut running = conform()
        .args(["--case", "hello", "--", "sh", "-c", &with_children(&pids)])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = lines_of(&pids, 3);
    let pid = running.id().to_string();
    assert!(Command::new("kill").arg(pid).status().unwrap().success());
    assert_eq!(running.wait().unwrap().code(), Some(2));
    assert_gone(&started);
}

#[test]
fn the_profile_of_the_fake_agent_can_be_selected() {
    let fake_agent = fake_agent_path();
    let fake_agent = fake_agent.to_str().unwrap();
    let status = |cli: &[&str]| {
        let mut command = conform();
        command.args(["--case", "interrupt_tool", "--"]).args(cli);
        let output = command.env("FAKE_AGENT_PROFILE", "2.0.77").output();
        output.unwrap().status.code()
    };
    assert_eq!(status(&[fake_agent]), Some(0));
    let newer = ["env", "-u", "FAKE_AGENT_PROFILE", fake_agent];
    assert_eq!(status(&newer), Some(1));
}

#[test]
fn errors_name_the_cause() {
    let folder = agentwire_testing::tempdir().unwrap();
    let unknown = file(folder.path(), &json!({"helo": "It is misspelt."}));
    for (options, cli, why) in [
        (
            &["--case", "no such"][..],
            "true",
            "no case name contains no such",
        ),
        (&["--expected", &unknown], "true", "there is no case helo"),
        (&["--expected", "/nowhere"], "true", "cannot use /nowhere: "),
        (&["--cases", "/nowhere"], "true", "/nowhere: "),
        (&[], "/nowhere/cli", "cannot start /nowhere/cli: "),
    ] {
        let (report, status) = run(options, &[cli]);
        assert!(report.contains(why));
        assert_eq!(status, 2);
    }
}

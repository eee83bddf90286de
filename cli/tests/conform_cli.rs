//! Tests of `agentwire conform cli`.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use crate::support;

use agentwire_testkit::conform::cli::{Case, Golden};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
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

/// Returns the folder of the workspace.
fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn the_fake_agent_differs_only_as_expected() {
    let expected = project().join("testkit/conform/fake-agent.json");
    let reasons: Value =
        serde_json::from_str(&std::fs::read_to_string(&expected).unwrap()).unwrap();
    let expected = expected.to_str().unwrap();
    let options = ["--json", "--jobs", "8", "--expected", expected];
    let (report, status) = run(&options, &[fake_agent_path().to_str().unwrap()]);
    let mut cases = 0;
    for line in report.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let name = case["case"].as_str().unwrap();
        cases += 1;
        assert_eq!(case["expected"], reasons[name]);
        if case["expected"].is_null() {
            assert_eq!(case["verdict"], "ok", "{name}");
        } else {
            assert_eq!(case["verdict"], "expected", "{name}");
            assert!(case["first"].is_string(), "{name}");
            assert_ne!(case["differences"], json!([]), "{name}");
        }
    }
    assert_eq!(cases, Golden::embedded().unwrap().cases.len());
    assert_eq!(status, 0);
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
    assert!(report.contains("\n2 cases: 2 depart; measured on 2."));
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
    assert!(report.contains("\n1 cases: 1 are stuck; "));
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
    let folder = agentwire_testing::tempdir().unwrap();
    let golden = folder.path().join("golden.json");
    let golden = golden.to_str().unwrap();
    let (fake_agent, variable) = (fake_agent_path(), "CLAUDE_CODE_SDK_READS_SESSION_STATE");
    let older = ["env", "-u", variable, fake_agent.to_str().unwrap()];
    let options = ["--case", "two_turns", "--write-golden", golden];
    let (report, status) = run(&options, &older);
    assert_eq!((&*report, status), ("1 cases measured\n", 0));
    let measured = std::fs::read_to_string(golden).unwrap();
    assert!(!measured.contains("session_state_changed"));
    assert_eq!(measured.matches("< result/success").count(), 2);
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
fn measurements_of_one_cli_apply_to_others() {
    let folder = agentwire_testing::tempdir().unwrap();
    let golden = folder.path().join("golden.json");
    let (golden, fake_agent) = (golden.to_str().unwrap(), fake_agent_path());
    let fake_agent = fake_agent.to_str().unwrap();
    let older = ["env", "FAKE_AGENT_PROFILE=2.0.77", fake_agent];
    let case = ["--case", "interrupt_tool"];
    let (report, status) = run(&[&case[..], &["--write-golden", golden]].concat(), &older);
    assert_eq!((&*report, status), ("2 cases measured\n", 0));
    let against = [&case[..], &["--golden", golden]].concat();
    assert_eq!(run(&against, &older).1, 0);
    assert_eq!(run(&against, &[fake_agent]).1, 1);
    // A session that does not complete cannot be measured.
    let (report, status) = run_script(&["--write-golden", golden], "exit 0");
    assert!(report.starts_with("agentwire: cannot measure hello: remaining step: "));
    assert_eq!(status, 2);
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
        (&["--golden", &unknown], "true", "cannot use "),
        (&[], "/nowhere/cli", "cannot start /nowhere/cli: "),
    ] {
        let (report, status) = run(options, &[cli]);
        assert!(report.contains(why));
        assert_eq!(status, 2);
    }
}

/// If this test fails, update the file: `agentwire conform cli --write-golden
/// testkit/conform/cli.json --cases tests/calibration/cases --cases tests/scenarios --
/// $(scripts/install cli)`
#[test]
fn the_cases_are_those_of_the_calibration() {
    let folders = ["tests/calibration/cases", "tests/scenarios"];
    let in_folder = |folder| Case::in_folder(&project().join(folder)).unwrap();
    let mut all: Vec<_> = folders.into_iter().flat_map(in_folder).collect();
    all.sort_by(|one, other| one.name().cmp(other.name()));
    let golden = Golden::embedded().unwrap();
    let names = |cases: &mut dyn Iterator<Item = &Case>| -> Vec<String> {
        cases.map(|it| it.name().to_owned()).collect()
    };
    let measured = names(&mut golden.cases.iter().map(|it| &it.case));
    assert_eq!(measured, names(&mut all.iter()));
    for (case, measured) in all.iter().zip(&golden.cases) {
        assert_eq!(case.file(), measured.case.file(), "{}", case.name());
    }
}

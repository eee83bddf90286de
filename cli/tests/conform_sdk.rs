//! `agentwire conform sdk`: our client goes through all cases, and adapters
//! that are broken are found out.

#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::{Command, Output};
use tempfile::TempDir;

const AGENTWIRE: &str = env!("CARGO_BIN_EXE_agentwire");

/// The adapter of our client: cargo builds the examples of a package with its
/// tests.
fn adapter() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = (test.parent().unwrap().parent().unwrap()).join("examples/cli_conform");
    assert!(
        path.exists(),
        "{} is not built: `cargo test` and `cargo build --examples` build it",
        path.display()
    );
    path
}

fn conform(arguments: &[&str], adapter: &[&str]) -> Output {
    Command::new(AGENTWIRE)
        .args(["conform", "sdk"])
        .args(arguments)
        .arg("--")
        .args(adapter)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The reports of `--json`, and the exit status.
fn reports(arguments: &[&str], adapter: &[&str]) -> (Vec<Value>, Option<i32>) {
    let output = conform(&[&["--json"], arguments].concat(), adapter);
    assert_eq!(text(&output.stderr), "");
    let lines = text(&output.stdout);
    let read = |line| serde_json::from_str(line).unwrap();
    (lines.lines().map(read).collect(), output.status.code())
}

/// The report of one case, which is not as expected.
fn departs(case: &str, adapter: &[&str]) -> Value {
    let (reports, status) = reports(&["--case", case], adapter);
    assert_eq!(status, Some(1), "{reports:?}");
    let [report] = &reports[..] else {
        panic!("one case, and not {reports:?}");
    };
    report.clone()
}

#[test]
fn our_client_goes_through_all_cases() {
    let adapter = adapter();
    let (reports, status) = reports(&["--deadline", "60"], &[adapter.to_str().unwrap()]);
    for report in &reports {
        assert_eq!(report["outcome"], "ok", "{report}");
    }
    assert_eq!(status, Some(0));
    let listed = Command::new(AGENTWIRE)
        .args(["conform", "sdk", "--list"])
        .output()
        .unwrap();
    assert_eq!(reports.len(), text(&listed.stdout).lines().count());
    assert!(reports.len() > 40, "{}", reports.len());
}

#[test]
fn an_adapter_that_does_nothing_is_told() {
    let report = departs("one_shot_ask", &["true"]);
    assert_eq!(report["outcome"], "departs");
    let departures = report["departures"].as_array().unwrap();
    let told: Vec<_> = departures.iter().map(|it| it.as_str().unwrap()).collect();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].contains("did not see"), "{told:?}");
    assert!(told[0].ends_with("but nothing more"), "{told:?}");
    assert_eq!(told[1], "the agent was not started");
}

#[test]
fn an_adapter_that_fails_is_told_with_its_last_words() {
    let report = departs("hello", &["sh", "-c", "echo 'no such module' >&2; exit 1"]);
    let told = report["departures"][0].as_str().unwrap();
    assert!(
        told.contains("exit status: 1") && told.ends_with("no such module"),
        "{told}"
    );
}

#[test]
fn one_that_hangs_is_ended_with_everything_it_started() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("pids");
    // It prints what it saw, and starts one that is in a session of its own.
    let script = format!(
        "echo '{{\"saw\":\"text\"}}'; setsid sh -c 'echo $$ >> {0}; exec sleep 600' & \
         echo $$ >> {0}; wait",
        file.display()
    );
    let arguments = ["--case", "hello", "--deadline", "1"];
    let (reports, status) = reports(&arguments, &["sh", "-c", &script]);
    assert_eq!(status, Some(1));
    assert_eq!(reports[0]["outcome"], "hangs");
    let told = reports[0]["departures"][0].as_str().unwrap();
    assert!(told.contains("within 1s"), "{told}");
    let pids = std::fs::read_to_string(&file).unwrap();
    assert_eq!(pids.lines().count(), 2, "{pids}");
    for pid in pids.lines() {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        assert!(
            stat.is_err() || stat.unwrap().contains(") Z"),
            "{pid} lives"
        );
    }
}

#[test]
fn what_an_adapter_leaves_behind_is_told_and_ended() {
    let script = "sleep 600 & echo done >&2";
    let report = departs("one_shot_ask", &["sh", "-c", script]);
    let told = report["departures"][0].as_str().unwrap();
    assert_eq!(told, "left behind: sleep 600");
}

#[test]
fn expected_failures_are_expected_and_one_that_is_none_is_told() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("expected.json");
    let expecting = |expected: Value, adapter: &str| {
        std::fs::write(&file, expected.to_string()).unwrap();
        let arguments = ["--case", "hello", "--expected", file.to_str().unwrap()];
        conform(&arguments, &[adapter])
    };
    let expected = json!({"hello": "It does nothing yet."});
    let output = expecting(expected.clone(), "true");
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("expected: It does nothing yet."), "{said}");
    assert!(
        said.ends_with("0 of 1 ok, 1 depart, 0 hang; all as expected\n"),
        "{said}"
    );

    let output = expecting(expected, adapter().to_str().unwrap());
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("its line can go"), "{said}");

    for (expected, why) in [
        (
            json!({"no_such_case": "Why?"}),
            "there is no case `no_such_case`",
        ),
        (json!({"hello": " "}), "`hello` has no reason"),
        (json!([]), "invalid type"),
    ] {
        let output = expecting(expected, "true");
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(why), "{output:?}");
    }
}

#[test]
fn one_that_cannot_be_started_and_a_case_that_is_not_there_are_told() {
    let output = conform(&[], &["/no/such/adapter"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("/no/such/adapter"),
        "{output:?}"
    );
    let output = conform(&["--case", "nothing like it"], &["true"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no case"), "{output:?}");
}

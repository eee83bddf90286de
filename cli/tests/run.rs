//! `agentwire run` against the fake agent: what it prints, and where, and its
//! exit status.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire_testkit::{Fault, Scenario, Step, fake_agent};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;
use support::processes::assert_gone;
use support::{agentwire, fake_agent_path, stderr, stdout};

fn run(scenario: &Scenario, arguments: &[&str]) -> Output {
    agentwire("run")
        .arg("--cli")
        .arg(fake_agent_path())
        .args(arguments)
        .env(fake_agent::SCRIPT, scenario.to_json())
        .stdin(Stdio::null())
        .output()
        .unwrap()
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
        &["--allow", "*", "--deny", "Bash(date *)", "What day is it?"],
    );
    assert_eq!(output.status.code(), Some(0));
    assert!(
        stderr(&output).contains("· denied: Bash"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn rules_are_about_parts_of_a_tool() {
    for (rule, runs) in [("Bash(date *)", true), ("Bash(git *)", false)] {
        let output = run(&tool_then_text(), &["--allow", rule, "What day is it?"]);
        assert_eq!(output.status.code(), Some(0));
        let was_denied = stderr(&output).contains("· denied: Bash");
        assert_eq!(was_denied, !runs, "{rule}: {}", stderr(&output));
    }
}

#[test]
fn a_rule_that_makes_no_sense_is_status_2() {
    for (flag, rule, why) in [
        (
            "--allow",
            "Bash(git *",
            "the parenthesis at byte 4 is not closed",
        ),
        ("--deny", "Write(src/**)", "can never match"),
    ] {
        let output = run(&tool_then_text(), &[flag, rule, "What day is it?"]);
        assert_eq!(output.status.code(), Some(2));
        let said = stderr(&output);
        assert!(said.contains(rule) && said.contains(why), "{said}");
        assert_eq!(stdout(&output), "");
    }
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
        stderr(&output)
            .starts_with("agentwire: api_error: API Error: 400 the script has no remaining reply"),
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
fn a_cli_that_is_not_there_is_status_3_and_one_line_that_says_what_is_wrong() {
    let output = agentwire("run")
        .args(["--cli", "/no/such/claude", "Hello?"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let said = stderr(&output);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("`/no/such/claude`: no such file"), "{said}");
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

/// An agent that writes its process id to a file, then its text, and works on
/// for ever.
fn endless(pid_file: &Path) -> Scenario {
    let tell = format!("echo $PPID > {}", pid_file.display());
    Scenario::default().reply([
        Step::Fault(Fault::Spawn(
            ["sh", "-c", &tell].map(str::to_owned).to_vec(),
        )),
        Step::text("One line.\n"),
        Step::chunks(vec!["more\n"; 10_000], Duration::from_millis(60)),
    ])
}

/// A run of that agent whose answer can be read.
fn start_endless(pid_file: &Path) -> Child {
    agentwire("run")
        .args(["Go", "--cli"])
        .arg(fake_agent_path())
        .env(fake_agent::SCRIPT, endless(pid_file).to_json())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until the process named in the file is gone.
fn wait_until_gone(pid_file: &Path) {
    let pid = std::fs::read_to_string(pid_file).unwrap();
    assert_gone(&[pid.trim().to_owned()]);
}

#[test]
fn when_nobody_reads_the_answer_any_more_the_agent_goes() {
    let folder = tempfile::tempdir().unwrap();
    let pid_file = folder.path().join("pid");
    let mut run = start_endless(&pid_file);
    let mut first = String::new();
    BufReader::new(run.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    assert_eq!(first, "One line.\n");
    assert!(run.wait().unwrap().success());
    wait_until_gone(&pid_file);
}

#[test]
fn when_the_run_is_terminated_the_agent_goes() {
    let folder = tempfile::tempdir().unwrap();
    let pid_file = folder.path().join("pid");
    let mut run = start_endless(&pid_file);
    let mut stdout = BufReader::new(run.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    let terminated = Command::new("kill")
        .arg(run.id().to_string())
        .status()
        .unwrap();
    assert!(terminated.success());
    // It goes on being read, or the agent would go for want of a reader.
    std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(1));
    wait_until_gone(&pid_file);
}

#[test]
fn when_the_agent_does_not_start_up_nothing_of_it_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let pid_file = folder.path().join("pid");
    let cli = folder.path().join("cli");
    let text = format!(
        "#!/bin/sh\necho $$ > {}\nread -r line\n\
         id=$(printf %s \"$line\" | sed 's/.*\"request_id\":\"\\([^\"]*\\)\".*/\\1/')\n\
         echo '{{\"type\":\"control_response\",\"response\":{{\"subtype\":\"error\",\"request_id\":\"'$id'\",\"error\":\"no seats left\"}}}}'\n\
         trap '' TERM\nexec sleep 1000\n",
        pid_file.display()
    );
    // Written by another process; see `script` in the library's tests.
    let written = Command::new("sh")
        .args(["-c", "printf %s \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(&cli)
        .arg(text)
        .status()
        .unwrap();
    assert!(written.success());
    let output = agentwire("run")
        .args(["Go", "--cli"])
        .arg(cli)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(
        stderr(&output).contains("no seats left"),
        "{}",
        stderr(&output)
    );
    wait_until_gone(&pid_file);
}

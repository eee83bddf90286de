//! Tests of `agentwire run` with the fake agent.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire_testkit::{Fault, Scenario, Step, ToolCall, fake_agent};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;
use support::processes::assert_gone;
use support::{agentwire, assert_stderr, fake_agent_path, stderr, stdout};

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
fn only_the_response_is_on_standard_output() {
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
fn allowed_tools_run() {
    let output = run(&tool_then_text(), &["--allow", "Bash", "What day is it?"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stdout(&output), "Let me see.\nIt is today.\n");
    assert_eq!(stderr(&output), "· Run date\n");
}

#[test]
fn denied_tools_do_not_run_and_deny_overrides_allow() {
    let output = run(
        &tool_then_text(),
        &["--allow", "*", "--deny", "Bash(date *)", "What day is it?"],
    );
    assert_eq!(output.status.code(), Some(0));
    assert_stderr(&output, "· Run date: denied by a hook: ");
}

#[test]
fn a_pipe_gets_the_text_of_the_model_unchanged() {
    let text = "\n\n  \u{1b}[31mRed\u{202e}\r\n\u{200b} end";
    let chunks = ["\n", "\n  \u{1b}[31mRed\u{202e}", "\r\n\u{200b} end"];
    let chunked = Step::chunks(chunks, Duration::ZERO);
    for step in [Step::text(text), chunked] {
        let output = run(&Scenario::default().reply([step]), &["Go"]);
        assert_eq!(stdout(&output), format!("{text}\n"));
    }
}

#[test]
fn a_failed_tool_is_printed_with_its_reason() {
    let call = ToolCall {
        is_error: true,
        ..ToolCall::new("Bash", json!({ "command": "false" }), "Exit code 1\nno")
    };
    let scenario = Scenario::default()
        .reply([Step::Tool(call)])
        .reply([Step::text("It failed.")]);
    let output = run(&scenario, &["--allow", "Bash", "Go"]);
    assert_eq!(stdout(&output), "It failed.\n");
    assert_eq!(
        stderr(&output),
        "· Run false\n· Run false: failed: Exit code 1\n"
    );
}

#[test]
fn rules_match_tool_inputs() {
    for (rule, runs) in [("Bash(date *)", true), ("Bash(git *)", false)] {
        let output = run(&tool_then_text(), &["--allow", rule, "What day is it?"]);
        assert_eq!(output.status.code(), Some(0));
        let was_denied = stderr(&output).contains("· Run date: denied by ");
        assert_eq!(was_denied, !runs, "{rule}: {}", stderr(&output));
    }
}

#[test]
fn an_invalid_rule_is_status_2() {
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
fn without_a_terminal_tools_are_denied_with_a_hint() {
    let output = run(&tool_then_text(), &["What day is it?"]);
    assert_eq!(output.status.code(), Some(0));
    assert_stderr(&output, "--allow Bash would allow it");
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
fn an_invalid_command_line_is_status_2() {
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
fn a_missing_cli_is_status_3_with_one_line() {
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
fn a_crashed_cli_is_status_3_with_its_stderr() {
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

/// Returns a scenario whose agent writes its PID to a file, prints a line, and never ends its
/// turn.
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

/// Starts a run of the [`endless`] scenario. The output of the run is piped.
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

/// Waits until the process whose PID is in the file has exited.
fn wait_until_gone(pid_file: &Path) {
    let pid = std::fs::read_to_string(pid_file).unwrap();
    assert_gone(&[pid.trim().to_owned()]);
}

#[test]
fn a_closed_output_ends_the_agent() {
    let folder = agentwire_testing::tempdir().unwrap();
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
fn terminating_the_run_ends_the_agent() {
    let folder = agentwire_testing::tempdir().unwrap();
    let pid_file = folder.path().join("pid");
    let mut run = start_endless(&pid_file);
    let mut stdout = BufReader::new(run.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    let terminated = Command::new("kill")
        .arg(run.id().to_string())
        .status()
        .unwrap();
    assert!(terminated.success());
    // Continue reading: a closed output would also end the agent.
    std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(1));
    wait_until_gone(&pid_file);
}

#[test]
fn a_failed_start_leaves_no_processes() {
    let folder = agentwire_testing::tempdir().unwrap();
    let pid_file = folder.path().join("pid");
    let cli = folder.path().join("cli");
    let text = format!(
        "#!/bin/sh\necho $$ > {}\nread -r line\n\
         id=$(printf %s \"$line\" | sed 's/.*\"request_id\":\"\\([^\"]*\\)\".*/\\1/')\n\
         echo '{{\"type\":\"control_response\",\"response\":{{\"subtype\":\"error\",\"request_id\":\"'$id'\",\"error\":\"no seats left\"}}}}'\n\
         trap '' TERM\nexec sleep 1000\n",
        pid_file.display()
    );
    // Another process writes the program; see `script` in the tests of the library.
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
    assert_stderr(&output, "no seats left");
    wait_until_gone(&pid_file);
}

//! Tests of reviews with the fake agent.

use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Output, Stdio};
use support::Agent;

const DIFF: &str = "--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -1 +1 @@\n-a\n+b\n";

fn finding(severity: &str) -> Value {
    json!({ "severity": severity, "file": "src/lib.rs", "line": 12, "title": "Division by zero",
        "message": "`count` is 0\nfor an empty list." })
}

fn review(findings: &[Value]) -> Value {
    let input = json!({ "summary": "Read it.", "findings": findings });
    json!({ "tool": { "name": "StructuredOutput", "input": input } })
}

fn bot(agent: &Agent, arguments: &[&str], stdin: &str) -> Output {
    let mut command = agent.command(env!("CARGO_BIN_EXE_bot"));
    command.args(arguments).env("CLAUDE_CODE_MAX_RETRIES", "0");
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut bot = command.spawn().unwrap();
    // A bot that runs `git diff` does not read standard input.
    drop(bot.stdin.take().unwrap().write_all(stdin.as_bytes()));
    bot.wait_with_output().unwrap()
}

/// Returns the prompt that the agent received.
fn prompt(agent: &Agent) -> String {
    let sent = agent.sent();
    let prompt = sent.iter().find(|it| it["type"] == "user");
    prompt.expect("a prompt")["message"]["content"].to_string()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn findings_are_annotations_and_the_worst_decides_the_exit_status() {
    for (severity, command, fail_on, status) in [
        ("error", "error", "error", 1),
        ("warning", "warning", "error", 0),
        ("warning", "warning", "warning", 1),
        ("info", "notice", "warning", 0),
        ("info", "notice", "info", 1),
    ] {
        let agent =
            Agent::new(json!([{ "say": [review(&[finding(severity)])], "cost_usd": 0.25 }]));
        let output = bot(&agent, &["--fail-on", fail_on], DIFF);
        assert_eq!(
            output.status.code(),
            Some(status),
            "{severity}, {}",
            stderr(&output)
        );
        let place = "file=src/lib.rs,line=12,title=Division by zero";
        let expected = format!("::{command} {place}::`count` is 0%0Afor an empty list.\n");
        assert_eq!(stdout(&output), expected);
        assert_eq!(stderr(&output), "1 findings, 0.2500 USD. Read it.\n");
    }
}

#[test]
fn a_review_without_findings_passes() {
    let agent = Agent::new(json!([[review(&[])]]));
    let output = bot(&agent, &["--fail-on", "info", "--json"], DIFF);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let review: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(review, json!({ "findings": [], "summary": "Read it." }));
}

#[test]
fn the_agent_gets_the_diff_and_tools_that_only_read() {
    let bash =
        json!({ "tool": { "name": "Bash", "input": { "command": "rm -r /" }, "result": "gone" } });
    let write = json!({ "tool": { "name": "Read", "input": { "file_path": "/etc/passwd" }, "result": "root" } });
    let agent = Agent::new(json!([[bash, write], [review(&[])]]));
    let output = bot(&agent, &[], DIFF);
    assert!(output.status.success(), "{}", stderr(&output));

    let started = agent.started();
    let arguments = started.last().expect("a session")["argv"].to_string();
    assert!(arguments.contains("--tools=Read,Glob,Grep"), "{arguments}");
    let prompt = prompt(&agent);
    assert!(prompt.contains("+++ b/src/lib.rs"), "{prompt}");
    // Every permission request is denied.
    let sent = agent.sent();
    let responses = sent.iter().filter(|it| it["type"] == "control_response");
    let denied = responses.filter(|it| it["response"]["response"]["behavior"] == "deny");
    assert_eq!(denied.count(), 1);
}

#[test]
fn the_diff_is_that_of_git_if_there_is_a_base() {
    let agent = Agent::new(json!([[review(&[])]]));
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
            .args(arguments);
        let output = git.current_dir(agent.work()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    git(&["init", "-q"]);
    std::fs::write(agent.work().join("a.txt"), "before\n").unwrap();
    git(&["add", "a.txt"]);
    git(&["commit", "-qm", "a"]);
    assert_eq!(
        stdout(&bot(&agent, &["--base", "HEAD"], "")),
        "The diff is empty.\n"
    );
    std::fs::write(agent.work().join("a.txt"), "after\n").unwrap();
    let output = bot(&agent, &["--base", "HEAD"], "");
    assert!(output.status.success(), "{}", stderr(&output));
    let prompt = prompt(&agent);
    assert!(prompt.contains("+after"), "{prompt}");

    let output = bot(&agent, &["--base", "no-such-revision"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("no-such-revision"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn no_review_is_status_2() {
    let overloaded =
        json!({ "error": { "status": 529, "type": "overloaded_error", "message": "Overloaded" } });
    let other = json!({ "tool": { "name": "StructuredOutput", "input": { "summary": 1 } } });
    for (replies, reason) in [
        (json!([[overloaded]]), "Overloaded"),
        (
            json!([
                [other.clone()],
                [other.clone()],
                [other.clone()],
                [other.clone()],
                [other.clone()],
                [other]
            ]),
            "structured",
        ),
        (json!([[{ "fault": { "exit": 3 } }]]), "exit"),
    ] {
        let output = bot(&Agent::new(replies), &[], DIFF);
        assert_eq!(
            output.status.code(),
            Some(2),
            "{reason}: {}",
            stdout(&output)
        );
        assert!(
            stderr(&output).contains(reason),
            "{reason}: {}",
            stderr(&output)
        );
    }
}

//! Tests of signals.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use agentwire_testkit::fake_agent;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};

/// An agent and its output.
struct Agent {
    child: Child,
    stdout: BufReader<std::process::ChildStdout>,
    folder: agentwire_testing::TempDir,
}

impl Agent {
    fn start(args: &[&str], profile: &str) -> Self {
        let folder = agentwire_testing::tempdir().unwrap();
        let script = r#"[[{"text": "One."}, {"gate": "shut"}], [{"text": "Two."}]]"#;
        // The shell does not inherit an ignored SIGHUP.
        let mut child = Command::new("sh")
            .args(["-c", r#"trap "" HUP; exec "$0" "$@""#])
            .arg(env!("CARGO_BIN_EXE_fake-agent"))
            .args(args)
            .env(fake_agent::SCRIPT, script)
            .env(fake_agent::GATES, folder.path())
            .env(fake_agent::PROFILE, profile)
            .env("CLAUDE_CODE_SDK_READS_SESSION_STATE", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            stdout,
            folder,
        }
    }

    fn send(&self, lines: &[Value]) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let mut stdin = self.child.stdin.as_ref().unwrap();
        stdin.write_all(text.as_bytes()).unwrap();
    }

    /// Reads up to a line that contains this text.
    fn wait_for(&mut self, text: &str) {
        let mut line = String::new();
        while !line.contains(text) {
            line.clear();
            assert_ne!(self.stdout.read_line(&mut line).unwrap(), 0, "no {text}");
        }
    }

    /// Sends a signal. Returns the exit status, the signal that killed the
    /// agent, and the remaining output of the agent.
    fn signal(mut self, name: &str) -> (Option<i32>, Option<i32>, String) {
        let id = self.child.id().to_string();
        let kill = Command::new("kill").args(["-s", name, &id]).status();
        assert!(kill.unwrap().success());
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        let status = self.child.wait().unwrap();
        drop(self.folder);
        (status.code(), status.signal(), rest)
    }
}

fn prompt(number: u8) -> Value {
    let uuid = format!("11111111-0000-4000-8000-00000000000{number}");
    json!({"type": "user", "uuid": uuid, "message": {"role": "user", "content": "Go"}})
}

/// Starts an agent in the middle of its first turn, with a queued prompt.
fn agent_in_turn(profile: &str) -> Agent {
    let mut agent = Agent::start(&[], profile);
    agent.send(&[prompt(1), prompt(2)]);
    agent.wait_for(r#""text":"One.""#);
    agent
}

#[test]
fn sigint_interrupts_the_turn_and_nothing_follows() {
    let (code, _, output) = agent_in_turn("2.1.332").signal("INT");
    assert_eq!(code, Some(0));
    let lines: Vec<Value> = output
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    let result = lines.iter().find(|line| line["type"] == "result").unwrap();
    assert_eq!(result["subtype"], "error_during_execution");
    let last = lines.last().unwrap();
    assert_eq!(
        (&last["type"], &last["state"]),
        (&json!("command_lifecycle"), &json!("cancelled"))
    );
    assert!(
        !output.contains("Two.") && !output.contains("idle"),
        "{output}"
    );
}

#[test]
fn sigint_exits_an_idle_agent() {
    let mut agent = Agent::start(&[], "2.1.332");
    agent.send(&[
        json!({"type": "control_request", "request_id": "1", "request": {"subtype": "initialize"}}),
    ]);
    agent.wait_for("control_response");
    assert_eq!(agent.signal("INT"), (Some(0), None, String::new()));
}

#[test]
fn sigint_in_print_mode_prints_the_reason() {
    let args = ["-p", "Go", "--output-format=json"];
    let mut agent = Agent::start(&args, "2.1.332");
    drop(agent.child.stdin.take());
    let reached = agent.folder.path().join("shut.reached");
    while !reached.exists() {
        assert_eq!(agent.child.try_wait().unwrap(), None);
        std::thread::yield_now();
    }
    let (code, _, output) = agent.signal("INT");
    assert_eq!(code, Some(0));
    let result: Value = serde_json::from_str(&output).unwrap();
    assert_eq!(result["subtype"], "error_during_execution");
}

#[test]
fn sigterm_and_sighup_exit_immediately() {
    for (name, code) in [("TERM", 143), ("HUP", 129)] {
        assert_eq!(
            agent_in_turn("2.1.332").signal(name),
            (Some(code), None, String::new())
        );
    }
}

#[test]
fn an_older_version_has_no_result_on_sigint_and_dies_of_sighup() {
    assert_eq!(
        agent_in_turn("2.0.77").signal("INT"),
        (Some(0), None, String::new())
    );
    assert_eq!(
        agent_in_turn("2.0.77").signal("HUP"),
        (None, Some(1), String::new())
    );
}

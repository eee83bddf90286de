//! Tests of the gates of the binary, which are files.
#![allow(clippy::unwrap_used)]

use agentwire_testkit::{Scenario, Step, fake_agent};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const PROMPT: &[u8] = b"{\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"Go\"}}\n";

fn agent(gates: Option<&Path>) -> Child {
    let scenario = Scenario::default().reply([Step::gate("go"), Step::text("Through.")]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_fake-agent"));
    command
        .env(fake_agent::SCRIPT, scenario.to_json())
        .env_remove(fake_agent::GATES)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(gates) = gates {
        command.env(fake_agent::GATES, gates);
    }
    command.spawn().unwrap()
}

/// Waits until a file exists.
fn wait_for(file: &Path) {
    while !file.exists() {
        std::thread::yield_now();
    }
}

#[test]
fn a_file_opens_a_gate_and_a_file_marks_it_as_reached() {
    let folder = agentwire_testing::tempdir().unwrap();
    let mut agent = agent(Some(folder.path()));
    let mut input = agent.stdin.take().unwrap();
    input.write_all(PROMPT).unwrap();
    wait_for(&folder.path().join("go.reached"));
    std::fs::write(folder.path().join("go"), "").unwrap();
    let mut lines = BufReader::new(agent.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    assert!(lines.any(|line| line.contains("Through.")));
    drop(input);
    assert!(lines.any(|line| line.contains("\"result\"")));
    assert!(agent.wait().unwrap().success());
}

#[test]
fn an_agent_exits_when_the_gate_directory_is_removed() {
    let folder = agentwire_testing::tempdir().unwrap();
    let mut agent = agent(Some(folder.path()));
    let mut input = agent.stdin.take().unwrap();
    input.write_all(PROMPT).unwrap();
    wait_for(&folder.path().join("go.reached"));
    drop(folder);
    assert_eq!(agent.wait().unwrap().code(), Some(1));
}

#[test]
fn gates_without_a_directory_are_refused() {
    let output = agent(None).wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(
        message.contains("set `FAKE_AGENT_GATES` to a directory"),
        "{message}"
    );
}

#[tokio::test]
async fn a_test_waits_for_a_gate_and_opens_it() {
    let gates = fake_agent::Gates::new().unwrap();
    let mut agent = agent(Some(gates.path()));
    let mut input = agent.stdin.take().unwrap();
    input.write_all(PROMPT).unwrap();
    gates.reached("go").await.unwrap();
    gates.open("go").unwrap();
    let lines = BufReader::new(agent.stdout.take().unwrap()).lines();
    let mut lines = lines.map(Result::unwrap);
    assert!(lines.any(|line| line.contains("Through.")));
    drop(input);
    assert!(agent.wait().unwrap().success());
}

#[tokio::test]
async fn an_agent_at_a_gate_exits_when_the_gates_of_its_test_are_dropped() {
    let gates = fake_agent::Gates::new().unwrap();
    let mut agent = agent(Some(gates.path()));
    let mut input = agent.stdin.take().unwrap();
    input.write_all(PROMPT).unwrap();
    gates.reached("go").await.unwrap();
    let folder = gates.path().to_owned();
    drop(gates);
    assert_eq!(agent.wait().unwrap().code(), Some(1));
    assert!(!folder.exists());
}

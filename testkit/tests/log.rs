//! Tests of the log of the binary.

use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs the fake agent with this log and these lines.
fn run(log: &Path, lines: &str) -> Output {
    let mut agent = Command::new(env!("CARGO_BIN_EXE_fake-agent"))
        .arg("--model=small")
        .env("FAKE_AGENT_SCRIPT", r#"{"replies":[[{"text":"Hello."}]]}"#)
        .env("FAKE_AGENT_LOG", log)
        .env("A_SECRET", "do not tell")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the fake agent starts");
    let mut stdin = agent.stdin.take().expect("a pipe");
    // The agent may have exited before it reads.
    drop(stdin.write_all(lines.as_bytes()));
    drop(stdin);
    agent.wait_with_output().expect("it ends")
}

#[test]
fn the_log_has_the_start_both_directions_and_the_exit() {
    let folder = std::env::temp_dir().join(format!("agentwire-log-of-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("log");
    let prompt = json!({"type": "user", "message": {"role": "user", "content": "Hi"}});
    let output = run(&path, &format!("{prompt}\n"));
    let text = std::fs::read_to_string(&path).expect("the log");
    std::fs::remove_dir_all(&folder).expect("a removed folder");

    assert!(!text.contains("do not tell"), "{text}");
    let entries: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is JSON"))
        .collect();
    let of = |dir: &str| {
        let entries = entries.iter().filter(|entry| entry["dir"] == dir);
        entries
            .map(|entry| entry["msg"].clone())
            .collect::<Vec<_>>()
    };
    let spawn = &of("spawn")[0];
    assert_eq!(spawn["argv"][1], "--model=small");
    let names = spawn["env"].as_array().expect("names");
    assert!(names.contains(&json!("A_SECRET")), "{spawn}");
    assert_eq!(of("send"), [prompt]);
    let stderr: Vec<Value> = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    assert!(!stderr.is_empty());
    assert_eq!(of("recv"), stderr);
    assert_eq!(of("exit"), [json!({"code": 0})]);
}

#[test]
fn an_unwritable_log_is_an_error_at_the_start() {
    let output = run(Path::new("/no/such/folder/log"), "");
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("cannot write `FAKE_AGENT_LOG`"), "{stderr}");
    assert!(output.stdout.is_empty());
}

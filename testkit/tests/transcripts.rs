//! Tests of transcripts of sub-agents and of killed sessions, and of mirrored
//! transcripts.
#![allow(clippy::unwrap_used)]

use agentwire_testing::TempDir;
use agentwire_testkit::{Fault, Scenario, Step, fake_agent};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const ID: &str = "11111111-1111-4111-8111-111111111111";

/// Runs one turn. Returns the agent's lines.
fn ask(home: &Path, scenario: &Scenario, args: &[&str]) -> Vec<Value> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_fake-agent"))
        .args(args)
        .current_dir(home)
        .env(fake_agent::SCRIPT, scenario.to_json())
        .env(fake_agent::SESSIONS, home.join("config"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let prompt = json!({"type": "user", "message": {"role": "user", "content": "Go"}});
    writeln!(child.stdin.take().unwrap(), "{prompt}").unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect()
}

/// Returns the folder of the only project.
fn project(home: &Path) -> PathBuf {
    let mut folders = std::fs::read_dir(home.join("config/projects")).unwrap();
    folders.next().unwrap().unwrap().path()
}

fn records(file: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(file).unwrap();
    text.lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect()
}

/// Checks that the parent of each record is the record before it. Returns the
/// contents.
fn chain(records: &[Value]) -> Vec<String> {
    let mut parent = Value::Null;
    let mut chain = vec![];
    for record in records {
        assert_eq!(record["parentUuid"], parent, "{record}");
        parent = record["uuid"].clone();
        let content = &record["message"]["content"];
        let block = &content[0];
        let texts = [
            content,
            &block["text"],
            &block["name"],
            &block["tool_use_id"],
        ];
        let text = texts.into_iter().find_map(Value::as_str).unwrap();
        chain.push(format!("{}: {text}", record["type"].as_str().unwrap()));
    }
    chain
}

fn delegation(in_background: bool) -> Scenario {
    let input = json!({
        "description": "greet", "subagent_type": "greeter", "prompt": "Say hi.",
        "run_in_background": in_background,
    });
    Scenario::default()
        .reply([Step::tool("Agent", input, "")])
        .reply([Step::text("Done.")])
        .reply([Step::text("It has ended.")])
        .subagent([Step::tool("Bash", json!({"command": "echo hi"}), "hi")])
        .subagent([Step::text("Hi.")])
}

#[test]
fn a_sub_agent_has_its_own_transcript() {
    for in_background in [false, true] {
        let home = TempDir::new().unwrap();
        let args = ["--session-id", ID, "--allowedTools=Agent,Bash"];
        ask(home.path(), &delegation(in_background), &args);
        let folder = project(home.path()).join(ID).join("subagents");
        let records = records(&folder.join("agent-task_1.jsonl"));
        let said = chain(&records);
        let (result, call) = (said[2].clone(), records[1]["message"]["content"][0].clone());
        assert_eq!(result, format!("user: {}", call["id"].as_str().unwrap()));
        let expected = [
            "user: Say hi.",
            "assistant: Bash",
            &result,
            "assistant: Hi.",
        ];
        assert_eq!(said, expected, "in the background: {in_background}");
        for record in &records {
            assert_eq!(record["isSidechain"], true);
            assert_eq!(record["agentId"], "task_1");
            assert_eq!(record["sessionId"], ID);
        }
        let metadata = std::fs::read(folder.join("agent-task_1.meta.json")).unwrap();
        let metadata: Value = serde_json::from_slice(&metadata).unwrap();
        assert_eq!(metadata["agentType"], "greeter");
        assert_eq!(metadata["finished"], true);
        let session = self::records(&project(home.path()).join(format!("{ID}.jsonl")));
        let call = &session[1]["message"]["content"][0]["id"];
        assert_eq!(&metadata["toolUseId"], call);
        assert!(session.iter().all(|it| it["isSidechain"] == false));
    }
}

#[test]
fn a_mirrored_session_sends_all_records_before_the_result() {
    let home = TempDir::new().unwrap();
    let args = ["--session-mirror", "--allowedTools=Agent,Bash"];
    let lines = ask(home.path(), &delegation(false), &args);
    let result = lines.iter().position(|it| it["type"] == "result").unwrap();
    let mut mirrored = 0;
    let mut files = std::collections::BTreeMap::<_, Vec<_>>::new();
    for line in &lines[..result] {
        if line["type"] == "transcript_mirror" {
            let file = line["filePath"].as_str().unwrap();
            let entries = line["entries"].as_array().unwrap().iter();
            let entries = entries.filter(|it| it["type"] != "agent_metadata").cloned();
            files.entry(file).or_default().extend(entries);
            mirrored += 1;
        }
    }
    assert_eq!(files.len(), 2);
    for (file, entries) in files {
        assert_eq!(records(Path::new(file)), entries);
    }
    // The start and the end of the sub-agent, and eight records.
    assert_eq!(mirrored, 10);
    let lines = ask(
        home.path(),
        &delegation(false),
        &["--allowedTools=Agent,Bash"],
    );
    assert!(lines.iter().all(|it| it["type"] != "transcript_mirror"));
}

#[test]
fn a_session_killed_during_a_tool_call_resumes_with_its_result() {
    let home = TempDir::new().unwrap();
    let killed = Scenario::default().reply([
        Step::tool("Bash", json!({"command": "make"}), ""),
        Step::Fault(Fault::Exit(9)),
    ]);
    ask(home.path(), &killed, &["--session-id", ID]);
    let resumed = Scenario::default().reply([Step::text("Here I am.")]);
    ask(home.path(), &resumed, &["--resume", ID]);
    let records = records(&project(home.path()).join(format!("{ID}.jsonl")));
    let call = records[1]["message"]["content"][0]["id"].as_str().unwrap();
    assert_eq!(records[2]["message"]["content"][0]["is_error"], true);
    assert_eq!(records[3]["message"]["model"], "<synthetic>");
    let said = chain(&records);
    let expected = [
        "user: Go",
        "assistant: Bash",
        &format!("user: {call}"),
        &said[3],
        "user: Go",
        "assistant: Here I am.",
    ];
    assert_eq!(said, expected);
    // This session completes the transcript.
    ask(home.path(), &resumed, &["--resume", ID]);
    let file = project(home.path()).join(format!("{ID}.jsonl"));
    assert_eq!(self::records(&file).len(), 8);
}

#[test]
fn a_write_creates_its_file_if_the_script_and_the_host_allow_it() {
    let home = TempDir::new().unwrap();
    let call = |file: &str, writes: bool| {
        json!({"tool": {"name": "Write", "writes": writes, "input": {
            "file_path": home.path().join(file), "content": "text",
        }}})
    };
    let replies = json!({"replies": [
        [call("written", true)], [call("said", false)], [{"text": "Done."}],
    ]});
    let scenario = Scenario::from_json(&replies.to_string()).unwrap();
    ask(home.path(), &scenario, &[]);
    assert!(!home.path().join("written").exists(), "it is denied");
    ask(home.path(), &scenario, &["--allowedTools=Write"]);
    let written = std::fs::read_to_string(home.path().join("written"));
    assert_eq!(written.unwrap(), "text");
    assert!(!home.path().join("said").exists());
}

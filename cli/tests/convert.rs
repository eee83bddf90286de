//! `agentwire convert`: files and pipes, there and back.

#![allow(clippy::unwrap_used)]

mod support;

use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Output;
use support::{agentwire, stderr, stdout, told};

/// Each format, and how a tool call looks there.
const FORMATS: [(&str, &str); 6] = [
    ("chat", r#""tool_calls":[{"id":"toolu_1","type":"function""#),
    (
        "responses",
        r#"{"type":"function_call","call_id":"toolu_1""#,
    ),
    ("openhands", r#""origin":"completion""#),
    ("cua", r#"{"type":"computer_call_output""#),
    (
        "bridgic",
        r#""tool_calls":[{"id":"toolu_1","type":"function""#,
    ),
    ("bridgic-blocks", r#""block_type":"tool_call""#),
];

fn convert(arguments: &[&str], input: &str) -> Output {
    told(agentwire("convert").args(arguments), input)
}

fn real() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../interop/tests/sessions/real.ndjson")
}

fn values(text: &str) -> Vec<Value> {
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn a_session_comes_back_from_every_format() {
    let session = values(&std::fs::read_to_string(real()).unwrap());
    for (format, looks) in FORMATS {
        let folder = tempfile::tempdir().unwrap();
        let at = |name| folder.path().join(name).to_str().unwrap().to_owned();
        let (made, residue, losses) = (at("made"), at("residue"), at("losses"));
        let output = convert(
            &[
                "--from",
                "agent",
                "--to",
                format,
                real().to_str().unwrap(),
                "-o",
                &made,
                "--residue",
                &residue,
                "--losses",
                &losses,
            ],
            "",
        );
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(
            stderr(&output).contains("lost on the way"),
            "{}",
            stderr(&output)
        );
        let text = std::fs::read_to_string(&made).unwrap();
        assert!(text.contains(looks), "{format}: {text}");
        let losses = values(&std::fs::read_to_string(&losses).unwrap());
        assert!(losses.iter().all(|loss| loss["why"].is_string()));
        let output = convert(
            &[
                "--from",
                format,
                "--to",
                "agent",
                &made,
                "--restore",
                &residue,
            ],
            "",
        );
        assert!(output.status.success(), "{}", stderr(&output));
        assert!(values(&stdout(&output)) == session, "{format}");
    }
}

#[test]
fn an_edited_piece_is_converted_anew_and_the_rest_restored() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name| folder.path().join(name).to_str().unwrap().to_owned();
    let real = real();
    let there = [
        "--from",
        "agent",
        "--to",
        "chat",
        real.to_str().unwrap(),
        "--residue",
        &at("residue"),
    ];
    let edited = stdout(&convert(&there, "")).replace("Thank you.", "Thanks.");
    let residue = at("residue");
    let output = convert(
        &["--from", "chat", "--to", "agent", "--restore", &residue],
        &edited,
    );
    let lines = values(&stdout(&output));
    assert!(
        lines
            .iter()
            .any(|line| line["message"]["content"] == "Thanks.")
    );
    assert!(
        lines
            .iter()
            .any(|line| line["type"] == "assistant" && line["uuid"].is_string())
    );
    assert!(
        stderr(&output).contains("1 converted anew"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn a_list_is_read_and_written_as_well_as_lines() {
    let chat = json!([{"role": "user", "content": "Go"}, {"role": "assistant", "content": "Gone"}]);
    let pretty = serde_json::to_string_pretty(&chat).unwrap();
    let one_by_one = format!("{}\n\n{}\n", pretty_of(&chat[0]), chat[1]);
    for input in [&pretty, &one_by_one, &chat.to_string()] {
        let output = convert(&["--from", "chat", "--to", "bridgic", "--array"], input);
        assert!(output.status.success(), "{}", stderr(&output));
        let made: Value = serde_json::from_str(&stdout(&output)).unwrap();
        assert_eq!(made, chat);
    }
    let output = convert(&["--from", "chat", "--to", "bridgic", "--array"], "");
    assert_eq!(stdout(&output), "[]\n");
}

fn pretty_of(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap()
}

#[test]
fn a_sub_agent_is_a_conversation_of_its_own() {
    let real = std::fs::read_to_string(real()).unwrap();
    let output = convert(
        &["--from", "agent", "--to", "chat", "--thread", "toolu_4"],
        &real,
    );
    let made = stdout(&output);
    assert!(
        made.contains("I count.") && !made.contains("You are welcome."),
        "{made}"
    );
}

#[test]
fn recordings_are_read_as_the_sessions_that_they_are() {
    let recording = concat!(
        r#"{"t":0.1,"dir":"spawn","msg":{"argv":["claude"]}}"#,
        "\n",
        r#"{"t":0.2,"dir":"send","msg":{"type":"user","message":{"role":"user","content":"Go"}}}"#,
        "\n",
        r#"{"t":0.3,"dir":"recv_raw","msg":"no json"}"#,
        "\n",
    );
    let output = convert(&["--from", "agent", "--to", "chat"], recording);
    assert_eq!(
        values(&stdout(&output)),
        [json!({"role": "user", "content": "Go"})]
    );
}

#[test]
fn what_cannot_be_read_is_told_and_passed_over() {
    let input = "{\"role\":\"user\",\"content\":\"Go\"}\nno json\n{\"role\":\"user\",\"content\":\"on\"}\n{\"role\"";
    let output = convert(&["--from", "bridgic", "--to", "chat"], input);
    assert_eq!(values(&stdout(&output)).len(), 2);
    let told = stderr(&output);
    assert!(told.contains("value 2: expected ident"), "{told}");
    assert!(told.contains("value 4: EOF"), "{told}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let residue = folder.path().join("residue");
    let residue = residue.to_str().unwrap();
    std::fs::write(residue, "{\"from\":\"agent\",\"to\":\"cua\"}\n").unwrap();
    let other = folder.path().join("other");
    let other = other.to_str().unwrap();
    std::fs::write(other, "{\"role\":\"user\"}\n").unwrap();
    for (arguments, why) in [
        (
            &["--from", "chat", "--to", "chat"][..],
            "there is no conversion from chat to chat",
        ),
        (
            &["--from", "chat", "--to", "agent", "/nowhere/to/be/found"],
            "cannot read /nowhere",
        ),
        (
            &["--from", "chat", "--to", "cua", "--thread", "x"],
            "have threads",
        ),
        (
            &["--from", "chat", "--to", "agent", "--restore", residue],
            "the residue is of a conversion from agent to cua",
        ),
        (
            &["--from", "chat", "--to", "agent", "--restore", other],
            "this file is no residue",
        ),
        (
            &[
                "--from",
                "chat",
                "--to",
                "agent",
                "-o",
                "/nowhere/to/be/written",
            ],
            "cannot write",
        ),
    ] {
        let output = convert(arguments, "");
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
        assert!(told.contains(why), "{arguments:?}: {told}");
    }
    let output = convert(
        &["--from", "chat", "--to", "agent"],
        "[{\"role\":\"user\",\"content\":\"Go\"},",
    );
    assert_eq!(values(&stdout(&output)).len(), 1);
    assert!(
        stderr(&output).contains("the list ends after value 1"),
        "{}",
        stderr(&output)
    );
    assert_eq!(output.status.code(), Some(2));
}

/// A transcript with a branch that the conversation did not go on with.
fn transcript() -> String {
    [
        json!({"type": "user", "uuid": "1", "parentUuid": null, "sessionId": "s",
               "message": {"role": "user", "content": "Go"}}),
        json!({"type": "assistant", "uuid": "2", "parentUuid": "1", "sessionId": "s",
               "message": {"id": "m1", "role": "assistant", "content": [{"type": "text", "text": "No."}]}}),
        json!({"type": "assistant", "uuid": "3", "parentUuid": "1", "sessionId": "s",
               "message": {"id": "m2", "role": "assistant", "content": [{"type": "text", "text": "Gone."}]}}),
        json!({"type": "something", "new": true}),
    ]
    .map(|record| record.to_string() + "\n")
    .concat()
}

#[test]
fn of_a_transcript_the_live_branch_is_converted_and_all_of_it_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let residue = folder.path().join("residue");
    let residue = residue.to_str().unwrap();
    let output = convert(
        &["--from", "transcript", "--to", "chat", "--residue", residue],
        &transcript(),
    );
    let made = stdout(&output);
    assert!(made.contains("Gone.") && !made.contains("No."), "{made}");
    let told = stderr(&output);
    assert!(told.contains("went on from an earlier place"), "{told}");
    let output = convert(
        &["--from", "chat", "--to", "transcript", "--restore", residue],
        &made,
    );
    assert_eq!(values(&stdout(&output)), values(&transcript()));
}

#[test]
fn a_directory_of_transcripts_becomes_one_of_conversations() {
    let folder = tempfile::tempdir().unwrap();
    let below = |name: &str| {
        let file = folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        file
    };
    std::fs::write(below("projects/key/s.jsonl"), transcript()).unwrap();
    let said = r#"{"type":"user","uuid":"9","parentUuid":null,"isSidechain":true,"agentId":"a","message":{"role":"user","content":"Count"}}"#;
    std::fs::write(below("projects/key/s/subagents/agent-a.jsonl"), said).unwrap();
    std::fs::write(below("projects/key/s/subagents/agent-a.meta.json"), "{}").unwrap();
    let (from, to) = (folder.path().join("projects"), folder.path().join("made"));
    let (from, to) = (from.to_str().unwrap(), to.to_str().unwrap());
    let directory = ["--from", "transcript", "--to", "chat", from];
    let output = convert(&[&directory[..], &["-o", to]].concat(), "");
    assert!(output.status.success(), "{}", stderr(&output));
    let made = |name| std::fs::read_to_string(folder.path().join("made/key").join(name)).unwrap();
    assert!(made("s.jsonl").contains("Gone."));
    assert_eq!(
        values(&made("s/subagents/agent-a.jsonl")),
        [json!({"role": "user", "content": "Count"})]
    );
    let output = convert(&directory, "");
    assert!(
        stderr(&output).contains("--output DIRECTORY"),
        "{}",
        stderr(&output)
    );
}

//! Tests of `agentwire sessions`.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire_testing::TempDir;
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;
use std::process::Output;
use support::{agentwire, assert_stderr, run_with_input, stderr, stdout};

const FIRST: &str = "11111111-2222-4333-8444-555555555555";
const SECOND: &str = "66666666-7777-4888-9999-000000000000";
const NONE: &str = "aaaaaaaa-0000-4000-8000-000000000000";

/// A configuration directory with two sessions of one project.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let home = Self(agentwire_testing::tempdir().unwrap());
        let agents = home.project().join(FIRST).join("subagents");
        fs::create_dir_all(&agents).unwrap();
        home.write(
            FIRST,
            &[
                record(FIRST, "user", "u1", None, "Count the lines."),
                record(FIRST, "assistant", "a1", Some("u1"), "There are 41.\nIn ONE file."),
                with_blocks(record(FIRST, "user", "u2", Some("a1"), "\u{1b}[31mRed\u{202e}")),
                json!({"type": "tag", "tag": "count\u{7}", "sessionId": FIRST}),
                json!({"type": "custom-title", "customTitle": "Counting \u{9b}", "sessionId": FIRST}),
            ],
        );
        home.write(SECOND, &[record(SECOND, "user", "u3", None, "Ärger")]);
        let task = record(FIRST, "user", "s1", None, "Count in a sub-agent.");
        fs::write(agents.join("agent-a1.jsonl"), format!("{task}\n")).unwrap();
        home
    }

    fn project(&self) -> PathBuf {
        self.0.path().join("projects/-work")
    }

    fn transcript(&self, id: &str) -> PathBuf {
        self.project().join(format!("{id}.jsonl"))
    }

    fn write(&self, id: &str, records: &[Value]) {
        let lines: Vec<String> = records.iter().map(|it| format!("{it}\n")).collect();
        fs::write(self.transcript(id), lines.concat()).unwrap();
    }

    fn sessions(&self, arguments: &[&str]) -> Output {
        let directory = self.0.path().to_str().unwrap();
        let mut command = agentwire("sessions");
        command.args(arguments).args(["--config-dir", directory]);
        run_with_input(&mut command, "")
    }

    /// Runs a command that must succeed. Returns its output.
    fn printed(&self, arguments: &[&str]) -> String {
        let output = self.sessions(arguments);
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    }
}

/// Returns a record like those of the CLI, with a string as the content of a prompt.
fn record(session: &str, kind: &str, uuid: &str, parent: Option<&str>, text: &str) -> Value {
    let content = match kind {
        "user" => json!(text),
        _ => json!([{"type": "text", "text": text}]),
    };
    json!({
        "type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": session,
        "cwd": "/work", "timestamp": "2025-03-01T10:20:30.000Z",
        "message": {"role": kind, "content": content},
    })
}

/// Returns a record of a prompt with an attachment, as the CLI writes it. Its content is a list of
/// blocks.
fn with_blocks(mut record: Value) -> Value {
    let text = record["message"]["content"].take();
    record["message"]["content"] = json!([{"type": "text", "text": text}]);
    record
}

fn is_plain(text: &str) -> bool {
    !text.contains(|it| agentwire::permission::visible::is_hidden(it) && it != '\n')
}

#[test]
fn a_list_has_a_line_for_each_session() {
    let home = Home::new();
    let list = home.printed(&["list"]);
    assert_eq!(list.lines().count(), 2, "{list}");
    assert!(is_plain(&list), "{list:?}");
    let first = list.lines().find(|line| line.starts_with(FIRST)).unwrap();
    assert!(first.contains(r"Counting \u{9b}  #count\u{7}"), "{first}");
    assert_eq!(home.printed(&["list", "--limit", "1"]).lines().count(), 1);
    assert_eq!(home.printed(&["list", "--limit", "0"]), "");
    assert_eq!(home.printed(&["list", "--project", "/nowhere"]), "");
}

#[test]
fn json_lists_match_the_official_sdk() {
    let home = Home::new();
    let list = home.printed(&["list", "--json"]);
    assert!(is_plain(&list), "{list:?}");
    let sessions: Vec<Value> = list
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    let first = sessions.iter().find(|it| it["sessionId"] == FIRST).unwrap();
    assert_eq!(first["customTitle"], "Counting \u{9b}");
    assert_eq!(first["tag"], "count\u{7}");
}

#[test]
fn messages_are_shown_with_the_ids_of_prompts() {
    let home = Home::new();
    let expected = concat!(
        "User u1\n  Count the lines.\n",
        "Model\n  There are 41.\n  In ONE file.\n",
        "User u2\n  \\u{1b}[31mRed\\u{202e}\n",
    );
    assert_eq!(home.printed(&["show", FIRST]), expected);
    let lines = home.printed(&["show", FIRST, "--json"]);
    assert!(is_plain(&lines), "{lines:?}");
    let messages: Vec<Value> = lines
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    assert_eq!(messages.len(), 3);
    assert_eq!(
        messages[2]["message"]["content"][0]["text"],
        "\u{1b}[31mRed\u{202e}"
    );
}

#[test]
fn a_text_is_found_in_prompts_and_responses() {
    let home = Home::new();
    assert_eq!(
        home.printed(&["search", "one FILE"]),
        format!("{FIRST}  a1  In ONE file.\n")
    );
    assert_eq!(
        home.printed(&["search", "ÄRG"]),
        format!("{SECOND}  u3  Ärger\n")
    );
    assert_eq!(
        home.printed(&["search", "red"]),
        format!("{FIRST}  u2  \\u{{1b}}[31mRed\\u{{202e}}\n")
    );
    // Sub-agents and titles are not searched.
    for text in ["sub-agent", "Counting"] {
        let output = home.sessions(&["search", text]);
        assert_eq!(
            (output.status.code(), stdout(&output)),
            (Some(1), String::new())
        );
    }
}

#[test]
fn a_fork_is_another_session() {
    let home = Home::new();
    let id = home.printed(&["fork", FIRST, "--up-to", "a1", "--title", "Again"]);
    let id = id.trim_end();
    assert!(home.printed(&["list"]).contains(&format!("{id}  ")));
    let shown = home.printed(&["show", id]);
    assert_eq!(
        shown.lines().filter(|it| !it.starts_with(' ')).count(),
        2,
        "{shown}"
    );
    let output = home.sessions(&["fork", FIRST, "--up-to", "\u{1b}"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        stderr(&output),
        format!("agentwire: session {FIRST} has no message \\u{{1b}}\n")
    );
}

#[test]
fn without_a_terminal_a_session_is_deleted_only_with_yes() {
    let home = Home::new();
    let output = home.sessions(&["delete", FIRST]);
    assert_eq!(output.status.code(), Some(2));
    assert_stderr(&output, "use `--yes`");
    assert!(home.transcript(FIRST).exists());
    home.printed(&["delete", FIRST, "--yes"]);
    assert!(!home.transcript(FIRST).exists());
    assert!(!home.project().join(FIRST).exists());
    assert!(home.transcript(SECOND).exists());
}

#[test]
fn an_export_has_the_same_bytes() {
    let home = Home::new();
    let transcript = fs::read_to_string(home.transcript(FIRST)).unwrap();
    assert_eq!(home.printed(&["export", FIRST]), transcript);
    let to = home.0.path().join("exported");
    let to_text = to.to_str().unwrap();
    assert_eq!(home.printed(&["export", FIRST, "--to", to_text]), "");
    let read = |path: &str| fs::read_to_string(to.join(path)).unwrap();
    assert_eq!(read(&format!("{FIRST}.jsonl")), transcript);
    let agent = format!("{FIRST}/subagents/agent-a1.jsonl");
    assert_eq!(
        read(&agent),
        fs::read_to_string(home.project().join(&agent)).unwrap()
    );
    // Nothing is overwritten.
    let output = home.sessions(&["export", FIRST, "--to", to_text]);
    assert_eq!(output.status.code(), Some(2));
}

/// Writes a session in which a sub-agent calls a tool.
fn with_a_subagent(home: &Home) {
    let assistant = |session: &str, uuid: &str, parent: &str, blocks: Value| {
        let mut record = record(session, "assistant", uuid, Some(parent), "");
        record["message"]["content"] = blocks;
        record
    };
    let call = json!({"type": "tool_use", "id": "call1", "name": "Agent", "input": {
        "description": "Count", "prompt": "Count <them>.", "subagent_type": "counter",
    }});
    let result = json!([{"type": "tool_result", "tool_use_id": "call1", "content": "41 ```"}]);
    let mut answer = record(SECOND, "user", "u2", Some("a1"), "");
    answer["message"]["content"] = result;
    home.write(
        SECOND,
        &[
            record(SECOND, "user", "u1", None, "How many?"),
            assistant(SECOND, "a1", "u1", json!([call])),
            answer,
            assistant(
                SECOND,
                "a2",
                "u2",
                json!([{"type": "text", "text": "**41**"}]),
            ),
        ],
    );
    let wc =
        json!({"type": "tool_use", "id": "call2", "name": "Bash", "input": {"command": "wc -l"}});
    let mut printed = record(SECOND, "user", "s3", Some("s2"), "");
    printed["message"]["content"] =
        json!([{"type": "tool_result", "tool_use_id": "call2", "content": "41 ```"}]);
    printed["toolUseResult"] = json!({"stdout": "41 ```", "stderr": "", "interrupted": false});
    let mut lines = String::new();
    for mut record in [
        record(SECOND, "user", "s1", None, "Count <them>."),
        assistant(SECOND, "s2", "s1", json!([wc])),
        printed,
    ] {
        record["agentId"] = json!("x");
        record["isSidechain"] = json!(true);
        lines += &format!("{record}\n");
    }
    let agents = home.project().join(SECOND).join("subagents");
    fs::create_dir_all(&agents).unwrap();
    fs::write(agents.join("agent-x.jsonl"), lines).unwrap();
    fs::write(
        agents.join("agent-x.meta.json"),
        r#"{"toolUseId": "call1"}"#,
    )
    .unwrap();
}

#[test]
fn subagents_are_shown_inside_their_calls() {
    let home = Home::new();
    with_a_subagent(&home);
    let expected = "\
User u1
  How many?
✓ Agent: Count
  counter
  Count <them>.
  ✓ Run wc -l
    $ wc -l
    41 ```
  Result
    41 ```
Model
  **41**
";
    assert_eq!(home.printed(&["show", SECOND]), expected);
}

#[test]
fn a_page_has_the_conversation_with_its_subagents() {
    let home = Home::new();
    with_a_subagent(&home);
    let page = home.printed(&["export", SECOND, "--html", "-"]);
    let policy = "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\"";
    for part in [
        policy,
        "<summary>✓ Agent: Count</summary>",
        "Count &lt;them&gt;.",
        "<pre class=\"output\">41 ```</pre>",
        "<strong>41</strong>",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    let text = home.printed(&["export", SECOND, "--markdown", "-"]);
    for part in [
        "## User\n\n> How many?\n\n",
        "## ✓ Agent: Count\n\n",
        "### ✓ Run wc \\-l\n\n",
        "````\n41 ```\n````\n",
        "\n\n**41**\n\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn a_page_is_written_to_a_new_file() {
    let home = Home::new();
    let file = home.0.path().join("page.html");
    let path = file.to_str().unwrap();
    assert_eq!(home.printed(&["export", FIRST, "--html", path]), "");
    let page = fs::read_to_string(&file).unwrap();
    assert!(page.contains("<h1>Counting \\u{9b}</h1>"), "{page}");
    // Nothing is overwritten.
    let output = home.sessions(&["export", FIRST, "--markdown", path]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_to_string(&file).unwrap(), page);
}

#[test]
fn missing_sessions_are_errors() {
    let home = Home::new();
    for (command, id) in [
        ("show", NONE),
        ("show", "../x"),
        ("fork", NONE),
        ("fork", "x"),
        ("delete", NONE),
        ("export", NONE),
    ] {
        let output = home.sessions(&[command, id]);
        assert_eq!(output.status.code(), Some(2), "{command} {id}");
        assert!(stderr(&output).starts_with("agentwire: "), "{command} {id}");
    }
}

//! Tests of directories of transcripts.

use crate::transcript::{answer, call, model_record, prompt, text};
use agentwire_interop::transcript::{Conversation, Directory, Files, History, Place, conversation};
use agentwire_protocol::content::ContentBlock;
use serde_json::{Value, json};

#[test]
fn paths_identify_sessions_and_files() {
    let place = |path: &str| {
        let place = Place::of(path)?;
        Some((place.project, place.session, place.agent, place.is_meta))
    };
    let of = |agent: Option<&str>, is_meta| {
        Some((
            "-p".to_owned(),
            "s".to_owned(),
            agent.map(str::to_owned),
            is_meta,
        ))
    };
    for (path, wanted) in [
        ("/h/.claude/projects/-p/s.jsonl", of(None, false)),
        ("-p/s.jsonl", of(None, false)),
        (r"C:\h\.claude\projects\-p\s.jsonl", of(None, false)),
        (
            "/h/projects/-p/s/subagents/agent-a1.jsonl",
            of(Some("a1"), false),
        ),
        (
            "/h/projects/-p/s/subagents/agent-a1.meta.json",
            of(Some("a1"), true),
        ),
        (
            "/h/projects/-p/s/subagents/workflows/w/agent-a1.jsonl",
            of(Some("a1"), false),
        ),
        ("/h/projects/-p/s/subagents/journal.jsonl", None),
        ("/h/projects/-p/s.meta.json", None),
        ("/h/projects/-p/memory/MEMORY.md", None),
        ("subagents/agent-a1.jsonl", None),
        ("../s.jsonl", None),
        ("s.jsonl", None),
        ("", None),
    ] {
        assert_eq!(place(path), wanted, "{path}");
    }
}

fn file(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Returns the records of a sub-agent.
fn of_agent(agent: &str, lines: &[Value]) -> String {
    let mut lines = lines.to_vec();
    for line in &mut lines {
        line["isSidechain"] = true.into();
        line["agentId"] = agent.into();
    }
    file(&lines)
}

fn directory() -> Directory {
    let mut told = answer("3", "2", "t-1");
    told["toolUseResult"] = json!({"agentId": "a1", "status": "completed"});
    let main = [
        prompt("1", None, "How many?"),
        model_record("2", "1", "m-1", call("t-1")),
        told,
        model_record("4", "3", "m-2", text("Three.")),
    ];
    let first = [
        prompt("10", None, "Count."),
        model_record("11", "10", "m-3", call("t-2")),
        answer("12", "11", "t-2"),
        model_record("13", "12", "m-4", text("Three.")),
    ];
    let second = [
        prompt("20", None, "Count better."),
        model_record("21", "20", "m-5", text("3")),
    ];
    let mut directory = Directory::default();
    for (path, text) in [
        (
            "-p/s/subagents/agent-a2.meta.json",
            json!({"toolUseId": "t-2", "agentType": "x"}).to_string(),
        ),
        ("-p/s/subagents/agent-a2.jsonl", of_agent("a2", &second)),
        ("-p/s/subagents/agent-a1.jsonl", of_agent("a1", &first)),
        ("-p/s.jsonl", file(&main) + "\n{\"type\":\"us"),
        ("-p/other.jsonl", file(&main[..1])),
        ("-q/s.jsonl", file(&main[..1])),
    ] {
        assert!(directory.add(path, &text), "{path}");
    }
    assert!(!directory.add("-p/memory/MEMORY.md", "# Crabs"));
    directory
}

fn session(directory: &Directory) -> &Files {
    &directory.0[&("-p".to_owned(), "s".to_owned())]
}

fn write_thread(conversation: &Conversation, depth: usize, out: &mut Vec<String>) {
    let indent = "  ".repeat(depth);
    for message in &conversation.messages {
        let kinds: Vec<_> = message
            .blocks()
            .iter()
            .filter_map(ContentBlock::tag)
            .collect();
        out.push(format!("{indent}{} {kinds:?}", message.tag().unwrap()));
    }
    for agent in &conversation.agents {
        out.push(format!("{indent}{} by {:?}", agent.id, agent.call));
        write_thread(&agent.conversation, depth + 1, out);
    }
}

#[test]
fn sub_agents_are_nested_under_their_parents() {
    let directory = directory();
    assert_eq!(directory.0.len(), 3);
    let mut out = Vec::new();
    write_thread(
        &conversation(session(&directory), History::All),
        0,
        &mut out,
    );
    assert_eq!(
        out,
        [
            r#"user ["text"]"#,
            r#"assistant ["tool_use"]"#,
            r#"user ["tool_result"]"#,
            r#"assistant ["text"]"#,
            r#"a1 by Some("t-1")"#,
            r#"  user ["text"]"#,
            r#"  assistant ["tool_use"]"#,
            r#"  user ["tool_result"]"#,
            r#"  assistant ["text"]"#,
            r#"  a2 by Some("t-2")"#,
            r#"    user ["text"]"#,
            r#"    assistant ["text"]"#,
        ]
    );
}

#[test]
fn incomplete_lines_are_reported() {
    let directory = directory();
    let unread = &session(&directory).unread;
    assert_eq!(unread.len(), 1);
    assert_eq!((unread[0].agent.as_deref(), unread[0].line), (None, 6));
}

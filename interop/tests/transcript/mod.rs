//! Transcripts on disk, in the shapes in which version 2.1.329 writes them.
#![allow(clippy::unwrap_used)]

mod branches;
mod conversion;
mod files;
mod records;

use agentwire_interop::transcript::{Branch, History, Record, Tree};
use serde_json::{Value, json};

/// Records from their JSON.
fn records(lines: &[Value]) -> Vec<Record> {
    let read = |line: &Value| Record::read(&line.to_string()).unwrap();
    lines.iter().map(read).collect()
}

fn branch(records: &[Record], history: History) -> Branch {
    let mut tree = Tree::default();
    for record in records {
        tree.note(record);
    }
    tree.branch(history)
}

/// A record of the tree: its id, its parent's, and what else it has.
fn node(uuid: &str, parent: Option<&str>, more: Value) -> Value {
    let mut record = json!({
        "parentUuid": parent, "isSidechain": false, "uuid": uuid, "sessionId": "s",
        "timestamp": "2026-01-01T00:00:00.000Z", "userType": "external",
        "entrypoint": "sdk-cli", "cwd": "/project", "version": "2.1.329", "gitBranch": "HEAD",
    });
    let members = record.as_object_mut().unwrap();
    members.extend(more.as_object().unwrap().clone());
    record
}

/// A prompt.
fn prompt(uuid: &str, parent: Option<&str>, text: &str) -> Value {
    let message = json!({"role": "user", "content": text});
    node(
        uuid,
        parent,
        json!({"type": "user", "message": message, "promptSource": "sdk", "turnOrigin": "sdk"}),
    )
}

/// A block that the model said.
fn said(uuid: &str, parent: &str, message: &str, block: Value) -> Value {
    let message = json!({
        "id": message, "type": "message", "role": "assistant", "model": "m", "content": [block],
    });
    node(
        uuid,
        Some(parent),
        json!({"type": "assistant", "message": message}),
    )
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn call(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "ls"}})
}

/// What a tool answered.
fn answer(uuid: &str, parent: &str, id: &str) -> Value {
    let block = json!({"type": "tool_result", "tool_use_id": id, "content": "done"});
    let message = json!({"role": "user", "content": [block]});
    node(
        uuid,
        Some(parent),
        json!({
            "type": "user", "message": message, "toolUseResult": {"stdout": "done"},
            "sourceToolAssistantUUID": parent,
        }),
    )
}

/// What the agent adds beside what was said.
fn attachment(uuid: &str, parent: &str) -> Value {
    node(
        uuid,
        Some(parent),
        json!({"type": "attachment", "attachment": {"type": "date", "text": "today"}}),
    )
}

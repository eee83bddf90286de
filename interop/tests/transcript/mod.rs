//! Tests of transcripts on disk in the format of version 2.1.329.
#![allow(clippy::unwrap_used)]

mod branches;
mod conversion;
mod files;
mod records;

use agentwire_interop::transcript::{Branch, History, Record, Tree};
use serde_json::{Value, json};

/// Parses records.
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

/// Returns a record of the tree with its ID, the ID of its parent, and other members.
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

/// Returns a prompt.
fn prompt(uuid: &str, parent: Option<&str>, text: &str) -> Value {
    let message = json!({"role": "user", "content": text});
    node(
        uuid,
        parent,
        json!({"type": "user", "message": message, "promptSource": "sdk", "turnOrigin": "sdk"}),
    )
}

/// Returns a record with a block of the model.
fn model_record(uuid: &str, parent: &str, message: &str, block: Value) -> Value {
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

/// Returns the result of a tool.
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

/// Returns an attachment of the agent.
fn attachment(uuid: &str, parent: &str) -> Value {
    node(
        uuid,
        Some(parent),
        json!({"type": "attachment", "attachment": {"type": "date", "text": "today"}}),
    )
}

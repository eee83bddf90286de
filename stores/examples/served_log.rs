//! A store of logs behind a program: serves one in memory over standard input and output, as
//! `agentwire_testkit::stores::StoreProgram` has it.
//!
//! ```text
//! cargo build -p agentwire-stores --example served_log
//! agentwire conform store --log target/debug/examples/served_log
//! ```

use agentwire::protocol::Json;
use agentwire::store::StoreError;
use agentwire_stores::MemoryLog;
use agentwire_stores::session_log::{
    AppendError, Batch, Entry, Head, LogKey, LogStore, NewBatch, Part, Position, Token,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::time::UNIX_EPOCH;

#[derive(Deserialize)]
struct Request {
    id: u64,
    call: String,
    #[serde(default)]
    session: Session,
    #[serde(default)]
    project: String,
    #[serde(default)]
    after: u64,
    #[serde(default)]
    token: Owner,
    #[serde(default)]
    entries: Vec<(String, Json)>,
    /// `null` is a summary.
    #[serde(default, deserialize_with = "present")]
    summary: Option<Json>,
}

fn present<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(value).map(Some)
}

#[derive(Default, Deserialize)]
struct Session {
    project: String,
    session_id: String,
}

#[derive(Default, Deserialize)]
struct Owner {
    number: u64,
    writer: String,
}

fn token(token: &Token) -> Value {
    json!({ "number": token.number, "writer": &*token.writer })
}

fn end(head: &Head) -> Value {
    let Head {
        position,
        token: owner,
        is_deleted,
        ..
    } = head;
    json!({ "position": position.0, "token": token(owner), "deleted": is_deleted })
}

/// With the text of each entry as it is.
fn batch(batch: &Batch) -> String {
    let entry = |it: &Entry| format!("[{},{}]", Value::from(it.part.name()), it.json);
    let entries: Vec<String> = batch.entries.iter().map(entry).collect();
    format!(
        r#"{{"position":{},"token":{},"entries":[{}]}}"#,
        batch.position,
        token(&batch.token),
        entries.join(",")
    )
}

/// The result of an append or a deletion: what was kept, or the end of the log.
fn outcome(outcome: Result<Value, AppendError>) -> Result<String, StoreError> {
    match outcome {
        Ok(kept) => Ok(kept.to_string()),
        Err(AppendError::Refused(refusal)) => {
            let head = refusal.head.as_ref().map(end);
            Ok(json!({ "refused": head }).to_string())
        }
        Err(error) => Err(error.into()),
    }
}

/// The result of a call, as JSON.
async fn respond(store: &impl LogStore, request: Request) -> Result<String, StoreError> {
    let Request { session, token, .. } = request;
    let session = LogKey::new(session.project, session.session_id);
    let token = Token::new(token.number, token.writer);
    let after = Position(request.after);
    Ok(match &*request.call {
        "log_append" => {
            let entries = request.entries.into_iter();
            let entries = entries.map(|(part, json)| Entry::new(Part::named(&part), json));
            let entries: Vec<Entry> = entries.collect();
            let mut batch = NewBatch::new(after, &token, &entries);
            batch.summary = request.summary.as_ref();
            let position = store.append(&session, &batch).await;
            outcome(position.map(|it| json!({ "position": it.0 })))?
        }
        "log_head" => {
            let head = store.head(&session).await?;
            json!(head.as_ref().map(end)).to_string()
        }
        "log_read" => {
            let batches = store.read(&session, after).await?;
            let batches: Vec<String> = batches.iter().map(batch).collect();
            format!("[{}]", batches.join(","))
        }
        "log_summaries" => {
            let mut listed = Vec::new();
            for (session, summary) in store.summaries(&request.project).await? {
                let modified = session.modified.duration_since(UNIX_EPOCH)?;
                let modified = modified.as_micros() as f64 / 1_000.0;
                let id = Value::from(session.id);
                let summary = summary?.map(|it| format!(r#","summary":{it}"#));
                let summary = summary.unwrap_or_default();
                listed.push(format!(r#"{{"id":{id},"modified":{modified}{summary}}}"#));
            }
            format!("[{}]", listed.join(","))
        }
        "log_parts" => {
            let parts = store.parts(&session).await?;
            let names: Vec<&str> = parts.iter().map(Part::name).collect();
            json!(names).to_string()
        }
        "log_delete" => {
            let deleted = store.delete(&session, &token).await;
            outcome(deleted.map(|()| json!({})))?
        }
        other => return Err(format!("unknown call: {other}").into()),
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), StoreError> {
    let store = MemoryLog::new();
    let mut output = std::io::stdout().lock();
    let calls = ["append", "head", "read", "summaries", "parts", "delete"];
    let calls = calls.map(|it| format!("log_{it}"));
    writeln!(output, "{}", json!({ "calls": calls }))?;
    output.flush()?;
    for line in std::io::stdin().lock().lines() {
        let request: Request = serde_json::from_str(&line?)?;
        let id = request.id;
        match respond(&store, request).await {
            Ok(result) => writeln!(output, r#"{{"id":{id},"result":{result}}}"#)?,
            Err(error) => writeln!(
                output,
                "{}",
                json!({ "id": id, "error": error.to_string() })
            )?,
        }
        output.flush()?;
    }
    Ok(())
}

//! Serves a store in memory over standard input and output, in the format of
//! `agentwire_testkit::stores::StoreProgram`. Test a store in any language the same way:
//!
//! ```text
//! cargo build -p agentwire-stores --example served_store
//! agentwire conform store target/debug/examples/served_store
//! agentwire conform store --log -- target/debug/examples/served_store --log
//! ```

use agentwire::SessionStore;
use agentwire::protocol::Json;
use agentwire::store::{StoreError, StoredSession, StoredSummary, TranscriptKey};
use agentwire_stores::session_log::{
    AppendError, Batch, Entry, Head, LogKey, LogStore, NewBatch, Part, Position, Token,
};
use agentwire_stores::{LogBacked, MemoryLog};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::time::{SystemTime, UNIX_EPOCH};

#[derive(Deserialize)]
struct Request {
    id: u64,
    call: String,
    /// The transcript of `append`, `load`, `subpaths` and `delete`.
    key: Option<Key>,
    /// The session of calls of a log.
    #[serde(default)]
    session: Session,
    #[serde(default)]
    project: String,
    #[serde(default)]
    after: u64,
    #[serde(default)]
    token: Owner,
    #[serde(default = "Json::null")]
    entries: Json,
    /// `null` is a summary.
    #[serde(default, deserialize_with = "present")]
    summary: Option<Json>,
}

#[derive(Deserialize)]
struct Key {
    project: String,
    session_id: String,
    subpath: Option<String>,
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

/// Handles a call of a session store. Returns JSON.
async fn respond(store: &impl SessionStore, request: Request) -> Result<String, StoreError> {
    let project = &request.project;
    let at = || -> Result<TranscriptKey, StoreError> {
        let key = request.key.as_ref().ok_or("the call has no `key`")?;
        let session = TranscriptKey::new(&key.project, &key.session_id)?;
        Ok(match &key.subpath {
            Some(subpath) => session.part(subpath)?,
            None => session,
        })
    };
    let listed = |session: &StoredSession| json!({ "id": session.id, "modified": milliseconds(session.modified) });
    Ok(match &*request.call {
        "append" => {
            let entries: Vec<Json> = request.entries.read()?;
            store.append(&at()?, &entries).await?;
            "null".to_owned()
        }
        // The text of each entry is unchanged.
        "load" => serde_json::to_string(&store.load(&at()?).await?)?,
        "sessions" => {
            let sessions = store.sessions(project).await?;
            Value::from_iter(sessions.iter().map(listed)).to_string()
        }
        "subpaths" => Value::from(store.subpaths(&at()?).await?).to_string(),
        "summaries" => {
            let summaries = store.summaries(project).await?;
            let summary = |(session, data): StoredSummary| {
                let mut summary = listed(&session);
                // The format has no errors of single sessions.
                let data: Value = serde_json::from_str(data?.get())?;
                summary["summary"] = data;
                Ok::<_, StoreError>(summary)
            };
            let summaries: Result<Value, _> = summaries.into_iter().map(summary).collect();
            summaries?.to_string()
        }
        "delete" => {
            store.delete(&at()?).await?;
            "null".to_owned()
        }
        other => return Err(format!("unknown call: {other}").into()),
    })
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

/// Encodes a batch with the unchanged text of each entry.
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

/// Encodes the result of an append or a deletion, or the refusal with the end of the log.
fn outcome(outcome: Result<Value, AppendError>) -> Result<String, StoreError> {
    match outcome {
        Ok(value) => Ok(value.to_string()),
        Err(AppendError::Refused(refusal)) => {
            let head = refusal.head.as_ref().map(end);
            Ok(json!({ "refused": head }).to_string())
        }
        Err(error) => Err(error.into()),
    }
}

/// Handles a call of a log store. Returns JSON.
async fn respond_log(store: &impl LogStore, request: Request) -> Result<String, StoreError> {
    let Request { session, token, .. } = request;
    let session = LogKey::new(session.project, session.session_id);
    let token = Token::new(token.number, token.writer);
    let after = Position(request.after);
    Ok(match &*request.call {
        "log_append" => {
            let entries: Vec<(String, Json)> = request.entries.read()?;
            let entries = entries.into_iter();
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
                let modified = milliseconds(session.modified);
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

fn milliseconds(time: SystemTime) -> f64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_micros() as f64 / 1_000.0
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), StoreError> {
    let is_log = std::env::args().any(|it| it == "--log");
    let (log, store) = (MemoryLog::new(), LogBacked::new(MemoryLog::new()));
    let calls = match is_log {
        true => "log_append log_head log_read log_summaries log_parts log_delete",
        false => "append load sessions subpaths summaries delete",
    };
    let calls: Vec<&str> = calls.split(' ').collect();
    let mut output = std::io::stdout().lock();
    writeln!(output, "{}", json!({ "calls": calls }))?;
    output.flush()?;
    for line in std::io::stdin().lock().lines() {
        let request: Request = serde_json::from_str(&line?)?;
        let id = request.id;
        let result = match is_log {
            true => respond_log(&log, request).await,
            false => respond(&store, request).await,
        };
        match result {
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

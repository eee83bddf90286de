//! A store behind a program: serves a store in memory over standard input and output, as
//! `agentwire_testkit::stores::StoreProgram` has it. Your own store, in any language, is checked
//! the same way:
//!
//! ```text
//! cargo build -p agentwire-stores --example served_store
//! agentwire conform store target/debug/examples/served_store
//! ```

use agentwire::SessionStore;
use agentwire::protocol::Json;
use agentwire::store::{StoreError, StoredSession, StoredSummary, TranscriptKey};
use agentwire_stores::{LogBacked, MemoryLog};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::time::UNIX_EPOCH;

#[derive(Deserialize)]
struct Request {
    id: u64,
    call: String,
    /// Of calls that are about one transcript.
    key: Option<Key>,
    #[serde(default)]
    project: String,
    #[serde(default)]
    entries: Vec<Json>,
}

#[derive(Deserialize)]
struct Key {
    project: String,
    session_id: String,
    subpath: Option<String>,
}

async fn respond(store: &impl SessionStore, request: Request) -> Result<Json, StoreError> {
    let project = &request.project;
    let at = || -> Result<TranscriptKey, StoreError> {
        let key = request.key.as_ref().ok_or("the call has no `key`")?;
        let session = TranscriptKey::new(&key.project, &key.session_id)?;
        Ok(match &key.subpath {
            Some(subpath) => session.part(subpath)?,
            None => session,
        })
    };
    let listed = |session: &StoredSession| {
        let modified = session.modified.duration_since(UNIX_EPOCH);
        let modified = modified.unwrap_or_default().as_micros() as f64 / 1_000.0;
        json!({ "id": session.id, "modified": modified })
    };
    Ok(match &*request.call {
        "append" => {
            store.append(&at()?, &request.entries).await?;
            Json::null()
        }
        // With the text of each entry as it is.
        "load" => match store.load(&at()?).await? {
            None => Json::null(),
            Some(entries) => serde_json::to_string(&entries)?.parse()?,
        },
        "sessions" => {
            let sessions = store.sessions(project).await?;
            Value::from_iter(sessions.iter().map(listed)).into()
        }
        "subpaths" => Value::from(store.subpaths(&at()?).await?).into(),
        "summaries" => {
            let summaries = store.summaries(project).await?;
            let summary = |(session, data): StoredSummary| {
                let mut summary = listed(&session);
                // The call has no place for the error of one session.
                let data: Value = serde_json::from_str(data?.get())?;
                summary["summary"] = data;
                Ok::<_, StoreError>(summary)
            };
            let summaries: Result<Value, _> = summaries.into_iter().map(summary).collect();
            summaries?.into()
        }
        "delete" => {
            store.delete(&at()?).await?;
            Json::null()
        }
        other => return Err(format!("unknown call: {other}").into()),
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), StoreError> {
    let store = LogBacked::new(MemoryLog::new());
    let mut output = std::io::stdout().lock();
    let calls = [
        "append",
        "load",
        "sessions",
        "subpaths",
        "summaries",
        "delete",
    ];
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

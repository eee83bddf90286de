//! Implements [`SessionStore`] by calls to a program.

use super::{Listed, StoreProgram, text};
use agentwire::SessionStore;
use agentwire::store::{StoreError, StoredSession, StoredSummary, TranscriptKey};
use agentwire_protocol::Json;
use serde_json::json;

fn key(key: &TranscriptKey) -> String {
    let mut members = json!({ "project": key.project(), "session_id": key.session_id() });
    if let Some(subpath) = key.subpath() {
        members["subpath"] = subpath.into();
    }
    members.to_string()
}

impl SessionStore for StoreProgram {
    async fn append(&self, to: &TranscriptKey, entries: &[Json]) -> Result<(), StoreError> {
        let entries: Vec<&str> = entries.iter().map(Json::get).collect();
        let entries = format!("[{}]", entries.join(","));
        let arguments = [("key", key(to)), ("entries", entries)];
        self.call("append", &arguments).await
    }

    async fn load(&self, from: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
        self.call("load", &[("key", key(from))]).await
    }

    async fn sessions(&self, project: &str) -> Result<Vec<StoredSession>, StoreError> {
        let listed: Vec<Listed> = self.call("sessions", &[("project", text(project))]).await?;
        Ok(listed.iter().map(Listed::session).collect())
    }

    async fn subpaths(&self, session: &TranscriptKey) -> Result<Vec<String>, StoreError> {
        self.call("subpaths", &[("key", key(session))]).await
    }

    async fn summaries(&self, project: &str) -> Result<Vec<StoredSummary>, StoreError> {
        let listed: Vec<Listed> = self
            .call("summaries", &[("project", text(project))])
            .await?;
        let summary = |it: Listed| {
            let session = it.session();
            let summary = it.summary.map(Json::from);
            (
                session,
                summary.ok_or("the session has no `summary`".into()),
            )
        };
        Ok(listed.into_iter().map(summary).collect())
    }

    async fn delete(&self, transcript: &TranscriptKey) -> Result<(), StoreError> {
        self.call("delete", &[("key", key(transcript))]).await
    }
}

//! Implements [`LogStore`] by calls to a program.

use super::{Listed, StoreProgram, text};
use agentwire::store::StoreError;
use agentwire_protocol::Json;
use agentwire_stores::session_log::{
    AppendError, Batch, Entry, Head, LogKey, LogStore, NewBatch, Part, Position, Refusal,
    Summarized, Token,
};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;

#[derive(Deserialize)]
struct Owner {
    number: u64,
    writer: String,
}

impl Owner {
    fn token(self) -> Token {
        Token::new(self.number, self.writer)
    }
}

#[derive(Deserialize)]
struct End {
    position: u64,
    token: Owner,
    #[serde(default)]
    deleted: bool,
}

impl End {
    fn head(self) -> Head {
        let (position, token) = (Position(self.position), self.token.token());
        match self.deleted {
            true => Head::deleted(position, token),
            false => Head::new(position, token),
        }
    }
}

/// The result of an append or a deletion.
#[derive(Deserialize)]
struct Outcome {
    position: Option<u64>,
    /// The end of the log that refused the call. `null` if there is no log.
    #[serde(default, deserialize_with = "present")]
    refused: Option<Option<End>>,
}

impl Outcome {
    fn position(self) -> Result<Option<u64>, AppendError> {
        match self.refused {
            None => Ok(self.position),
            Some(head) => Err(Refusal::new(head.map(End::head)).into()),
        }
    }
}

fn present<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<Option<End>>, D::Error> {
    Option::deserialize(value).map(Some)
}

#[derive(Deserialize)]
struct StoredBatch {
    position: u64,
    token: Owner,
    entries: Vec<(String, Box<RawValue>)>,
}

impl StoredBatch {
    fn batch(self) -> Batch {
        let entries = self.entries.into_iter();
        let entries = entries.map(|(part, json)| Entry::new(Part::named(&part), Json::from(json)));
        let position = Position(self.position);
        Batch::new(position, self.token.token(), entries.collect())
    }
}

fn key(session: &LogKey) -> String {
    let LogKey {
        project,
        session_id,
        ..
    } = session;
    json!({ "project": project, "session_id": session_id }).to_string()
}

fn owner(token: &Token) -> String {
    json!({ "number": token.number, "writer": &*token.writer }).to_string()
}

impl LogStore for StoreProgram {
    async fn append(
        &self,
        session: &LogKey,
        batch: &NewBatch<'_>,
    ) -> Result<Position, AppendError> {
        let entry = |it: &Entry| format!("[{},{}]", text(it.part.name()), it.json);
        let entries: Vec<String> = batch.entries.iter().map(entry).collect();
        let mut arguments = vec![
            ("session", key(session)),
            ("after", batch.after.to_string()),
            ("token", owner(batch.token)),
            ("entries", format!("[{}]", entries.join(","))),
        ];
        arguments.extend(batch.summary.map(|it| ("summary", it.to_string())));
        let outcome = self.call::<Outcome>("log_append", &arguments).await;
        let position = outcome.map_err(AppendError::failed)?.position()?;
        position
            .map(Position)
            .ok_or_else(|| AppendError::failed("the program's response has no `position`"))
    }

    async fn head(&self, session: &LogKey) -> Result<Option<Head>, StoreError> {
        let arguments = [("session", key(session))];
        let head: Option<End> = self.call("log_head", &arguments).await?;
        Ok(head.map(End::head))
    }

    async fn read(&self, session: &LogKey, after: Position) -> Result<Vec<Batch>, StoreError> {
        let arguments = [("session", key(session)), ("after", after.to_string())];
        let batches: Vec<StoredBatch> = self.call("log_read", &arguments).await?;
        Ok(batches.into_iter().map(StoredBatch::batch).collect())
    }

    async fn summaries(&self, project: &str) -> Result<Vec<Summarized>, StoreError> {
        let arguments = [("project", text(project))];
        let listed: Vec<Listed> = self.call("log_summaries", &arguments).await?;
        let summary = |it: Listed| (it.session(), Ok(it.summary.map(Json::from)));
        Ok(listed.into_iter().map(summary).collect())
    }

    async fn parts(&self, session: &LogKey) -> Result<Vec<Part>, StoreError> {
        let parts: Vec<String> = self.call("log_parts", &[("session", key(session))]).await?;
        Ok(parts.iter().map(|it| Part::named(it)).collect())
    }

    async fn delete(&self, session: &LogKey, token: &Token) -> Result<(), AppendError> {
        let arguments = [("session", key(session)), ("token", owner(token))];
        let outcome = self.call::<Outcome>("log_delete", &arguments).await;
        outcome.map_err(AppendError::failed)?.position()?;
        Ok(())
    }
}

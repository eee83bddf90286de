//! Layers over a store, which change what it keeps: to redact or to encrypt it.

use agentwire::session_log::{
    AppendError, Batch, Entry, Head, LogStore, NewBatch, Part, Position, SessionKey, Token,
};
use agentwire::{StoreError, StoredSession};
use agentwire_protocol::Json;

/// What a store keeps instead of each entry.
///
/// A function is a layer that redacts: what it returns is kept, and given back as it is.
///
/// ```
/// use agentwire::protocol::Json;
/// use agentwire::session_log::SessionKey;
/// use agentwire_stores::{Layered, LogBacked, Memory};
///
/// fn redact(_: &SessionKey, entry: &Json) -> Json {
///     Json::of_text(entry.get().replace("hunter2", "…"))
/// }
///
/// let store = LogBacked::new(Layered::new(Memory::new(), redact));
/// ```
pub trait Layer: Send + Sync + 'static {
    /// Returns what is kept of an entry, or of a session's summary.
    ///
    /// # Errors
    ///
    /// If it is not to be kept: the append fails.
    fn seal(&self, session: &SessionKey, json: &Json) -> Result<Json, StoreError>;

    /// Returns the entry of which this was kept.
    ///
    /// # Errors
    ///
    /// If it is none: the read fails.
    fn open(&self, session: &SessionKey, json: Json) -> Result<Json, StoreError>;
}

impl<F: Fn(&SessionKey, &Json) -> Json + Send + Sync + 'static> Layer for F {
    fn seal(&self, session: &SessionKey, json: &Json) -> Result<Json, StoreError> {
        Ok(self(session, json))
    }

    fn open(&self, _: &SessionKey, json: Json) -> Result<Json, StoreError> {
        Ok(json)
    }
}

/// A store that keeps what a [`Layer`] makes of each entry and summary. Keys, the names of
/// parts, positions and tokens are as they are.
#[derive(Debug, Clone)]
pub struct Layered<S, L> {
    store: S,
    layer: L,
}

impl<S, L> Layered<S, L> {
    /// Creates a store over another one.
    pub fn new(store: S, layer: L) -> Self {
        Self { store, layer }
    }
}

impl<S: LogStore, L: Layer> LogStore for Layered<S, L> {
    async fn append(
        &self,
        session: &SessionKey,
        batch: &NewBatch<'_>,
    ) -> Result<Position, AppendError> {
        let seal = |json| self.layer.seal(session, json).map_err(AppendError::Failed);
        let mut entries = Vec::with_capacity(batch.entries.len());
        for entry in batch.entries {
            entries.push(Entry::new(entry.part.clone(), seal(&entry.json)?));
        }
        let summary = batch.summary.map(seal).transpose()?;
        let mut sealed = NewBatch::new(batch.after, batch.token, &entries);
        sealed.summary = summary.as_ref();
        self.store.append(session, &sealed).await
    }

    async fn head(&self, session: &SessionKey) -> Result<Option<Head>, StoreError> {
        self.store.head(session).await
    }

    async fn read(&self, session: &SessionKey, after: Position) -> Result<Vec<Batch>, StoreError> {
        let mut batches = self.store.read(session, after).await?;
        for entry in batches.iter_mut().flat_map(|batch| &mut batch.entries) {
            let sealed = std::mem::replace(&mut entry.json, Json::null());
            entry.json = self.layer.open(session, sealed)?;
        }
        Ok(batches)
    }

    async fn list(&self, project: &str) -> Result<Vec<StoredSession>, StoreError> {
        self.store.list(project).await
    }

    async fn summaries(
        &self,
        project: &str,
    ) -> Result<Vec<(StoredSession, Option<Json>)>, StoreError> {
        let mut found = self.store.summaries(project).await?;
        for (session, summary) in &mut found {
            let key = SessionKey::new(project, &session.id);
            let sealed = summary.take();
            *summary = sealed.map(|it| self.layer.open(&key, it)).transpose()?;
        }
        Ok(found)
    }

    async fn parts(&self, session: &SessionKey) -> Result<Vec<Part>, StoreError> {
        self.store.parts(session).await
    }

    async fn delete(&self, session: &SessionKey, token: &Token) -> Result<(), AppendError> {
        self.store.delete(session, token).await
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{LogBacked, Memory};
    use agentwire::{SessionStore, TranscriptKey};

    struct Refuses;

    impl Layer for Refuses {
        fn seal(&self, _: &SessionKey, json: &Json) -> Result<Json, StoreError> {
            match json.get().contains("secret") {
                true => Err("it has a secret".into()),
                false => Ok(json.clone()),
            }
        }

        fn open(&self, _: &SessionKey, _: Json) -> Result<Json, StoreError> {
            Err("it is closed".into())
        }
    }

    fn entry(text: &str) -> Json {
        serde_json::json!({ "type": "user", "message": { "content": text } }).into()
    }

    #[tokio::test]
    async fn what_is_redacted_is_nowhere_in_the_store() {
        let redact =
            |_: &SessionKey, entry: &Json| Json::of_text(entry.get().replace("hunter2", "…"));
        let memory = Memory::new();
        let store = LogBacked::new(Layered::new(memory.clone(), redact));
        let key = TranscriptKey::new("crabs", "0d4f7d6a-0c67-4c92-b1a5-3ef1b7d3c3a7").unwrap();
        store
            .append(&key, &[entry("It is hunter2.")])
            .await
            .unwrap();
        store
            .append_inbox(&key, &[entry("And hunter2.")])
            .await
            .unwrap();
        let found = store.load(&key).await.unwrap().unwrap();
        assert_eq!(found, [entry("It is ….")]);
        assert_eq!(store.load_inbox(&key).await.unwrap(), [entry("And ….")]);
        let batches = memory.read(&SessionKey::from(&key), Position::START).await;
        let summaries = memory.summaries("crabs").await.unwrap();
        let all = format!("{:?} {summaries:?}", batches.unwrap());
        assert!(all.contains('…') && !all.contains("hunter2"), "{all}");
    }

    #[tokio::test]
    async fn what_a_layer_refuses_is_not_kept_and_what_it_cannot_open_is_an_error() {
        let memory = Memory::new();
        let store = Layered::new(memory.clone(), Refuses);
        let session = SessionKey::new("crabs", "s");
        let token = Token::new(1, "one");
        let append = async |text: &str| {
            let entries = [
                Entry::new(Part::Main, entry("fine")),
                Entry::new(Part::Main, entry(text)),
            ];
            let batch = NewBatch::new(Position::START, &token, &entries);
            store.append(&session, &batch).await
        };
        let error = append("a secret").await.unwrap_err();
        assert_eq!(error.to_string(), "the store failed: it has a secret");
        assert_eq!(memory.head(&session).await.unwrap(), None);
        append("fine").await.unwrap();
        let error = store.read(&session, Position::START).await.unwrap_err();
        assert_eq!(error.to_string(), "it is closed");
    }
}

//! Layers over a store, which redact or encrypt entries.

use crate::session_log::{
    AppendError, Batch, Entry, Head, LogKey, LogStore, NewBatch, Part, Position, Summarized, Token,
};
use agentwire::store::{StoreError, StoredSession};
use agentwire_protocol::Json;

/// The location of an entry or a summary in a store.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Place<'a> {
    /// The summary of a session.
    Summary {
        /// The session.
        session: &'a LogKey,
    },
    /// An entry of a batch.
    Entry {
        /// The session.
        session: &'a LogKey,
        /// The part of the session.
        part: &'a Part,
        /// The position of the preceding batch. `None` for the first batch of a log that is read
        /// from its start, because the positions of a log continue after a deletion.
        after: Option<Position>,
        /// The position of the batch. `None` during the append.
        position: Option<Position>,
        /// The index in the batch.
        index: usize,
        /// The number of entries in the batch.
        count: usize,
    },
}

impl<'a> Place<'a> {
    /// Returns the session.
    #[must_use]
    pub fn session(&self) -> &'a LogKey {
        match self {
            Self::Summary { session } | Self::Entry { session, .. } => session,
        }
    }
}

/// Encodes entries before they are stored, and decodes them when they are read.
///
/// A function is a layer that redacts. Its result is stored, and read without change.
///
/// ```
/// use agentwire::protocol::Json;
/// use agentwire_stores::session_log::LogKey;
/// use agentwire_stores::{Layered, LogBacked, MemoryLog};
///
/// fn redact(_: &LogKey, entry: &Json) -> Json {
///     Json::of_text(entry.get().replace("hunter2", "…"))
/// }
///
/// let store = LogBacked::new(Layered::new(MemoryLog::new(), redact));
/// ```
pub trait Layer: Send + Sync + 'static {
    /// Encodes an entry or a summary for the store.
    ///
    /// # Errors
    ///
    /// The error fails the append.
    fn seal(&self, place: &Place<'_>, json: &Json) -> Result<Json, StoreError>;

    /// Decodes a stored entry or summary.
    ///
    /// # Errors
    ///
    /// The error of an entry fails the read. The error of a summary affects only this summary.
    fn open(&self, place: &Place<'_>, json: Json) -> Result<Json, StoreError>;
}

impl<F: Fn(&LogKey, &Json) -> Json + Send + Sync + 'static> Layer for F {
    fn seal(&self, place: &Place<'_>, json: &Json) -> Result<Json, StoreError> {
        Ok(self(place.session(), json))
    }

    fn open(&self, _: &Place<'_>, json: Json) -> Result<Json, StoreError> {
        Ok(json)
    }
}

/// A store whose entries and summaries are encoded by a [`Layer`]. Keys, names of parts,
/// positions and tokens are not encoded.
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

impl<S, L: Layer> Layered<S, L> {
    /// Decodes a page of batches after a position.
    pub(crate) fn open(
        &self,
        session: &LogKey,
        after: Position,
        page: &mut [Batch],
    ) -> Result<(), StoreError> {
        let mut after = (after != Position::START).then_some(after);
        for batch in page {
            let (position, count) = (batch.position, batch.entries.len());
            for (index, Entry { part, json, .. }) in batch.entries.iter_mut().enumerate() {
                let sealed = std::mem::replace(json, Json::null());
                let place = Place::Entry {
                    session,
                    part,
                    after,
                    position: Some(position),
                    index,
                    count,
                };
                *json = self.layer.open(&place, sealed)?;
            }
            after = Some(position);
        }
        Ok(())
    }
}

impl<S: LogStore, L: Layer> LogStore for Layered<S, L> {
    async fn append(
        &self,
        session: &LogKey,
        batch: &NewBatch<'_>,
    ) -> Result<Position, AppendError> {
        let seal = |place, json| self.layer.seal(&place, json).map_err(AppendError::Failed);
        let count = batch.entries.len();
        let mut entries = Vec::with_capacity(count);
        for (index, Entry { part, json, .. }) in batch.entries.iter().enumerate() {
            let place = Place::Entry {
                session,
                part,
                after: Some(batch.after),
                position: None,
                index,
                count,
            };
            entries.push(Entry::new(part.clone(), seal(place, json)?));
        }
        let summary = batch.summary;
        let summary = summary.map(|json| seal(Place::Summary { session }, json));
        let summary = summary.transpose()?;
        let mut sealed = NewBatch::new(batch.after, batch.token, &entries);
        sealed.summary = summary.as_ref();
        self.store.append(session, &sealed).await
    }

    async fn head(&self, session: &LogKey) -> Result<Option<Head>, StoreError> {
        self.store.head(session).await
    }

    async fn read(&self, session: &LogKey, after: Position) -> Result<Vec<Batch>, StoreError> {
        let mut batches = self.store.read(session, after).await?;
        self.open(session, after, &mut batches)?;
        Ok(batches)
    }

    async fn list(&self, project: &str) -> Result<Vec<StoredSession>, StoreError> {
        self.store.list(project).await
    }

    async fn summaries(&self, project: &str) -> Result<Vec<Summarized>, StoreError> {
        let found = self.store.summaries(project).await?.into_iter();
        let open = |(stored, summary): Summarized| {
            let session = &LogKey::new(project, &stored.id);
            let open = |json| self.layer.open(&Place::Summary { session }, json);
            let summary = summary.and_then(|sealed| sealed.map(open).transpose());
            (stored, summary)
        };
        Ok(found.map(open).collect())
    }

    async fn parts(&self, session: &LogKey) -> Result<Vec<Part>, StoreError> {
        self.store.parts(session).await
    }

    async fn delete(&self, session: &LogKey, token: &Token) -> Result<(), AppendError> {
        self.store.delete(session, token).await
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::LeasedStore;
    use crate::{LogBacked, MemoryLog};
    use agentwire::SessionStore;
    use agentwire::store::TranscriptKey;

    struct FailingLayer;

    impl Layer for FailingLayer {
        fn seal(&self, _: &Place<'_>, json: &Json) -> Result<Json, StoreError> {
            match json.get().contains("secret") {
                true => Err("the entry has a secret".into()),
                false => Ok(json.clone()),
            }
        }

        fn open(&self, _: &Place<'_>, _: Json) -> Result<Json, StoreError> {
            Err("cannot decode".into())
        }
    }

    fn entry(text: &str) -> Json {
        serde_json::json!({ "type": "user", "message": { "content": text } }).into()
    }

    #[tokio::test]
    async fn redacted_text_is_not_stored() {
        let redact = |_: &LogKey, entry: &Json| Json::of_text(entry.get().replace("hunter2", "…"));
        let memory = MemoryLog::new();
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
        let batches = memory.read(&LogKey::from(&key), Position::START).await;
        let summaries = memory.summaries("crabs").await.unwrap();
        let all = format!("{:?} {summaries:?}", batches.unwrap());
        assert!(all.contains('…') && !all.contains("hunter2"), "{all}");
    }

    #[tokio::test]
    async fn errors_of_a_layer_fail_appends_and_reads() {
        let memory = MemoryLog::new();
        let store = Layered::new(memory.clone(), FailingLayer);
        let session = LogKey::new("crabs", "s");
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
        assert_eq!(
            error.to_string(),
            "the store failed: the entry has a secret"
        );
        assert_eq!(memory.head(&session).await.unwrap(), None);
        append("fine").await.unwrap();
        let error = store.read(&session, Position::START).await.unwrap_err();
        assert_eq!(error.to_string(), "cannot decode");
    }
}

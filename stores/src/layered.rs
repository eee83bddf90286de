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

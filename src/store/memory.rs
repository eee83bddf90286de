//! A store in memory.

use super::{EntryHead, SessionStore, StoreError, StoredSession, TranscriptKey};
use agentwire_protocol::Json;
use agentwire_protocol::sorted::SortedMap;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// A store in memory, for tests. Clones share their contents.
///
/// Entries whose `uuid` is already stored are not stored again.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore(Arc<Mutex<Transcripts>>);

#[derive(Debug, Default)]
struct Transcripts {
    by_key: SortedMap<TranscriptKey, Transcript>,
    /// The time of the last append to any transcript. Times are unique.
    last: Option<SystemTime>,
}

#[derive(Debug)]
struct Transcript {
    entries: Vec<Json>,
    ids: HashSet<String>,
    modified: SystemTime,
}

impl MemoryStore {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the keys of all transcripts. Those of sub-agents follow that of
    /// their session.
    #[must_use]
    pub fn keys(&self) -> Vec<TranscriptKey> {
        self.lock().by_key.keys().cloned().collect()
    }

    /// Returns the entries of a transcript, or none if it does not exist.
    #[must_use]
    pub fn entries(&self, key: &TranscriptKey) -> Vec<Json> {
        let all = self.lock();
        let transcript = all.by_key.get(key);
        transcript.map_or_else(Vec::new, |it| it.entries.clone())
    }

    /// A panic cannot leave a partial change.
    fn lock(&self) -> MutexGuard<'_, Transcripts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Transcripts {
    /// Returns the current time, or the next later one if it is taken.
    fn now(&mut self) -> SystemTime {
        let now = SystemTime::now();
        let now = match self.last {
            Some(last) => now.max(last + Duration::from_millis(1)),
            None => now,
        };
        self.last = Some(now);
        now
    }
}

impl SessionStore for MemoryStore {
    async fn append(&self, key: &TranscriptKey, entries: &[Json]) -> Result<(), StoreError> {
        if entries.is_empty() {
            return Ok(());
        }
        let mut all = self.lock();
        let now = all.now();
        let transcript = all.by_key.get_or_insert_with(key.clone(), || Transcript {
            entries: Vec::new(),
            ids: HashSet::new(),
            modified: now,
        });
        transcript.modified = now;
        for entry in entries {
            let is_new = match EntryHead::of(entry).and_then(|head| head.uuid) {
                Some(uuid) => transcript.ids.insert(uuid),
                None => true,
            };
            if is_new {
                transcript.entries.push(entry.clone());
            }
        }
        Ok(())
    }

    async fn load(&self, key: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
        let all = self.lock();
        Ok(all.by_key.get(key).map(|it| it.entries.clone()))
    }

    async fn sessions(&self, project: &str) -> Result<Vec<StoredSession>, StoreError> {
        let all = self.lock();
        let sessions = (all.by_key.entries().iter())
            .filter(|(key, _)| key.project() == project && key.subpath().is_none())
            .map(|(key, it)| StoredSession::new(key.session_id(), it.modified));
        Ok(sessions.collect())
    }

    async fn subpaths(&self, session: &TranscriptKey) -> Result<Vec<String>, StoreError> {
        let all = self.lock();
        let parts = (all.by_key.keys())
            .filter(|key| key.is_of(session))
            .filter_map(|key| key.subpath().map(str::to_owned));
        Ok(parts.collect())
    }

    async fn delete(&self, key: &TranscriptKey) -> Result<(), StoreError> {
        let is_of_it = |it: &TranscriptKey| match key.subpath() {
            Some(_) => it == key,
            None => it.is_of(key),
        };
        self.lock().by_key.retain(|it, _| !is_of_it(it));
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    #[tokio::test]
    async fn entries_are_loaded_once_and_in_order() {
        let store = MemoryStore::new();
        let (one, two) = (
            TranscriptKey::new("p", "1").unwrap(),
            TranscriptKey::new("p", "2").unwrap(),
        );
        let entry = |uuid: &str| Json::from(json!({ "type": "user", "uuid": uuid }));
        let title = Json::from(json!({ "type": "title" }));
        let first = [entry("a"), title.clone(), entry("b")];
        store.append(&one, &first).await.unwrap();
        store.append(&two, &first[..1]).await.unwrap();
        let part = two.part("subagents/agent-a").unwrap();
        store.append(&part, &[entry("z")]).await.unwrap();
        let again = [entry("b"), title.clone(), entry("c")];
        store.append(&one, &again).await.unwrap();

        let all = [entry("a"), title.clone(), entry("b"), title, entry("c")];
        assert_eq!(store.load(&one).await.unwrap().unwrap(), all);
        assert_eq!(store.entries(&one), all);
        assert_eq!(store.keys(), [one.clone(), two.clone(), part]);
        assert_eq!(store.subpaths(&two).await.unwrap(), ["subagents/agent-a"]);
        assert!(store.subpaths(&one).await.unwrap().is_empty());
        assert!(store.load(&one.part("x").unwrap()).await.unwrap().is_none());
        assert!(store.sessions("q").await.unwrap().is_empty());
        let last = store.sessions("p").await.unwrap();
        let last = last.into_iter().max_by_key(|it| it.modified).unwrap();
        assert_eq!(last.id, "1");
        store.delete(&two).await.unwrap();
        assert_eq!(store.keys(), [one]);
    }
}

//! The fixture of contracts: a store, and keys that no other program uses.

use super::super::keys;
use super::super::optional::Optional;
use super::super::requirements::Requirements;
use agentwire::SessionStore;
use agentwire::store::{StoreError, TranscriptKey};
use agentwire_protocol::Json;
use serde_json::{Value, json};
use std::sync::Arc;

/// A store under test.
pub(in super::super) struct Fixture<S> {
    pub(super) store: Arc<S>,
    pub(super) requirements: Requirements,
    without: Arc<[Optional]>,
    /// The prefix of the contract's projects.
    name: String,
}

impl<S> Clone for Fixture<S> {
    fn clone(&self) -> Self {
        Self {
            store: Arc::clone(&self.store),
            requirements: self.requirements,
            without: Arc::clone(&self.without),
            name: self.name.clone(),
        }
    }
}

impl<S: SessionStore> Fixture<S> {
    pub(in super::super) fn new(
        store: Arc<S>,
        requirements: Requirements,
        without: Arc<[Optional]>,
    ) -> Self {
        Self {
            store,
            requirements,
            without,
            name: keys::unique(),
        }
    }

    /// Returns whether the store supports a method.
    pub(super) fn has(&self, method: Optional) -> bool {
        !self.without.contains(&method)
    }

    /// Returns a project of this contract.
    pub(super) fn project(&self, name: &str) -> String {
        format!("{}-{name}", self.name)
    }

    /// Returns the default session of the contract.
    pub(super) fn key(&self) -> TranscriptKey {
        self.key_of("proj", "sess")
    }

    /// Returns a part of the default session.
    pub(super) fn part(&self, subpath: &str) -> TranscriptKey {
        self.key().part(subpath).expect("a valid key")
    }

    pub(super) fn key_of(&self, project: &str, session: &str) -> TranscriptKey {
        TranscriptKey::new(self.project(project), session).expect("a valid key")
    }

    /// Appends entries to a transcript. The store must accept them.
    pub(super) async fn append(&self, key: &TranscriptKey, entries: &[Json]) {
        self.try_append(key, entries)
            .await
            .expect("entries are stored");
    }

    pub(super) async fn try_append(
        &self,
        key: &TranscriptKey,
        entries: &[Json],
    ) -> Result<(), StoreError> {
        self.store.append(key, entries).await
    }

    /// Loads a transcript.
    pub(super) async fn load(&self, key: &TranscriptKey) -> Option<Vec<Json>> {
        let loaded = self.store.load(key).await;
        loaded.expect("a transcript can be loaded")
    }

    /// Asserts that a transcript does not exist.
    pub(super) async fn assert_absent(&self, key: &TranscriptKey) {
        let loaded = self.load(key).await;
        assert!(loaded.is_none(), "{} entries at {key:?}", len(&loaded));
    }

    /// Asserts that a transcript contains these entries.
    pub(super) async fn assert_transcript(&self, key: &TranscriptKey, wanted: &[Json]) {
        let loaded = self.load(key).await;
        let Some(found) = loaded else {
            panic!("{key:?} does not exist");
        };
        self.requirements.assert_entries(&found, wanted);
    }

    /// Asserts that all transcripts of a session contain these entries, if the
    /// store loads them with one call.
    pub(super) async fn assert_session(
        &self,
        session: &TranscriptKey,
        wanted: &[(&TranscriptKey, Vec<Json>)],
    ) {
        let loaded = self.store.load_session(session).await;
        let Some(found) = loaded.expect("a session can be loaded") else {
            return;
        };
        assert_eq!(found.len(), wanted.len(), "number of loaded transcripts");
        for (key, entries) in wanted {
            let found = found.iter().find(|(found, _)| found == *key);
            let Some((_, found)) = found else {
                panic!("{key:?} is not loaded with its session");
            };
            self.requirements.assert_entries(found, entries);
        }
    }

    /// Returns the session IDs of a project, sorted.
    pub(super) async fn ids(&self, project: &str) -> Vec<String> {
        let sessions = self.store.sessions(&self.project(project)).await;
        let sessions = sessions.expect("a list").into_iter();
        let mut ids: Vec<String> = sessions.map(|it| it.id).collect();
        ids.sort_unstable();
        ids
    }

    /// Returns the subpaths of a session, sorted.
    pub(super) async fn subpaths(&self, session: &TranscriptKey) -> Vec<String> {
        let subpaths = self.store.subpaths(session).await;
        let mut subpaths = subpaths.expect("subpaths");
        subpaths.sort_unstable();
        subpaths
    }
}

fn len(loaded: &Option<Vec<Json>>) -> usize {
    loaded.as_ref().map_or(0, Vec::len)
}

/// Creates an entry with these members.
pub(super) fn entry(members: Value) -> Json {
    let mut entry = json!({ "type": "x" });
    if let (Value::Object(entry), Value::Object(members)) = (&mut entry, members) {
        entry.extend(members);
    }
    entry.into()
}

/// Creates an entry with this text.
pub(super) fn text(text: &str) -> Json {
    text.parse().expect("JSON")
}

/// Creates numbered entries.
pub(super) fn numbered(numbers: impl IntoIterator<Item = usize>) -> Vec<Json> {
    let entry = |n: usize| entry(json!({ "uuid": format!("u-{n}"), "n": n }));
    numbers.into_iter().map(entry).collect()
}

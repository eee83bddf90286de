//! What contracts work with: a store, and keys that no other program has.

use super::super::demands::Demands;
use super::super::keys;
use super::super::optional::Optional;
use agentwire::SessionStore;
use agentwire::store::{StoreError, TranscriptKey};
use agentwire_protocol::Json;
use serde_json::{Value, json};
use std::sync::Arc;

/// A store under test.
pub(in super::super) struct Bed<S> {
    pub(super) store: Arc<S>,
    pub(super) demands: Demands,
    without: Arc<[Optional]>,
    /// What the projects of this contract begin with.
    name: String,
}

impl<S> Clone for Bed<S> {
    fn clone(&self) -> Self {
        Self {
            store: Arc::clone(&self.store),
            demands: self.demands,
            without: Arc::clone(&self.without),
            name: self.name.clone(),
        }
    }
}

impl<S: SessionStore> Bed<S> {
    pub(in super::super) fn new(store: Arc<S>, demands: Demands, without: Arc<[Optional]>) -> Self {
        Self {
            store,
            demands,
            without,
            name: keys::unique(),
        }
    }

    /// Whether the store has a method.
    pub(super) fn has(&self, method: Optional) -> bool {
        !self.without.contains(&method)
    }

    /// A project of this contract.
    pub(super) fn project(&self, name: &str) -> String {
        format!("{}-{name}", self.name)
    }

    /// The session of a contract that needs one.
    pub(super) fn key(&self) -> TranscriptKey {
        self.key_of("proj", "sess")
    }

    /// A part of this session.
    pub(super) fn part(&self, subpath: &str) -> TranscriptKey {
        self.key().part(subpath).expect("a valid key")
    }

    pub(super) fn key_of(&self, project: &str, session: &str) -> TranscriptKey {
        TranscriptKey::new(self.project(project), session).expect("a valid key")
    }

    /// Appends entries, which have to be kept.
    pub(super) async fn append(&self, key: &TranscriptKey, entries: &[Json]) {
        self.tried(key, entries).await.expect("entries are kept");
    }

    pub(super) async fn tried(
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

    /// There is no such transcript.
    pub(super) async fn has_none(&self, key: &TranscriptKey) {
        let loaded = self.load(key).await;
        assert!(loaded.is_none(), "{} entries at {key:?}", len(&loaded));
    }

    /// Holds a transcript against what was appended.
    pub(super) async fn holds(&self, key: &TranscriptKey, wanted: &[Json]) {
        let loaded = self.load(key).await;
        let Some(found) = loaded else {
            panic!("there is nothing at {key:?}");
        };
        self.demands.are_same(&found, wanted);
    }

    /// Holds all transcripts of a session against what was appended, if the store loads them
    /// with one call.
    pub(super) async fn holds_all(
        &self,
        session: &TranscriptKey,
        wanted: &[(&TranscriptKey, Vec<Json>)],
    ) {
        let loaded = self.store.load_session(session).await;
        let Some(found) = loaded.expect("a session can be loaded") else {
            return;
        };
        assert_eq!(found.len(), wanted.len(), "transcripts are loaded");
        for (key, entries) in wanted {
            let found = found.iter().find(|(found, _)| found == *key);
            let Some((_, found)) = found else {
                panic!("{key:?} is not loaded with its session");
            };
            self.demands.are_same(found, entries);
        }
    }

    /// The IDs of a project's sessions, sorted.
    pub(super) async fn ids(&self, project: &str) -> Vec<String> {
        let sessions = self.store.sessions(&self.project(project)).await;
        let sessions = sessions.expect("a list").into_iter();
        let mut ids: Vec<String> = sessions.map(|it| it.id).collect();
        ids.sort_unstable();
        ids
    }

    /// The subpaths of a session, sorted.
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

/// An entry with these members.
pub(super) fn entry(members: Value) -> Json {
    let mut entry = json!({ "type": "x" });
    if let (Value::Object(entry), Value::Object(members)) = (&mut entry, members) {
        entry.extend(members);
    }
    entry.into()
}

/// An entry with this text.
pub(super) fn text(text: &str) -> Json {
    text.parse().expect("JSON")
}

/// Numbered entries.
pub(super) fn numbered(numbers: impl IntoIterator<Item = usize>) -> Vec<Json> {
    let entry = |n: usize| entry(json!({ "uuid": format!("u-{n}"), "n": n }));
    numbers.into_iter().map(entry).collect()
}

//! Tests of `LogBacked` as a session store.

#![allow(clippy::unwrap_used)]

#[cfg(unix)]
mod copies;

use agentwire::SessionStore;
use agentwire::store::{MemoryStore, StoreError, TranscriptKey};
use agentwire_protocol::Json;
use agentwire_protocol::transcript::fold_summary;
use agentwire_stores::{Layer, Layered, LogBacked, MemoryLog, Place};
use agentwire_testkit::stores::{Conformance, Optional, Outcome};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn store() -> LogBacked<MemoryLog> {
    LogBacked::new(MemoryLog::new())
}

fn key() -> TranscriptKey {
    TranscriptKey::new("proj", "sess").unwrap()
}

fn entry(value: Value) -> Json {
    let mut entry = json!({ "type": "x" });
    let members = value.as_object().unwrap().clone();
    entry.as_object_mut().unwrap().extend(members);
    entry.into()
}

fn numbered(numbers: &[u64]) -> Vec<Json> {
    let entry = |n: &u64| entry(json!({ "uuid": format!("u-{n}"), "n": n }));
    numbers.iter().map(entry).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn log_backed_memory_passes_as_a_session_store() {
    let outcomes = Conformance::default().check_transcripts(store()).await;
    assert!(outcomes.all_hold(), "{outcomes}");
    assert!(outcomes.0.iter().all(Outcome::holds), "{outcomes}");
}

#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn log_backed_sqlite_passes_as_a_session_store() {
    let folder = agentwire_testing::tempdir().unwrap();
    let store = agentwire_stores::Sqlite::open(folder.path().join("sessions.db")).unwrap();
    let store = LogBacked::new(store);
    let outcomes = Conformance::default().check_transcripts(store).await;
    assert!(outcomes.all_hold(), "{outcomes}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory_store_passes_the_supported_cases() {
    let conformance = Conformance::default().without(Optional::Summaries);
    let outcomes = conformance.check_transcripts(MemoryStore::new()).await;
    assert!(outcomes.all_hold(), "{outcomes}");
}

#[tokio::test]
async fn summaries_continue_across_hosts() {
    let store = store();
    let titled = |title: &str| entry(json!({ "customTitle": title }));
    let (first, second) = (titled("first"), titled("second"));
    store
        .append(&key(), std::slice::from_ref(&first))
        .await
        .unwrap();
    let store = LogBacked::new(store.log_store().clone());
    store
        .append(&key(), std::slice::from_ref(&second))
        .await
        .unwrap();
    let summaries = store.summaries("proj").await.unwrap();
    let found = summaries[0].1.as_ref().unwrap();
    assert_eq!(*found, fold_summary(None, [&first, &second]));
}

/// Counts the entries that are read.
#[derive(Clone, Default)]
struct Counted(Arc<AtomicUsize>);

impl Layer for Counted {
    fn seal(&self, _: &Place<'_>, json: &Json) -> Result<Json, StoreError> {
        Ok(json.clone())
    }

    fn open(&self, _: &Place<'_>, json: Json) -> Result<Json, StoreError> {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ok(json)
    }
}

#[tokio::test]
async fn sessions_with_sub_agents_are_loaded_in_one_pass() {
    let counted = Counted::default();
    let store = LogBacked::new(Layered::new(MemoryLog::new(), counted.clone()));
    store.append(&key(), &numbered(&[1, 2])).await.unwrap();
    for number in 1..=20 {
        let sub = key().part(format!("subagents/agent-{number}")).unwrap();
        store.append(&sub, &numbered(&[3, 4])).await.unwrap();
    }
    counted.0.store(0, Ordering::SeqCst);
    let loaded = store.load_session(&key()).await.unwrap().unwrap();
    assert_eq!(loaded.len(), 21);
    assert_eq!(counted.0.load(Ordering::SeqCst), 42);
}

#[tokio::test]
async fn the_previous_owner_is_refused() {
    let logs = MemoryLog::new();
    let (one, other) = (LogBacked::new(logs.clone()), LogBacked::new(logs));
    one.append(&key(), &numbered(&[1])).await.unwrap();
    other.append(&key(), &numbered(&[2])).await.unwrap();
    for _ in 0..2 {
        let refused = one.append(&key(), &numbered(&[3])).await.unwrap_err();
        let reason = "the log is owned by token 2";
        assert!(refused.to_string().contains(reason), "{refused}");
        // The store does not take the log over for other entries, either.
        let refused = one.append(&key(), &numbered(&[4])).await.unwrap_err();
        assert!(refused.to_string().contains(reason), "{refused}");
    }
    other.append(&key(), &numbered(&[5])).await.unwrap();
    assert_eq!(
        other.load(&key()).await.unwrap(),
        Some(numbered(&[1, 2, 5]))
    );
}

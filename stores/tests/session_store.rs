//! Logs as stores for transcripts.

#![allow(clippy::unwrap_used)]

#[cfg(unix)]
mod copies;

use agentwire::SessionStore;
use agentwire::store::{MemoryStore, StoreError, StoredSession, TranscriptKey};
use agentwire_protocol::Json;
use agentwire_protocol::transcript::fold_summary;
use agentwire_stores::session_log::{
    AppendError, Batch, Head, LogKey, LogStore, NewBatch, Part, Position, Summarized, Token,
};
use agentwire_stores::{Layer, Layered, LogBacked, MemoryLog, Place};
use agentwire_testkit::stores::{Conformance, Optional, Outcome};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

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
async fn a_log_as_a_store_holds_every_contract_of_transcripts() {
    let outcomes = Conformance::default().check_transcripts(store()).await;
    assert!(outcomes.all_hold(), "{outcomes}");
    assert!(outcomes.0.iter().all(Outcome::holds), "{outcomes}");
}

#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_as_a_store_holds_every_contract_of_transcripts() {
    let folder = tempfile::tempdir().unwrap();
    let store = agentwire_stores::Sqlite::open(folder.path().join("sessions.db")).unwrap();
    let store = LogBacked::new(store);
    let outcomes = Conformance::default().check_transcripts(store).await;
    assert!(outcomes.all_hold(), "{outcomes}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_store_in_memory_holds_every_contract_that_it_has_a_method_for() {
    let conformance = Conformance::default().without(Optional::Summaries);
    let outcomes = conformance.check_transcripts(MemoryStore::new()).await;
    assert!(outcomes.all_hold(), "{outcomes}");
}

#[tokio::test]
async fn a_host_goes_on_with_the_summary_of_another() {
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
async fn a_session_with_sub_agents_is_loaded_with_one_pass() {
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
async fn of_two_stores_that_write_a_session_the_one_before_is_refused() {
    let logs = MemoryLog::new();
    let (one, other) = (LogBacked::new(logs.clone()), LogBacked::new(logs));
    one.append(&key(), &numbered(&[1])).await.unwrap();
    other.append(&key(), &numbered(&[2])).await.unwrap();
    for _ in 0..2 {
        let refused = one.append(&key(), &numbered(&[3])).await.unwrap_err();
        assert!(
            refused
                .to_string()
                .contains("the log is owned with token 2"),
            "{refused}"
        );
        // Other entries do not take it back.
        let refused = one.append(&key(), &numbered(&[4])).await.unwrap_err();
        assert!(
            refused
                .to_string()
                .contains("the log is owned with token 2"),
            "{refused}"
        );
    }
    other.append(&key(), &numbered(&[5])).await.unwrap();
    assert_eq!(
        other.load(&key()).await.unwrap(),
        Some(numbered(&[1, 2, 5]))
    );
}

/// What happens to an append.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Happens {
    /// It is kept, and the store says that it failed.
    Kept,
    /// It is not kept, and the store says that it failed.
    Lost,
    /// It is kept when the next one has arrived.
    Late,
}

/// Fails now and then.
struct Failing {
    store: MemoryLog,
    plan: Mutex<Vec<Happens>>,
    late: Mutex<Option<(Position, Token, Vec<agentwire_stores::session_log::Entry>)>>,
}

impl LogStore for Failing {
    async fn append(
        &self,
        session: &LogKey,
        batch: &NewBatch<'_>,
    ) -> Result<Position, AppendError> {
        let late = self.late.lock().unwrap().take();
        if let Some((after, token, entries)) = late {
            let late = NewBatch::new(after, &token, &entries);
            let _ = self.store.append(session, &late).await;
        }
        let happens = self.plan.lock().unwrap().pop();
        match happens {
            None => return self.store.append(session, batch).await,
            Some(Happens::Kept) => drop(self.store.append(session, batch).await?),
            Some(Happens::Lost) => {}
            Some(Happens::Late) => {
                let late = (batch.after, batch.token.clone(), batch.entries.to_vec());
                *self.late.lock().unwrap() = Some(late);
            }
        }
        Err(AppendError::failed("the line is cut"))
    }

    async fn head(&self, session: &LogKey) -> Result<Option<Head>, StoreError> {
        self.store.head(session).await
    }

    async fn read(&self, session: &LogKey, after: Position) -> Result<Vec<Batch>, StoreError> {
        self.store.read(session, after).await
    }

    async fn list(&self, project: &str) -> Result<Vec<StoredSession>, StoreError> {
        self.store.list(project).await
    }

    async fn summaries(&self, project: &str) -> Result<Vec<Summarized>, StoreError> {
        self.store.summaries(project).await
    }

    async fn parts(&self, session: &LogKey) -> Result<Vec<Part>, StoreError> {
        self.store.parts(session).await
    }

    async fn delete(&self, session: &LogKey, token: &Token) -> Result<(), AppendError> {
        self.store.delete(session, token).await
    }
}

/// Of three appends each may fail in three ways, and is made again or given up: what
/// succeeded is there once and in order, and what was given up is there at most once.
#[tokio::test]
async fn an_append_that_failed_is_there_once_or_not_at_all() {
    let ways = [
        None,
        Some(Happens::Kept),
        Some(Happens::Lost),
        Some(Happens::Late),
    ];
    let mut cases = 0;
    for first in ways {
        for second in ways {
            for again in 0..4 {
                cases += 1;
                let store = LogBacked::new(Failing {
                    store: MemoryLog::new(),
                    plan: Mutex::default(),
                    late: Mutex::default(),
                });
                let plan = |happens: Option<Happens>| {
                    *store.log_store().plan.lock().unwrap() = happens.into_iter().collect();
                };
                let mut succeeded = Vec::new();
                for (number, happens, is_again) in [
                    (1, first, again & 1 > 0),
                    (2, second, again & 2 > 0),
                    (3, None, false),
                ] {
                    plan(happens);
                    let entries = numbered(&[number]);
                    let mut outcome = store.append(&key(), &entries).await;
                    if outcome.is_err() && is_again {
                        outcome = store.append(&key(), &entries).await;
                        assert!(outcome.is_ok(), "{outcome:?}");
                    }
                    if outcome.is_ok() {
                        succeeded.extend(entries);
                    }
                }
                let found = store.load(&key()).await.unwrap().unwrap();
                let case = format!("{first:?} {second:?} {again}: {found:?}");
                let kept: Vec<_> = found.iter().filter(|it| succeeded.contains(it)).collect();
                assert_eq!(kept, succeeded.iter().collect::<Vec<_>>(), "{case}");
                let mut once = found.clone();
                once.dedup();
                assert_eq!(once, found, "{case}");
            }
        }
    }
    assert_eq!(cases, 64);
}

//! Logs as stores for transcripts: the contracts that the official Python SDK has for
//! those, by their names there, and what they do not ask.

#![allow(clippy::unwrap_used)]

use agentwire::session_log::{
    AppendError, Batch, Head, LogStore, NewBatch, Part, Position, SessionKey, Token,
};
use agentwire::{SessionStore, StoreError, StoredSession, TranscriptKey};
use agentwire_protocol::Json;
use agentwire_protocol::transcript::{Summary, fold_summary};
use agentwire_stores::{LogBacked, Memory};
use serde_json::{Value, json};
use std::sync::Mutex;
use std::time::{Duration, UNIX_EPOCH};

fn store() -> LogBacked<Memory> {
    LogBacked::new(Memory::new())
}

fn key() -> TranscriptKey {
    TranscriptKey::new("proj", "sess")
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

async fn ids(store: &impl SessionStore, project: &str) -> Vec<String> {
    let sessions = store.sessions(project).await.unwrap();
    let mut ids: Vec<String> = sessions.into_iter().map(|it| it.id).collect();
    ids.sort_unstable();
    ids
}

#[tokio::test]
async fn append_then_load_returns_same_entries_in_same_order() {
    let store = store();
    store.append(&key(), &numbered(&[2, 1])).await.unwrap();
    assert_eq!(store.load(&key()).await.unwrap(), Some(numbered(&[2, 1])));
}

#[tokio::test]
async fn load_unknown_key_returns_none() {
    let store = store();
    let nope = TranscriptKey::new("proj", "nope");
    assert_eq!(store.load(&nope).await.unwrap(), None);
    store.append(&key(), &numbered(&[1])).await.unwrap();
    assert_eq!(store.load(&key().part("nope")).await.unwrap(), None);
}

#[tokio::test]
async fn multiple_append_calls_preserve_call_order() {
    let store = store();
    for batch in [&[9][..], &[1, 5], &[2]] {
        store.append(&key(), &numbered(batch)).await.unwrap();
    }
    let all = numbered(&[9, 1, 5, 2]);
    assert_eq!(store.load(&key()).await.unwrap(), Some(all));
}

#[tokio::test]
async fn append_of_nothing_is_a_no_op() {
    let store = store();
    store.append(&key(), &[]).await.unwrap();
    assert_eq!(store.load(&key()).await.unwrap(), None);
    store.append(&key(), &numbered(&[1])).await.unwrap();
    store.append(&key(), &[]).await.unwrap();
    assert_eq!(store.load(&key()).await.unwrap(), Some(numbered(&[1])));
}

#[tokio::test]
async fn subpath_keys_are_stored_independently_of_main() {
    let store = store();
    let sub = key().part("subagents/agent-1");
    store.append(&key(), &numbered(&[1])).await.unwrap();
    store.append(&sub, &numbered(&[2])).await.unwrap();
    assert_eq!(store.load(&key()).await.unwrap(), Some(numbered(&[1])));
    assert_eq!(store.load(&sub).await.unwrap(), Some(numbered(&[2])));
}

#[tokio::test]
async fn project_key_isolation() {
    let store = store();
    let (a, b) = (TranscriptKey::new("A", "s1"), TranscriptKey::new("B", "s1"));
    store.append(&a, &numbered(&[1])).await.unwrap();
    store.append(&b, &numbered(&[2])).await.unwrap();
    assert_eq!(store.load(&a).await.unwrap(), Some(numbered(&[1])));
    assert_eq!(store.load(&b).await.unwrap(), Some(numbered(&[2])));
    assert_eq!(
        (ids(&store, "A").await.len(), ids(&store, "B").await.len()),
        (1, 1)
    );
}

#[tokio::test]
async fn list_sessions_returns_session_ids_for_project() {
    let store = store();
    for (project, id) in [("proj", "a"), ("proj", "b"), ("other", "c")] {
        let key = TranscriptKey::new(project, id);
        store.append(&key, &numbered(&[1])).await.unwrap();
    }
    assert_eq!(ids(&store, "proj").await, ["a", "b"]);
    assert_eq!(ids(&store, "never-appended-project").await, [""; 0]);
    // Not seconds since 1970 taken for milliseconds.
    let recent = UNIX_EPOCH + Duration::from_millis(1_000_000_000_000);
    let sessions = store.sessions("proj").await.unwrap();
    assert!(sessions.iter().all(|session| session.modified > recent));
}

#[tokio::test]
async fn list_sessions_excludes_subagent_subpaths() {
    let store = store();
    store.append(&key(), &numbered(&[1])).await.unwrap();
    let sub = key().part("subagents/agent-1");
    store.append(&sub, &numbered(&[1])).await.unwrap();
    assert_eq!(ids(&store, "proj").await, ["sess"]);
}

#[tokio::test]
async fn delete_main_then_load_returns_none() {
    let store = store();
    let never = TranscriptKey::new("proj", "never-written");
    store.delete(&never).await.unwrap();
    store.append(&key(), &numbered(&[1])).await.unwrap();
    store.delete(&key()).await.unwrap();
    assert_eq!(store.load(&key()).await.unwrap(), None);
    store.delete(&key()).await.unwrap();
    // And the session may begin again.
    store.append(&key(), &numbered(&[2])).await.unwrap();
    assert_eq!(store.load(&key()).await.unwrap(), Some(numbered(&[2])));
}

#[tokio::test]
async fn delete_main_cascades_to_subkeys() {
    let store = store();
    let subs = ["subagents/agent-1", "subagents/agent-2"].map(|it| key().part(it));
    let others = [
        TranscriptKey::new("proj", "sess2"),
        TranscriptKey::new("other-proj", "sess"),
    ];
    for key in [&key()].into_iter().chain(&subs).chain(&others) {
        store.append(key, &numbered(&[1])).await.unwrap();
    }
    store.delete(&key()).await.unwrap();
    for key in [&key()].into_iter().chain(&subs) {
        assert_eq!(store.load(key).await.unwrap(), None);
    }
    for key in &others {
        assert_eq!(store.load(key).await.unwrap(), Some(numbered(&[1])));
    }
    assert_eq!(store.subpaths(&key()).await.unwrap(), [""; 0]);
    assert_eq!(ids(&store, "proj").await, ["sess2"]);
}

#[tokio::test]
async fn delete_with_subpath_removes_only_that_subkey() {
    let store = store();
    let subs = ["subagents/agent-1", "subagents/agent-2"].map(|it| key().part(it));
    for key in [&key()].into_iter().chain(&subs) {
        store.append(key, &numbered(&[1])).await.unwrap();
    }
    store.delete(&subs[0]).await.unwrap();
    store.delete(&key().part("never")).await.unwrap();
    assert_eq!(store.load(&subs[0]).await.unwrap(), None);
    assert_eq!(store.load(&subs[1]).await.unwrap(), Some(numbered(&[1])));
    assert_eq!(store.load(&key()).await.unwrap(), Some(numbered(&[1])));
    assert_eq!(store.subpaths(&key()).await.unwrap(), ["subagents/agent-2"]);
    // It may be written again.
    store.append(&subs[0], &numbered(&[7])).await.unwrap();
    assert_eq!(store.load(&subs[0]).await.unwrap(), Some(numbered(&[7])));
    assert_eq!(store.subpaths(&key()).await.unwrap().len(), 2);
}

#[tokio::test]
async fn list_subkeys_returns_subpaths() {
    let store = store();
    let other = TranscriptKey::new("proj", "other-sess").part("subagents/agent-x");
    let subs = ["subagents/agent-1", "subagents/agent-2"];
    store.append(&key(), &numbered(&[1])).await.unwrap();
    store.append(&other, &numbered(&[1])).await.unwrap();
    for sub in subs {
        store
            .append(&key().part(sub), &numbered(&[1]))
            .await
            .unwrap();
    }
    assert_eq!(store.subpaths(&key()).await.unwrap(), subs);
}

#[tokio::test]
async fn list_subkeys_excludes_main_transcript() {
    let store = store();
    store.append(&key(), &numbered(&[1])).await.unwrap();
    assert_eq!(store.subpaths(&key()).await.unwrap(), [""; 0]);
    let never = TranscriptKey::new("proj", "never-appended");
    assert_eq!(store.subpaths(&never).await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn list_session_summaries_returns_persisted_fold_output() {
    let store = store();
    let titled =
        |title: &str, time: &str| entry(json!({ "customTitle": title, "timestamp": time }));
    let first = [
        titled("first", "2024-01-01T00:00:00.000Z"),
        entry(json!({ "n": 1 })),
    ];
    let second = [titled("second", "2024-01-01T00:00:02.000Z")];
    store.append(&key(), &first).await.unwrap();
    // Another store goes on with the summary of the first.
    let store = LogBacked::new(store.log_store().clone());
    store.append(&key(), &second).await.unwrap();
    let other = TranscriptKey::new("other", "elsewhere");
    store.append(&other, &first).await.unwrap();
    let summaries = store.summaries("proj").await.unwrap();
    let [(session, data)] = &summaries[..] else {
        panic!("{summaries:?}")
    };
    assert_eq!(*data, fold_summary(None, first.iter().chain(&second)));
    let shown = Summary::of_folded(data, None).unwrap();
    assert_eq!(shown.custom_title.as_deref(), Some("second"));
    assert_eq!(shown.created_at, Some(1_704_067_200_000));
    let listed = store.sessions("proj").await.unwrap();
    assert_eq!(listed, std::slice::from_ref(session));
    // Sub-agents have no part in it.
    let sub = key().part("subagents/agent-1");
    store
        .append(&sub, &[titled("subagent", "2024-01-01T00:00:09.000Z")])
        .await
        .unwrap();
    assert_eq!(store.summaries("proj").await.unwrap()[0].1, *data);
    assert_eq!(store.summaries("never-appended-project").await.unwrap(), []);
    store.delete(&key()).await.unwrap();
    assert_eq!(store.summaries("proj").await.unwrap(), []);
}

#[tokio::test]
async fn of_two_stores_that_write_a_session_the_one_before_is_refused() {
    let logs = Memory::new();
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
    store: Memory,
    plan: Mutex<Vec<Happens>>,
    late: Mutex<Option<(Position, Token, Vec<agentwire::session_log::Entry>)>>,
}

impl LogStore for Failing {
    async fn append(
        &self,
        session: &SessionKey,
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

    async fn head(&self, session: &SessionKey) -> Result<Option<Head>, StoreError> {
        self.store.head(session).await
    }

    async fn read(&self, session: &SessionKey, after: Position) -> Result<Vec<Batch>, StoreError> {
        self.store.read(session, after).await
    }

    async fn list(&self, project: &str) -> Result<Vec<StoredSession>, StoreError> {
        self.store.list(project).await
    }

    async fn summaries(
        &self,
        project: &str,
    ) -> Result<Vec<(StoredSession, Option<Json>)>, StoreError> {
        self.store.summaries(project).await
    }

    async fn parts(&self, session: &SessionKey) -> Result<Vec<Part>, StoreError> {
        self.store.parts(session).await
    }

    async fn delete(&self, session: &SessionKey, token: &Token) -> Result<(), AppendError> {
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
                    store: Memory::new(),
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

//! Tests of sessions that are copied to a store, and of sessions that are resumed from
//! it.

#![allow(clippy::unwrap_used)]

#[cfg(unix)]
mod resuming;
use crate::support;

use agentwire::protocol::Json;
use agentwire::store::{MemoryStore, StoreError, StoreFlush, TranscriptFailure, TranscriptKey};
use agentwire::{Client, Error, Event, Notice, Options, SessionStore};
use serde_json::{Value, json};
use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use support::peer::{Peer, connect};
use tokio::time::Instant;

const ID: &str = "11111111-2222-4333-8444-555555555555";

/// Returns the key of the session's main transcript, in the project `-p`.
fn main_key() -> TranscriptKey {
    TranscriptKey::new("-p", ID).unwrap()
}

fn entry(uuid: &str) -> Json {
    json!({ "type": "user", "uuid": uuid }).into()
}

/// Makes the agent report that it has added these entries to a transcript.
async fn adds(agent: &mut Peer, file: &str, uuids: &[&str]) {
    let entries: Vec<_> = uuids.iter().map(|uuid| entry(uuid)).collect();
    let path = format!("/home/crab/.claude/projects/-p/{file}.jsonl");
    let line = json!({ "type": "transcript_mirror", "filePath": path, "entries": entries });
    agent.says(&line.to_string()).await;
}

async fn ends_a_turn(agent: &mut Peer) {
    let result = json!({
        "type": "result", "subtype": "success", "is_error": false, "session_id": ID,
        "uuid": "r", "num_turns": 1, "duration_ms": 1, "duration_api_ms": 1,
        "total_cost_usd": 0, "usage": {}, "modelUsage": {}, "permission_denials": [],
    });
    agent.says(&result.to_string()).await;
}

/// The appended entries, and their transcript.
type Call = (TranscriptKey, Vec<Json>);

/// A store that records appended entries before it handles them.
#[derive(Clone)]
struct Recorder {
    calls: Arc<Mutex<Vec<Call>>>,
    attempts: Arc<AtomicUsize>,
    then: AppendOutcome,
}

#[derive(Clone, Copy)]
enum AppendOutcome {
    Succeed,
    /// This number of calls fails.
    Fail(usize),
    Hang,
    Panic,
}

impl Recorder {
    fn new(then: AppendOutcome) -> Self {
        Self {
            calls: Arc::default(),
            attempts: Arc::default(),
            then,
        }
    }

    /// Returns the number of entries of each accepted call, by transcript.
    fn calls(&self) -> Vec<(Option<String>, usize)> {
        let calls = self.calls.lock().unwrap();
        let calls = calls.iter();
        calls
            .map(|(key, entries)| (key.subpath().map(str::to_owned), entries.len()))
            .collect()
    }
}

impl SessionStore for Recorder {
    async fn append(&self, key: &TranscriptKey, entries: &[Json]) -> Result<(), StoreError> {
        let attempt = self.attempts.fetch_add(1, Ordering::SeqCst);
        match self.then {
            AppendOutcome::Fail(count) if attempt < count => return Err("full".into()),
            AppendOutcome::Hang => pending().await,
            AppendOutcome::Panic => panic!("a bug"),
            AppendOutcome::Succeed | AppendOutcome::Fail(_) => {}
        }
        let call = (key.clone(), entries.to_vec());
        self.calls.lock().unwrap().push(call);
        Ok(())
    }

    async fn load(&self, _: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
        match self.then {
            AppendOutcome::Succeed => Ok(None),
            AppendOutcome::Fail(_) => Err("no connection".into()),
            AppendOutcome::Hang => pending().await,
            AppendOutcome::Panic => panic!("a bug"),
        }
    }
}

/// Returns the next notice that the store is behind.
async fn next_store_behind(client: &mut Client) -> (usize, TranscriptFailure) {
    support::wait_for(client, |event| match event {
        Event::Notice(Notice::StoreBehind {
            entries, failure, ..
        }) => Some((*entries, failure.clone())),
        _ => None,
    })
    .await
}

/// Waits for the notice that the store has all entries again.
async fn caught_up(client: &mut Client) {
    support::wait_for(client, |event| {
        matches!(event, Event::Notice(Notice::StoreCaughtUp { .. })).then_some(())
    })
    .await;
}

/// Returns the next notice that entries are not in the store.
async fn not_mirrored(client: &mut Client) -> (Option<TranscriptKey>, usize, TranscriptFailure) {
    support::wait_for(client, |event| match event {
        Event::Notice(Notice::NotMirrored {
            key,
            entries,
            failure,
        }) => Some((key.clone(), *entries, failure.clone())),
        _ => None,
    })
    .await
}

#[tokio::test]
async fn the_entries_of_a_turn_are_stored_with_one_call_per_transcript() {
    let store = Recorder::new(AppendOutcome::Succeed);
    let (mut client, mut agent) = connect(Options::new().session_store(store.clone())).await;
    adds(&mut agent, ID, &["a", "b"]).await;
    let part = format!("{ID}/subagents/agent-a1");
    adds(&mut agent, &part, &["x"]).await;
    adds(&mut agent, ID, &["c"]).await;
    ends_a_turn(&mut agent).await;
    let events = support::wait_for(&mut client, |event| match event {
        Event::Frame(frame) => Some(frame.kind().to_owned()),
        _ => None,
    })
    .await;
    assert_eq!(events, "result", "what is for the store is for nobody else");
    client.flush_store().await.unwrap();
    let subagent = Some("subagents/agent-a1".to_owned());
    assert_eq!(store.calls(), [(None, 3), (subagent, 1)]);
    let all = store.calls.lock().unwrap()[0].clone();
    assert_eq!(all, (main_key(), vec![entry("a"), entry("b"), entry("c")]));
}

#[tokio::test]
async fn an_eager_store_gets_each_message_by_itself() {
    let store = Recorder::new(AppendOutcome::Succeed);
    let options = Options::new().session_store(store.clone());
    let options = options.session_store_flush(StoreFlush::Eager);
    let (client, mut agent) = connect(options).await;
    adds(&mut agent, ID, &["a", "b"]).await;
    adds(&mut agent, ID, &["c"]).await;
    // The response follows the entries.
    let receipt = json!({});
    let (answer, _) = tokio::join!(client.interrupt(), agent.answers(&receipt));
    answer.unwrap();
    client.flush_store().await.unwrap();
    assert_eq!(store.calls(), [(None, 2), (None, 1)]);
}

#[tokio::test]
async fn many_entries_do_not_wait_for_the_end_of_the_turn() {
    let store = Recorder::new(AppendOutcome::Succeed);
    let (_client, mut agent) = connect(Options::new().session_store(store.clone())).await;
    let many: Vec<_> = (0..501).map(|number| number.to_string()).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    adds(&mut agent, ID, &many).await;
    while store.calls().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(store.calls(), [(None, 501)]);
}

#[tokio::test]
async fn entries_at_the_end_of_the_agent_are_stored_before_the_session_ends() {
    let store = Recorder::new(AppendOutcome::Succeed);
    let (mut client, mut agent) = connect(Options::new().session_store(store.clone())).await;
    let far = async {
        while agent.input.next_line().await.unwrap().is_some() {}
        adds(&mut agent, ID, &["last"]).await;
        drop(agent);
    };
    tokio::join!(client.close(), far);
    assert_eq!(store.calls(), [(None, 1)]);
    assert!(matches!(client.flush_store().await, Err(Error::Ended(_))));
}

#[tokio::test(start_paused = true)]
async fn a_failed_call_is_retried_and_reported_after_three_attempts() {
    for failing in [2, 3, 8] {
        let store = Recorder::new(AppendOutcome::Fail(failing));
        let (mut client, mut agent) = connect(Options::new().session_store(store.clone())).await;
        let begun = Instant::now();
        adds(&mut agent, ID, &["a", "b"]).await;
        ends_a_turn(&mut agent).await;
        let full = TranscriptFailure::Failed("full".to_owned());
        for seconds in [1, 3, 8, 18, 48, 78].into_iter().take(failing - 2) {
            assert_eq!(next_store_behind(&mut client).await, (2, full.clone()));
            assert_eq!(begun.elapsed(), Duration::from_secs(seconds));
        }
        if failing > 2 {
            caught_up(&mut client).await;
        }
        while store.calls().is_empty() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(store.attempts.load(Ordering::SeqCst), failing + 1);
        assert_eq!(store.calls(), [(None, 2)]);
        // Later entries follow the failed ones.
        adds(&mut agent, ID, &["c"]).await;
        ends_a_turn(&mut agent).await;
        while store.calls().len() < 2 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(store.calls().last().unwrap(), &(None, 1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_flush_retries_at_once_and_fails_with_the_retry() {
    let store = Recorder::new(AppendOutcome::Fail(4));
    let (mut client, mut agent) = connect(Options::new().session_store(store.clone())).await;
    adds(&mut agent, ID, &["a", "b"]).await;
    ends_a_turn(&mut agent).await;
    next_store_behind(&mut client).await;
    let begun = Instant::now();
    let error = client.flush_store().await.unwrap_err();
    assert!(
        matches!(&error, Error::SessionStore { call: "append", of, .. } if *of == main_key().to_string()),
        "{error}"
    );
    client.flush_store().await.unwrap();
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_eq!(store.calls(), [(None, 2)]);
}

#[tokio::test(start_paused = true)]
async fn a_result_is_delivered_when_its_turn_is_stored_or_the_store_is_behind() {
    for (then, seconds, is_behind) in [
        (AppendOutcome::Succeed, 0, false),
        (AppendOutcome::Fail(2), 1, false),
        (AppendOutcome::Fail(9), 1, true),
        (AppendOutcome::Hang, 60, true),
    ] {
        let store = Recorder::new(then);
        let options = Options::new().session_store(store.clone());
        let options = options.session_store_flush(StoreFlush::BeforeResult);
        let (mut client, mut agent) = connect(options).await;
        let begun = Instant::now();
        adds(&mut agent, ID, &["a"]).await;
        ends_a_turn(&mut agent).await;
        let mut was_told = false;
        support::wait_for(&mut client, |event| match event {
            Event::Notice(Notice::StoreBehind { .. }) => {
                was_told = true;
                None
            }
            Event::Frame(frame) if frame.kind() == "result" => Some(()),
            _ => None,
        })
        .await;
        assert_eq!(begun.elapsed().as_secs(), seconds);
        assert_eq!(was_told, is_behind);
        assert_eq!(store.calls().is_empty(), is_behind);
        // The session continues.
        let receipt = json!({});
        let (answer, _) = tokio::join!(client.interrupt(), agent.answers(&receipt));
        answer.unwrap();
    }
}

#[tokio::test]
async fn entries_of_an_invalid_key_are_reported_and_others_stored() {
    let store = Recorder::new(AppendOutcome::Succeed);
    let (mut client, mut agent) = connect(Options::new().session_store(store.clone())).await;
    let files = [
        "..",
        "nul",
        "a\0b",
        "a:b",
        "a\\..\\b",
        "a//b",
        "a/../../../b",
        &"a".repeat(300),
    ];
    for file in files {
        adds(&mut agent, &format!("{ID}/subagents/{file}"), &["lost"]).await;
        let (key, entries, failure) = not_mirrored(&mut client).await;
        assert_eq!((key, entries), (None, 1), "{file:?}");
        assert!(
            matches!(failure, TranscriptFailure::InvalidMessage(_)),
            "{failure}"
        );
    }
    adds(&mut agent, ID, &["a"]).await;
    ends_a_turn(&mut agent).await;
    client.flush_store().await.unwrap();
    assert_eq!(store.calls(), [(None, 1)]);
}

#[tokio::test(start_paused = true)]
async fn a_held_result_is_delivered_before_the_end_of_the_session() {
    let store = Recorder::new(AppendOutcome::Hang);
    let options = Options::new().session_store(store.clone());
    let options = options.session_store_flush(StoreFlush::BeforeResult);
    let (mut client, mut agent) = connect(options).await;
    adds(&mut agent, ID, &["a"]).await;
    ends_a_turn(&mut agent).await;
    drop(agent);
    let mut seen = vec![];
    while let Some(event) = client.next().await {
        match event {
            Ok(Event::Frame(frame)) => seen.push(frame.kind().to_owned()),
            Ok(Event::Notice(Notice::NotMirrored { failure, .. })) => {
                assert_eq!(failure, TranscriptFailure::SessionOver);
                seen.push("notice".to_owned());
            }
            _ => {}
        }
    }
    assert_eq!(seen, ["result", "notice"]);
}

#[tokio::test(start_paused = true)]
async fn a_store_that_hangs_delays_no_event_and_is_reported() {
    let store = Recorder::new(AppendOutcome::Hang);
    let (mut client, mut agent) = connect(Options::new().session_store(store.clone())).await;
    let begun = Instant::now();
    adds(&mut agent, ID, &["a"]).await;
    ends_a_turn(&mut agent).await;
    let receipt = json!({});
    let (answer, _) = tokio::join!(client.interrupt(), agent.answers(&receipt));
    answer.unwrap();
    assert_eq!(begun.elapsed(), Duration::ZERO);
    let failure = TranscriptFailure::TimedOut(Duration::from_secs(60));
    assert_eq!(next_store_behind(&mut client).await, (1, failure.clone()));
    assert_eq!(begun.elapsed(), Duration::from_secs(60));
    assert_eq!(next_store_behind(&mut client).await, (1, failure));
    assert_eq!(
        store.attempts.load(Ordering::SeqCst),
        1,
        "what it did may come to be: first it is asked what it has"
    );
}

#[tokio::test(start_paused = true)]
async fn a_store_that_panics_is_behind() {
    let (mut client, mut agent) =
        connect(Options::new().session_store(Recorder::new(AppendOutcome::Panic))).await;
    adds(&mut agent, ID, &["a"]).await;
    ends_a_turn(&mut agent).await;
    let failure = TranscriptFailure::Panicked("a bug".to_owned());
    assert_eq!(next_store_behind(&mut client).await, (1, failure));
}

#[tokio::test(start_paused = true)]
async fn closing_times_out_and_reports_lost_entries() {
    let options = Options::new().session_store(Recorder::new(AppendOutcome::Hang));
    let options = options.session_store_flush(StoreFlush::Eager);
    let (mut client, mut agent) = connect(options).await;
    for uuid in ["a", "b", "c"] {
        adds(&mut agent, ID, &[uuid]).await;
    }
    let begun = Instant::now();
    let far = async {
        while agent.input.next_line().await.unwrap().is_some() {}
        drop(agent);
    };
    tokio::join!(client.close(), far);
    assert_eq!(begun.elapsed(), Duration::from_secs(10));
    let mut lost = 0;
    while let Some(event) = client.next().await {
        if let Event::Notice(Notice::NotMirrored {
            entries, failure, ..
        }) = event.unwrap()
        {
            assert_eq!(failure, TranscriptFailure::SessionOver);
            lost += entries;
        }
    }
    assert_eq!(lost, 3);
}

#[tokio::test]
async fn entries_without_a_transcript_are_reported() {
    let (mut client, mut agent) = connect(Options::new().session_store(MemoryStore::new())).await;
    adds(&mut agent, "no-session", &["a", "b"]).await;
    let (key, entries, failure) = not_mirrored(&mut client).await;
    assert_eq!((key, entries), (None, 2));
    assert!(
        failure.to_string().contains("no-session.jsonl"),
        "{failure}"
    );
    agent
        .says(r#"{"type":"transcript_mirror","filePath":7}"#)
        .await;
    let (key, entries, failure) = not_mirrored(&mut client).await;
    assert_eq!((key, entries), (None, 0));
    assert!(
        matches!(failure, TranscriptFailure::InvalidMessage(_)),
        "{failure}"
    );
}

#[tokio::test]
async fn without_a_store_the_report_is_an_ordinary_message() {
    let (mut client, mut agent) = connect(Options::new()).await;
    adds(&mut agent, ID, &["a"]).await;
    let message = support::wait_for(&mut client, |event| match event {
        Event::Frame(frame) => Some(serde_json::from_slice::<Value>(frame.raw()).unwrap()),
        _ => None,
    })
    .await;
    assert_eq!(message["type"], "transcript_mirror");
    client.flush_store().await.unwrap();
}

#[test]
fn options_that_exclude_a_store_are_refused() {
    let options = || Options::new().session_store(MemoryStore::new());
    let line = options().command_line().unwrap();
    assert!(line.arguments.contains(&"--session-mirror".to_owned()));
    for refused in [
        options().persist_session(false),
        options().file_checkpointing(true),
    ] {
        let error = refused.command_line().unwrap_err().to_string();
        assert!(error.starts_with("the option `session_store`"), "{error}");
    }
}

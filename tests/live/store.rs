//! Tests of sessions of the real CLI that are written to a store and resumed from it.

use crate::support::Live;
use crate::transcripts::branched;
use agentwire::protocol::Json;
use agentwire::store::{MemoryStore, StoreError, StoreFlush, TranscriptFailure, TranscriptKey};
use agentwire::{Client, Event, Notice, Options, SessionStore, query};
use agentwire_testkit::{Scenario, Step};
use serde_json::{Value, json};
use std::fs;
use std::future::pending;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn hello() -> Scenario {
    Scenario::default().reply([Step::text("Hello.")]).repeated()
}

/// Sends one prompt, and returns the ID of the session.
async fn ask(prompt: &str, options: Options) -> String {
    let mut answer = query(prompt, options).await.unwrap();
    let mut id = None;
    while let Some(event) = answer.next().await {
        match event.unwrap() {
            agentwire::Event::Notice(notice @ Notice::NotMirrored { .. }) => panic!("{notice}"),
            agentwire::Event::Frame(frame) => {
                assert_ne!(frame.kind(), "transcript_mirror");
                if frame.kind() == "result" {
                    let result: Value = serde_json::from_slice(frame.raw()).unwrap();
                    assert_eq!(result["is_error"], false, "{result}");
                    id = result["session_id"].as_str().map(str::to_owned);
                }
            }
            _ => {}
        }
    }
    id.unwrap()
}

/// Returns the CLI's own file of a transcript.
fn file_of(live: &Live, key: &TranscriptKey) -> PathBuf {
    let (project, session_id) = (key.project(), key.session_id());
    let projects = live.home.path().join(".claude/projects").join(project);
    match key.subpath() {
        Some(subpath) => projects.join(session_id).join(format!("{subpath}.jsonl")),
        None => projects.join(format!("{session_id}.jsonl")),
    }
}

/// Returns the entries of the CLI's own transcript that it reports to hosts.
fn transcript_entries(live: &Live, key: &TranscriptKey) -> Vec<Value> {
    let text = fs::read_to_string(file_of(live, key)).unwrap();
    let entries = text.lines().map(|line| serde_json::from_str(line).unwrap());
    entries
        .filter(|entry: &Value| !entry["type"].as_str().unwrap().starts_with("api-request"))
        .collect()
}

/// Compares lists of entries without printing all of them.
#[track_caller]
fn assert_same(one: &[Value], other: &[Value]) {
    let names = |entries: &[Value]| -> Vec<String> {
        let names = entries.iter();
        names
            .map(|entry| format!("{} {}", entry["type"], entry["uuid"]))
            .collect()
    };
    assert_eq!(names(one), names(other));
    let differs = one.iter().zip(other).find(|(one, other)| one != other);
    assert!(differs.is_none(), "{differs:?}");
}

fn trees(entries: &[Json]) -> Vec<Value> {
    entries.iter().map(|it| it.to_value().unwrap()).collect()
}

#[tokio::test]
async fn a_session_resumes_from_a_store_with_another_home_directory() {
    let first = Live::start(hello()).await;
    let store = MemoryStore::new();
    let options = first.options().session_store(store.clone());
    let id = ask("My name is Ferris.", options).await;
    let keys = store.keys();
    let [own] = &keys[..] else { panic!("{keys:?}") };
    assert_eq!(own.session_id(), id);
    let before = store.entries(own);
    assert_same(&trees(&before), &transcript_entries(&first, own));
    fs::remove_dir_all(first.home.path().join(".claude")).unwrap();

    for continues in [false, true] {
        let second = Live::start(hello()).await;
        let options = second.options().cwd(first.project());
        let options = options.session_store(store.clone());
        let options = match continues {
            false => options.resume(&id),
            true => options.continue_latest(true),
        };
        let same = ask("What is my name?", options).await;
        assert_eq!(same, id);
        let asked = second.model.asked(0).await.body.unwrap();
        let asked = asked["messages"].to_string();
        assert!(asked.contains("My name is Ferris."), "{asked}");
        // Only the store has the new entries of the session.
        let after = store.entries(own);
        assert_eq!(store.keys(), keys);
        assert_eq!(after[..before.len()], before);
        let added = after[before.len()..].iter().map(Json::get);
        let added: String = added.collect();
        assert!(added.contains("What is my name?"), "{added}");
        assert!(!second.home.path().join(".claude/projects").exists());
    }
}

#[tokio::test]
async fn a_fork_of_a_session_in_a_store_is_another_one() {
    let live = Live::start(hello()).await;
    let store = MemoryStore::new();
    let options = || live.options().session_store(store.clone());
    let id = ask("My name is Ferris.", options()).await;
    let fork = ask("And now?", options().resume(&id).fork_session(true)).await;
    assert_ne!(fork, id);
    let ids: Vec<_> = store
        .keys()
        .into_iter()
        .map(|key| key.session_id().to_owned())
        .collect();
    assert_eq!(ids.len(), 2, "{ids:?}");
    let own = store
        .keys()
        .into_iter()
        .find(|key| key.session_id() == fork);
    let all: String = store.entries(&own.unwrap()).iter().map(Json::get).collect();
    assert!(all.contains("My name is Ferris.") && all.contains("And now?"));
}

#[tokio::test]
async fn sub_agents_are_in_the_store_and_come_back_from_there() {
    let call = json!({
        "description": "Count", "prompt": "Count the crabs.",
        "subagent_type": "general-purpose", "run_in_background": false,
    });
    let mut scenario = Scenario::default()
        .reply([Step::tool("Agent", call, "")])
        .reply([Step::text("There are three.")])
        .reply([Step::text("Yes.")]);
    scenario.subagents = vec![vec![Step::text("Three crabs.")].into()];
    let live = Live::start(scenario).await;
    let store = MemoryStore::new();
    let options = live.options().session_store(store.clone());
    let options = options.allowed_tools(["Agent"]);
    let options = options.session_store_flush(StoreFlush::Eager);
    let id = ask("How many?", options.clone()).await;
    let keys = store.keys();
    let [own, part] = &keys[..] else {
        panic!("{keys:?}")
    };
    assert_same(&trees(&store.entries(own)), &transcript_entries(&live, own));
    let (known, said): (Vec<_>, Vec<_>) = trees(&store.entries(part))
        .into_iter()
        .partition(|entry| entry["type"] == "agent_metadata");
    assert_same(&said, &transcript_entries(&live, part));
    let mut known = known.last().unwrap().clone();
    known.as_object_mut().unwrap().remove("type");
    let beside = file_of(&live, part).with_extension("meta.json");
    let beside: Value = serde_json::from_slice(&fs::read(beside).unwrap()).unwrap();
    assert_eq!(known, beside);

    // The CLI accepts the restored transcript.
    fs::remove_dir_all(live.home.path().join(".claude")).unwrap();
    let mut client = Client::connect(options.resume(&id)).await.unwrap();
    client.send("Sure?").turn_ended().await.unwrap();
    client.flush_store().await.unwrap();
    let all: String = store.entries(own).iter().map(Json::get).collect();
    assert!(all.contains("Sure?"), "{all}");
    client.close().await;
}

/// The store has every live record of a session with branches, agents and a compaction
/// after each turn. Each turn resumes from the store, and would be refused if a record
/// were missing.
#[tokio::test]
async fn a_stored_session_is_always_complete() {
    let scenario = branched().reply([Step::text("Fifth.")]);
    let live = Live::start(scenario).await;
    let store = MemoryStore::new();
    let options = || {
        let options = live.options().allowed_tools(["Agent", "Bash"]);
        options.session_store(store.clone())
    };
    let id = ask("One", options()).await;
    // From here on, only the store has the transcript.
    fs::remove_dir_all(live.home.path().join(".claude")).unwrap();
    let on = || options().resume(&id);
    ask("Two", on()).await;
    let own = store.keys().remove(0);
    let last = |store: &MemoryStore| {
        let entries = trees(&store.entries(&own));
        let said = entries.iter().rfind(|it| it["type"] == "assistant");
        said.unwrap()["uuid"].as_str().unwrap().to_owned()
    };
    let second = last(&store);
    ask("Dead", on()).await;
    ask("Three", on().resume_at(second)).await;
    ask("/compact", on()).await;
    ask("Four", on()).await;
    ask("Fork", on().fork_session(true)).await;
    for key in store.keys() {
        let entries = trees(&store.entries(&key));
        let uuids: Vec<_> = entries.iter().map(|it| &it["uuid"]).collect();
        for entry in &entries {
            let parent = &entry["parentUuid"];
            assert!(
                parent.is_null() || uuids.contains(&parent),
                "{key}: {entry}"
            );
        }
    }
}

/// A store whose first calls fail.
#[derive(Clone)]
struct FailsAtFirst(MemoryStore, Arc<AtomicUsize>);

impl SessionStore for FailsAtFirst {
    async fn append(&self, key: &TranscriptKey, entries: &[Json]) -> Result<(), StoreError> {
        let left = self
            .1
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |it| it.checked_sub(1));
        match left {
            Ok(_) => Err("out of order".into()),
            Err(_) => self.0.append(key, entries).await,
        }
    }

    async fn load(&self, key: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
        self.0.load(key).await
    }
}

#[tokio::test]
async fn entries_beyond_the_memory_limit_are_read_from_the_agents_file() {
    let bash = |command: &str| Step::tool("Bash", json!({ "command": command }), "");
    let scenario = Scenario::default()
        .reply([bash("echo one"), bash("echo two")])
        .reply([bash("echo three")])
        .reply([Step::text("Done.")])
        .reply([Step::text("And again.")])
        .repeated();
    let live = Live::start(scenario).await;
    let kept = MemoryStore::new();
    let store = FailsAtFirst(kept.clone(), Arc::new(AtomicUsize::new(4)));
    let options = live.options().allowed_tools(["Bash"]);
    let options = options.session_store(store).session_store_memory(0);
    let options = options.session_store_flush(StoreFlush::Eager);
    let mut client = Client::connect(options).await.unwrap();
    client.send("Count.").turn_ended().await.unwrap();
    client.send("Count on.").turn_ended().await.unwrap();
    let (mut was_behind, mut has_caught_up) = (false, false);
    while !has_caught_up {
        match client.next().await.unwrap().unwrap() {
            Event::Notice(Notice::StoreBehind { entries, .. }) => {
                assert!(entries > 1, "{entries}");
                was_behind = true;
            }
            Event::Notice(Notice::StoreCaughtUp { .. }) => has_caught_up = true,
            Event::Notice(notice @ Notice::NotMirrored { .. }) => panic!("{notice}"),
            _ => {}
        }
    }
    assert!(was_behind);
    client.close().await;
    let keys = kept.keys();
    let [own] = &keys[..] else { panic!("{keys:?}") };
    // Entries without a UUID may be stored twice.
    let with_uuid = |entries: Vec<Value>| -> Vec<Value> {
        let entries = entries.into_iter();
        entries.filter(|it| it["uuid"].is_string()).collect()
    };
    let stored = with_uuid(trees(&kept.entries(own)));
    assert!(stored.len() > 8, "{}", stored.len());
    assert_same(&stored, &with_uuid(self::transcript_entries(&live, own)));
}

#[tokio::test]
async fn a_turn_is_stored_before_its_result_is_delivered() {
    let live = Live::start(hello()).await;
    let store = MemoryStore::new();
    let options = live.options().session_store(store.clone());
    let options = options.session_store_flush(StoreFlush::BeforeResult);
    let mut client = Client::connect(options).await.unwrap();
    for turn in 1..=3 {
        drop(client.send("Hello?"));
        loop {
            let event = client.next().await.unwrap().unwrap();
            if matches!(&event, Event::Frame(frame) if frame.kind() == "result") {
                break;
            }
        }
        let all = trees(&store.entries(&store.keys()[0]));
        let said = all.iter().filter(|it| it["type"] == "assistant");
        assert_eq!(said.count(), turn);
    }
    client.close().await;
}

/// A store that loses or changes entries.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Broken {
    Fails,
    Panics,
    Hangs,
}

impl SessionStore for Broken {
    async fn append(&self, _: &TranscriptKey, _: &[Json]) -> Result<(), StoreError> {
        match self {
            Self::Fails => Err("the disk is full".into()),
            Self::Panics => panic!("a bug"),
            Self::Hangs => pending().await,
        }
    }

    async fn load(&self, _: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
        Ok(None)
    }
}

#[tokio::test]
async fn a_store_that_fails_panics_or_hangs_delays_no_turn_and_is_reported() {
    for store in [Broken::Fails, Broken::Panics, Broken::Hangs] {
        let live = Live::start(hello()).await;
        let options = live.options().session_store(store);
        let options = options.session_store_flush(StoreFlush::Eager);
        let mut client = Client::connect(options).await.unwrap();
        for _ in 0..2 {
            let end = client.send("Hello?").turn_ended().await.unwrap();
            assert!(end.result().unwrap().error_text().is_none());
        }
        client.close().await;
        let mut failures = Vec::new();
        while let Some(event) = client.next().await {
            match event.unwrap() {
                Event::Notice(Notice::StoreBehind { failure, .. }) => failures.push(failure),
                Event::Notice(Notice::NotMirrored { failure, .. }) => failures.push(failure),
                _ => {}
            }
        }
        assert!(!failures.is_empty(), "{store:?}");
        for failure in failures {
            let is_it = match store {
                Broken::Fails => matches!(failure, TranscriptFailure::Failed(_)),
                Broken::Panics => matches!(failure, TranscriptFailure::Panicked(_)),
                Broken::Hangs => failure == TranscriptFailure::SessionOver,
            };
            assert!(is_it, "{store:?}: {failure:?}");
        }
    }
}

//! Tests of sessions of the real CLI in stores on real engines. `scripts/real live` installs the
//! CLI and runs these tests.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../../tests/support/mod.rs"]
mod support;

use agentwire::store::{MemoryStore, TranscriptFailure, TranscriptKey};
use agentwire::{Client, Event, Notice, Options, query};
use agentwire_history::History;
use agentwire_protocol::transcript::Summary;
use agentwire_stores::session_log::{LogKey, LogStore, Part, Position};
use agentwire_stores::{
    Claimed, Directory, LeasedStore, LogBacked, MemoryLog, Sqlite, copy_from_store, copy_to_store,
};
use agentwire_testkit::{Scenario, Step};
use serde_json::json;
use std::fs;
use support::{LONG, Live, said_by_user, wait_for};

fn hello() -> Scenario {
    Scenario::default().reply([Step::text("Hello.")]).repeated()
}

/// Sends a prompt and returns the session ID.
async fn ask(prompt: &str, options: Options) -> String {
    let mut answer = query(prompt, options).await.unwrap();
    let mut id = None;
    while let Some(event) = answer.next().await {
        match event.unwrap() {
            Event::Notice(notice @ Notice::NotMirrored { .. }) => panic!("{notice}"),
            Event::Frame(frame) if frame.kind() == "result" => {
                id = frame.session_id().map(str::to_owned);
            }
            _ => {}
        }
    }
    id.unwrap()
}

/// Returns the lines of the CLI's transcript that the CLI reports to hosts.
fn reported_lines(live: &Live, key: &TranscriptKey) -> Vec<String> {
    let (project, session_id) = (key.project(), key.session_id());
    let project = live.home.path().join(".claude/projects").join(project);
    let file = match key.subpath() {
        Some(subpath) => project.join(session_id).join(format!("{subpath}.jsonl")),
        None => project.join(format!("{session_id}.jsonl")),
    };
    let text = fs::read_to_string(file).unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.contains(r#""type":"api-request"#));
    lines.map(str::to_owned).collect()
}

/// Asserts that a session is stored byte for byte and can be resumed with an empty home directory.
async fn assert_stores_and_resumes(logs: impl LogStore) {
    let first = Live::start(hello()).await;
    let store = LogBacked::new(logs);
    let options = first.options().session_store(store.clone());
    let id = ask("My name is Ferris.", options).await;
    let key = TranscriptKey::in_directory(first.project(), &id).unwrap();
    let session = LogKey::from(&key);
    let batches = store
        .log_store()
        .read(&session, Position::START)
        .await
        .unwrap();
    let entries = batches.iter().flat_map(|batch| &batch.entries);
    let main = entries.filter(|entry| entry.part == Part::Main);
    let texts: Vec<_> = main.map(|entry| entry.json.get()).collect();
    assert_eq!(texts, reported_lines(&first, &key));
    fs::remove_dir_all(first.home.path().join(".claude")).unwrap();

    // Another host with another connection to the same engine.
    let second = Live::start(hello()).await;
    let options = second.options().cwd(first.project()).resume(&id);
    let same = ask("What is my name?", options.session_store(store.clone())).await;
    assert_eq!(same, id);
    let asked = second.model.asked(0).await.body.unwrap();
    let said = said_by_user(&asked);
    assert_eq!(said, ["My name is Ferris.", "What is my name?"]);
    let summaries = store.log_store().summaries(&session.project).await.unwrap();
    let [(_, Ok(Some(summary)))] = &summaries[..] else {
        panic!("{summaries:?}")
    };
    let summary = Summary::of_folded(summary, None).unwrap();
    assert_eq!(summary.first_prompt.as_deref(), Some("My name is Ferris."));
}

#[tokio::test]
async fn sessions_resume_from_memory() {
    assert_stores_and_resumes(MemoryLog::new()).await;
}

#[tokio::test]
async fn sessions_resume_from_a_directory() {
    let folder = agentwire_testing::tempdir().unwrap();
    assert_stores_and_resumes(Directory::new(folder.path())).await;
}

#[tokio::test]
async fn sessions_resume_from_a_database() {
    let folder = agentwire_testing::tempdir().unwrap();
    assert_stores_and_resumes(Sqlite::open(folder.path().join("sessions.db")).unwrap()).await;
}

/// A host whose session was taken over is refused and changes nothing.
#[tokio::test]
async fn the_previous_host_is_refused_after_a_takeover() {
    let first = Live::start(hello()).await;
    let logs = MemoryLog::new();
    let options = first.options().session_store(LogBacked::new(logs.clone()));
    let mut one = Client::connect(options).await.unwrap();
    let result = one.prompt("My name is Ferris.").await.unwrap();
    let id = result.session_id.clone().unwrap();
    one.flush_store().await.unwrap();

    let second = Live::start(hello()).await;
    let options = second.options().cwd(first.project()).resume(&id);
    let options = options.session_store(LogBacked::new(logs.clone()));
    ask("What is my name?", options).await;
    let session = LogKey::from(&TranscriptKey::in_directory(first.project(), &id).unwrap());
    let end = logs.head(&session).await.unwrap();

    one.prompt("Are you there?").await.unwrap();
    let refused = |event: &Event| match event {
        Event::Notice(Notice::NotMirrored { failure, .. }) => Some(failure.clone()),
        _ => None,
    };
    let failure = wait_for(&mut one, refused).await;
    let is_refusal = |why: &String| why.starts_with("the log is owned by token 2");
    assert!(
        matches!(&failure, TranscriptFailure::Refused(why) if is_refusal(why)),
        "{failure}"
    );
    one.close().await;
    assert_eq!(logs.head(&session).await.unwrap(), end);
}

/// Forking claims the fork, not the original session.
#[tokio::test]
async fn a_fork_of_an_owned_session_is_claimed() {
    let (first, second) = (Live::start(hello()).await, Live::start(hello()).await);
    let logs = MemoryLog::new();
    let store = || LogBacked::new(logs.clone()).leased(LONG);
    let mut one = Client::connect(first.options().session_store(store()))
        .await
        .unwrap();
    let result = one.prompt("My name is Ferris.").await.unwrap();
    let id = result.session_id.clone().unwrap();

    let options = second.options().cwd(first.project());
    let options = options.resume_from(store(), &id).fork_session(true);
    let mut two = Client::connect(options).await.unwrap();
    let result = two.prompt("What is my name?").await.unwrap();
    let fork = result.session_id.clone().unwrap();
    assert_ne!(fork, id);
    let asked = second.model.asked(0).await.body.unwrap();
    let said = said_by_user(&asked);
    assert_eq!(said, ["My name is Ferris.", "What is my name?"]);
    for id in [&id, &fork] {
        let key = TranscriptKey::in_directory(first.project(), id).unwrap();
        let claimed = store().claim(&key).await.unwrap();
        assert!(
            matches!(claimed, Claimed::OwnedElsewhere { .. }),
            "{claimed:?}"
        );
        // The owner accepts messages.
        assert!(!store().load_inbox(&key).await.unwrap().is_empty());
    }
    two.close().await;
    one.prompt("Are you there?").await.unwrap();
    one.close().await;
}

#[tokio::test]
async fn sessions_are_copied_through_a_store_to_another_machine() {
    let call = json!({
        "description": "Count", "prompt": "Count the crabs.",
        "subagent_type": "general-purpose", "run_in_background": false,
    });
    let mut scenario = Scenario::default()
        .reply([Step::tool("Agent", call, "")])
        .reply([Step::text("There are three.")]);
    scenario.subagents = vec![vec![Step::text("Three crabs.")].into()];
    let first = Live::start(scenario).await;
    let id = ask("How many?", first.options().allowed_tools(["Agent"])).await;
    let history = History::in_directory(first.home.path().join(".claude"));
    let store = MemoryStore::new();
    let copied = copy_to_store(&history, &id, store.clone()).await.unwrap();
    assert_eq!(copied.transcripts, 2);
    let keys = store.keys();
    let [own, part] = &keys[..] else {
        panic!("{keys:?}")
    };
    // A session on disk does not need the store.
    let second = Live::start(hello()).await;
    let elsewhere = History::in_directory(second.home.path().join(".claude"));
    let there = copy_from_store(&elsewhere, own, store).await.unwrap();
    assert_eq!(there, copied);
    assert_eq!(reported_lines(&second, own), reported_lines(&first, own));
    assert_eq!(reported_lines(&second, part), reported_lines(&first, part));
    let options = second.options().cwd(first.project()).resume(&id);
    assert_eq!(ask("Sure?", options).await, id);
    let asked = second.model.asked(0).await.body.unwrap();
    let asked = asked["messages"].to_string();
    for said in ["How many?", "Three crabs.", "There are three.", "Sure?"] {
        assert!(asked.contains(said), "{asked}");
    }
}

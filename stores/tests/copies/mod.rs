//! Tests of copies of sessions between the disk and a store.

use agentwire::SessionStore;
use agentwire::store::{MemoryStore, StoreError, TranscriptFailure, TranscriptKey};
use agentwire_history::{History, HistoryError};
use agentwire_protocol::Json;
use agentwire_stores::{
    Claimed, CopyError, LeasedStore, LogBacked, MemoryLog, copy_from_store, copy_to_store,
};
use agentwire_testing::TempDir;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

const PROJECT: &str = "-home-crab";
const ID: &str = "11111111-2222-4333-8444-555555555555";

fn line(uuid: &str, parent: Option<&str>) -> String {
    format!(
        "{}\n",
        json!({ "type": "user", "uuid": uuid, "parentUuid": parent, "n": "1.00" })
    )
}

fn put(config: &Path, name: &str, text: &str) {
    let path = config.join("projects").join(PROJECT).join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn get(config: &Path, name: &str) -> String {
    fs::read_to_string(config.join("projects").join(PROJECT).join(name)).unwrap()
}

/// Writes a session with a sub-agent, and another session.
fn filled(config: &Path) {
    let main = line("a", None) + "{\"type\":\"api-request\",\"x\":1}\n" + &line("b", Some("a"));
    put(config, &format!("{ID}.jsonl"), &main);
    let agent = format!("{ID}/subagents/agent-a1");
    put(config, &format!("{agent}.jsonl"), &line("x", None));
    put(
        config,
        &format!("{agent}.meta.json"),
        r#"{"agentType":"crab"}"#,
    );
    let other = ID.replace('1', "9");
    put(config, &format!("{other}.jsonl"), &line("o", None));
}

fn key() -> TranscriptKey {
    TranscriptKey::new(PROJECT, ID).unwrap()
}

fn failure(error: CopyError) -> TranscriptFailure {
    match error {
        CopyError::Store(call) => call.failure,
        other => panic!("{other}"),
    }
}

/// A store with a bug: each call panics.
struct Panics;

impl SessionStore for Panics {
    async fn append(&self, _: &TranscriptKey, _: &[Json]) -> Result<(), StoreError> {
        panic!("a bug")
    }

    async fn load(&self, _: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
        panic!("a bug")
    }
}

#[tokio::test]
async fn copies_round_trip_through_a_store() {
    let machines = TempDir::new().unwrap();
    let (one, two) = (machines.path().join("one"), machines.path().join("two"));
    filled(&one);
    let store = MemoryStore::new();
    let history = History::in_directory(&one);
    let copied = copy_to_store(&history, ID, store.clone()).await.unwrap();
    assert_eq!((copied.transcripts, copied.entries), (2, 4));
    let again = copy_to_store(&history, ID, store.clone()).await.unwrap();
    assert_eq!((again.transcripts, again.entries), (2, 0));

    let elsewhere = History::in_directory(&two);
    let copied = copy_from_store(&elsewhere, &key(), store.clone())
        .await
        .unwrap();
    assert_eq!((copied.transcripts, copied.entries), (2, 4));
    let main = line("a", None) + &line("b", Some("a"));
    assert_eq!(get(&two, &format!("{ID}.jsonl")), main);
    let agent = format!("{ID}/subagents/agent-a1");
    assert_eq!(get(&two, &format!("{agent}.jsonl")), line("x", None));
    assert_eq!(
        get(&two, &format!("{agent}.meta.json")),
        r#"{"agentType":"crab"}"#
    );
    assert!(
        fs::read_dir(two.join("projects").join(PROJECT))
            .unwrap()
            .count()
            == 2
    );
    assert_eq!(
        elsewhere
            .session_messages(ID, Default::default())
            .unwrap()
            .len(),
        2
    );

    // The session continues on the other machine and is copied back.
    put(
        &two,
        &format!("{ID}.jsonl"),
        &(main.clone() + &line("c", Some("b"))),
    );
    let copied = copy_to_store(&elsewhere, ID, store.clone()).await.unwrap();
    assert_eq!((copied.transcripts, copied.entries), (2, 1));
    let copied = copy_from_store(&history, &key(), store.clone())
        .await
        .unwrap();
    assert_eq!((copied.transcripts, copied.entries), (2, 1));
    assert_eq!(
        get(&one, &format!("{ID}.jsonl")),
        main + &line("c", Some("b"))
    );
}

/// A link in the folder of a project or session may come with an archive.
#[cfg(unix)]
#[tokio::test]
async fn a_copy_from_a_store_follows_no_planted_link() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let home = TempDir::new().unwrap();
    let (one, two) = (home.path().join("one"), home.path().join("two"));
    filled(&one);
    let store = MemoryStore::new();
    let from = History::in_directory(&one);
    copy_to_store(&from, ID, store.clone()).await.unwrap();
    let outside = home.path().join("outside");
    fs::create_dir(&outside).unwrap();
    let precious = outside.join("precious");
    fs::write(&precious, "precious").unwrap();
    let project = two.join("projects").join(PROJECT);
    fs::create_dir_all(project.parent().unwrap()).unwrap();
    let to = History::in_directory(&two);
    let key = key();
    let copy = || copy_from_store(&to, &key, store.clone());
    let is_untouched = |failed: Result<_, CopyError>| {
        assert!(
            matches!(
                failed,
                Err(CopyError::History(HistoryError::Unwritable { .. }))
            ),
            "{failed:?}"
        );
        assert_eq!(fs::read(&precious).unwrap(), b"precious");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    };
    symlink(&outside, &project).unwrap();
    is_untouched(copy().await.map(drop));
    fs::remove_file(&project).unwrap();
    fs::create_dir(&project).unwrap();
    symlink(&outside, project.join(ID)).unwrap();
    is_untouched(copy().await.map(drop));
    fs::remove_file(project.join(ID)).unwrap();
    let transcript = project.join(format!("{ID}.jsonl"));
    fs::remove_file(&transcript).ok();
    symlink(&precious, &transcript).unwrap();
    is_untouched(copy().await.map(drop));
    fs::remove_file(&transcript).unwrap();
    // An earlier version left this temporary file.
    let beside = project.join(format!("{ID}.jsonl.agentwire"));
    symlink(&precious, &beside).unwrap();
    copy().await.unwrap();
    assert_eq!(fs::read(&precious).unwrap(), b"precious");
    let mode = fs::metadata(&transcript).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // No temporary files remain.
    assert_eq!(fs::read_dir(&project).unwrap().count(), 3);
}

#[tokio::test]
async fn diverged_sessions_are_not_merged() {
    let machines = TempDir::new().unwrap();
    let (one, two) = (machines.path().join("one"), machines.path().join("two"));
    filled(&one);
    let store = MemoryStore::new();
    copy_to_store(&History::in_directory(&one), ID, store.clone())
        .await
        .unwrap();
    copy_from_store(&History::in_directory(&two), &key(), store.clone())
        .await
        .unwrap();
    let name = format!("{ID}.jsonl");
    let common = get(&two, &name);
    put(&one, &name, &(common.clone() + &line("c1", Some("b"))));
    put(&two, &name, &(common + &line("c2", Some("b"))));
    copy_to_store(&History::in_directory(&one), ID, store.clone())
        .await
        .unwrap();
    let before = store.load(&key()).await.unwrap();

    let two_ways = History::in_directory(&two);
    let error = copy_to_store(&two_ways, ID, store.clone())
        .await
        .unwrap_err();
    assert_eq!(failure(error), TranscriptFailure::Diverged);
    assert_eq!(store.load(&key()).await.unwrap(), before);
    let here = get(&two, &name);
    let error = copy_from_store(&two_ways, &key(), store.clone())
        .await
        .unwrap_err();
    assert!(
        matches!(error, CopyError::History(HistoryError::Unwritable { .. })),
        "{error}"
    );
    assert_eq!(get(&two, &name), here);
}

#[tokio::test]
async fn missing_sessions_and_gaps_are_errors() {
    let machine = TempDir::new().unwrap();
    let (history, store) = (History::in_directory(machine.path()), MemoryStore::new());
    let error = copy_to_store(&history, ID, store.clone())
        .await
        .unwrap_err();
    assert!(matches!(error, CopyError::NotFound { .. }), "{error}");
    let error = copy_to_store(&history, "../x", store.clone())
        .await
        .unwrap_err();
    assert!(matches!(error, CopyError::NotFound { .. }), "{error}");
    let error = copy_from_store(&history, &key(), store.clone())
        .await
        .unwrap_err();
    assert_eq!(failure(error), TranscriptFailure::Missing);
    let behind: Json = line("c", Some("b")).parse().unwrap();
    store
        .append(&key(), &[line("a", None).parse().unwrap(), behind])
        .await
        .unwrap();
    let error = copy_from_store(&history, &key(), store.clone())
        .await
        .unwrap_err();
    assert_eq!(failure(error), TranscriptFailure::Hole);
    assert!(!machine.path().join("projects").exists());
    let error = copy_from_store(&history, &key(), Panics).await;
    assert_eq!(
        failure(error.unwrap_err()),
        TranscriptFailure::Panicked("a bug".to_owned())
    );
}

#[tokio::test]
async fn copying_claims_a_session_with_leases() {
    let machine = TempDir::new().unwrap();
    filled(machine.path());
    let logs = Arc::new(MemoryLog::new());
    let host = || LogBacked::new(Arc::clone(&logs)).leased(Duration::from_secs(60));
    let history = History::in_directory(machine.path());
    let Claimed::Acquired(claim) = host().claim(&key()).await.unwrap() else {
        panic!("nobody else has it")
    };
    let error = copy_to_store(&history, ID, host()).await.unwrap_err();
    assert!(matches!(failure(error), TranscriptFailure::Refused(_)));
    assert_eq!(host().load(&key()).await.unwrap(), None);
    claim.release().await;
    copy_to_store(&history, ID, host()).await.unwrap();
    // Copying released the session.
    let claimed = host().claim(&key()).await.unwrap();
    assert!(matches!(claimed, Claimed::Acquired(_)), "{claimed:?}");
}

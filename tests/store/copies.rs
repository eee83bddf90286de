//! Sessions that are copied between the disk and a store.

use super::*;
use agentwire::attachment::{Attach, Attachment, Boxed, Opening};
use agentwire::history::{History, HistoryError};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const PROJECT: &str = "-home-crab";

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

/// A session with a sub-agent, and one that is none of it.
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

fn failure(error: &HistoryError) -> StoreFailure {
    match error {
        HistoryError::SessionStore { failure, .. } => failure.clone(),
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn a_session_is_copied_to_a_store_and_from_there_to_another_machine() {
    let machines = TempDir::new().unwrap();
    let (one, two) = (machines.path().join("one"), machines.path().join("two"));
    filled(&one);
    let store = MemoryStore::new();
    let history = History::in_directory(&one);
    let copied = history.copy_to_store(ID, store.clone()).await.unwrap();
    assert_eq!((copied.transcripts, copied.entries), (2, 4));
    let again = history.copy_to_store(ID, store.clone()).await.unwrap();
    assert_eq!((again.transcripts, again.entries), (2, 0));

    let elsewhere = History::in_directory(&two);
    let copied = elsewhere
        .copy_from_store(&key(), store.clone())
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

    // The session goes on there, and comes back.
    put(
        &two,
        &format!("{ID}.jsonl"),
        &(main.clone() + &line("c", Some("b"))),
    );
    let copied = elsewhere.copy_to_store(ID, store.clone()).await.unwrap();
    assert_eq!((copied.transcripts, copied.entries), (2, 1));
    let copied = history
        .copy_from_store(&key(), store.clone())
        .await
        .unwrap();
    assert_eq!((copied.transcripts, copied.entries), (2, 1));
    assert_eq!(
        get(&one, &format!("{ID}.jsonl")),
        main + &line("c", Some("b"))
    );
}

/// In the folder of a project or a session, where a link may have come with an archive.
#[cfg(unix)]
#[tokio::test]
async fn a_copy_from_a_store_follows_no_planted_link() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let home = TempDir::new().unwrap();
    let (one, two) = (home.path().join("one"), home.path().join("two"));
    filled(&one);
    let store = MemoryStore::new();
    let from = History::in_directory(&one);
    from.copy_to_store(ID, store.clone()).await.unwrap();
    let outside = home.path().join("outside");
    fs::create_dir(&outside).unwrap();
    let precious = outside.join("precious");
    fs::write(&precious, "precious").unwrap();
    let project = two.join("projects").join(PROJECT);
    fs::create_dir_all(project.parent().unwrap()).unwrap();
    let to = History::in_directory(&two);
    let key = key();
    let copy = || to.copy_from_store(&key, store.clone());
    let is_untouched = |failed: Result<_, HistoryError>| {
        assert!(
            matches!(failed, Err(HistoryError::Unwritable { .. })),
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
    // Where an earlier version wrote the copy first.
    let beside = project.join(format!("{ID}.jsonl.agentwire"));
    symlink(&precious, &beside).unwrap();
    copy().await.unwrap();
    assert_eq!(fs::read(&precious).unwrap(), b"precious");
    let mode = fs::metadata(&transcript).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    // Nothing temporary is there.
    assert_eq!(fs::read_dir(&project).unwrap().count(), 3);
}

#[tokio::test]
async fn what_went_two_ways_is_not_mixed() {
    let machines = TempDir::new().unwrap();
    let (one, two) = (machines.path().join("one"), machines.path().join("two"));
    filled(&one);
    let store = MemoryStore::new();
    History::in_directory(&one)
        .copy_to_store(ID, store.clone())
        .await
        .unwrap();
    History::in_directory(&two)
        .copy_from_store(&key(), store.clone())
        .await
        .unwrap();
    let name = format!("{ID}.jsonl");
    let common = get(&two, &name);
    put(&one, &name, &(common.clone() + &line("c1", Some("b"))));
    put(&two, &name, &(common + &line("c2", Some("b"))));
    History::in_directory(&one)
        .copy_to_store(ID, store.clone())
        .await
        .unwrap();
    let before = store.load(&key()).await.unwrap();

    let two_ways = History::in_directory(&two);
    let error = two_ways.copy_to_store(ID, store.clone()).await.unwrap_err();
    assert_eq!(failure(&error), StoreFailure::Diverged);
    assert_eq!(store.load(&key()).await.unwrap(), before);
    let here = get(&two, &name);
    let error = two_ways
        .copy_from_store(&key(), store.clone())
        .await
        .unwrap_err();
    assert!(matches!(error, HistoryError::Unwritable { .. }), "{error}");
    assert_eq!(get(&two, &name), here);
}

#[tokio::test]
async fn what_is_not_there_is_an_error_and_so_is_a_hole() {
    let machine = TempDir::new().unwrap();
    let (history, store) = (History::in_directory(machine.path()), MemoryStore::new());
    let error = history.copy_to_store(ID, store.clone()).await.unwrap_err();
    assert!(matches!(error, HistoryError::NotFound { .. }), "{error}");
    let error = history
        .copy_to_store("../x", store.clone())
        .await
        .unwrap_err();
    assert!(matches!(error, HistoryError::InvalidId { .. }), "{error}");
    let error = history
        .copy_from_store(&key(), store.clone())
        .await
        .unwrap_err();
    assert_eq!(failure(&error), StoreFailure::Missing);
    let behind: Json = line("c", Some("b")).parse().unwrap();
    store
        .append(&key(), &[line("a", None).parse().unwrap(), behind])
        .await
        .unwrap();
    let error = history
        .copy_from_store(&key(), store.clone())
        .await
        .unwrap_err();
    assert_eq!(failure(&error), StoreFailure::Hole);
    assert!(!machine.path().join("projects").exists());
    let error = history
        .copy_from_store(&key(), Recorder::new(Then::Panic))
        .await;
    assert_eq!(
        failure(&error.unwrap_err()),
        StoreFailure::Panicked("a bug".to_owned())
    );
}

/// A store whose attachment notes that a session was held, and that this has ended.
#[derive(Clone)]
struct Holding(MemoryStore, Arc<Mutex<Vec<String>>>);

impl SessionStore for Holding {
    async fn append(&self, key: &TranscriptKey, entries: &[Json]) -> Result<(), StoreError> {
        self.1.lock().unwrap().push("append".to_owned());
        self.0.append(key, entries).await
    }

    async fn load(&self, key: &TranscriptKey) -> Result<Option<Vec<Json>>, StoreError> {
        self.0.load(key).await
    }

    fn attachment(&self) -> Option<Arc<dyn Attach>> {
        Some(Arc::new(self.clone()))
    }
}

impl Attach for Holding {
    fn attach<'a>(
        &'a self,
        _: &'a mut Opening<'_>,
    ) -> Boxed<'a, Result<Option<Box<dyn Attachment>>, Error>> {
        unreachable!("no session is opened")
    }

    fn hold<'a>(
        &'a self,
        session: &'a TranscriptKey,
    ) -> Boxed<'a, Result<Option<Box<dyn Attachment>>, StoreFailure>> {
        self.1.lock().unwrap().push(session.session_id().to_owned());
        let held: Box<dyn Attachment> = Box::new(self.clone());
        Box::pin(async { Ok(Some(held)) })
    }
}

impl Attachment for Holding {
    fn end(&mut self) -> Option<Boxed<'_, Vec<Notice>>> {
        self.1.lock().unwrap().push("end".to_owned());
        None
    }
}

#[tokio::test]
async fn a_session_is_held_by_the_attachment_of_the_store_while_it_is_copied() {
    let machine = TempDir::new().unwrap();
    filled(machine.path());
    let store = Holding(MemoryStore::new(), Arc::default());
    let history = History::in_directory(machine.path());
    history.copy_to_store(ID, store.clone()).await.unwrap();
    let noted = store.1.lock().unwrap();
    assert_eq!(noted.first().map(String::as_str), Some(ID));
    assert_eq!(noted.last().map(String::as_str), Some("end"));
    assert!(noted.contains(&"append".to_owned()));
}

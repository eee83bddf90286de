//! Tests of logs in a directory after crashes and disk errors, and of permissions.

#![allow(clippy::unwrap_used)]

use agentwire_stores::Directory;
use agentwire_stores::session_log::{
    Batch, Entry, LogKey, LogStore, NewBatch, Part, Position, Token,
};
use std::fs;
use std::path::{Path, PathBuf};

fn entries(number: usize) -> Vec<Entry> {
    let entry = |at: usize| {
        let text = format!(
            r#"{{"uuid":"{number}-{at}","text":"🦀 {}"}}"#,
            "x".repeat(at)
        );
        Entry::new(Part::Main, text.parse().unwrap())
    };
    (0..number).map(entry).collect()
}

async fn append(store: &Directory, session: &LogKey, number: usize, after: Position) -> Position {
    let token = Token::new(1, "writer");
    let entries = entries(number);
    let summary = r#"{"title":"crabs"}"#.parse().unwrap();
    let batch = NewBatch::new(after, &token, &entries).summary(&summary);
    store.append(session, &batch).await.unwrap()
}

async fn all(store: &Directory, session: &LogKey) -> Result<Vec<Batch>, String> {
    let mut batches: Vec<Batch> = Vec::new();
    loop {
        let after = batches.last().map_or(Position::START, |it| it.position);
        let more = store
            .read(session, after)
            .await
            .map_err(|it| it.to_string())?;
        if more.is_empty() {
            return Ok(batches);
        }
        batches.extend(more);
    }
}

/// Returns the file of the only log in a directory.
fn log_in(folder: &Path) -> PathBuf {
    let files = fs::read_dir(folder).unwrap().flatten();
    let found = files.filter_map(|entry| {
        let path = entry.path();
        match path.is_dir() {
            true => Some(log_in(&path)),
            false => path
                .extension()
                .is_some_and(|it| it == "log")
                .then_some(path),
        }
    });
    found.last().unwrap()
}

/// Returns the bytes of a log, its batches, and their ends in the file.
async fn log(batches: usize) -> (Vec<u8>, Vec<Batch>, Vec<usize>) {
    let folder = agentwire_testing::tempdir().unwrap();
    let store = Directory::new(folder.path());
    let session = LogKey::new("p", "s");
    let (mut after, mut ends) = (Position::START, Vec::new());
    for number in 1..=batches {
        after = append(&store, &session, number, after).await;
        ends.push(fs::read(log_in(folder.path())).unwrap().len());
    }
    let bytes = fs::read(log_in(folder.path())).unwrap();
    (bytes, all(&store, &session).await.unwrap(), ends)
}

/// Creates a store whose log has these bytes.
fn directory_with_log(bytes: &[u8]) -> (agentwire_testing::TempDir, Directory, LogKey) {
    let folder = agentwire_testing::tempdir().unwrap();
    fs::create_dir(folder.path().join("p-p")).unwrap();
    fs::write(folder.path().join("p-p/s-s.log"), bytes).unwrap();
    let store = Directory::new(folder.path());
    (folder, store, LogKey::new("p", "s"))
}

#[tokio::test]
async fn a_truncated_log_is_a_prefix_and_can_be_continued() {
    let (bytes, batches, ends) = log(3).await;
    for length in 0..=bytes.len() {
        // Unwritten bytes may be missing or zero.
        let mut hole = bytes[..length].to_vec();
        hole.resize(bytes.len(), 0);
        let holes = (length % 8 == 0).then_some(&hole[..]);
        for cut in [&bytes[..length]].into_iter().chain(holes) {
            let (_folder, store, session) = directory_with_log(cut);
            let whole = ends.iter().filter(|end| **end <= length).count();
            let found = all(&store, &session).await;
            assert_eq!(found.as_deref(), Ok(&batches[..whole]), "at {length}");
            let head = store.head(&session).await.unwrap();
            let position = head.map_or(Position::START, |head| head.position);
            assert_eq!(position.0, whole as u64, "at {length}");
            let list = store.list("p").await.unwrap();
            assert_eq!(list.len(), usize::from(whole > 0), "at {length}");
            append(&store, &session, whole + 1, position).await;
            let found = all(&store, &session).await.unwrap();
            assert_eq!(found.len(), whole + 1, "at {length}");
            assert_eq!(found[..whole], batches[..whole], "at {length}");
            assert_eq!(found[whole].entries, entries(whole + 1), "at {length}");
        }
    }
}

#[tokio::test]
async fn a_changed_byte_never_changes_the_content() {
    let (bytes, batches, ends) = log(3).await;
    let (mut damaged, mut shorter) = (0, 0);
    for at in 0..bytes.len() {
        for flip in [0x01, 0x20] {
            let mut spoilt = bytes.clone();
            spoilt[at] ^= flip;
            let (_folder, store, session) = directory_with_log(&spoilt);
            match all(&store, &session).await {
                Err(why) => {
                    damaged += 1;
                    assert!(
                        why.contains("damaged") || why.contains("session log"),
                        "{why}"
                    );
                }
                Ok(found) => {
                    shorter += 1;
                    // Only the last batch may count as incomplete. The ID of the file does not
                    // belong to a batch.
                    let is_last = at >= ends[1] && found == batches[..2];
                    let is_id = at < 60 && found == batches;
                    assert!(is_last || is_id, "byte {at}: {} batches", found.len());
                }
            }
        }
    }
    assert!(
        damaged > 0 && shorter > 0,
        "{damaged} damaged, {shorter} shorter"
    );
}

#[tokio::test]
async fn damaged_logs_are_not_overwritten() {
    let (mut bytes, _, ends) = log(3).await;
    bytes[ends[0] + 20] ^= 1;
    let (folder, store, session) = directory_with_log(&bytes);
    // The end of the log is intact.
    append(&store, &session, 4, Position(3)).await;
    let why = all(&store, &session).await.unwrap_err();
    assert_eq!(why, format!("the log is damaged at byte {}", ends[0]));
    // If the end is damaged as well, the damage cannot be detected.
    let mut bytes = fs::read(log_in(folder.path())).unwrap();
    bytes.truncate(bytes.len() - 5);
    fs::write(log_in(folder.path()), &bytes).unwrap();
    let token = Token::new(1, "writer");
    let entries = entries(1);
    let batch = NewBatch::new(Position(3), &token, &entries);
    let refused = store.append(&session, &batch).await.unwrap_err();
    assert!(refused.to_string().contains("damaged at byte"), "{refused}");
    assert_eq!(fs::read(log_in(folder.path())).unwrap(), bytes);
}

#[tokio::test]
async fn an_unreadable_log_does_not_hide_other_sessions() {
    // A complete batch follows the damaged one, and the last one is truncated.
    let (mut damaged, _, ends) = log(4).await;
    damaged[ends[0] + 20] ^= 1;
    damaged.truncate(damaged.len() - 5);
    for unreadable in [&damaged[..], b"somebody else's file\n"] {
        let (_folder, store, session) = directory_with_log(unreadable);
        let other = LogKey::new("p", "other");
        append(&store, &other, 1, Position::START).await;
        let mut found = store.summaries("p").await.unwrap();
        found.sort_by(|(a, _), (b, _)| a.id.cmp(&b.id));
        let [(one, Ok(Some(_))), (two, Err(error))] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!((&one.id, &two.id), (&other.session_id, &session.session_id));
        assert!(error.to_string().contains("log"), "{error}");
    }
}

#[tokio::test]
async fn other_files_are_not_changed() {
    let (folder, store, session) = directory_with_log(b"somebody else's file\n");
    let why = all(&store, &session).await.unwrap_err();
    assert_eq!(why, "not a session log of this version");
    let token = Token::new(1, "writer");
    let entries = entries(1);
    let batch = NewBatch::new(Position::START, &token, &entries);
    assert!(store.append(&session, &batch).await.is_err());
    assert!(store.delete(&session, &token).await.is_err());
    let kept = fs::read(log_in(folder.path())).unwrap();
    assert_eq!(kept, b"somebody else's file\n");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_can_be_read_while_its_file_is_created() {
    let folder = agentwire_testing::tempdir().unwrap();
    let store = Directory::new(folder.path());
    for number in 0..200 {
        let session = LogKey::new("crabs", format!("s-{number}"));
        let (reader, read) = (store.clone(), session.clone());
        let reading = tokio::spawn(async move {
            // Read until the first batch is stored.
            while reader
                .read(&read, Position::START)
                .await
                .unwrap()
                .is_empty()
            {}
        });
        let token = Token::new(1, "a");
        let entries = [Entry::new(Part::Main, "null".parse().unwrap())];
        let batch = NewBatch::new(Position::START, &token, &entries);
        store.append(&session, &batch).await.unwrap();
        reading.await.unwrap();
    }
}

/// Returns all paths below a folder with their modes.
#[cfg(unix)]
fn modes(folder: &Path) -> Vec<(PathBuf, u32)> {
    use std::os::unix::fs::PermissionsExt;
    let mut found = vec![];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let mode = fs::symlink_metadata(&path).unwrap().permissions().mode();
        found.push((path.clone(), mode & 0o777));
        if path.is_dir() {
            found.extend(modes(&path));
        }
    }
    found
}

#[cfg(unix)]
fn are_private(folder: &Path, files: usize) {
    let modes = modes(folder);
    assert_eq!(modes.len(), files, "{modes:?}");
    for (path, mode) in modes {
        let wanted = if path.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(mode, wanted, "{}: {mode:o}", path.display());
    }
}

/// Makes all files readable for everybody, like earlier versions with the umask 022.
#[cfg(unix)]
fn open_to_all(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    for (path, _) in modes(folder) {
        let mode = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

#[cfg(unix)]
#[tokio::test]
async fn only_this_user_can_read_a_directory() {
    use std::os::unix::fs::PermissionsExt;
    let folder = agentwire_testing::tempdir().unwrap();
    // The store creates both of these folders.
    let root = folder.path().join("a/store");
    let store = Directory::new(&root);
    let long = "l".repeat(500);
    let session = LogKey::new("p", long);
    let after = append(&store, &session, 1, Position::START).await;
    are_private(&root, 5);
    assert_eq!(
        fs::metadata(&root).unwrap().permissions().mode() & 0o777,
        0o700
    );
    open_to_all(&root);
    append(&store, &session, 1, after).await;
    are_private(&root, 5);
    // Reading makes a log private.
    open_to_all(&root);
    assert_eq!(all(&store, &session).await.unwrap().len(), 2);
    let mode = fs::metadata(log_in(&root)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    open_to_all(&root);
    store
        .delete(&session, &Token::new(2, "writer"))
        .await
        .unwrap();
    are_private(&root, 5);
}

#[cfg(all(unix, feature = "sqlite"))]
#[tokio::test]
async fn only_this_user_can_read_a_database() {
    use agentwire_stores::Sqlite;
    let folder = agentwire_testing::tempdir().unwrap();
    let path = folder.path().join("sessions.db");
    let session = LogKey::new("p", "s");
    let token = Token::new(1, "writer");
    let append = async |store: &Sqlite, after| {
        let entries = entries(1);
        let batch = NewBatch::new(after, &token, &entries);
        store.append(&session, &batch).await.unwrap()
    };
    let first = Sqlite::open(&path).unwrap();
    let after = append(&first, Position::START).await;
    // The database consists of three files, including `-wal` and `-shm`.
    are_private(folder.path(), 3);
    open_to_all(folder.path());
    let second = Sqlite::open(&path).unwrap();
    are_private(folder.path(), 3);
    let after = append(&second, after).await;
    append(&first, after).await;
    are_private(folder.path(), 3);
    drop((first, second));
    open_to_all(folder.path());
    let third = Sqlite::open(&path).unwrap();
    assert_eq!(
        third.read(&session, Position::START).await.unwrap().len(),
        3
    );
    are_private(folder.path(), 3);
    // A database that is a link remains a link.
    let link = folder.path().join("link.db");
    std::os::unix::fs::symlink("sessions.db", &link).unwrap();
    let linked = Sqlite::open(&link).unwrap();
    assert_eq!(
        linked.read(&session, Position::START).await.unwrap().len(),
        3
    );
}

/// Plants links and pipes in place of a log, its lock or its folder.
#[cfg(unix)]
#[tokio::test]
async fn a_planted_link_or_pipe_is_an_error() {
    use std::os::unix::fs::symlink;
    let folder = agentwire_testing::tempdir().unwrap();
    // The directory itself may be a link.
    let (disk, root) = (folder.path().join("disk"), folder.path().join("store"));
    fs::create_dir(&disk).unwrap();
    symlink(&disk, &root).unwrap();
    let store = Directory::new(&root);
    let session = LogKey::new("p", "s");
    append(&store, &session, 1, Position::START).await;
    let log = log_in(&root);
    let project = log.parent().unwrap().to_owned();
    let bytes = fs::read(&log).unwrap();
    let precious = folder.path().join("precious");
    let token = Token::new(2, "writer");
    let fails = async |reads: bool| {
        let entries = entries(1);
        let batch = NewBatch::new(Position(1), &token, &entries);
        store.append(&session, &batch).await.unwrap_err();
        store.delete(&session, &token).await.unwrap_err();
        if reads {
            store.read(&session, Position::START).await.unwrap_err();
            store.head(&session).await.unwrap_err();
            store.parts(&session).await.unwrap_err();
            // An unreadable log is listed with its error.
            if let Ok(summaries) = store.summaries("p").await {
                assert!(summaries.iter().all(|(_, summary)| summary.is_err()));
                assert_eq!(summaries.len(), 1);
            }
        }
    };
    let pipe = |path: &Path| {
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success());
    };
    for planted in [log.clone(), log.with_extension("lock")] {
        let is_log = planted == log;
        fs::remove_file(&planted).unwrap();
        // A link to another log is an error, too.
        fs::write(&precious, &bytes).unwrap();
        symlink(&precious, &planted).unwrap();
        fails(is_log).await;
        assert_eq!(fs::read(&precious).unwrap(), bytes);
        fs::remove_file(&planted).unwrap();
        symlink(folder.path().join("new"), &planted).unwrap();
        fails(is_log).await;
        assert!(!folder.path().join("new").exists());
        fs::remove_file(&planted).unwrap();
        pipe(&planted);
        fails(is_log).await;
        fs::remove_file(&planted).unwrap();
        if is_log {
            fs::write(&planted, &bytes).unwrap();
        }
    }
    let outside = folder.path().join("outside");
    fs::rename(&project, &outside).unwrap();
    symlink(&outside, &project).unwrap();
    fails(true).await;
    assert_eq!(
        fs::read(outside.join(log.file_name().unwrap())).unwrap(),
        bytes
    );
}

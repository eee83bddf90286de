//! Local stores, compared with a file and `rusqlite`.

use super::{BATCHES, Client, compare};
use agentwire_stores::session_log::Entry;
use agentwire_stores::{Directory, Sqlite};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

pub(super) async fn compare_all() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path().join("store"));
    let mut files = Files(folder.path().to_owned());
    compare("directory", &directory, &mut files).await;

    let folder = tempfile::tempdir().unwrap();
    let sqlite = Sqlite::open(folder.path().join("store.db")).unwrap();
    let mut client = Rusqlite::open(&folder.path().join("client.db"));
    compare("sqlite", &sqlite, &mut client).await;
}

/// A file with `fdatasync`.
struct Files(PathBuf);

impl Client for Files {
    async fn append_all(&mut self, session: &str, entries: &[Entry]) {
        let options = File::options().append(true).create(true).clone();
        let mut file = options.open(self.0.join(session)).unwrap();
        for _ in 0..BATCHES {
            let lines: String = entries.iter().map(|it| format!("{}\n", it.json)).collect();
            file.write_all(lines.as_bytes()).unwrap();
            file.sync_data().unwrap();
        }
    }
}

/// A transaction for each batch.
struct Rusqlite(rusqlite::Connection);

impl Rusqlite {
    /// Opens a database with the settings of the store.
    fn open(file: &Path) -> Self {
        let client = rusqlite::Connection::open(file).unwrap();
        client.pragma_update(None, "journal_mode", "wal").unwrap();
        client.pragma_update(None, "synchronous", "full").unwrap();
        let table = "CREATE TABLE entries (session TEXT, part TEXT, json TEXT)";
        client.execute(table, ()).unwrap();
        Self(client)
    }
}

impl Client for Rusqlite {
    async fn append_all(&mut self, session: &str, entries: &[Entry]) {
        for _ in 0..BATCHES {
            let transaction = self.0.transaction().unwrap();
            {
                let query = "INSERT INTO entries VALUES (?1, ?2, ?3)";
                let mut insert = transaction.prepare_cached(query).unwrap();
                for entry in entries {
                    let values = (session, entry.part.name(), entry.json.get());
                    insert.execute(values).unwrap();
                }
            }
            transaction.commit().unwrap();
        }
    }
}

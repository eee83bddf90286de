//! A store in a SQLite database.

use crate::session_log::{
    Admission, AppendError, Batch, Entry, Head, LogKey, LogStore, NewBatch, Next, Part, Position,
    Summarized, Token,
};
use agentwire::store::{StoreError, StoredSession};
use agentwire_files::private_file;
use agentwire_protocol::Json;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A store in a SQLite database, for one machine. Clones share a connection. Any number of stores
/// and processes may use the database at the same time.
///
/// The database is in WAL mode with `synchronous=FULL`, so [`append`](LogStore::append) returns
/// when the batch is on disk. Writers wait for each other for up to 30 seconds. Do not use a file
/// system that machines share. SQLite's documentation explains why.
///
/// Only this user can read the files, because [`Sqlite::open`] removes the access of others.
///
/// The maximum of positions and token numbers is 2⁶³−1.
///
/// All methods use [`tokio::task::spawn_blocking`] and require a tokio runtime.
#[derive(Debug, Clone)]
pub struct Sqlite(Arc<Mutex<Connection>>);

/// The timeout of a writer that waits for another writer.
const WRITER_TIMEOUT: Duration = Duration::from_secs(30);

/// The number of bytes of entries in a page.
const PAGE: usize = 1 << 20;

/// The migrations of the tables. `user_version` is the number of applied migrations.
const MIGRATIONS: [&str; 1] = ["
    CREATE TABLE logs (
        id INTEGER PRIMARY KEY,
        project TEXT NOT NULL,
        session_id TEXT NOT NULL,
        position INTEGER NOT NULL,
        token_number INTEGER NOT NULL,
        token_writer TEXT NOT NULL,
        is_deleted INTEGER NOT NULL,
        -- Milliseconds since 1970.
        modified INTEGER NOT NULL,
        summary TEXT,
        UNIQUE (project, session_id)
    ) STRICT;
    CREATE TABLE batches (
        log INTEGER NOT NULL REFERENCES logs (id),
        position INTEGER NOT NULL,
        token_number INTEGER NOT NULL,
        token_writer TEXT NOT NULL,
        PRIMARY KEY (log, position)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE parts (
        log INTEGER NOT NULL REFERENCES logs (id),
        part TEXT NOT NULL,
        PRIMARY KEY (log, part)
    ) STRICT, WITHOUT ROWID;
    -- In the order of their rowids.
    CREATE TABLE entries (
        log INTEGER NOT NULL REFERENCES logs (id),
        position INTEGER NOT NULL,
        part TEXT NOT NULL,
        json TEXT NOT NULL
    ) STRICT;
    CREATE INDEX entries_in_order ON entries (log, position);
"];

/// The row ID of a log, and its end.
struct FoundLog {
    log: i64,
    head: Head,
}

impl Sqlite {
    /// Opens or creates a database and migrates its tables. This call blocks.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened, is not a database, or was created by a newer release of
    /// this crate.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        /// Closing a file releases the locks that this process has on the file through other
        /// connections. Therefore no connection is opened while a file is created.
        static OPENING: Mutex<()> = Mutex::new(());
        let _opening = OPENING.lock().unwrap_or_else(PoisonError::into_inner);
        let path = path.as_ref();
        let is_plain = path.to_str().is_none_or(|it| {
            // In-memory databases and URIs are passed to SQLite unchanged.
            !it.is_empty() && it != ":memory:" && !it.starts_with("file:")
        });
        if is_plain {
            match private_file::create(path, &File::options()) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(format!("cannot create {}: {error}", path.display()).into());
                }
                _ => {}
            }
        }
        let connection = Connection::open(path)?;
        make_private(&connection)?;
        Self::with_connection(connection)
    }

    /// Opens a database in memory, for tests.
    ///
    /// # Errors
    ///
    /// If SQLite refuses to open the database.
    pub fn in_memory() -> Result<Self, StoreError> {
        Self::with_connection(Connection::open_in_memory()?)
    }

    fn with_connection(mut connection: Connection) -> Result<Self, StoreError> {
        connection.busy_timeout(WRITER_TIMEOUT)?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "full")?;
        migrate(&mut connection)?;
        connection.set_prepared_statement_cache_capacity(32);
        Ok(Self(Arc::new(Mutex::new(connection))))
    }

    /// Runs a transaction in a blocking task.
    async fn run<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        behaviour: TransactionBehavior,
        run: impl FnOnce(&Transaction<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let connection = Arc::clone(&self.0);
        let task = tokio::task::spawn_blocking(move || {
            // A panic has rolled back its transaction.
            let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
            let transaction = connection.transaction_with_behavior(behaviour);
            let transaction = transaction.map_err(StoreError::from)?;
            let done = run(&transaction)?;
            transaction.commit().map_err(StoreError::from)?;
            Ok(done)
        });
        task.await.map_err(StoreError::from)?
    }

    async fn write_transaction<T: Send + 'static>(
        &self,
        run: impl FnOnce(&Transaction<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, AppendError> {
        // A transaction that begins by reading would fail to write after concurrent writes, so it
        // is `Immediate`.
        let written = self.run(TransactionBehavior::Immediate, run).await;
        written.map_err(|Failure(error)| error)
    }

    async fn read_transaction<T: Send + 'static>(
        &self,
        run: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.run(TransactionBehavior::Deferred, run).await
    }
}

/// The error of a writing transaction.
struct Failure(AppendError);

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self(AppendError::Failed(error))
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self(AppendError::failed(error))
    }
}

impl From<crate::session_log::Refusal> for Failure {
    fn from(refusal: crate::session_log::Refusal) -> Self {
        Self(refusal.into())
    }
}

/// Removes the access of others to the files of a database. SQLite creates further files with the
/// mode of the database.
fn make_private(connection: &Connection) -> Result<(), StoreError> {
    let Some(path) = connection.path().filter(|it| !it.is_empty()) else {
        return Ok(());
    };
    for suffix in ["", "-wal", "-shm", "-journal"] {
        let file = format!("{path}{suffix}");
        // The files are not opened, for the reason given in `Sqlite::open`.
        if let Err(error) = private_file::make_path_private(Path::new(&file)) {
            return Err(format!("cannot remove the access of others to {file}: {error}").into());
        }
    }
    Ok(())
}

fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let Some(missing) = MIGRATIONS.get(version as usize..) else {
        let supported = MIGRATIONS.len();
        let why = format!(
            "the database has version {version} of the tables; this program supports {supported}"
        );
        return Err(why.into());
    };
    for migration in missing {
        transaction.execute_batch(migration)?;
    }
    let version = i64::try_from(MIGRATIONS.len())?;
    transaction.pragma_update(None, "user_version", version)?;
    Ok(transaction.commit()?)
}

fn find(
    transaction: &Transaction<'_>,
    session: &LogKey,
) -> Result<Option<FoundLog>, rusqlite::Error> {
    let query = "SELECT id, position, token_number, token_writer, is_deleted FROM logs
                 WHERE project = ?1 AND session_id = ?2";
    let mut statement = transaction.prepare_cached(query)?;
    let found = statement.query_row(params![session.project, session.session_id], |row| {
        let (position, number): (i64, i64) = (row.get(1)?, row.get(2)?);
        let token = Token::new(number.cast_unsigned(), row.get::<_, String>(3)?);
        let position = Position(position.cast_unsigned());
        Ok(FoundLog {
            log: row.get(0)?,
            head: match row.get(4)? {
                true => Head::deleted(position, token),
                false => Head::new(position, token),
            },
        })
    });
    found.optional()
}

/// Reads the batch directly after a position.
fn next(
    transaction: &Transaction<'_>,
    log: i64,
    after: Position,
) -> Result<Option<Next>, rusqlite::Error> {
    let Some(direct) = after.0.checked_add(1).and_then(|it| i64::try_from(it).ok()) else {
        return Ok(None);
    };
    let query = "SELECT token_number, token_writer FROM batches WHERE log = ?1 AND position = ?2";
    let mut statement = transaction.prepare_cached(query)?;
    let found = statement.query_row(params![log, direct], |row| {
        let number: i64 = row.get(0)?;
        let token = Token::new(number.cast_unsigned(), row.get::<_, String>(1)?);
        Ok(Next::new(Position(direct.cast_unsigned()), token))
    });
    found.optional()
}

/// Converts a number to the signed type of SQLite.
fn signed(number: u64, what: &str) -> Result<i64, StoreError> {
    let too_large = |_| format!("{what} {number} exceeds the maximum of SQLite").into();
    i64::try_from(number).map_err(too_large)
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |it| i64::try_from(it.as_millis()).unwrap_or(i64::MAX))
}

/// A batch to append.
struct AppendBatch {
    session: LogKey,
    after: Position,
    token: Token,
    entries: Vec<Entry>,
    summary: Option<Json>,
}

impl AppendBatch {
    fn append(&self, transaction: &Transaction<'_>) -> Result<Position, Failure> {
        let found = find(transaction, &self.session)?;
        let next = match &found {
            Some(found) => next(transaction, found.log, self.after)?,
            None => None,
        };
        let head = found.as_ref().map(|found| &found.head);
        let admission = Head::admit(head, next.as_ref(), self.after, &self.token)?;
        if let Admission::AlreadyStored(position) = admission {
            return Ok(position);
        }
        let position = signed(self.after.0.saturating_add(1), "the position")?;
        let number = signed(self.token.number, "the token's number")?;
        let query = "INSERT INTO logs
                         (project, session_id, position, token_number, token_writer, is_deleted,
                          modified, summary)
                     VALUES (?1, ?2, ?3, ?4, ?5, FALSE, ?6, ?7)
                     ON CONFLICT (project, session_id) DO UPDATE SET
                         position = ?3, token_number = ?4, token_writer = ?5, is_deleted = FALSE,
                         modified = max(modified, ?6), summary = ?7
                     RETURNING id";
        let (project, session_id) = (&self.session.project, &self.session.session_id);
        let writer = &*self.token.writer;
        let summary = self.summary.as_ref().map(Json::get);
        let values = params![
            project,
            session_id,
            position,
            number,
            writer,
            now(),
            summary
        ];
        let mut statement = transaction.prepare_cached(query)?;
        let log: i64 = statement.query_row(values, |row| row.get(0))?;
        let mut statement =
            transaction.prepare_cached("INSERT INTO batches VALUES (?1, ?2, ?3, ?4)")?;
        statement.execute(params![log, position, number, writer])?;
        let mut statement =
            transaction.prepare_cached("INSERT INTO entries VALUES (?1, ?2, ?3, ?4)")?;
        let mut parts = BTreeSet::new();
        for Entry { part, json, .. } in &self.entries {
            statement.execute(params![log, position, part.name(), json.get()])?;
            parts.insert(part);
        }
        let mut statement =
            transaction.prepare_cached("INSERT OR IGNORE INTO parts VALUES (?1, ?2)")?;
        for part in parts {
            statement.execute(params![log, part.name()])?;
        }
        Ok(Position(position.cast_unsigned()))
    }
}

/// Reads a page of batches.
fn read(
    transaction: &Transaction<'_>,
    session: &LogKey,
    after: Position,
) -> Result<Vec<Batch>, StoreError> {
    let (Some(found), Ok(after)) = (find(transaction, session)?, i64::try_from(after.0)) else {
        return Ok(Vec::new());
    };
    let query = "SELECT position, token_number, token_writer, part, json
                 FROM batches JOIN entries USING (log, position)
                 WHERE log = ?1 AND position > ?2 ORDER BY position, entries.rowid";
    let mut statement = transaction.prepare_cached(query)?;
    let mut rows = statement.query(params![found.log, after])?;
    // Entries share the names of their parts.
    let mut parts: BTreeMap<String, Part> = BTreeMap::new();
    let (mut batches, mut bytes): (Vec<Batch>, _) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let position: i64 = row.get(0)?;
        let position = Position(position.cast_unsigned());
        let is_new = batches.last().is_none_or(|last| last.position != position);
        if is_new && bytes >= PAGE {
            break;
        }
        let name = row.get_ref(3)?.as_str()?;
        let part = match parts.get(name) {
            Some(part) => part.clone(),
            None => {
                let part = Part::named(name);
                parts.insert(name.to_owned(), part.clone());
                part
            }
        };
        let json = row.get_ref(4)?.as_str()?;
        bytes += json.len();
        let entry = Entry::new(part, json.parse()?);
        match batches.last_mut() {
            Some(last) if !is_new => last.entries.push(entry),
            _ => {
                let number: i64 = row.get(1)?;
                let token = Token::new(number.cast_unsigned(), row.get::<_, String>(2)?);
                batches.push(Batch::new(position, token, vec![entry]));
            }
        }
    }
    Ok(batches)
}

fn summaries(transaction: &Transaction<'_>, project: &str) -> Result<Vec<Summarized>, StoreError> {
    let query = "SELECT session_id, modified, summary FROM logs
                 WHERE project = ?1 AND NOT is_deleted";
    let mut statement = transaction.prepare_cached(query)?;
    let mut rows = statement.query(params![project])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let modified: i64 = row.get(1)?;
        let modified = UNIX_EPOCH + Duration::from_millis(modified.try_into()?);
        let session = StoredSession::new(row.get::<_, String>(0)?, modified);
        let summary: Option<String> = row.get(2)?;
        let summary = summary.map(|it| it.parse()).transpose();
        found.push((session, summary.map_err(StoreError::from)));
    }
    Ok(found)
}

fn delete(transaction: &Transaction<'_>, session: &LogKey, token: &Token) -> Result<(), Failure> {
    let Some(found) = find(transaction, session)? else {
        return Ok(());
    };
    if !found.head.admit_deletion(token)? {
        return Ok(());
    }
    for table in ["entries", "parts", "batches"] {
        let query = format!("DELETE FROM {table} WHERE log = ?1");
        transaction.execute(&query, [found.log])?;
    }
    let number = signed(token.number, "the token's number")?;
    let query = "UPDATE logs SET position = position + 1, token_number = ?2, token_writer = ?3,
                                 is_deleted = TRUE, summary = NULL
                 WHERE id = ?1";
    transaction.execute(query, params![found.log, number, &*token.writer])?;
    Ok(())
}

impl LogStore for Sqlite {
    async fn append(
        &self,
        session: &LogKey,
        batch: &NewBatch<'_>,
    ) -> Result<Position, AppendError> {
        if batch.entries.is_empty() {
            return Ok(batch.after);
        }
        let batch = AppendBatch {
            session: session.clone(),
            after: batch.after,
            token: batch.token.clone(),
            entries: batch.entries.to_vec(),
            summary: batch.summary.cloned(),
        };
        self.write_transaction(move |transaction| batch.append(transaction))
            .await
    }

    async fn head(&self, session: &LogKey) -> Result<Option<Head>, StoreError> {
        let session = session.clone();
        let head = move |transaction: &Transaction<'_>| {
            let found = find(transaction, &session)?;
            Ok(found.map(|found| found.head))
        };
        self.read_transaction(head).await
    }

    async fn read(&self, session: &LogKey, after: Position) -> Result<Vec<Batch>, StoreError> {
        let session = session.clone();
        self.read_transaction(move |transaction| read(transaction, &session, after))
            .await
    }

    async fn summaries(&self, project: &str) -> Result<Vec<Summarized>, StoreError> {
        let project = project.to_owned();
        self.read_transaction(move |transaction| summaries(transaction, &project))
            .await
    }

    async fn parts(&self, session: &LogKey) -> Result<Vec<Part>, StoreError> {
        let session = session.clone();
        let parts = move |transaction: &Transaction<'_>| {
            let Some(found) = find(transaction, &session)? else {
                return Ok(Vec::new());
            };
            let query = "SELECT part FROM parts WHERE log = ?1";
            let mut statement = transaction.prepare_cached(query)?;
            let names = statement.query_map([found.log], |row| row.get::<_, String>(0))?;
            let names: Vec<String> = names.collect::<Result<_, _>>()?;
            Ok(names.iter().map(|name| Part::named(name)).collect())
        };
        self.read_transaction(parts).await
    }

    async fn delete(&self, session: &LogKey, token: &Token) -> Result<(), AppendError> {
        let (session, token) = (session.clone(), token.clone());
        self.write_transaction(move |transaction| delete(transaction, &session, &token))
            .await
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_invalid_summary_does_not_hide_other_sessions() {
        let folder = tempfile::tempdir().unwrap();
        let store = Sqlite::open(folder.path().join("sessions.db")).unwrap();
        let (token, entries) = (Token::new(1, "a"), [Entry::new(Part::Main, Json::null())]);
        let summary = Json::null();
        let batch = NewBatch::new(Position::START, &token, &entries).summary(&summary);
        for id in ["a", "b"] {
            let session = LogKey::new("p", id);
            store.append(&session, &batch).await.unwrap();
        }
        let query = "UPDATE logs SET summary = '{' WHERE session_id = 'a'";
        let changed = store
            .read_transaction(move |it| Ok(it.execute(query, [])?))
            .await;
        assert_eq!(changed.unwrap(), 1);
        let found = store.summaries("p").await.unwrap();
        let [(a, Err(_)), (b, Ok(Some(_)))] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!((&*a.id, &*b.id), ("a", "b"));
    }
}

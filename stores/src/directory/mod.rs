//! A store in a directory of files.

mod file;
mod names;
mod record;

use crate::session_log::{
    Admission, AppendError, Batch, Head, LogKey, LogStore, NewBatch, Part, Position, Summarized,
    Token,
};
use agentwire::store::{StoreError, StoredSession};
use file::{Lock, LogFile};
use record::Record;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

/// A store in a directory, for one machine. It has a folder for each project, with a file for each
/// session. Any number of stores and processes may use the directory at the same time.
///
/// [`append`](LogStore::append) returns when the batch is on disk (`fdatasync`). A batch that a
/// crash left incomplete is ignored, and the next append removes it. Damage anywhere else is an
/// error.
///
/// Writers exclude each other by a file lock, which the system releases when a process exits. Only
/// this user has access to files and folders below the directory; files of earlier versions lose
/// the access of others when they are written. The directory itself keeps its mode if it exists,
/// and may be a link. Links below it are errors. Do not use a file system that machines share,
/// because many of them do not lock across machines.
///
/// All methods use [`tokio::task::spawn_blocking`] and require a tokio runtime.
#[derive(Debug, Clone)]
pub struct Directory {
    root: Arc<Path>,
    cursors: Arc<Mutex<HashMap<LogKey, Cursor>>>,
}

/// The end of the page that was read last.
#[derive(Debug, Clone)]
struct Cursor {
    /// The ID of the file. A deletion replaces the file by one with another ID.
    file: String,
    position: Position,
    offset: u64,
}

/// The maximum number of cached cursors.
const MAX_CURSORS: usize = 64;

/// The number of bytes of entries in a page.
const PAGE: usize = 1 << 20;

impl Directory {
    /// Creates a store in a directory. The first append creates the directory if it does not exist.
    pub fn new(root: impl AsRef<Path>) -> Self {
        Self {
            root: root.as_ref().into(),
            cursors: Arc::default(),
        }
    }

    /// Runs a method in a blocking task.
    async fn run<T: Send + 'static>(
        &self,
        run: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> Result<T, StoreError> {
        let store = self.clone();
        let task = tokio::task::spawn_blocking(move || run(&store));
        Ok(task.await?)
    }

    fn path(&self, session: &LogKey) -> PathBuf {
        names::path(&self.root, session)
    }

    fn append_now(
        &self,
        session: &LogKey,
        after: Position,
        token: &Token,
        record: Record,
    ) -> Result<Position, AppendError> {
        let path = self.path(session);
        let failed = |error: io::Error| AppendError::failed(error);
        let _lock = Lock::take(&self.root, &path).map_err(failed)?;
        let mut file = LogFile::open_to_write(&path).map_err(failed)?;
        let last = file.last().map_err(failed)?;
        let head = last.as_ref().map(Record::head);
        // Positions are consecutive.
        let direct = after.0.saturating_add(1);
        let next = match &last {
            Some(last) if last.position.0 == direct => last.next(),
            Some(last) if last.position.0 > direct => {
                let next = file.first_after(after).map_err(failed)?;
                next.and_then(|next| next.next())
            }
            _ => None,
        };
        let next = next.filter(|next| next.position.0 == direct);
        match Head::admit(head.as_ref(), next.as_ref(), after, token)? {
            Admission::AlreadyStored(position) => return Ok(position),
            _ => file.append(&record).map_err(failed)?,
        }
        Ok(record.position)
    }

    fn read_now(&self, session: &LogKey, after: Position) -> io::Result<Vec<Batch>> {
        let Some(mut file) = LogFile::open(&self.root, &self.path(session))? else {
            return Ok(Vec::new());
        };
        let cursor = self.cursor(session).filter(|it| {
            // The offset is invalid in another file.
            it.file == file.id() && it.position == after
        });
        let mut scan = match cursor {
            Some(cursor) => file.scan_from(cursor.offset, Some(cursor.position))?,
            None => file.scan()?,
        };
        let (mut batches, mut bytes) = (Vec::new(), 0);
        while bytes < PAGE
            && let Some(record) = scan.next_after(after)?
        {
            bytes += record.bytes();
            batches.extend(record.into_batch());
        }
        let offset = scan.offset();
        let cursor = batches.last().map(|last| Cursor {
            file: file.id().to_owned(),
            position: last.position,
            offset,
        });
        self.remember(session, cursor);
        Ok(batches)
    }

    fn cursor(&self, session: &LogKey) -> Option<Cursor> {
        let cursors = self.cursors.lock().unwrap_or_else(PoisonError::into_inner);
        cursors.get(session).cloned()
    }

    fn remember(&self, session: &LogKey, cursor: Option<Cursor>) {
        let mut cursors = self.cursors.lock().unwrap_or_else(PoisonError::into_inner);
        match cursor {
            None => drop(cursors.remove(session)),
            Some(cursor) => {
                if cursors.len() >= MAX_CURSORS {
                    cursors.clear();
                }
                cursors.insert(session.clone(), cursor);
            }
        }
    }

    fn summaries_now(&self, project: &str) -> io::Result<Vec<Summarized>> {
        let mut found = Vec::new();
        for (id, path) in names::sessions(&self.root, project)? {
            // A log that cannot be read is listed, too.
            let summary = match LogFile::open(&self.root, &path) {
                Ok(None) => continue,
                Ok(Some(mut file)) => match file.last() {
                    Ok(None) if file.is_empty() => continue,
                    Ok(Some(last)) if last.is_deleted => continue,
                    Ok(last) => Ok(last.and_then(|last| last.summary)),
                    Err(error) => Err(error),
                },
                Err(error) => Err(error),
            };
            let modified = fs::symlink_metadata(&path)?.modified()?;
            let session = StoredSession::new(id, modified);
            found.push((session, summary.map_err(StoreError::from)));
        }
        Ok(found)
    }

    fn parts_now(&self, session: &LogKey) -> io::Result<BTreeSet<Part>> {
        let mut parts = BTreeSet::new();
        if let Some(mut file) = LogFile::open(&self.root, &self.path(session))? {
            let mut scan = file.scan()?;
            while let Some(record) = scan.next()? {
                parts.extend(record.entries.into_iter().map(|entry| entry.part));
            }
        }
        Ok(parts)
    }

    fn delete_now(&self, session: &LogKey, token: &Token) -> Result<(), AppendError> {
        let path = self.path(session);
        let failed = |error: io::Error| AppendError::failed(error);
        if fs::symlink_metadata(&path).is_err() {
            return Ok(());
        }
        let _lock = Lock::take(&self.root, &path).map_err(failed)?;
        let mut file = LogFile::open_to_write(&path).map_err(failed)?;
        let Some(last) = file.last().map_err(failed)? else {
            return Ok(());
        };
        if last.head().admit_deletion(token)? {
            let end = Record::deletion(Position(last.position.0 + 1), token.clone());
            LogFile::replace(&path, &end).map_err(failed)?;
        }
        Ok(())
    }
}

impl LogStore for Directory {
    async fn append(
        &self,
        session: &LogKey,
        batch: &NewBatch<'_>,
    ) -> Result<Position, AppendError> {
        if batch.entries.is_empty() {
            return Ok(batch.after);
        }
        let (after, token) = (batch.after, batch.token.clone());
        let (session, record) = (session.clone(), Record::of(batch));
        let appended = self.run(move |store| store.append_now(&session, after, &token, record));
        appended.await.map_err(AppendError::Failed)?
    }

    async fn head(&self, session: &LogKey) -> Result<Option<Head>, StoreError> {
        let path = self.path(session);
        let head = self.run(move |store| -> io::Result<_> {
            let file = LogFile::open(&store.root, &path)?;
            let last = file.map(|mut file| file.last()).transpose()?.flatten();
            Ok(last.as_ref().map(Record::head))
        });
        Ok(head.await??)
    }

    async fn read(&self, session: &LogKey, after: Position) -> Result<Vec<Batch>, StoreError> {
        let session = session.clone();
        Ok(self
            .run(move |store| store.read_now(&session, after))
            .await??)
    }

    async fn summaries(&self, project: &str) -> Result<Vec<Summarized>, StoreError> {
        let project = project.to_owned();
        Ok(self
            .run(move |store| store.summaries_now(&project))
            .await??)
    }

    async fn parts(&self, session: &LogKey) -> Result<Vec<Part>, StoreError> {
        let session = session.clone();
        let parts = self.run(move |store| store.parts_now(&session)).await??;
        Ok(parts.into_iter().collect())
    }

    async fn delete(&self, session: &LogKey, token: &Token) -> Result<(), AppendError> {
        let (session, token) = (session.clone(), token.clone());
        let deleted = self.run(move |store| store.delete_now(&session, &token));
        deleted.await.map_err(AppendError::Failed)?
    }
}

//! A store in memory.

use crate::session_log::{
    Admission, AppendError, Batch, Head, LogKey, LogStore, NewBatch, Next, Part, Position,
    Summarized, Token,
};
use agentwire::store::{StoreError, StoredSession};
use agentwire_protocol::Json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

/// A store in memory, for tests. Clones share their contents.
#[derive(Debug, Clone, Default)]
pub struct MemoryLog(Arc<Mutex<BTreeMap<LogKey, Log>>>);

#[derive(Debug)]
struct Log {
    head: Head,
    batches: Vec<Batch>,
    summary: Option<Json>,
    modified: SystemTime,
}

/// The number of batches in one page.
const PAGE: usize = 256;

impl MemoryLog {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Locks the logs. Poisoning is ignored, because a panic leaves no partial changes.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<LogKey, Log>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log {
    /// Returns the batches after this position.
    fn batches_after(&self, after: Position) -> &[Batch] {
        let first = self.batches.partition_point(|it| it.position <= after);
        &self.batches[first..]
    }

    /// Returns the position and token of the batch directly after this position.
    fn next(&self, after: Position) -> Option<Next> {
        let next = self.batches_after(after).first()?;
        let is_next = next.position.0 == after.0 + 1;
        is_next.then(|| Next::new(next.position, next.token.clone()))
    }
}

impl LogStore for MemoryLog {
    async fn append(
        &self,
        session: &LogKey,
        batch: &NewBatch<'_>,
    ) -> Result<Position, AppendError> {
        if batch.entries.is_empty() {
            return Ok(batch.after);
        }
        let mut logs = self.lock();
        let log = logs.get_mut(session);
        let next = log.as_ref().and_then(|log| log.next(batch.after));
        let head = log.as_ref().map(|log| &log.head);
        let admission = Head::admit(head, next.as_ref(), batch.after, batch.token)?;
        if let Admission::AlreadyStored(position) = admission {
            return Ok(position);
        }
        let position = Position(batch.after.0 + 1);
        let stored = Batch::new(position, batch.token.clone(), batch.entries.to_vec());
        let head = Head::new(position, batch.token.clone());
        let modified = SystemTime::now();
        match log {
            Some(log) => {
                log.head = head;
                log.summary = batch.summary.cloned();
                log.modified = log.modified.max(modified);
                log.batches.push(stored);
            }
            None => {
                let log = Log {
                    head,
                    batches: vec![stored],
                    summary: batch.summary.cloned(),
                    modified,
                };
                logs.insert(session.clone(), log);
            }
        }
        Ok(position)
    }

    async fn head(&self, session: &LogKey) -> Result<Option<Head>, StoreError> {
        Ok(self.lock().get(session).map(|log| log.head.clone()))
    }

    async fn read(&self, session: &LogKey, after: Position) -> Result<Vec<Batch>, StoreError> {
        let logs = self.lock();
        let batches = logs
            .get(session)
            .map_or(&[][..], |log| log.batches_after(after));
        Ok(batches.iter().take(PAGE).cloned().collect())
    }

    async fn summaries(&self, project: &str) -> Result<Vec<Summarized>, StoreError> {
        let logs = self.lock();
        let sessions = logs.range(LogKey::new(project, "")..);
        let sessions = sessions
            .take_while(|(key, _)| key.project == project)
            .filter(|(_, log)| !log.head.is_deleted)
            .map(|(key, log)| {
                let session = StoredSession::new(&key.session_id, log.modified);
                (session, Ok(log.summary.clone()))
            });
        Ok(sessions.collect())
    }

    async fn parts(&self, session: &LogKey) -> Result<Vec<Part>, StoreError> {
        let logs = self.lock();
        let batches = logs.get(session).map_or(&[][..], |log| &log.batches);
        let entries = batches.iter().flat_map(|batch| &batch.entries);
        let parts: BTreeSet<_> = entries.map(|entry| &entry.part).collect();
        Ok(parts.into_iter().cloned().collect())
    }

    async fn delete(&self, session: &LogKey, token: &Token) -> Result<(), AppendError> {
        let mut logs = self.lock();
        let Some(log) = logs.get_mut(session) else {
            return Ok(());
        };
        if log.head.admit_deletion(token)? {
            let position = Position(log.head.position.0 + 1);
            log.head = Head::deleted(position, token.clone());
            log.batches.clear();
            log.summary = None;
        }
        Ok(())
    }
}

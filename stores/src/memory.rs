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

/// A store in memory, for tests: nothing of it outlives the process. Clones share
/// their contents.
#[derive(Debug, Clone, Default)]
pub struct MemoryLog(Arc<Mutex<BTreeMap<LogKey, Log>>>);

#[derive(Debug)]
struct Log {
    head: Head,
    batches: Vec<Batch>,
    summary: Option<Json>,
    modified: SystemTime,
}

/// How many batches are read at once.
const PAGE: usize = 256;

impl MemoryLog {
    /// Creates an empty store.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A panic leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<LogKey, Log>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log {
    /// The batches behind a position.
    fn behind(&self, after: Position) -> &[Batch] {
        let first = self.batches.partition_point(|it| it.position <= after);
        &self.batches[first..]
    }

    /// The batch directly behind a position, which there is a batch at, or the log
    /// starts at.
    fn next(&self, after: Position) -> Option<Next> {
        let next = self.behind(after).first()?;
        let is_direct = next.position.0 == after.0 + 1;
        is_direct.then(|| Next::new(next.position, next.token.clone()))
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
        if let Admission::Kept(position) = admission {
            return Ok(position);
        }
        let position = Position(batch.after.0 + 1);
        let kept = Batch::new(position, batch.token.clone(), batch.entries.to_vec());
        let head = Head::new(position, batch.token.clone());
        let modified = SystemTime::now();
        match log {
            Some(log) => {
                log.head = head;
                log.summary = batch.summary.cloned();
                log.modified = log.modified.max(modified);
                log.batches.push(kept);
            }
            None => {
                let log = Log {
                    head,
                    batches: vec![kept],
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
        let behind = logs.get(session).map_or(&[][..], |log| log.behind(after));
        Ok(behind.iter().take(PAGE).cloned().collect())
    }

    async fn summaries(&self, project: &str) -> Result<Vec<Summarized>, StoreError> {
        let logs = self.lock();
        let listed = logs.range(LogKey::new(project, "")..);
        let listed = listed
            .take_while(|(key, _)| key.project == project)
            .filter(|(_, log)| !log.head.is_deleted)
            .map(|(key, log)| {
                let session = StoredSession::new(&key.session_id, log.modified);
                (session, Ok(log.summary.clone()))
            });
        Ok(listed.collect())
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

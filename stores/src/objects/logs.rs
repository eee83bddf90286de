//! Sends requests for the logs in an object store.

use super::error::ObjectsError;
use super::record::{self, Last, Record};
use crate::names::{name, unescaped};
use crate::session_log::{Batch, LogKey, Next, Position, Token};
use agentwire::store::StoredSession;
use agentwire_protocol::Json;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{
    Error, GetOptions, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions,
    PutPayload,
};
use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The maximum number of concurrent requests.
const MAX_CONCURRENT: usize = 16;

/// The number of bytes of entries in a page. A page has at least one batch.
const PAGE: usize = 1 << 20;

/// The maximum number of batches in a page.
const BATCHES: u64 = 1_000;

/// The number of attempts to list an object that exists, and the pause between them.
const ATTEMPTS: u32 = 25;
const PAUSE: Duration = Duration::from_millis(20);

/// The damage of a log with an empty object after which the log was not deleted.
pub(super) const EMPTY: &str = "the object is empty, and the log was not deleted";

/// The maximum number of cached ends of logs.
const MAX_CACHED: usize = 10_000;

pub(super) struct Logs {
    pub(super) objects: Arc<dyn ObjectStore>,
    pub(super) prefix: Path,
    pub(super) timeout: Duration,
    /// The ends of logs that this store read last. Logs only grow, so only later objects have to be
    /// listed.
    pub(super) ends: Mutex<HashMap<LogKey, Last>>,
}

/// The outcome of creating an object.
pub(super) enum Created {
    New,
    /// The object exists, or another host is creating it.
    Exists,
}

/// The number of failed attempts to list an object that exists.
#[derive(Default)]
pub(super) struct Attempts(u32);

impl Logs {
    /// Makes a request with the timeout.
    async fn request<T>(
        &self,
        what: &'static str,
        request: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, ObjectsError> {
        match tokio::time::timeout(self.timeout, request).await {
            Ok(outcome) => outcome.map_err(|error| ObjectsError::Request { what, error }),
            Err(_) => Err(ObjectsError::TimedOut {
                what,
                limit: self.timeout,
            }),
        }
    }

    /// Returns the path of a project.
    fn project(&self, project: &str) -> Path {
        self.prefix.clone().join("logs").join(name(project))
    }

    /// Returns the path of a log.
    fn log(&self, session: &LogKey) -> Path {
        self.project(&session.project)
            .join(name(&session.session_id))
    }

    /// Returns the path of a batch. The order of paths is the order of positions.
    fn object(&self, session: &LogKey, position: u64) -> Path {
        self.log(session).join(format!("{position:020}"))
    }

    /// Creates the object of a record unless it exists.
    pub(super) async fn create(
        &self,
        record: &Record,
        entries: &str,
    ) -> Result<Created, ObjectsError> {
        let Record {
            session, position, ..
        } = record;
        let text = record::encode(record, entries);
        let text = text.ok_or_else(|| {
            ObjectsError::damaged(session, *position, "a batch cannot be written as JSON")
        })?;
        let object = self.object(session, *position);
        let created = self.create_object(&object, text).await?;
        if let Created::New = created {
            let token = record.token.clone();
            let last = Last::of(*position, token, record.start, record.is_deleted);
            self.cache_end(session, last);
        }
        Ok(created)
    }

    /// Creates an object.
    pub(super) async fn create_object(
        &self,
        object: &Path,
        text: String,
    ) -> Result<Created, ObjectsError> {
        let options = PutOptions::from(PutMode::Create);
        let put = self
            .objects
            .put_opts(object, PutPayload::from(text), options);
        match self.request("creating an object", put).await {
            Ok(_) => Ok(Created::New),
            Err(ObjectsError::Request {
                error: Error::AlreadyExists { .. } | Error::Precondition { .. },
                ..
            }) => Ok(Created::Exists),
            Err(error) => Err(error),
        }
    }

    /// Returns the cached end of a log if a batch with this token can be appended after it.
    pub(super) fn cached_end(
        &self,
        session: &LogKey,
        after: Position,
        token: &Token,
    ) -> Option<Last> {
        let last = self.last_read(session)?;
        let is_usable = last.head.position == after && last.head.token == *token;
        (is_usable && !last.head.is_deleted).then_some(last)
    }

    fn last_read(&self, session: &LogKey) -> Option<Last> {
        let ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        ends.get(session).cloned()
    }

    fn cache_end(&self, session: &LogKey, last: Last) {
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        if ends.len() >= MAX_CACHED && !ends.contains_key(session) {
            ends.clear();
        }
        let is_older = |it: &Last| it.head.position > last.head.position;
        if !ends.get(session).is_some_and(is_older) {
            ends.insert(session.clone(), last);
        }
    }

    /// Calls a function with each object of a folder, or with each object after a given one, in any
    /// order.
    async fn for_each_object(
        &self,
        folder: &Path,
        after: Option<&Path>,
        mut each: impl FnMut(ObjectMeta),
    ) -> Result<(), ObjectsError> {
        let mut objects = match after {
            None => self.objects.list(Some(folder)),
            Some(after) => self.objects.list_with_offset(Some(folder), after),
        };
        // The client requests a new page after about a thousand objects.
        while let Some(object) = self.request("listing objects", objects.try_next()).await? {
            each(object);
        }
        Ok(())
    }

    /// Reads the end of a log.
    pub(super) async fn last(&self, session: &LogKey) -> Result<Option<Last>, ObjectsError> {
        let mut empty = None;
        loop {
            let cached = self.last_read(session);
            let cached_position = cached.as_ref().map(|it| it.head.position.0);
            let after = cached_position.map(|position| self.object(session, position));
            let mut newest = None;
            let each = |object: ObjectMeta| newest = newest.max(position_of(&object.location));
            let folder = self.log(session);
            self.for_each_object(&folder, after.as_ref(), each).await?;
            let Some(position) = newest.filter(|it| Some(*it) > cached_position) else {
                return Ok(cached);
            };
            if let Some(record) = self.record(session, position).await? {
                let last = Last::of(position, record.token, record.start, record.is_deleted);
                self.cache_end(session, last.clone());
                return Ok(Some(last));
            }
            // The log was deleted between the two requests.
            if empty == Some(position) {
                return Err(ObjectsError::damaged(session, position, EMPTY));
            }
            empty = Some(position);
        }
    }

    /// Reads the end of a log after [`Created::Exists`]. S3 may report that an object exists while
    /// another host is creating it, and the creation may fail.
    pub(super) async fn last_after_conflict(
        &self,
        record: &Record,
        attempts: &mut Attempts,
    ) -> Result<Option<Last>, ObjectsError> {
        let last = self.last(&record.session).await?;
        let position = last.as_ref().map_or(0, |it| it.head.position.0);
        if position < record.position {
            attempts.0 += 1;
            if attempts.0 > ATTEMPTS {
                return Err(ObjectsError::NotListed {
                    session: record.session.clone(),
                    position: Position(record.position),
                });
            }
            tokio::time::sleep(PAUSE).await;
        }
        Ok(last)
    }

    /// Reads a record of a log. Returns `None` if the log was deleted after the record.
    async fn record(
        &self,
        session: &LogKey,
        position: u64,
    ) -> Result<Option<Record>, ObjectsError> {
        let damaged = |problem| Err(ObjectsError::damaged(session, position, problem));
        let object = self.object(session, position);
        let got = async {
            let got: GetResult = self
                .objects
                .get_opts(&object, GetOptions::default())
                .await?;
            got.bytes().await
        };
        let text = match self.request("reading an object", got).await {
            Ok(text) => text,
            Err(ObjectsError::Request {
                error: Error::NotFound { .. },
                ..
            }) => return damaged("the object is missing"),
            Err(error) => return Err(error),
        };
        if text.is_empty() {
            return Ok(None);
        }
        match record::decode(&text) {
            None => damaged("the object is invalid"),
            Some(it) if it.session != *session || it.position != position => {
                damaged("the object belongs to another log or position")
            }
            Some(record) => Ok(Some(record)),
        }
    }

    /// Reads the batch directly after a position. `last` is the end of the log.
    pub(super) async fn next(
        &self,
        session: &LogKey,
        last: &Last,
        after: Position,
    ) -> Result<Option<Next>, ObjectsError> {
        let is_outside = after >= last.head.position || after.0 < last.start;
        if is_outside || last.head.is_deleted {
            return Ok(None);
        }
        let record = self.record(session, after.0 + 1).await?;
        Ok(record.map(|it| Next::new(Position(it.position), it.token)))
    }

    /// Reads a page of a log that ends at `last`. Returns `None` if the log was deleted during the
    /// call.
    pub(super) async fn read(
        &self,
        session: &LogKey,
        after: Position,
        last: &Last,
    ) -> Result<Option<Vec<Batch>>, ObjectsError> {
        let first = after.0.max(last.start) + 1;
        let end = last.head.position.0.min(first + BATCHES - 1);
        let records = stream::iter(first..=end).map(|position| self.record(session, position));
        let mut records = records.buffered(MAX_CONCURRENT);
        let (mut batches, mut bytes) = (Vec::new(), 0);
        while let Some(record) = records.try_next().await? {
            let Some(record) = record.filter(|it| it.start == last.start) else {
                return Ok(None);
            };
            let entries = record.entries;
            bytes += entries.iter().map(|it| it.json.get().len()).sum::<usize>();
            if bytes > PAGE && !batches.is_empty() {
                break;
            }
            batches.push(Batch::new(Position(record.position), record.token, entries));
        }
        Ok(Some(batches))
    }

    /// Empties the objects of a log before its deletion. The objects are not removed, so that other
    /// hosts cannot create them again.
    pub(super) async fn purge(&self, session: &LogKey, deletion: u64) -> Result<(), ObjectsError> {
        let mut full = Vec::new();
        let each = |object: ObjectMeta| {
            let position = position_of(&object.location);
            if object.size > 0 && position.is_some_and(|it| it < deletion) {
                full.push(object.location);
            }
        };
        self.for_each_object(&self.log(session), None, each).await?;
        let emptied = stream::iter(full).map(|object| async move {
            let put = self.objects.put(&object, PutPayload::default());
            self.request("deleting a batch", put).await.map(drop)
        });
        emptied.buffer_unordered(MAX_CONCURRENT).try_collect().await
    }

    /// Reads the sessions of a project. Each has the summary in its last record, or the error of
    /// reading the summary.
    pub(super) async fn summaries(
        &self,
        project: &str,
    ) -> Result<Vec<(StoredSession, Result<Option<Json>, ObjectsError>)>, ObjectsError> {
        let folder = self.project(project);
        let mut newest: BTreeMap<String, ObjectMeta> = BTreeMap::new();
        let each = |object: ObjectMeta| {
            let parts: Vec<_> = object.location.parts().rev().take(2).collect();
            let [_, session] = &parts[..] else { return };
            let at = position_of(&object.location);
            let session = session.as_ref().to_owned();
            let before = newest.get(&session);
            if at.is_some() && at > before.and_then(|it| position_of(&it.location)) {
                newest.insert(session, object);
            }
        };
        self.for_each_object(&folder, None, each).await?;
        let records = stream::iter(newest.into_values()).map(|object| async move {
            let got = async { self.objects.get(&object.location).await?.bytes().await };
            let text = self.request("reading an object", got).await?;
            let position = position_of(&object.location).unwrap_or_default();
            // The log was deleted during the call.
            if text.is_empty() {
                return Ok(None);
            }
            let modified = object.last_modified.into();
            let Some(record) = record::decode(&text) else {
                // The folder is named after the session ID, or after the hash of a long ID.
                let folder = object.location.parts().rev().nth(1);
                let id = folder.as_ref().and_then(|it| unescaped(it.as_ref()));
                let id = id.unwrap_or_else(|| object.location.to_string());
                let session = LogKey::new(project, &id);
                let problem = "the object is invalid";
                let error = ObjectsError::damaged(&session, position, problem);
                return Ok(Some((StoredSession::new(id, modified), Err(error))));
            };
            let is_listed = !record.is_deleted && record.session.project == project;
            let session = StoredSession::new(record.session.session_id, modified);
            Ok(is_listed.then_some((session, Ok(record.summary))))
        });
        let records = records.buffer_unordered(MAX_CONCURRENT);
        records
            .try_filter_map(|it| async { Ok(it) })
            .try_collect()
            .await
    }
}

/// Parses the position in an object's path. Returns `None` for other objects.
fn position_of(object: &Path) -> Option<u64> {
    object.filename()?.parse().ok()
}

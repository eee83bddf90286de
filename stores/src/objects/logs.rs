//! The logs: what is requested of the object store.

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

/// How many requests are made at once.
const AT_ONCE: usize = 16;

/// The bytes of entries that are read at once, unless one batch has more.
const PAGE: usize = 1 << 20;

/// The batches that are read at once.
const BATCHES: u64 = 1_000;

/// How often, and how long, an object is waited for that exists and is not listed.
const ATTEMPTS: u32 = 25;
const PAUSE: Duration = Duration::from_millis(20);

/// What is wrong with an empty object that no deletion comes behind.
pub(super) const EMPTY: &str = "the object is empty, and the log was not deleted";

/// How many logs' ends are remembered.
const REMEMBERED: usize = 10_000;

pub(super) struct Logs {
    pub(super) objects: Arc<dyn ObjectStore>,
    pub(super) prefix: Path,
    pub(super) timeout: Duration,
    /// Ends of logs as they were when this store saw them last. Logs only get longer, so
    /// that what comes behind is all that has to be listed.
    pub(super) seen: Mutex<HashMap<LogKey, Last>>,
}

/// What became of an object.
pub(super) enum Created {
    New,
    /// There is one, or another host is creating one.
    Exists,
}

/// How often an object that exists was not listed.
#[derive(Default)]
pub(super) struct Patience(u32);

impl Logs {
    /// Makes a request, as long as it may take.
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

    /// Where the objects of a project are.
    fn project(&self, project: &str) -> Path {
        self.prefix.clone().join("logs").join(name(project))
    }

    /// Where the objects of a log are.
    fn log(&self, session: &LogKey) -> Path {
        self.project(&session.project)
            .join(name(&session.session_id))
    }

    /// An object of a log. Sorted by name, they are sorted by position.
    fn object(&self, session: &LogKey, position: u64) -> Path {
        self.log(session).join(format!("{position:020}"))
    }

    /// Creates the object of a record, unless there is one.
    pub(super) async fn create(
        &self,
        record: &Record,
        entries: &str,
    ) -> Result<Created, ObjectsError> {
        let Record {
            session, position, ..
        } = record;
        let text = record::written(record, entries);
        let text = text.ok_or_else(|| {
            ObjectsError::damaged(session, *position, "a batch cannot be written as JSON")
        })?;
        let object = self.object(session, *position);
        let created = self.create_object(&object, text).await?;
        if let Created::New = created {
            let token = record.token.clone();
            let last = Last::of(*position, token, record.start, record.is_deleted);
            self.remember(session, last);
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

    /// The end of a log as it was seen last, if it can be appended behind it with this
    /// token.
    pub(super) fn remembered(
        &self,
        session: &LogKey,
        after: Position,
        token: &Token,
    ) -> Option<Last> {
        let last = self.seen(session)?;
        let is_ours = last.head.position == after && last.head.token == *token;
        (is_ours && !last.head.is_deleted).then_some(last)
    }

    fn seen(&self, session: &LogKey) -> Option<Last> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.get(session).cloned()
    }

    fn remember(&self, session: &LogKey, last: Last) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() >= REMEMBERED && !seen.contains_key(session) {
            seen.clear();
        }
        let is_older = |it: &Last| it.head.position > last.head.position;
        if !seen.get(session).is_some_and(is_older) {
            seen.insert(session.clone(), last);
        }
    }

    /// Lists the objects of a folder, or those behind one of them, in any order.
    async fn listed(
        &self,
        folder: &Path,
        behind: Option<&Path>,
        mut each: impl FnMut(ObjectMeta),
    ) -> Result<(), ObjectsError> {
        let mut objects = match behind {
            None => self.objects.list(Some(folder)),
            Some(behind) => self.objects.list_with_offset(Some(folder), behind),
        };
        // A request for each thousand or so.
        while let Some(object) = self.request("listing objects", objects.try_next()).await? {
            each(object);
        }
        Ok(())
    }

    /// The end of a log.
    pub(super) async fn last(&self, session: &LogKey) -> Result<Option<Last>, ObjectsError> {
        let mut empty = None;
        loop {
            let seen = self.seen(session);
            let seen_at = seen.as_ref().map(|it| it.head.position.0);
            let behind = seen_at.map(|position| self.object(session, position));
            let mut newest = None;
            let each = |object: ObjectMeta| newest = newest.max(position_of(&object.location));
            let folder = self.log(session);
            self.listed(&folder, behind.as_ref(), each).await?;
            let Some(position) = newest.filter(|it| Some(*it) > seen_at) else {
                return Ok(seen);
            };
            if let Some(record) = self.record(session, position).await? {
                let last = Last::of(position, record.token, record.start, record.is_deleted);
                self.remember(session, last.clone());
                return Ok(Some(last));
            }
            // It was deleted between the two requests, so that another one is the last now.
            if empty == Some(position) {
                return Err(ObjectsError::damaged(session, position, EMPTY));
            }
            empty = Some(position);
        }
    }

    /// The end of a log in which a record was not created because there is one with its
    /// position. S3 says so too while another host is creating it, which may come to
    /// nothing.
    pub(super) async fn last_with(
        &self,
        record: &Record,
        patience: &mut Patience,
    ) -> Result<Option<Last>, ObjectsError> {
        let last = self.last(&record.session).await?;
        let position = last.as_ref().map_or(0, |it| it.head.position.0);
        if position < record.position {
            patience.0 += 1;
            if patience.0 > ATTEMPTS {
                return Err(ObjectsError::NotListed {
                    session: record.session.clone(),
                    position: Position(record.position),
                });
            }
            tokio::time::sleep(PAUSE).await;
        }
        Ok(last)
    }

    /// A record of a log; `None` if the log was deleted since.
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
        match record::read(&text) {
            None => damaged("the object cannot be read"),
            Some(it) if it.session != *session || it.position != position => {
                damaged("the object is another one's")
            }
            Some(record) => Ok(Some(record)),
        }
    }

    /// The batch directly behind a position of a log that ends so.
    pub(super) async fn next(
        &self,
        session: &LogKey,
        last: &Last,
        after: Position,
    ) -> Result<Option<Next>, ObjectsError> {
        let is_behind = after >= last.head.position || after.0 < last.start;
        if is_behind || last.head.is_deleted {
            return Ok(None);
        }
        let record = self.record(session, after.0 + 1).await?;
        Ok(record.map(|it| Next::new(Position(it.position), it.token)))
    }

    /// Reads a page of a log that ends so; `None` if the log was deleted meanwhile.
    pub(super) async fn read(
        &self,
        session: &LogKey,
        after: Position,
        last: &Last,
    ) -> Result<Option<Vec<Batch>>, ObjectsError> {
        let first = after.0.max(last.start) + 1;
        let end = last.head.position.0.min(first + BATCHES - 1);
        let records = stream::iter(first..=end).map(|position| self.record(session, position));
        let mut records = records.buffered(AT_ONCE);
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

    /// Empties the objects of a log before its deletion. They stay, so that what another
    /// host still tries to create there is refused.
    pub(super) async fn purge(&self, session: &LogKey, deletion: u64) -> Result<(), ObjectsError> {
        let mut full = Vec::new();
        let each = |object: ObjectMeta| {
            let position = position_of(&object.location);
            if object.size > 0 && position.is_some_and(|it| it < deletion) {
                full.push(object.location);
            }
        };
        self.listed(&self.log(session), None, each).await?;
        let emptied = stream::iter(full).map(|object| async move {
            let put = self.objects.put(&object, PutPayload::default());
            self.request("deleting a batch", put).await.map(drop)
        });
        emptied.buffer_unordered(AT_ONCE).try_collect().await
    }

    /// The logs of a project that were not deleted, each with the summary in its last record,
    /// or the error of a record that cannot be read.
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
        self.listed(&folder, None, each).await?;
        let records = stream::iter(newest.into_values()).map(|object| async move {
            let got = async { self.objects.get(&object.location).await?.bytes().await };
            let text = self.request("reading an object", got).await?;
            let position = position_of(&object.location).unwrap_or_default();
            // It was deleted meanwhile.
            if text.is_empty() {
                return Ok(None);
            }
            let modified = object.last_modified.into();
            let Some(record) = record::read(&text) else {
                // The name of the folder is the ID, unless it is a hash of a long one.
                let folder = object.location.parts().rev().nth(1);
                let id = folder.as_ref().and_then(|it| unescaped(it.as_ref()));
                let id = id.unwrap_or_else(|| object.location.to_string());
                let session = LogKey::new(project, &id);
                let problem = "the object cannot be read";
                let error = ObjectsError::damaged(&session, position, problem);
                return Ok(Some((StoredSession::new(id, modified), Err(error))));
            };
            let is_there = !record.is_deleted && record.session.project == project;
            let session = StoredSession::new(record.session.session_id, modified);
            Ok(is_there.then_some((session, Ok(record.summary))))
        });
        let records = records.buffer_unordered(AT_ONCE);
        records
            .try_filter_map(|it| async { Ok(it) })
            .try_collect()
            .await
    }
}

/// The position of a log's object; `None` if it is something else.
fn position_of(object: &Path) -> Option<u64> {
    object.filename()?.parse().ok()
}

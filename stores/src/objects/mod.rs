//! A store in an object store: S3, Google Cloud Storage, Azure Blob Storage.

mod error;
mod logs;
mod options;
mod record;

pub use ::object_store;
pub use error::ObjectsError;
pub use options::ObjectsOptions;

use crate::entries;
use crate::session_log::{
    Admission, AppendError, Batch, Head, LogKey, LogStore, NewBatch, Part, Position, Summarized,
    Token,
};
use agentwire::store::StoreError;
use logs::{Attempts, Created, Logs};
use object_store::ObjectStore;
use object_store::path::Path;
use record::{Last, Record};
use std::fmt;
use std::sync::{Arc, Mutex};

/// A store in an object store, for many hosts. Clones share their client.
///
/// Each batch is an object whose name ends with its position: 1, 2, 3, and so on. An append
/// creates the object after its predecessor exclusively (`PutMode::Create`, in HTTP
/// `If-None-Match: *`), which makes checking the token and appending atomic. An append is one
/// request.
///
/// Use any store of the crate [`object_store`] that creates objects exclusively.
/// [`ObjectsOptions::open`] fails for other stores. For a provider, enable the feature `aws`, `gcp`
/// or `azure` of `object_store` in your `Cargo.toml`. For files, enable `fs`.
///
/// **Durability.** An acknowledged batch is as durable as the object store makes it.
///
/// **Failure.** A call fails if all attempts of the client for a request (`RetryConfig`) fail, or
/// take longer than the [timeout](ObjectsOptions::timeout). Retry the call. The errors are
/// [`ObjectsError`]s. A log with missing objects, for example because of a lifecycle rule, is
/// damaged, which is an error. Do not remove single objects, because another host could create them
/// again. Remove the whole prefix when no host uses it.
///
/// **Costs.** Each append is an object, and loading a session reads all of its objects, 16 at once.
/// Sessions with a [lease](crate::LogBacked::leased) append an object after every third of the
/// lease, so choose leases of minutes. Listing sessions lists the objects of all batches of the
/// project, a thousand with each request.
///
/// **Deletion.** The objects of a deleted log are emptied but not removed, so that late appends of
/// a stopped host are refused. A bucket with versioning contains the old versions until it removes
/// them.
///
/// **Lists.** The time of a session is the time of its last object, by the object store's clock.
///
/// ```
/// use agentwire_stores::objects::{Objects, object_store::memory::InMemory};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // With the feature `aws`: `AmazonS3Builder::from_env().build()?`
/// let store = Objects::open(InMemory::new()).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Objects(Arc<Logs>);

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Objects")
            .field("objects", &self.0.objects.to_string())
            .field("prefix", &self.0.prefix.as_ref())
            .finish_non_exhaustive()
    }
}

impl Objects {
    /// Creates a store with the default options.
    ///
    /// # Errors
    ///
    /// The errors of [`ObjectsOptions::open`].
    pub async fn open(objects: impl ObjectStore) -> Result<Self, ObjectsError> {
        ObjectsOptions::new().open(objects).await
    }
}

impl ObjectsOptions {
    /// Creates a store with these options. Creates an object `exclusive` below the prefix twice, to
    /// check that the second attempt is refused.
    ///
    /// # Errors
    ///
    /// If the object store does not respond, or overwrites existing objects
    /// ([`ObjectsError::NotExclusive`]).
    pub async fn open(self, objects: impl ObjectStore) -> Result<Objects, ObjectsError> {
        let logs = Logs {
            objects: Arc::new(objects),
            prefix: Path::from(self.prefix),
            timeout: self.timeout,
            ends: Mutex::default(),
        };
        let probe = logs.prefix.clone().join("exclusive");
        for _ in 0..2 {
            if let Created::Exists = logs.create_object(&probe, String::new()).await? {
                return Ok(Objects(Arc::new(logs)));
            }
        }
        Err(ObjectsError::NotExclusive)
    }
}

impl LogStore for Objects {
    async fn append(
        &self,
        session: &LogKey,
        batch: &NewBatch<'_>,
    ) -> Result<Position, AppendError> {
        let (after, token, entries) = (batch.after, batch.token, batch.entries);
        if entries.is_empty() {
            return Ok(after);
        }
        let logs = &*self.0;
        let entries = entries::encode(entries);
        let mut last = logs.cached_end(session, after, token);
        if last.is_none() {
            last = logs.last(session).await?;
        }
        let mut attempts = Attempts::default();
        loop {
            let next = match &last {
                Some(last) => logs.next(session, last, after).await?,
                None => None,
            };
            let head = last.as_ref().map(|it| &it.head);
            let admission = Head::admit(head, next.as_ref(), after, token)?;
            if let Admission::AlreadyStored(position) = admission {
                return Ok(position);
            }
            let record = Record {
                session: session.clone(),
                position: after.0 + 1,
                token: token.clone(),
                start: last.map_or(0, |it| it.start),
                is_deleted: false,
                summary: batch.summary.cloned(),
                entries: Vec::new(),
            };
            match logs.create(&record, &entries).await? {
                Created::New => return Ok(Position(record.position)),
                // Another owner created the object, or the client has sent the request twice.
                Created::Exists => last = logs.last_after_conflict(&record, &mut attempts).await?,
            }
        }
    }

    async fn head(&self, session: &LogKey) -> Result<Option<Head>, StoreError> {
        Ok(self.0.last(session).await?.map(|last| last.head))
    }

    async fn read(&self, session: &LogKey, after: Position) -> Result<Vec<Batch>, StoreError> {
        loop {
            let last = self.0.last(session).await?;
            let Some(last) = last.filter(|it| !it.head.is_deleted && it.head.position > after)
            else {
                return Ok(Vec::new());
            };
            if let Some(batches) = self.0.read(session, after, &last).await? {
                return Ok(batches);
            }
            // If the log was deleted, it has a new end.
            let position = last.head.position;
            let now = self.0.last(session).await?;
            if now.is_none_or(|it| it.head.position <= position) {
                return Err(ObjectsError::damaged(session, position.0, logs::EMPTY).into());
            }
        }
    }

    async fn summaries(&self, project: &str) -> Result<Vec<Summarized>, StoreError> {
        let summaries = self.0.summaries(project).await?.into_iter();
        Ok(summaries
            .map(|(it, summary)| (it, summary.map_err(StoreError::from)))
            .collect())
    }

    async fn parts(&self, session: &LogKey) -> Result<Vec<Part>, StoreError> {
        entries::parts(self, session).await
    }

    async fn delete(&self, session: &LogKey, token: &Token) -> Result<(), AppendError> {
        let logs = &*self.0;
        let mut attempts = Attempts::default();
        let mut last = logs.last(session).await?;
        while let Some(Last { head, start }) = last {
            let position = head.position.0;
            if !head.admit_deletion(token)? {
                // The call that deleted the log may not have emptied its objects.
                return Ok(logs.purge(session, position).await?);
            }
            let record = Record {
                session: session.clone(),
                position: position + 1,
                token: token.clone(),
                start,
                is_deleted: true,
                summary: None,
                entries: Vec::new(),
            };
            match logs.create(&record, "[]").await? {
                Created::New => return Ok(logs.purge(session, record.position).await?),
                Created::Exists => last = logs.last_after_conflict(&record, &mut attempts).await?,
            }
        }
        Ok(())
    }
}

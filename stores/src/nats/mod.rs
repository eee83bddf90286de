//! A store in NATS JetStream.

mod error;
mod logs;
mod options;
mod page;
mod record;
mod subject;

pub use ::async_nats;
pub use error::NatsError;
pub use options::NatsOptions;

use crate::entries;
use crate::session_log::{
    Admission, AppendError, Batch, Head, LogKey, LogStore, NewBatch, Part, Position, Summarized,
    Token,
};
use agentwire::store::{StoreError, StoredSession};
use async_nats::Client;
use async_nats::jetstream::ContextBuilder;
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use logs::{Logs, Published};
use record::Record;
use std::fmt;
use std::sync::{Arc, Mutex};
use subject::Subjects;

/// A store in NATS JetStream, for many hosts. Clones share their client.
///
/// All logs are in one stream, which is created if needed. Each session has a subject, and each
/// batch is one message. The position of a batch is the message's sequence, so the positions of a
/// log have gaps. A message is published on the condition that its predecessor is the last message
/// of the subject, which makes checking the token and appending atomic. An append is one round
/// trip, and the first append of a new owner is two. Entries of more than 256 KiB are published in
/// chunks before the batch, on another subject of the stream.
///
/// **Durability.** JetStream acknowledges a message that the server has written and, with
/// [`replicas`](NatsOptions::replicas), that a majority of the servers has written. The message
/// need *not* be on disk: by default, servers call `fsync` every two minutes. A power failure or
/// a crash of the operating system (with several replicas: of a majority of the servers) loses
/// up to two minutes of acknowledged batches. To call `fsync` before each acknowledgement,
/// configure the servers:
///
/// ```text
/// jetstream {
///     store_dir: /var/lib/nats
///     sync_interval: always
/// }
/// ```
///
/// **Failure.** A call fails if the server does not respond within the
/// [timeout](NatsOptions::timeout). Retry the call: the client reconnects by itself. The errors
/// are [`NatsError`]s. A log with missing messages, for example because of limits of the stream,
/// is damaged, which is an error.
///
/// **Limits.** A message (`max_payload` of the server, 1 MiB by default) must have room for the key
/// and the summary together. Chunks of unfinished batches stay in the stream until their log is
/// deleted.
///
/// **Lists.** The time of a session is the time of its last message, by the clock of the stream's
/// leader.
///
/// **Privileges.** The client must be allowed to publish to `PREFIX.>` and to the API of
/// JetStream for this stream, and to subscribe to its inbox. TLS is supported; for credentials
/// and `NKeys`, enable the feature `nkeys` of `async-nats`.
///
/// ```no_run
/// use agentwire_stores::nats::{Nats, async_nats};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let store = Nats::connect(async_nats::connect("nats.internal:4222").await?).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Nats(Arc<Logs>);

impl fmt::Debug for Nats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nats")
            .field("stream", &self.0.name)
            .finish_non_exhaustive()
    }
}

impl Nats {
    /// Creates a store with a client. Creates the stream if it does not exist.
    ///
    /// # Errors
    ///
    /// If the server does not respond, has no JetStream, or refuses the stream.
    pub async fn connect(client: Client) -> Result<Self, NatsError> {
        NatsOptions::new().connect(client).await
    }
}

impl NatsOptions {
    /// Creates a store with these options. See [`Nats::connect`].
    ///
    /// # Errors
    ///
    /// The errors of [`Nats::connect`], and an error if the prefix is invalid.
    pub async fn connect(self, client: Client) -> Result<Nats, NatsError> {
        let Self {
            prefix,
            replicas,
            in_memory,
            domain,
            timeout,
        } = self;
        let is_valid = |it: u8| it.is_ascii_alphanumeric() || b"-_".contains(&it);
        if !(1..=32).contains(&prefix.len()) || !prefix.bytes().all(is_valid) {
            return Err(NatsError::Prefix(prefix));
        }
        let subjects = Subjects::new(&prefix);
        let api = match domain {
            None => "$JS.API".to_owned(),
            Some(domain) => format!("$JS.{domain}.API"),
        };
        let context = ContextBuilder::new()
            .timeout(timeout)
            .backpressure_on_inflight(true)
            .api_prefix(api.clone())
            .build(client.clone());
        let config = Config {
            name: prefix.clone(),
            description: Some("Session logs of agentwire".to_owned()),
            subjects: subjects.all(),
            storage: match in_memory {
                true => StorageType::Memory,
                false => StorageType::File,
            },
            num_replicas: replicas,
            retention: RetentionPolicy::Limits,
            // A full stream refuses new messages. It does not remove old ones.
            discard: DiscardPolicy::New,
            allow_direct: true,
            ..Config::default()
        };
        let created = context.get_or_create_stream(config).await;
        created.map_err(NatsError::request("creating the stream"))?;
        let stream = context.get_stream_no_info(&prefix).await;
        let stream = stream.map_err(NatsError::request("creating the stream"))?;
        Ok(Nats(Arc::new(Logs {
            client,
            context,
            api,
            stream,
            name: prefix,
            subjects,
            timeout,
            written: Mutex::default(),
        })))
    }
}

impl LogStore for Nats {
    async fn append(
        &self,
        session: &LogKey,
        batch: &NewBatch<'_>,
    ) -> Result<Position, AppendError> {
        let (after, token, entries) = (batch.after, batch.token, batch.entries);
        if entries.is_empty() {
            return Ok(after);
        }
        let store = &*self.0;
        let entries = entries::encode(entries);
        let mut chunks = Vec::new();
        let outcome = async {
            loop {
                let last = match store.cached_end(session, after, token) {
                    Some(last) => Some(last),
                    None => store.last(session).await?,
                };
                let next = match &last {
                    Some(last) => store.next(session, last, after).await?,
                    None => None,
                };
                let (next, stored_chunks) = next.unzip();
                let head = last.as_ref().map(|it| &it.head);
                let admission = Head::admit(head, next.as_ref(), after, token)?;
                if let Admission::AlreadyStored(position) = admission {
                    return Ok((position, stored_chunks.unwrap_or_default()));
                }
                let mut record = Record {
                    session: session.clone(),
                    token: token.clone(),
                    after: after.0,
                    start: last.map_or(0, |it| it.start),
                    is_deleted: false,
                    chunks: Vec::new(),
                    bytes: entries.len(),
                };
                let payload = store.payload(&mut record, &mut chunks, batch.summary, &entries);
                let payload = payload.await?;
                match store.publish(&record, payload).await? {
                    Published::Stored(sequence) => return Ok((Position(sequence), record.chunks)),
                    Published::Conflict => {}
                }
            }
        };
        let outcome: Result<(Position, Vec<u64>), AppendError> = outcome.await;
        match outcome {
            Ok((position, stored_chunks)) => {
                // An earlier call stored the batch, or the client has sent it twice.
                if stored_chunks != chunks {
                    store.remove_chunks(&chunks).await;
                }
                Ok(position)
            }
            Err(AppendError::Refused(refusal)) => {
                store.remove_chunks(&chunks).await;
                Err(refusal.into())
            }
            // The batch and its chunks may be stored.
            Err(error) => Err(error),
        }
    }

    async fn head(&self, session: &LogKey) -> Result<Option<Head>, StoreError> {
        Ok(self.0.last(session).await?.map(|last| last.head))
    }

    async fn read(&self, session: &LogKey, after: Position) -> Result<Vec<Batch>, StoreError> {
        let mut last_end: Option<Position> = None;
        loop {
            let last = self.0.last(session).await?;
            let Some(last) = last.filter(|it| !it.head.is_deleted && it.head.position > after)
            else {
                return Ok(Vec::new());
            };
            if let Some(batches) = self.0.read(session, after, &last).await? {
                return Ok(batches);
            }
            let position = last.head.position;
            // The end of the log is the same as in the last attempt.
            if last_end == Some(position) {
                let problem = "earlier messages are missing";
                return Err(NatsError::damaged(session, position.0, problem).into());
            }
            last_end = Some(position);
        }
    }

    async fn list(&self, project: &str) -> Result<Vec<StoredSession>, StoreError> {
        let sessions = self.0.sessions(project, false).await?.into_iter();
        let sessions = sessions.map(|(id, (modified, _))| StoredSession::new(id, modified));
        Ok(sessions.collect())
    }

    async fn summaries(&self, project: &str) -> Result<Vec<Summarized>, StoreError> {
        let mut summaries = Vec::new();
        for (id, (modified, payload)) in self.0.sessions(project, true).await? {
            let summary = match record::read(&payload) {
                Some((summary, _)) => Ok(summary),
                None => {
                    let session = LogKey::new(project, &id);
                    let problem = "the last message is invalid";
                    Err(NatsError::damaged(&session, 0, problem).into())
                }
            };
            summaries.push((StoredSession::new(id, modified), summary));
        }
        Ok(summaries)
    }

    async fn parts(&self, session: &LogKey) -> Result<Vec<Part>, StoreError> {
        entries::parts(self, session).await
    }

    async fn delete(&self, session: &LogKey, token: &Token) -> Result<(), AppendError> {
        let store = &*self.0;
        loop {
            let Some(last) = store.last(session).await? else {
                return Ok(());
            };
            let after = last.head.position.0;
            if !last.head.admit_deletion(token)? {
                // The call that deleted the log may not have purged its messages.
                return Ok(store.purge(session, after).await?);
            }
            let record = Record {
                session: session.clone(),
                token: token.clone(),
                after,
                start: last.start,
                is_deleted: true,
                chunks: Vec::new(),
                bytes: 0,
            };
            match store.publish(&record, String::new()).await? {
                Published::Stored(sequence) => return Ok(store.purge(session, sequence).await?),
                Published::Conflict => {}
            }
        }
    }
}

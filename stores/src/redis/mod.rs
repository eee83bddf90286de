//! A store in Redis.

mod error;
mod options;
mod script;

pub use ::redis;
pub use error::RedisError;
pub use options::RedisOptions;

use crate::entries;
use crate::session_log::{
    Admission, AppendError, Batch, Entry, Head, LogKey, LogStore, NewBatch, Next, Part, Position,
    Summarized, Token,
};
use agentwire::store::{StoreError, StoredSession};
use agentwire_protocol::Json;
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{Client, Script};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// A store in Redis, for many hosts. Clones share their connection.
///
/// Each log is a hash with its end and a hash with its batches. A Lua script compares the end and
/// appends the batch atomically. An append is one round trip, and the first append of a new owner
/// is three.
///
/// **Durability.** A batch is as durable as the server makes it. By default, Redis writes snapshots
/// every few minutes, and a crash loses everything after the last snapshot. With `appendonly yes`
/// and `appendfsync always`, an acknowledged batch is on disk.
///
/// **Failover.** Replication is asynchronous. A failover to a replica can lose the last batches
/// and, with them, the last owner. Two hosts can then write the same session. Where this matters,
/// use PostgreSQL, NATS with three replicas, or an object store. Eviction of keys has the same
/// effect, so set `maxmemory-policy noeviction`. This store uses one server, not a cluster.
///
/// **Failure.** A call fails if the server does not respond within the
/// [timeout](RedisOptions::timeout). Retry the call: the client reconnects by itself. The errors
/// are [`RedisError`]s. A log with missing batches is damaged, which is an error.
///
/// **Lists.** The time of a session is the time of its last batch, by the server's clock.
///
/// ```no_run
/// use agentwire_stores::redis::{Redis, redis};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let store = Redis::connect(redis::Client::open("redis://redis.internal/")?).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Redis(Arc<Logs>);

struct Logs {
    connection: ConnectionManager,
    prefix: String,
    change: Script,
    read: Script,
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redis")
            .field("prefix", &self.0.prefix)
            .finish_non_exhaustive()
    }
}

impl Redis {
    /// Connects to a server.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached.
    pub async fn connect(client: Client) -> Result<Self, RedisError> {
        RedisOptions::new().connect(client).await
    }
}

impl RedisOptions {
    /// Connects with these options. See [`Redis::connect`].
    ///
    /// # Errors
    ///
    /// The errors of [`Redis::connect`].
    pub async fn connect(self, client: Client) -> Result<Redis, RedisError> {
        let Self { prefix, timeout } = self;
        let config = ConnectionManagerConfig::new()
            .set_response_timeout(Some(timeout))
            .set_connection_timeout(Some(timeout));
        let connection = ConnectionManager::new_with_config(client, config).await?;
        Ok(Redis(Arc::new(Logs {
            connection,
            prefix,
            change: Script::new(script::CHANGE),
            read: Script::new(script::READ),
        })))
    }
}

/// The number of bytes of batches in a page. A page has at least one batch.
const PAGE: usize = 1 << 20;

/// The state of a log.
struct LogState {
    head: Head,
    /// The position of the last deletion. 0 if there is none.
    start: u64,
    /// Batches after the requested position, each with its position.
    batches: Vec<(u64, Option<Vec<u8>>)>,
}

/// The stored form of a batch.
#[derive(Deserialize)]
struct StoredBatch {
    token: u64,
    writer: String,
    entries: Vec<(String, Box<RawValue>)>,
}

impl Logs {
    fn key(&self, kind: &str, key: &serde_json::Value) -> String {
        format!("{}:{kind}:{key}", self.prefix)
    }

    /// Returns the keys of a log and of its batches.
    fn keys(&self, session: &LogKey) -> [String; 2] {
        let session = json!([session.project, session.session_id]);
        ["log", "batches"].map(|kind| self.key(kind, &session))
    }

    /// Returns the key of a project's sessions.
    fn sessions(&self, project: &str) -> String {
        self.key("sessions", &json!(project))
    }

    /// Changes the end of a log if it still is `from`. Returns whether it was changed.
    async fn change(
        &self,
        session: &LogKey,
        from: Option<&Head>,
        to: &Head,
        batch: &str,
        summary: &str,
    ) -> Result<bool, RedisError> {
        let mut change = self.change.prepare_invoke();
        for key in self.keys(session) {
            change.key(key);
        }
        change.key(self.sessions(&session.project));
        for head in [from, Some(to)] {
            for argument in arguments(head) {
                change.arg(argument);
            }
        }
        change.arg(&session.session_id).arg(batch).arg(summary);
        Ok(change.invoke_async(&mut self.connection.clone()).await?)
    }

    /// Reads the end of a log and batches after a position.
    async fn log_state(
        &self,
        session: &LogKey,
        after: Position,
        bytes: usize,
    ) -> Result<Option<LogState>, RedisError> {
        type Found = (u64, u64, String, String, u64, Vec<(u64, Option<Vec<u8>>)>);
        let mut call = self.read.prepare_invoke();
        for key in self.keys(session) {
            call.key(key);
        }
        call.arg(after.0).arg(bytes);
        let found: Option<Found> = call.invoke_async(&mut self.connection.clone()).await?;
        let log_state = |(position, token, writer, deleted, start, batches): Found| {
            let (position, token) = (Position(position), Token::new(token, writer));
            LogState {
                head: match deleted.is_empty() {
                    true => Head::new(position, token),
                    false => Head::deleted(position, token),
                },
                start,
                batches,
            }
        };
        Ok(found.map(log_state))
    }
}

/// Returns the end of a log as arguments of the script.
fn arguments(head: Option<&Head>) -> [String; 4] {
    head.map_or_else(Default::default, |it| {
        [
            it.position.to_string(),
            it.token.number.to_string(),
            it.token.writer.to_string(),
            if it.is_deleted { "1" } else { "" }.to_owned(),
        ]
    })
}

/// Encodes a batch.
fn encode_batch(token: &Token, entries: &[Entry]) -> String {
    let mut text = json!({"token": token.number, "writer": &*token.writer}).to_string();
    text.pop();
    format!("{text},\"entries\":{}}}", entries::encode(entries))
}

fn decode_batch(
    session: &LogKey,
    (position, text): (u64, Option<Vec<u8>>),
) -> Result<Batch, RedisError> {
    let damaged = |problem| RedisError::damaged(session, position, problem);
    let text = text.ok_or_else(|| damaged("the batch is missing"))?;
    let stored: Result<StoredBatch, _> = serde_json::from_slice(&text);
    let stored = stored.map_err(|_| damaged("the batch is invalid"))?;
    let token = Token::new(stored.token, stored.writer);
    let entries: Vec<Entry> = entries::decode(stored.entries);
    Ok(Batch::new(Position(position), token, entries))
}

impl LogStore for Redis {
    async fn append(
        &self,
        session: &LogKey,
        batch: &NewBatch<'_>,
    ) -> Result<Position, AppendError> {
        let (after, token, entries) = (batch.after, batch.token, batch.entries);
        if entries.is_empty() {
            return Ok(after);
        }
        let text = encode_batch(token, entries);
        let summary = batch.summary.map_or("", Json::get);
        let to = Head::new(Position(after.0.saturating_add(1)), token.clone());
        // The first attempt assumes that this writer owns the log.
        let mut from = (after != Position::START).then(|| Head::new(after, token.clone()));
        loop {
            let changed = self.0.change(session, from.as_ref(), &to, &text, summary);
            if changed.await? {
                return Ok(to.position);
            }
            let state = self.0.log_state(session, after, 0).await?;
            let next = match &state {
                Some(state) if after.0 >= state.start => state.batches.first().cloned(),
                _ => None,
            };
            let next = next.map(|it| decode_batch(session, it)).transpose()?;
            let next = next.map(|it| Next::new(it.position, it.token));
            from = state.map(|it| it.head);
            let admission = Head::admit(from.as_ref(), next.as_ref(), after, token)?;
            if let Admission::AlreadyStored(position) = admission {
                return Ok(position);
            }
        }
    }

    async fn head(&self, session: &LogKey) -> Result<Option<Head>, StoreError> {
        let state = self.0.log_state(session, Position(u64::MAX), 0).await?;
        Ok(state.map(|it| it.head))
    }

    async fn read(&self, session: &LogKey, after: Position) -> Result<Vec<Batch>, StoreError> {
        let state = self.0.log_state(session, after, PAGE).await?;
        let batches = state.map(|it| it.batches).unwrap_or_default().into_iter();
        let batches = batches.map(|it| decode_batch(session, it));
        Ok(batches.collect::<Result<_, _>>()?)
    }

    async fn summaries(&self, project: &str) -> Result<Vec<Summarized>, StoreError> {
        type Fields = (Option<u64>, Option<String>, Option<String>);
        let mut connection = self.0.connection.clone();
        let command = redis::Cmd::smembers(self.0.sessions(project));
        let sessions: Vec<String> = command
            .query_async(&mut connection)
            .await
            .map_err(RedisError::from)?;
        let mut summaries = Vec::new();
        for ids in sessions.chunks(1_000) {
            let mut pipeline = redis::pipe();
            for id in ids {
                let [log, _] = self.0.keys(&LogKey::new(project, id));
                pipeline.hmget(log, &["modified", "summary", "deleted"]);
            }
            let found = pipeline.query_async(&mut connection).await;
            let found: Vec<Fields> = found.map_err(RedisError::from)?;
            for (id, (modified, summary, deleted)) in ids.iter().zip(found) {
                // The log was deleted during the call.
                let Some(modified) = modified.filter(|_| deleted.is_none_or(|it| it.is_empty()))
                else {
                    continue;
                };
                let modified = SystemTime::UNIX_EPOCH + Duration::from_micros(modified);
                let summary = summary.filter(|it| !it.is_empty()).map(Json::of_text);
                summaries.push((StoredSession::new(id, modified), Ok(summary)));
            }
        }
        Ok(summaries)
    }

    async fn parts(&self, session: &LogKey) -> Result<Vec<Part>, StoreError> {
        entries::parts(self, session).await
    }

    async fn delete(&self, session: &LogKey, token: &Token) -> Result<(), AppendError> {
        loop {
            let state = self.0.log_state(session, Position(u64::MAX), 0).await?;
            let Some(LogState { head, .. }) = state else {
                return Ok(());
            };
            if !head.admit_deletion(token)? {
                return Ok(());
            }
            let to = Head::deleted(Position(head.position.0 + 1), token.clone());
            if self.0.change(session, Some(&head), &to, "", "").await? {
                return Ok(());
            }
        }
    }
}

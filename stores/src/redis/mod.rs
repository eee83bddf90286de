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
/// A log is a hash with its end and a hash with its batches. One Lua script compares the end
/// with the one that a batch goes behind, and keeps the batch. An owner's append is one round
/// trip; a new owner's is three.
///
/// **Durability.** That of the server. By default, Redis writes snapshots every few minutes, so
/// that a crash loses what came since. With `appendonly yes` and `appendfsync always` an
/// acknowledged batch is on disk.
///
/// **Failover.** Replicas get what was acknowledged later, if at all. A failover to a
/// replica can lose the last batches and, with them, the last owner: another host can
/// then have a session that the first one still writes. Use PostgreSQL, NATS with three
/// replicas or an object store where this matters. The same holds for servers that evict keys:
/// set `maxmemory-policy noeviction`. This store uses one server, not a cluster.
///
/// **Failure.** A call fails if the server does not respond within the
/// [timeout](RedisOptions::timeout); the client connects again by itself. Make the call again.
/// The errors are [`RedisError`]s. A log of which batches are missing is damaged, which is an
/// error.
///
/// **Lists.** The time of a session is that of its last batch, by the server's clock.
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
    look: Script,
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
    /// Connects to a server as [`Redis::connect`], with these options.
    ///
    /// # Errors
    ///
    /// As for [`Redis::connect`].
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
            look: Script::new(script::LOOK),
        })))
    }
}

/// The bytes of batches that are read at once, unless one has more.
const PAGE: usize = 1 << 20;

/// A log as it is now.
struct Look {
    head: Head,
    /// The position of the last deletion; 0 if there is none.
    start: u64,
    /// Batches behind the position that was asked for, each with its position.
    batches: Vec<(u64, Option<Vec<u8>>)>,
}

/// A batch as it is kept.
#[derive(Deserialize)]
struct Kept {
    token: u64,
    writer: String,
    entries: Vec<(String, Box<RawValue>)>,
}

impl Logs {
    fn key(&self, kind: &str, of: &serde_json::Value) -> String {
        format!("{}:{kind}:{of}", self.prefix)
    }

    /// The key of a log, and that of its batches.
    fn keys(&self, session: &LogKey) -> [String; 2] {
        let session = json!([session.project, session.session_id]);
        ["log", "batches"].map(|kind| self.key(kind, &session))
    }

    /// The key of a project's sessions.
    fn sessions(&self, project: &str) -> String {
        self.key("sessions", &json!(project))
    }

    /// Makes a log end otherwise, if it ends so. Returns whether it did.
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

    /// Reads the end of a log, and batches behind a position.
    async fn look(
        &self,
        session: &LogKey,
        after: Position,
        bytes: usize,
    ) -> Result<Option<Look>, RedisError> {
        type Found = (u64, u64, String, String, u64, Vec<(u64, Option<Vec<u8>>)>);
        let mut look = self.look.prepare_invoke();
        for key in self.keys(session) {
            look.key(key);
        }
        look.arg(after.0).arg(bytes);
        let found: Option<Found> = look.invoke_async(&mut self.connection.clone()).await?;
        let look = |(position, token, writer, deleted, start, batches): Found| {
            let (position, token) = (Position(position), Token::new(token, writer));
            Look {
                head: match deleted.is_empty() {
                    true => Head::new(position, token),
                    false => Head::deleted(position, token),
                },
                start,
                batches,
            }
        };
        Ok(found.map(look))
    }
}

/// The end of a log as the script has it.
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

/// Writes a batch as it is kept.
fn kept(token: &Token, entries: &[Entry]) -> String {
    let mut text = json!({"token": token.number, "writer": &*token.writer}).to_string();
    text.pop();
    format!("{text},\"entries\":{}}}", entries::written(entries))
}

fn batch_of(
    session: &LogKey,
    (position, text): (u64, Option<Vec<u8>>),
) -> Result<Batch, RedisError> {
    let damaged = |problem| RedisError::damaged(session, position, problem);
    let text = text.ok_or_else(|| damaged("the batch is missing"))?;
    let kept: Result<Kept, _> = serde_json::from_slice(&text);
    let kept = kept.map_err(|_| damaged("the batch cannot be read"))?;
    let token = Token::new(kept.token, kept.writer);
    let entries: Vec<Entry> = entries::of(kept.entries);
    Ok(Batch::new(Position(position), token, entries))
}

impl LogStore for Redis {
    async fn append(
        &self,
        session: &LogKey,
        batch: &NewBatch<'_>,
    ) -> Result<Position, AppendError> {
        let NewBatch {
            after,
            token,
            entries,
            summary,
            ..
        } = *batch;
        if entries.is_empty() {
            return Ok(after);
        }
        let text = kept(token, entries);
        let summary = summary.map_or("", Json::get);
        let to = Head::new(Position(after.0.saturating_add(1)), token.clone());
        // Most are the owner's.
        let mut from = (after != Position::START).then(|| Head::new(after, token.clone()));
        loop {
            let kept = self.0.change(session, from.as_ref(), &to, &text, summary);
            if kept.await? {
                return Ok(to.position);
            }
            let look = self.0.look(session, after, 0).await?;
            let next = match &look {
                Some(look) if after.0 >= look.start => look.batches.first().cloned(),
                _ => None,
            };
            let next = next.map(|it| batch_of(session, it)).transpose()?;
            let next = next.map(|it| Next::new(it.position, it.token));
            from = look.map(|it| it.head);
            let admission = Head::admit(from.as_ref(), next.as_ref(), after, token)?;
            if let Admission::Kept(position) = admission {
                return Ok(position);
            }
        }
    }

    async fn head(&self, session: &LogKey) -> Result<Option<Head>, StoreError> {
        let look = self.0.look(session, Position(u64::MAX), 0).await?;
        Ok(look.map(|it| it.head))
    }

    async fn read(&self, session: &LogKey, after: Position) -> Result<Vec<Batch>, StoreError> {
        let look = self.0.look(session, after, PAGE).await?;
        let batches = look.map(|it| it.batches).unwrap_or_default().into_iter();
        let batches = batches.map(|it| batch_of(session, it));
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
        for some in sessions.chunks(1_000) {
            let mut pipeline = redis::pipe();
            for id in some {
                let [log, _] = self.0.keys(&LogKey::new(project, id));
                pipeline.hmget(log, &["modified", "summary", "deleted"]);
            }
            let found = pipeline.query_async(&mut connection).await;
            let found: Vec<Fields> = found.map_err(RedisError::from)?;
            for (id, (modified, summary, deleted)) in some.iter().zip(found) {
                // It was deleted meanwhile.
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
            let look = self.0.look(session, Position(u64::MAX), 0).await?;
            let Some(Look { head, .. }) = look else {
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

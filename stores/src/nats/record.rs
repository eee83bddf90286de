//! Messages of a log.
//!
//! Everything but the summary and the entries is in headers. The payload is JSON:
//! `{"summary":…,"entries":[["PART",ENTRY],…]}`. The entries of a large batch are
//! in chunks instead, each a message with a piece of `[["PART",ENTRY],…]`.

use crate::entries;
use crate::names::{escaped, unescaped};
use crate::session_log::{Entry, Head, LogKey, Next, Position, Token};
use agentwire_protocol::Json;
use async_nats::{HeaderMap, HeaderValue};
use serde::Deserialize;

const KEY: &str = "Agentwire-Key";
const TOKEN: &str = "Agentwire-Token";
const AFTER: &str = "Agentwire-After";
const START: &str = "Agentwire-Start";
const DELETED: &str = "Agentwire-Deleted";
const CHUNKS: &str = "Agentwire-Chunks";
const BYTES: &str = "Agentwire-Bytes";

/// What the headers of a message say.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) session: LogKey,
    pub(super) token: Token,
    /// The sequence of the message before it; 0 if it is the log's first.
    pub(super) after: u64,
    /// The sequence of the last deletion before it; 0 if there is none.
    pub(super) start: u64,
    /// Whether it is a deletion.
    pub(super) is_deleted: bool,
    /// The sequences of the messages with its entries, unless it has them itself.
    pub(super) chunks: Vec<u64>,
    /// The bytes of its entries.
    pub(super) bytes: usize,
}

impl Record {
    pub(super) fn headers(&self) -> HeaderMap {
        let LogKey {
            project,
            session_id,
            ..
        } = &self.session;
        let mut headers = HeaderMap::new();
        let key = format!("{}.{}", escaped(project), escaped(session_id));
        headers.insert(KEY, key);
        let Token { number, writer, .. } = &self.token;
        headers.insert(TOKEN, format!("{number}.{}", escaped(writer)));
        headers.insert(AFTER, self.after.to_string());
        headers.insert(START, self.start.to_string());
        headers.insert(BYTES, self.bytes.to_string());
        if self.is_deleted {
            headers.insert(DELETED, "1");
        }
        if !self.chunks.is_empty() {
            let chunks: Vec<String> = self.chunks.iter().map(u64::to_string).collect();
            headers.insert(CHUNKS, chunks.join("."));
        }
        headers
    }

    /// `None` if they are not those of a log's message.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let text = |name: &'static str| headers.get(name).map(HeaderValue::as_str);
        let number = |name| text(name)?.parse().ok();
        let (project, session_id) = text(KEY)?.split_once('.')?;
        let (token, writer) = text(TOKEN)?.split_once('.')?;
        let chunks = match text(CHUNKS) {
            None => Vec::new(),
            Some(chunks) => {
                let chunks = chunks.split('.').map(|it| it.parse().ok());
                chunks.collect::<Option<_>>()?
            }
        };
        Some(Self {
            session: LogKey::new(unescaped(project)?, unescaped(session_id)?),
            token: Token::new(token.parse().ok()?, unescaped(writer)?),
            after: number(AFTER)?,
            start: number(START)?,
            is_deleted: text(DELETED).is_some(),
            chunks,
            bytes: text(BYTES)?.parse().ok()?,
        })
    }
}

/// The last message of a log.
#[derive(Debug, Clone)]
pub(super) struct Last {
    pub(super) head: Head,
    /// The sequence of the last deletion, which may be the message; 0 if there is none.
    pub(super) start: u64,
}

impl Last {
    pub(super) fn of(sequence: u64, record: &Record) -> Self {
        let (position, token) = (Position(sequence), record.token.clone());
        match record.is_deleted {
            true => Self {
                head: Head::deleted(position, token),
                start: sequence,
            },
            false => Self {
                head: Head::new(position, token),
                start: record.start,
            },
        }
    }

    /// Whether a message with this sequence is a batch of the log as it is now, and
    /// directly behind the position.
    pub(super) fn next(&self, sequence: u64, record: &Record, after: Position) -> Option<Next> {
        let is_direct = record.after == after.0 && !record.is_deleted;
        let is_there = sequence > self.start && !self.head.is_deleted;
        (is_direct && is_there).then(|| Next::new(Position(sequence), record.token.clone()))
    }
}

/// Writes the payload of a batch; `entries` as [`entries::written`], unless they are in chunks.
pub(super) fn payload(summary: Option<&Json>, entries: Option<&str>) -> String {
    let mut text = String::from("{");
    if let Some(summary) = summary {
        text.push_str(&format!("\"summary\":{summary}"));
    }
    if let Some(entries) = entries {
        let comma = if summary.is_some() { "," } else { "" };
        text.push_str(&format!("{comma}\"entries\":{entries}"));
    }
    text.push('}');
    text
}

/// Reads the entries of a large batch.
pub(super) fn entries(text: &[u8]) -> Option<Vec<Entry>> {
    Some(entries::of(serde_json::from_slice(text).ok()?))
}

#[derive(Deserialize)]
struct Payload {
    #[serde(default, deserialize_with = "entries::present")]
    summary: Option<Box<serde_json::value::RawValue>>,
    #[serde(default)]
    entries: Vec<(String, Box<serde_json::value::RawValue>)>,
}

/// Reads a payload: the summary and the entries.
pub(super) fn read(payload: &[u8]) -> Option<(Option<Json>, Vec<Entry>)> {
    let Payload { summary, entries } = serde_json::from_slice(payload).ok()?;
    Some((summary.map(Json::from), entries::of(entries)))
}

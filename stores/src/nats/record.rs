//! The format of a log's messages.
//!
//! The payload is JSON: `{"summary":…,"entries":[["PART",ENTRY],…]}`. Other data is in headers. The
//! entries of a large batch are in chunks instead, which are messages with the pieces of
//! `[["PART",ENTRY],…]`.

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

/// The headers of a message.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) session: LogKey,
    pub(super) token: Token,
    /// The sequence of the preceding message. 0 for the first message.
    pub(super) after: u64,
    /// The sequence of the preceding deletion. 0 if there is none.
    pub(super) start: u64,
    /// Whether the message is a deletion.
    pub(super) is_deleted: bool,
    /// The sequences of the chunks. Empty if the entries are in the payload.
    pub(super) chunks: Vec<u64>,
    /// The number of bytes of the entries.
    pub(super) bytes: usize,
}

impl Record {
    pub(super) fn headers(&self) -> HeaderMap {
        let (project, session_id) = (&self.session.project, &self.session.session_id);
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

    /// Parses headers. Returns `None` if the headers are not those of a log's message.
    pub(super) fn parse(headers: &HeaderMap) -> Option<Self> {
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

/// The end of a log.
#[derive(Debug, Clone)]
pub(super) struct Last {
    pub(super) head: Head,
    /// The sequence of the last deletion, which may be the last message. 0 if there is none.
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

    /// Returns a message as the batch directly after a position. Returns `None` if the message is
    /// not that batch, or if the log was deleted after it.
    pub(super) fn next(&self, sequence: u64, record: &Record, after: Position) -> Option<Next> {
        let is_next = record.after == after.0 && !record.is_deleted;
        let is_current = sequence > self.start && !self.head.is_deleted;
        (is_next && is_current).then(|| Next::new(Position(sequence), record.token.clone()))
    }
}

/// Encodes the payload of a batch. `entries` are [encoded](entries::encode). `None` if the entries
/// are in chunks.
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

/// Decodes the entries of a large batch.
pub(super) fn entries(text: &[u8]) -> Option<Vec<Entry>> {
    Some(entries::decode(serde_json::from_slice(text).ok()?))
}

#[derive(Deserialize)]
struct Payload {
    #[serde(default, deserialize_with = "entries::present")]
    summary: Option<Box<serde_json::value::RawValue>>,
    #[serde(default)]
    entries: Vec<(String, Box<serde_json::value::RawValue>)>,
}

/// Decodes the summary and the entries of a payload.
pub(super) fn read(payload: &[u8]) -> Option<(Option<Json>, Vec<Entry>)> {
    let Payload { summary, entries } = serde_json::from_slice(payload).ok()?;
    Some((summary.map(Json::from), entries::decode(entries)))
}

//! The format of a log's objects.
//!
//! Each object is JSON:
//! `{"format":1,"project":…,"session_id":…,"position":7,"token":3,"writer":…,"start":0,"deleted":false,"summary":…,"entries":[["PART",ENTRY],…]}`.
//! The objects before a deletion are empty.

use crate::entries;
use crate::session_log::{Entry, Head, LogKey, Position, Token};
use agentwire_protocol::Json;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

const FORMAT: u32 = 1;

/// A record, which is a batch or a deletion.
#[derive(Debug, Clone)]
pub(super) struct Record {
    pub(super) session: LogKey,
    pub(super) position: u64,
    pub(super) token: Token,
    /// The position of the preceding deletion. 0 if there is none.
    pub(super) start: u64,
    pub(super) is_deleted: bool,
    pub(super) summary: Option<Json>,
    pub(super) entries: Vec<Entry>,
}

/// The end of a log.
#[derive(Debug, Clone)]
pub(super) struct Last {
    pub(super) head: Head,
    /// The position of the last deletion, which may be the last record. 0 if there is none.
    pub(super) start: u64,
}

impl Last {
    pub(super) fn of(position: u64, token: Token, start: u64, is_deleted: bool) -> Self {
        match is_deleted {
            true => Self {
                head: Head::deleted(Position(position), token),
                start: position,
            },
            false => Self {
                head: Head::new(Position(position), token),
                start,
            },
        }
    }
}

/// The members of an encoded record. The entries are appended as text.
#[derive(Serialize, Deserialize)]
struct Fields {
    format: u32,
    project: String,
    session_id: String,
    position: u64,
    token: u64,
    writer: String,
    start: u64,
    deleted: bool,
    #[serde(
        default,
        deserialize_with = "entries::present",
        skip_serializing_if = "Option::is_none"
    )]
    summary: Option<Box<RawValue>>,
    #[serde(default, skip_serializing)]
    entries: Vec<(String, Box<RawValue>)>,
}

/// Encodes a record. `entries` are [encoded](entries::encode) and replace the record's own.
pub(super) fn encode(record: &Record, entries: &str) -> Option<String> {
    let summary = record.summary.as_ref().map(Json::get);
    let fields = Fields {
        format: FORMAT,
        project: record.session.project.clone(),
        session_id: record.session.session_id.clone(),
        position: record.position,
        token: record.token.number,
        writer: record.token.writer.to_string(),
        start: record.start,
        deleted: record.is_deleted,
        summary: summary.and_then(|it| RawValue::from_string(it.to_owned()).ok()),
        entries: Vec::new(),
    };
    let mut text = serde_json::to_string(&fields).ok()?;
    text.pop();
    text.push_str(",\"entries\":");
    text.push_str(entries);
    text.push('}');
    Some(text)
}

/// Decodes a record. Returns `None` if it is invalid or has a newer format.
pub(super) fn decode(text: &[u8]) -> Option<Record> {
    let fields: Fields = serde_json::from_slice(text).ok()?;
    (fields.format == FORMAT).then(|| Record {
        session: LogKey::new(fields.project, fields.session_id),
        position: fields.position,
        token: Token::new(fields.token, fields.writer),
        start: fields.start,
        is_deleted: fields.deleted,
        summary: fields.summary.map(Json::from),
        entries: entries::decode(fields.entries),
    })
}

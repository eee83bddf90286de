//! The entries of a recording.

use super::error::RecordingError;
use agentwire_protocol::Json;
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// An entry of a recording, one line of its file.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// The line number in the file, counted from 1. 0 for an entry that was not
    /// read from a file.
    pub line: u64,
    /// Seconds since the start, if known.
    pub t: Option<f64>,
    /// The event.
    pub kind: EntryKind,
}

/// The event of an entry.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum EntryKind {
    /// The CLI was spawned (`spawn`).
    Spawn(Spawn),
    /// The host wrote a line to standard input (`send`, `send_raw`).
    Sent(RecordedLine),
    /// The CLI wrote a line to standard output (`recv`, `recv_raw`).
    Received(RecordedLine),
    /// The CLI wrote a line to standard error (`stderr`).
    Stderr(RecordedLine),
    /// A remark of the recorder or of an editor (`note`).
    Note(String),
    /// The CLI exited (`exit`).
    Exit(Exit),
    /// An unknown event.
    Other {
        /// The `dir` of the entry.
        dir: String,
        /// The `msg` of the entry.
        msg: Json,
    },
}

/// The note for the end of the host's input.
pub const INPUT_CLOSED: &str = "stdin closed";

/// A line, as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordedLine {
    /// A line that is JSON, without surrounding spaces.
    Json(Json),
    /// Any other line, without its line end.
    Raw {
        /// The bytes of the line.
        bytes: Vec<u8>,
        /// Whether the pipe closed before the line end.
        unfinished: bool,
    },
}

/// The command with which a CLI was spawned.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Spawn {
    /// The program and its arguments.
    #[serde(default)]
    pub argv: Vec<String>,
    /// The names of the CLI's environment variables.
    #[serde(default)]
    pub env: Vec<String>,
}

/// The exit of a CLI.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Exit {
    /// The exit status.
    #[serde(default)]
    pub code: Option<i32>,
    /// The signal that killed the CLI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Seconds between the end of the CLI's input and its exit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_s: Option<f64>,
}

/// The serialized form of an entry.
#[derive(Serialize, Deserialize)]
struct Wire<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    t: Option<f64>,
    dir: Cow<'a, str>,
    msg: Json,
}

/// The serialized form of a raw line that a string cannot represent.
#[derive(Serialize, Deserialize)]
struct RawLine {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The bytes in hexadecimal, two digits each, if they are not UTF-8.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unfinished: bool,
}

impl Entry {
    /// Creates an entry that is not from a file.
    #[must_use]
    pub fn new(t: Option<f64>, kind: EntryKind) -> Self {
        Self { line: 0, t, kind }
    }

    /// Parses a line of a recording. An unknown `dir` is not an error.
    ///
    /// # Errors
    ///
    /// [`RecordingError::Line`], with the given number, if the line is not
    /// `{"t", "dir", "msg"}` or `msg` is invalid for its `dir`.
    pub fn read(text: &[u8], line: u64) -> Result<Self, RecordingError> {
        let read = || -> serde_json::Result<Self> {
            let Wire { t, dir, msg } = serde_json::from_slice(text)?;
            let kind = match &*dir {
                "spawn" => EntryKind::Spawn(msg.read()?),
                "send" => EntryKind::Sent(RecordedLine::Json(msg)),
                "recv" => EntryKind::Received(RecordedLine::Json(msg)),
                "send_raw" => EntryKind::Sent(RecordedLine::from_raw(&msg)?),
                "recv_raw" => EntryKind::Received(RecordedLine::from_raw(&msg)?),
                "stderr" => EntryKind::Stderr(RecordedLine::from_raw(&msg)?),
                "note" => EntryKind::Note(msg.read()?),
                "exit" => EntryKind::Exit(msg.read()?),
                _ => EntryKind::Other {
                    dir: dir.into_owned(),
                    msg,
                },
            };
            Ok(Self { line, t, kind })
        };
        read().map_err(|error| RecordingError::Line { line, error })
    }

    /// Returns the entry as a line, with its line end.
    #[must_use]
    pub fn to_line(&self) -> Vec<u8> {
        let made = |msg: serde_json::Result<Json>| msg.unwrap_or_default();
        let (dir, msg) = match &self.kind {
            EntryKind::Spawn(spawn) => ("spawn", made(Json::from_value(spawn))),
            EntryKind::Sent(line) => line.dir_and_msg("send", "send_raw"),
            EntryKind::Received(line) => line.dir_and_msg("recv", "recv_raw"),
            EntryKind::Stderr(line) => ("stderr", line.to_raw()),
            EntryKind::Note(text) => ("note", made(Json::from_value(text))),
            EntryKind::Exit(exit) => ("exit", made(Json::from_value(exit))),
            EntryKind::Other { dir, msg } => (&**dir, msg.clone()),
        };
        let wire = Wire {
            t: self.t,
            dir: dir.into(),
            msg,
        };
        let mut line = serde_json::to_vec(&wire).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

impl RecordedLine {
    /// Creates a line from its bytes, without the line end.
    #[must_use]
    pub fn new(line: &[u8], unfinished: bool) -> Self {
        match serde_json::from_slice::<Json>(line) {
            // A JSON value does not preserve spaces around it.
            Ok(json) if json.get().len() == line.len() && !unfinished => Self::Json(json),
            _ => Self::Raw {
                bytes: line.to_vec(),
                unfinished,
            },
        }
    }

    /// Returns the bytes of the line, without the line end.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Json(json) => json.get().as_bytes(),
            Self::Raw { bytes, .. } => bytes,
        }
    }

    /// Returns the bytes as they were in the pipe.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.bytes().to_vec();
        if !matches!(
            self,
            Self::Raw {
                unfinished: true,
                ..
            }
        ) {
            bytes.push(b'\n');
        }
        bytes
    }

    fn dir_and_msg<'a>(&self, json: &'a str, raw: &'a str) -> (&'a str, Json) {
        match self {
            Self::Json(msg) => (json, msg.clone()),
            Self::Raw { .. } => (raw, self.to_raw()),
        }
    }

    fn from_raw(msg: &Json) -> serde_json::Result<Self> {
        let raw = |bytes, unfinished| Self::Raw { bytes, unfinished };
        if msg.get().starts_with('"') {
            return Ok(raw(msg.read::<String>()?.into_bytes(), false));
        }
        let raw_line: RawLine = msg.read()?;
        let bytes = match (raw_line.text, raw_line.hex) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(hex)) => {
                from_hex(&hex).ok_or_else(|| serde_json::Error::custom("`hex` is invalid"))?
            }
            _ => return Err(serde_json::Error::custom("`text` or `hex` is required")),
        };
        Ok(raw(bytes, raw_line.unfinished))
    }

    fn to_raw(&self) -> Json {
        let unfinished = matches!(
            self,
            Self::Raw {
                unfinished: true,
                ..
            }
        );
        let msg = match (std::str::from_utf8(self.bytes()), unfinished) {
            (Ok(text), false) => Json::from_value(text),
            (Ok(text), true) => Json::from_value(&RawLine {
                text: Some(text.to_owned()),
                hex: None,
                unfinished,
            }),
            (Err(_), _) => Json::from_value(&RawLine {
                text: None,
                hex: Some(to_hex(self.bytes())),
                unfinished,
            }),
        };
        msg.unwrap_or_default()
    }
}

fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    let bytes = digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8);
    Some(bytes.collect())
}

//! One line of a recording.

use super::error::RecordingError;
use agentwire_protocol::Json;
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// One line of a recording.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Entry {
    /// Which line of the file it is, counted from 1; 0 for one that was not
    /// read from a file.
    pub line: u64,
    /// Seconds since the start, where they are known.
    pub t: Option<f64>,
    /// What happened.
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum What {
    /// The CLI was started (`spawn`).
    Spawn(Spawn),
    /// The host wrote this to the CLI (`send`, `send_raw`).
    Sent(Said),
    /// The CLI wrote this to the host (`recv`, `recv_raw`).
    Received(Said),
    /// The CLI wrote this to standard error (`stderr`).
    Stderr(Said),
    /// A remark (`note`).
    Note(String),
    /// The CLI ended (`exit`).
    Exit(Exit),
    /// Something that this version does not know.
    Other {
        /// Its `dir`.
        dir: String,
        /// Its `msg`.
        msg: Json,
    },
}

/// What a note says when the host has closed the agent's input.
pub const INPUT_CLOSED: &str = "stdin closed";

/// A line as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Said {
    /// A line that is JSON, with nothing around it.
    Json(Json),
    /// Any other line, without its end.
    Raw {
        /// The bytes.
        bytes: Vec<u8>,
        /// Whether the pipe ended before the line did.
        unfinished: bool,
    },
}

/// How a CLI was started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Spawn {
    /// The program and its arguments.
    #[serde(default)]
    pub argv: Vec<String>,
    /// The names of the variables in its environment.
    #[serde(default)]
    pub env: Vec<String>,
}

/// How a CLI ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Exit {
    /// Its exit status.
    #[serde(default)]
    pub code: Option<i32>,
    /// The signal that ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// How many seconds after the end of its input that was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_s: Option<f64>,
}

/// An entry as it is written.
#[derive(Serialize, Deserialize)]
struct Wire<'a> {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    t: Option<f64>,
    dir: Cow<'a, str>,
    msg: Json,
}

/// A line that is no JSON, where a string does not do.
#[derive(Serialize, Deserialize)]
struct Odd {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// For bytes that are not UTF-8: two digits each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    unfinished: bool,
}

impl Entry {
    /// An entry that is not from a file.
    #[must_use]
    pub fn new(t: Option<f64>, what: What) -> Self {
        Self { line: 0, t, what }
    }

    /// Reads one line of a recording. A `dir` that is not known is fine.
    ///
    /// # Errors
    ///
    /// [`RecordingError::Line`], with the number that was given, when the line
    /// is not `{"t", "dir", "msg"}`, or when `msg` is not what `dir` wants.
    pub fn read(text: &[u8], line: u64) -> Result<Self, RecordingError> {
        let read = || -> serde_json::Result<Self> {
            let Wire { t, dir, msg } = serde_json::from_slice(text)?;
            let what = match &*dir {
                "spawn" => What::Spawn(msg.read()?),
                "send" => What::Sent(Said::Json(msg)),
                "recv" => What::Received(Said::Json(msg)),
                "send_raw" => What::Sent(Said::from_odd(&msg)?),
                "recv_raw" => What::Received(Said::from_odd(&msg)?),
                "stderr" => What::Stderr(Said::from_odd(&msg)?),
                "note" => What::Note(msg.read()?),
                "exit" => What::Exit(msg.read()?),
                _ => What::Other {
                    dir: dir.into_owned(),
                    msg,
                },
            };
            Ok(Self { line, t, what })
        };
        read().map_err(|error| RecordingError::Line { line, error })
    }

    /// The entry as one line, with its end.
    #[must_use]
    pub fn to_line(&self) -> Vec<u8> {
        let made = |msg: serde_json::Result<Json>| msg.unwrap_or_default();
        let (dir, msg) = match &self.what {
            What::Spawn(spawn) => ("spawn", made(Json::from_value(spawn))),
            What::Sent(said) => said.dir_and_msg("send", "send_raw"),
            What::Received(said) => said.dir_and_msg("recv", "recv_raw"),
            What::Stderr(said) => ("stderr", said.to_odd()),
            What::Note(text) => ("note", made(Json::from_value(text))),
            What::Exit(exit) => ("exit", made(Json::from_value(exit))),
            What::Other { dir, msg } => (&**dir, msg.clone()),
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

impl Said {
    /// A line that was written, without its end.
    #[must_use]
    pub fn new(line: &[u8], unfinished: bool) -> Self {
        match serde_json::from_slice::<Json>(line) {
            // Spaces around it are no part of the JSON, and would be lost.
            Ok(json) if json.get().len() == line.len() && !unfinished => Self::Json(json),
            _ => Self::Raw {
                bytes: line.to_vec(),
                unfinished,
            },
        }
    }

    /// The bytes of the line, without its end.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Json(json) => json.get().as_bytes(),
            Self::Raw { bytes, .. } => bytes,
        }
    }

    /// The bytes as they were in the pipe.
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
            Self::Raw { .. } => (raw, self.to_odd()),
        }
    }

    fn from_odd(msg: &Json) -> serde_json::Result<Self> {
        let raw = |bytes, unfinished| Self::Raw { bytes, unfinished };
        if msg.get().starts_with('"') {
            return Ok(raw(msg.read::<String>()?.into_bytes(), false));
        }
        let odd: Odd = msg.read()?;
        let bytes = match (odd.text, odd.hex) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(hex)) => {
                from_hex(&hex).ok_or_else(|| serde_json::Error::custom("`hex` is none"))?
            }
            _ => return Err(serde_json::Error::custom("neither `text` nor `hex`")),
        };
        Ok(raw(bytes, odd.unfinished))
    }

    fn to_odd(&self) -> Json {
        let unfinished = matches!(
            self,
            Self::Raw {
                unfinished: true,
                ..
            }
        );
        let msg = match (std::str::from_utf8(self.bytes()), unfinished) {
            (Ok(text), false) => Json::from_value(text),
            (Ok(text), true) => Json::from_value(&Odd {
                text: Some(text.to_owned()),
                hex: None,
                unfinished,
            }),
            (Err(_), _) => Json::from_value(&Odd {
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

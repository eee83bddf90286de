//! Sessions without end, made of the recorded ones.

#[path = "../../tests/common/recorded.rs"]
mod recorded;

use agentwire_protocol::Frame;
use agentwire_testing::Random;
use bytes::Bytes;
use recorded::{Recorded, sessions};
use serde_json::Value;
use std::collections::HashMap;

/// Lines that an agent wrote.
pub(crate) struct Corpus {
    /// Each line, and what its request was, when it is an answer.
    pub(crate) lines: Vec<(Frame, Asked)>,
    bytes: usize,
}

/// The request that an answer belongs to. Those that are named make up nine
/// tenths of what answers weigh in the recordings.
#[derive(Clone, Copy)]
pub(crate) enum Asked {
    Initialize,
    ContextUsage,
    Other,
}

impl Corpus {
    /// How long its lines are together.
    pub(crate) fn megabytes(&self) -> f64 {
        self.bytes as f64 / 1e6
    }

    /// At least `bytes` of lines, with the partial messages or without.
    pub(crate) fn new(bytes: usize, partial: bool) -> Self {
        let mut recorded = recorded();
        recorded.retain(|(line, _)| partial || !line.contains(r#""type":"stream_event""#));
        let mut ids = Ids(Random::new(1));
        let mut corpus = Self {
            lines: vec![],
            bytes: 0,
        };
        for (line, asked) in recorded.iter().cycle() {
            if corpus.bytes >= bytes {
                break;
            }
            let line = ids.renew(line);
            corpus.bytes += line.len();
            corpus
                .lines
                .push((Frame::new(Bytes::from(line)).unwrap(), *asked));
        }
        corpus
    }
}

/// What the agent wrote in the recorded sessions, in order.
fn recorded() -> Vec<(String, Asked)> {
    let mut lines = vec![];
    for session in sessions().into_values() {
        let mut asked: HashMap<String, Asked> = HashMap::new();
        for Recorded { dir, line } in session {
            let message: Value = serde_json::from_str(&line).unwrap_or_default();
            match dir.as_str() {
                "send" if message["type"] == "control_request" => {
                    let kind = match message["request"]["subtype"].as_str() {
                        Some("initialize") => Asked::Initialize,
                        Some("get_context_usage") => Asked::ContextUsage,
                        _ => Asked::Other,
                    };
                    if let Some(id) = message["request_id"].as_str() {
                        asked.insert(id.to_owned(), kind);
                    }
                }
                // One answer to a malformed request has no id, and is no line
                // of the protocol.
                "recv" if message["type"] != "control_response" => {
                    lines.push((line, Asked::Other));
                }
                "recv" => {
                    if let Some(id) = message["response"]["request_id"].as_str() {
                        let kind = asked.remove(id).unwrap_or(Asked::Other);
                        let failed = message["response"]["subtype"] == "error";
                        lines.push((line, if failed { Asked::Other } else { kind }));
                    }
                }
                _ => {}
            }
        }
    }
    lines
}

/// Gives every UUID other digits.
struct Ids(Random);

impl Ids {
    fn renew(&mut self, line: &str) -> Vec<u8> {
        let mut line = line.as_bytes().to_vec();
        let mut at = 0;
        while at + 36 <= line.len() {
            if is_uuid(&line[at..at + 36]) {
                for digit in line[at..at + 36].iter_mut().filter(|digit| **digit != b'-') {
                    *digit = b"0123456789abcdef"[self.0.below(16)];
                }
                at += 36;
            } else {
                at += 1;
            }
        }
        line
    }
}

fn is_uuid(text: &[u8]) -> bool {
    text.iter().enumerate().all(|(at, byte)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    })
}

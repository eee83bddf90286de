//! Load: a burst of messages of the same size.

use serde::{Deserialize, Serialize};

/// A burst of messages, which the agent sends as fast as the pipe accepts them.
/// The text of each begins with its number, counted from 0. A final text block,
/// `sent N messages of SIZE bytes`, is also the text of the result, so that a
/// host can detect lost messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// The number of messages.
    pub messages: u64,
    /// The size of each text in bytes. Each text has at least the digits of its
    /// number.
    #[serde(default)]
    pub size: usize,
    /// The kind of messages.
    #[serde(default)]
    pub kind: LoadKind,
}

/// The kind of messages of a [`Load`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LoadKind {
    /// Deltas of one text block. They are sent even if the host did not enable
    /// partial messages.
    #[default]
    TextDeltas,
    /// Complete assistant messages.
    WholeMessages,
}

impl Load {
    /// Bytes generated per write.
    const BATCH: usize = 64 * 1024;

    /// Returns the next lines, beginning with the message `from`, and the
    /// number of the message after them.
    pub(crate) fn lines(&self, session: &str, from: u64) -> (Vec<u8>, u64) {
        let (before, after) = match self.kind {
            LoadKind::TextDeltas => (
                concat!(
                    r#"{"type":"stream_event","event":{"type":"content_block_delta","#,
                    r#""index":0,"delta":{"type":"text_delta","text":""#
                ),
                r#""}}"#,
            ),
            LoadKind::WholeMessages => (
                concat!(
                    r#"{"type":"assistant","message":{"id":"msg_load","type":"message","#,
                    r#""role":"assistant","model":"fake-model","content":[{"type":"text","text":""#
                ),
                concat!(
                    r#""}],"stop_reason":null,"stop_sequence":null,"#,
                    r#""usage":{"input_tokens":0,"output_tokens":0}}"#
                ),
            ),
        };
        let after = format!(
            r#"{after},"parent_tool_use_id":null,"session_id":"{session}","uuid":"00000000-0000-4000-8001-"#
        );
        let mut lines = Vec::with_capacity(Self::BATCH + self.size);
        let mut number = from;
        while number < self.messages && lines.len() < Self::BATCH {
            let text = number.to_string();
            lines.extend_from_slice(before.as_bytes());
            lines.extend_from_slice(text.as_bytes());
            lines.resize(lines.len() + self.size.saturating_sub(text.len()), b'.');
            lines.extend_from_slice(after.as_bytes());
            lines.extend_from_slice(format!("{number:012x}\"}}\n").as_bytes());
            number += 1;
        }
        (lines, number)
    }

    /// Returns the text of the final block.
    pub(crate) fn count(&self) -> String {
        format!("sent {} messages of {} bytes", self.messages, self.size)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use serde_json::Value;

    #[test]
    fn every_message_comes_once_with_a_text_of_the_size() {
        for kind in [LoadKind::TextDeltas, LoadKind::WholeMessages] {
            let load = Load {
                messages: 1200,
                size: 80,
                kind,
            };
            let (mut next, mut batches) = (0, 0);
            let mut expected = 0;
            while next < load.messages {
                let (lines, after) = load.lines("session", next);
                (next, batches) = (after, batches + 1);
                for line in lines.split_inclusive(|byte| *byte == b'\n') {
                    let line: Value = serde_json::from_slice(line).unwrap();
                    let text = match kind {
                        LoadKind::TextDeltas => &line["event"]["delta"]["text"],
                        LoadKind::WholeMessages => &line["message"]["content"][0]["text"],
                    };
                    let text = text.as_str().unwrap();
                    assert_eq!(text.len(), 80);
                    assert_eq!(text.trim_end_matches('.'), expected.to_string());
                    assert_eq!(line["session_id"], "session");
                    expected += 1;
                }
            }
            assert_eq!(expected, 1200);
            assert!(batches > 1);
        }
    }
}

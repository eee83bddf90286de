//! Faults: malformed lines on the wire, and failures of the agent's process.

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};

/// A fault of the agent's process.
///
/// A fault that writes something writes it once, at its step. A fault that
/// changes the process (`chunked`, `crlf`, `leave_stdin`, …) stays in effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fault {
    /// Writes this text to standard output, without adding `\n`.
    Stdout(String),
    /// Writes a faulty line.
    Line(LineFault),
    /// Writes an assistant message whose tool call has an `input` of arrays
    /// nested this deep.
    Nested(usize),
    /// Writes an assistant message with a text of this many MiB.
    HugeMib(usize),
    /// Limits each later write to this many bytes, which splits lines, names
    /// and characters.
    #[serde(deserialize_with = "read_positive")]
    Chunked(usize),
    /// Ends all later lines with `\r\n`.
    Crlf,
    /// Writes this text to standard error, without adding `\n`.
    Stderr(String),
    /// Writes this many KiB of lines to standard error.
    FloodStderrKib(usize),
    /// Closes standard error. The process keeps running.
    CloseStderr,
    /// Closes standard output. The process keeps running.
    CloseStdout,
    /// Stops reading standard input. The process keeps running. Input of a read
    /// in progress is discarded.
    LeaveStdin,
    /// Blocks the process, including reads, for this many milliseconds. In
    /// `startup`, it simulates a slow start.
    FreezeMs(u64),
    /// Stops writing and reading.
    Hang,
    /// Ignores SIGTERM. Unsupported on Windows.
    IgnoreSigterm,
    /// Exits with this status immediately, without cleanup.
    Exit(i32),
    /// Dies by this signal immediately. On Windows, exits with status 1.
    Signal(Signal),
    /// Spawns this command and does not wait for it. It inherits standard
    /// output, so the pipe stays open.
    Spawn(Vec<String>),
    /// Spawns a child that inherits all three pipes and sleeps for ten minutes.
    LeaveChild(Child),
}

/// A faulty line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LineFault {
    /// A line that is not JSON.
    Noise,
    /// An empty line.
    Empty,
    /// A JSON array.
    NoObject,
    /// An object without `type`.
    NoType,
    /// The first half of a message, without `\n`. Later output continues the
    /// line.
    Half,
    /// An assistant message whose text contains invalid UTF-8.
    InvalidUtf8,
    /// An assistant message whose text contains a lone surrogate (`\ud83d`).
    LoneSurrogate,
    /// An assistant message whose text contains unescaped U+2028, U+2029 and
    /// U+0085, which some readers treat as line ends.
    LineSeparators,
    /// An assistant message, a user message, a stream event and a system
    /// message, each with only `type`.
    MissingFields,
    /// An assistant message with a duplicate member.
    MemberTwice,
    /// The last assistant message again, with the same `uuid`.
    MessageAgain,
    /// The last control response again.
    AnswerAgain,
    /// A response to a request that was never sent.
    StrayAnswer,
    /// Two permission requests with the same ID.
    SameRequestId,
    /// A request without an ID.
    RequestWithoutId,
    /// A request of an unknown subtype.
    UnknownRequest,
    /// A message of an unknown type.
    UnknownType,
    /// A system message of an unknown subtype.
    UnknownSubtype,
    /// A stream event of an unknown type.
    UnknownEvent,
    /// An assistant message with unknown members at every level.
    UnknownField,
    /// A system message with an unknown `status`.
    UnknownValue,
    /// An assistant message with a content block of an unknown type.
    UnknownBlock,
}

/// A signal that kills a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
#[non_exhaustive]
pub enum Signal {
    /// SIGABRT, from the process's own `abort`.
    Abrt,
    /// SIGKILL, as from a host or the out-of-memory killer.
    Kill,
    /// SIGSEGV, from an invalid memory access.
    Segv,
    /// SIGTERM, as from a terminal.
    Term,
}

/// The process group of a [`Fault::LeaveChild`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Child {
    /// The agent's session and process group.
    InSession,
    /// A new session, which signals to the agent's group do not reach. On
    /// Windows, no new session is created.
    InOwnSession,
}

fn read_positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    match usize::deserialize(deserializer)? {
        0 => Err(D::Error::custom("a chunk has at least one byte")),
        bytes => Ok(bytes),
    }
}

impl Fault {
    /// Returns the bytes of a fault that only writes.
    pub(crate) fn written(&self) -> Option<Vec<u8>> {
        Some(match self {
            Self::Stdout(text) => text.clone().into_bytes(),
            Self::Line(line) => line.written()?,
            Self::Nested(depth) => {
                let input = format!("{}{}", "[".repeat(*depth), "]".repeat(*depth));
                let block = format!(
                    r#"{{"type":"tool_use","id":"toolu_fault","name":"Read","input":{{"deep":{input}}}}}"#
                );
                assistant(&block)
            }
            Self::HugeMib(size) => assistant_text(&"x".repeat(size * 1024 * 1024)),
            _ => return None,
        })
    }
}

impl LineFault {
    /// All faulty lines.
    pub const ALL: [Self; 22] = [
        Self::Noise,
        Self::Empty,
        Self::NoObject,
        Self::NoType,
        Self::Half,
        Self::InvalidUtf8,
        Self::LoneSurrogate,
        Self::LineSeparators,
        Self::MissingFields,
        Self::MemberTwice,
        Self::MessageAgain,
        Self::AnswerAgain,
        Self::StrayAnswer,
        Self::SameRequestId,
        Self::RequestWithoutId,
        Self::UnknownRequest,
        Self::UnknownType,
        Self::UnknownSubtype,
        Self::UnknownEvent,
        Self::UnknownField,
        Self::UnknownValue,
        Self::UnknownBlock,
    ];

    /// Returns the bytes of a line that does not repeat an earlier one.
    fn written(self) -> Option<Vec<u8>> {
        let line = match self {
            Self::MessageAgain | Self::AnswerAgain => return None,
            Self::Noise => "This line is no JSON.",
            Self::Empty => "",
            Self::NoObject => "[1,2,3]",
            Self::NoType => r#"{"uuid":"00000000-0000-4000-8000-0000fa017002"}"#,
            Self::Half => {
                let mut whole = assistant_text("Half of this is missing.");
                whole.truncate(whole.len() / 2);
                return Some(whole);
            }
            Self::InvalidUtf8 => {
                let whole = String::from_utf8_lossy(&assistant_text("Not UTF-8: @.")).into_owned();
                let (before, after) = whole.split_once('@')?;
                return Some(
                    [
                        before.as_bytes(),
                        b"\xff\xc3\x28\xed\xa0\x80",
                        after.as_bytes(),
                    ]
                    .concat(),
                );
            }
            Self::LoneSurrogate => return Some(assistant_text(r"Alone: \ud83d.")),
            Self::LineSeparators => {
                return Some(assistant_text("One\u{2028}two\u{2029}three\u{85}four."));
            }
            Self::MissingFields => concat!(
                r#"{"type":"assistant"}"#,
                "\n",
                r#"{"type":"user"}"#,
                "\n",
                r#"{"type":"stream_event"}"#,
                "\n",
                r#"{"type":"system"}"#
            ),
            Self::MemberTwice => {
                return Some(assistant(
                    r#"{"type":"text","text":"The first.","text":"The second."}"#,
                ));
            }
            Self::StrayAnswer => {
                r#"{"type":"control_response","response":{"subtype":"success","request_id":"nobody asked","response":{}}}"#
            }
            Self::SameRequestId => concat!(
                r#"{"type":"control_request","request_id":"asked twice","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"one"},"tool_use_id":"toolu_fault_1"}}"#,
                "\n",
                r#"{"type":"control_request","request_id":"asked twice","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"two"},"tool_use_id":"toolu_fault_2"}}"#
            ),
            Self::RequestWithoutId => {
                r#"{"type":"control_request","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{},"tool_use_id":"toolu_fault"}}"#
            }
            Self::UnknownRequest => {
                r#"{"type":"control_request","request_id":"unknown request","request":{"subtype":"unknown_request"}}"#
            }
            Self::UnknownType => r#"{"type":"unknown_type","answer":42}"#,
            Self::UnknownSubtype => r#"{"type":"system","subtype":"unknown_subtype","answer":42}"#,
            Self::UnknownEvent => {
                r#"{"type":"stream_event","event":{"type":"unknown_event","index":0},"parent_tool_use_id":null,"session_id":"","uuid":"00000000-0000-4000-8000-0000fa017003"}"#
            }
            Self::UnknownField => {
                r#"{"type":"assistant","unknown":1,"message":{"id":"msg_fault","type":"message","role":"assistant","model":"fake-model","unknown":[2],"content":[{"type":"text","text":"With more members.","unknown":{"three":3}}],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":0,"output_tokens":0,"unknown":4}},"parent_tool_use_id":null,"session_id":"","uuid":"00000000-0000-4000-8000-0000fa017004"}"#
            }
            Self::UnknownValue => {
                r#"{"type":"system","subtype":"status","status":"unknown_status","session_id":"","uuid":"00000000-0000-4000-8000-0000fa017005"}"#
            }
            Self::UnknownBlock => {
                return Some(assistant(r#"{"type":"unknown_block","answer":42}"#));
            }
        };
        Some(format!("{line}\n").into_bytes())
    }
}

/// Returns an assistant message with this content block, unescaped.
fn assistant(block: &str) -> Vec<u8> {
    format!(
        concat!(
            r#"{{"type":"assistant","message":{{"id":"msg_fault","type":"message","#,
            r#""role":"assistant","model":"fake-model","content":[{}],"stop_reason":null,"#,
            r#""stop_sequence":null,"usage":{{"input_tokens":0,"output_tokens":0}}}},"#,
            r#""parent_tool_use_id":null,"session_id":"","#,
            r#""uuid":"00000000-0000-4000-8000-0000fa017001"}}"#,
            "\n"
        ),
        block
    )
    .into_bytes()
}

/// Returns an assistant message with this text, unescaped.
fn assistant_text(text: &str) -> Vec<u8> {
    assistant(&format!(r#"{{"type":"text","text":"{text}"}}"#))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use serde_json::Value;

    fn written(line: LineFault) -> Vec<u8> {
        Fault::Line(line).written().unwrap()
    }

    #[test]
    fn each_faulty_line_has_the_fault_of_its_name() {
        let mut lines = 0;
        for line in LineFault::ALL {
            let Some(bytes) = Fault::Line(line).written() else {
                assert!(matches!(
                    line,
                    LineFault::MessageAgain | LineFault::AnswerAgain
                ));
                continue;
            };
            let is_whole = bytes.ends_with(b"\n");
            assert_eq!(is_whole, line != LineFault::Half, "{line:?}");
            // Rust's strings cannot store the invalid bytes of this line.
            let is_utf8 = std::str::from_utf8(&bytes).is_ok();
            let is_json = bytes
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.is_empty())
                .all(|line| serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok());
            let is_odd = matches!(
                line,
                LineFault::Noise | LineFault::Half | LineFault::InvalidUtf8
            );
            // A lone surrogate is only an error for a type that stores it.
            assert_eq!(is_json && is_utf8, !is_odd, "{line:?}");
            lines += 1;
        }
        assert_eq!(lines, 20);
        let lone = written(LineFault::LoneSurrogate);
        assert!(serde_json::from_slice::<Value>(&lone).is_err());
        let separated: Value = serde_json::from_slice(&written(LineFault::LineSeparators)).unwrap();
        let text = separated["message"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(
            text.chars()
                .filter(|letter| "\u{2028}\u{2029}\u{85}".contains(*letter))
                .count(),
            3
        );
    }

    #[test]
    fn nested_and_huge_messages_have_their_depth_and_size() {
        let nested = Fault::Nested(5).written().unwrap();
        let nested: Value = serde_json::from_slice(&nested).unwrap();
        let mut deep = &nested["message"]["content"][0]["input"]["deep"];
        let mut depth = 0;
        while let Some(array) = deep.as_array() {
            depth += 1;
            deep = array.first().unwrap_or(&Value::Null);
        }
        assert_eq!(depth, 5);
        let huge = Fault::HugeMib(1).written().unwrap();
        assert!(huge.len() > 1024 * 1024 && huge.len() < 1024 * 1024 + 1000);
    }

    #[test]
    fn faults_are_read_by_their_names() {
        let text = r#"["hang",{"line":"invalid_utf8"},{"signal":"SEGV"},{"chunked":3},
            {"leave_child":"in_own_session"},"ignore_sigterm",{"flood_stderr_kib":64}]"#;
        let faults: Vec<Fault> = serde_json::from_str(text).unwrap();
        let again: Value = serde_json::to_value(&faults).unwrap();
        assert_eq!(again, serde_json::from_str::<Value>(text).unwrap());
        let error = serde_json::from_str::<Fault>(r#"{"chunked":0}"#).unwrap_err();
        assert!(error.to_string().starts_with("a chunk has"), "{error}");
    }
}

//! What can go wrong, by name: what is on the wire, and what an agent's
//! process does.

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};

/// What can go wrong in an agent's process.
///
/// What is written comes when the step is taken; what a fault changes
/// (`chunked`, `crlf`, `leave_stdin`, …) stays so from then on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fault {
    /// Write this to standard output as it is. A line needs its own `\n`.
    Stdout(String),
    /// Write a line that is odd in one way.
    Line(OddLine),
    /// Write an assistant message whose `input` of a tool call is an array in
    /// an array, so many deep.
    Nested(usize),
    /// Write an assistant message with a text of so many MiB.
    HugeMib(usize),
    /// From now on, write at most so many bytes at once, which splits lines,
    /// names and characters.
    #[serde(deserialize_with = "read_positive")]
    Chunked(usize),
    /// From now on, end lines with `\r\n`.
    Crlf,
    /// Write this to standard error as it is.
    Stderr(String),
    /// Write so many KiB to standard error, in lines.
    FloodStderrKib(usize),
    /// Close standard error, and live on.
    CloseStderr,
    /// Close standard output, and live on.
    CloseStdout,
    /// Read nothing more from standard input, and live on. What is being read
    /// in this moment is thrown away.
    LeaveStdin,
    /// Do nothing for so many milliseconds, not even read: a slow start, at
    /// start-up.
    FreezeMs(u64),
    /// Say nothing any more and read nothing any more.
    Hang,
    /// Pass over SIGTERM. Not on Windows, which has none.
    IgnoreSigterm,
    /// Exit with this status, at once and without ending anything.
    Exit(i32),
    /// Die by this signal, at once. On Windows, exit with status 1.
    Signal(Signal),
    /// Start this command and leave it running. It has the agent's standard
    /// output, so it holds the pipe open.
    Spawn(Vec<String>),
    /// Leave a child behind that holds all three pipes and does nothing, for
    /// ten minutes.
    LeaveChild(Child),
}

/// A line that is odd in one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OddLine {
    /// No JSON.
    Noise,
    /// Nothing but its end.
    Empty,
    /// JSON, but no object.
    NoObject,
    /// An object without `type`.
    NoType,
    /// The first half of a message, without an end. What follows continues
    /// the line; after an `exit` nothing does.
    Half,
    /// An assistant message in whose text there are bytes that are not UTF-8.
    InvalidUtf8,
    /// An assistant message in whose text there is a surrogate (`\ud83d`)
    /// without its partner.
    LoneSurrogate,
    /// An assistant message in whose text U+2028, U+2029 and U+0085 stand as
    /// they are, which some take for ends of lines.
    LineSeparators,
    /// An assistant message, a user message, a stream event and a system
    /// message, each with nothing but its `type`.
    MissingFields,
    /// An assistant message with a member twice.
    MemberTwice,
    /// The message of the assistant that came last, once more, under the same
    /// `uuid`.
    MessageAgain,
    /// The answer that was given last, once more.
    AnswerAgain,
    /// An answer to a request that nobody made.
    StrayAnswer,
    /// Two questions whether a tool may run, under the same id.
    SameRequestId,
    /// A request without an id.
    RequestWithoutId,
    /// A request that nobody knows.
    UnknownRequest,
    /// A message of a type that nobody knows.
    UnknownType,
    /// A system message of a subtype that nobody knows.
    UnknownSubtype,
    /// A stream event of a type that nobody knows.
    UnknownEvent,
    /// An assistant message with members that nobody knows, in all places.
    UnknownField,
    /// A system message whose `status` nobody knows.
    UnknownValue,
    /// An assistant message with a block of a type that nobody knows.
    UnknownBlock,
}

/// A signal that ends a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "UPPERCASE")]
#[non_exhaustive]
pub enum Signal {
    /// By its own `abort`.
    Abrt,
    /// As by a host, or when memory runs out.
    Kill,
    /// By a read or a write where no memory is.
    Segv,
    /// As when a terminal ends it.
    Term,
}

/// What a child that is left behind belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Child {
    /// To the agent's session and process group.
    InSession,
    /// To a session of its own, where no signal to the agent's group comes.
    /// On Windows, to nobody.
    InOwnSession,
}

fn read_positive<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    match usize::deserialize(deserializer)? {
        0 => Err(D::Error::custom("a chunk has at least one byte")),
        bytes => Ok(bytes),
    }
}

impl Fault {
    /// What is to be written, where that is all there is to it.
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
            Self::HugeMib(size) => said(&"x".repeat(size * 1024 * 1024)),
            _ => return None,
        })
    }
}

impl OddLine {
    /// All of them, for a test that goes through them.
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

    /// The bytes, but for those that repeat what was written before.
    fn written(self) -> Option<Vec<u8>> {
        let line = match self {
            Self::MessageAgain | Self::AnswerAgain => return None,
            Self::Noise => "This line is no JSON.",
            Self::Empty => "",
            Self::NoObject => "[1,2,3]",
            Self::NoType => r#"{"uuid":"00000000-0000-4000-8000-0000fa017002"}"#,
            Self::Half => {
                let mut whole = said("Half of this is missing.");
                whole.truncate(whole.len() / 2);
                return Some(whole);
            }
            Self::InvalidUtf8 => {
                let whole = String::from_utf8_lossy(&said("Not UTF-8: @.")).into_owned();
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
            Self::LoneSurrogate => return Some(said(r"Alone: \ud83d.")),
            Self::LineSeparators => return Some(said("One\u{2028}two\u{2029}three\u{85}four.")),
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

/// An assistant message with this block, written as it is.
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

/// An assistant message with this text, which is written between its quotes as
/// it is.
fn said(text: &str) -> Vec<u8> {
    assistant(&format!(r#"{{"type":"text","text":"{text}"}}"#))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use serde_json::Value;

    fn written(line: OddLine) -> Vec<u8> {
        Fault::Line(line).written().unwrap()
    }

    #[test]
    fn each_odd_line_is_odd_in_the_way_that_its_name_says() {
        let mut lines = 0;
        for line in OddLine::ALL {
            let Some(bytes) = Fault::Line(line).written() else {
                assert!(matches!(line, OddLine::MessageAgain | OddLine::AnswerAgain));
                continue;
            };
            let is_whole = bytes.ends_with(b"\n");
            assert_eq!(is_whole, line != OddLine::Half, "{line:?}");
            // What nobody reads is not looked at for its characters.
            let is_utf8 = std::str::from_utf8(&bytes).is_ok();
            let is_json = bytes
                .split(|byte| *byte == b'\n')
                .filter(|line| !line.is_empty())
                .all(|line| serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok());
            let is_odd = matches!(line, OddLine::Noise | OddLine::Half | OddLine::InvalidUtf8);
            // A reader that keeps nothing does not mind a surrogate.
            assert_eq!(is_json && is_utf8, !is_odd, "{line:?}");
            lines += 1;
        }
        assert_eq!(lines, 20);
        let lone = written(OddLine::LoneSurrogate);
        assert!(serde_json::from_slice::<Value>(&lone).is_err());
        let separated: Value = serde_json::from_slice(&written(OddLine::LineSeparators)).unwrap();
        let text = separated["message"]["content"][0]["text"].as_str().unwrap();
        assert_eq!(
            text.chars()
                .filter(|letter| "\u{2028}\u{2029}\u{85}".contains(*letter))
                .count(),
            3
        );
    }

    #[test]
    fn what_is_deep_is_deep_and_what_is_huge_is_huge() {
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
    fn faults_have_names_in_a_file() {
        let text = r#"["hang",{"line":"invalid_utf8"},{"signal":"SEGV"},{"chunked":3},
            {"leave_child":"in_own_session"},"ignore_sigterm",{"flood_stderr_kib":64}]"#;
        let faults: Vec<Fault> = serde_json::from_str(text).unwrap();
        let again: Value = serde_json::to_value(&faults).unwrap();
        assert_eq!(again, serde_json::from_str::<Value>(text).unwrap());
        let error = serde_json::from_str::<Fault>(r#"{"chunked":0}"#).unwrap_err();
        assert!(error.to_string().starts_with("a chunk has"), "{error}");
    }
}

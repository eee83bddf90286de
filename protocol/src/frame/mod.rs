//! A line of the protocol: its raw bytes, and the members that are needed to
//! route it.
//!
//! A frame is scanned once, for a few members. The message itself is parsed on
//! demand ([`Frame::message`], [`Frame::read`]). A malformed message affects
//! only its own frame.

mod head;

pub use head::Head;
use head::{Marks, Part, Parts};

use crate::control::ControlRequest;
use crate::json::{Json, Members};
use crate::message::Message;
use crate::open::{Error, Fault, Field, Located, Reader, read_anything};
use crate::text::{member, utf8, without_lone_surrogates};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::fmt;

/// A line of the protocol: a JSON object with a `type`.
#[derive(Clone)]
pub struct Frame {
    raw: Bytes,
    parts: Parts,
    marks: Marks,
}

/// The reason why a line is not a frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The line is not JSON, or not a JSON object.
    #[error("the line is not a JSON object: {0}")]
    NotAnObject(String),
    /// The object has no `type`, or its `type` is not a string.
    #[error("the line is a JSON object without a `type`")]
    NoType,
}

/// A frame that cannot be parsed as the requested type. The frame itself
/// remains usable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a `{kind}` frame cannot be read at `{path}`: {reason}")]
#[non_exhaustive]
pub struct ViewError {
    /// The frame's `type`, followed by a slash and its subtype.
    pub kind: String,
    /// The member that could not be read, such as `message.content[0].text`.
    pub path: String,
    /// The reason.
    pub reason: String,
}

impl Frame {
    /// Creates a frame from a line.
    ///
    /// # Errors
    ///
    /// If the line is not a JSON object with a `type`.
    pub fn new(raw: Bytes) -> Result<Self, FrameError> {
        Self::of_line(raw).map_err(|(error, _)| error)
    }

    /// Creates a frame. An error contains the line, because even a clone of
    /// `Bytes` may allocate.
    pub(crate) fn of_line(raw: Bytes) -> Result<Self, (FrameError, Bytes)> {
        let (parts, marks) = match Parts::of_line(&raw) {
            Ok(line) => line,
            Err(error) => return Err((FrameError::NotAnObject(error.to_string()), raw)),
        };
        if marks.kind().is_none() && parts.get(&raw, Part::Kind).is_none_or(str::is_empty) {
            return Err((FrameError::NoType, raw));
        }
        Ok(Self { raw, parts, marks })
    }

    /// Returns the raw bytes, without the line ending.
    #[must_use]
    pub fn raw(&self) -> &Bytes {
        &self.raw
    }

    /// Returns the members that are needed for routing.
    #[must_use]
    pub fn head(&self) -> Head<'_> {
        Head {
            kind: self.kind().into(),
            subtype: self.subtype().map(Into::into),
            request_id: self.request_id().map(Into::into),
            uuid: self.uuid().map(Into::into),
            session_id: self.session_id().map(Into::into),
        }
    }

    /// Returns the member `type`.
    #[must_use]
    pub fn kind(&self) -> &str {
        match self.marks.kind() {
            Some(kind) => kind,
            None => self.part(Part::Kind).unwrap_or_default(),
        }
    }

    /// Returns whether the frame belongs to a sub-agent: `parent_tool_use_id`
    /// is a string.
    pub(crate) fn has_parent(&self) -> bool {
        self.marks.has_parent
    }

    /// Returns whether the member `error` is something other than `null`.
    pub(crate) fn has_error(&self) -> bool {
        self.marks.has_error
    }

    /// Returns whether the frame names user messages.
    pub(crate) fn has_messages(&self) -> bool {
        self.marks.has_messages
    }

    /// Returns the member `subtype` of the frame, or of its `request` or
    /// `response`.
    #[must_use]
    pub fn subtype(&self) -> Option<&str> {
        self.part(Part::Subtype)
    }

    /// Returns the member `request_id` of the frame, or of its `request` or
    /// `response`.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.part(Part::RequestId)
    }

    /// Returns the member `uuid`.
    #[must_use]
    pub fn uuid(&self) -> Option<&str> {
        self.part(Part::Uuid)
    }

    /// Returns the member `session_id`.
    #[must_use]
    pub fn session_id(&self) -> Option<&str> {
        self.part(Part::SessionId)
    }

    fn part(&self, part: Part) -> Option<&str> {
        self.parts.get(&self.raw, part)
    }

    /// Returns the frame as a message of the data plane. A message of an unknown
    /// type is a [`Message::Unknown`].
    ///
    /// An invalid member does not affect other members. Its JSON is preserved
    /// in the `extra` of the enclosing object, and its field has the readable
    /// part (a list without its invalid items, a count as the nearest integer,
    /// otherwise the empty value). [`faults`](Self::faults) lists such members.
    /// If nested objects are invalid, and preserving them would take several
    /// times the memory of the line, the message is `Unknown`.
    #[must_use]
    pub fn message(&self) -> Message {
        let mut message = Message::Unknown(Members::default());
        self.read_message(&mut message);
        message
    }

    /// Reads the message in its place, because it is large.
    fn read_message(&self, message: &mut Message) {
        let text = self.text();
        if Reader::read_text(&text, true, &mut message.slot()).is_err() {
            let members = Reader::read_tolerantly(&text);
            // `Frame::new` has checked that the line is an object.
            *message = Message::Unknown(members.unwrap_or_default());
        }
    }

    /// Lists the missing and invalid members of the message. Each call reads
    /// the whole message again.
    #[must_use]
    pub fn faults(&self) -> Vec<Fault> {
        self.read_with_faults::<Message>().1
    }

    /// Returns the frame as a control request of the agent, with its faults.
    ///
    /// A request with faults must be denied, or decided by a human. Invalid
    /// members are handled as in [`message`](Self::message).
    ///
    /// # Errors
    ///
    /// If the frame is not a control request.
    pub fn control_request(&self) -> Result<(ControlRequest, Vec<Fault>), ViewError> {
        let text = self.text();
        let (read, faults) = match Reader::read_strictly(&text) {
            Ok(request) if matches!(text, Cow::Borrowed(_)) => (Ok(request), vec![]),
            _ => self.read_with_faults(),
        };
        match read {
            Ok(request) => Ok((request, faults)),
            Err(error) => Err(self.unreadable(error.located())),
        }
    }

    /// Parses the frame as a type of the caller.
    ///
    /// # Errors
    ///
    /// If the frame does not have the shape of `T`.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, ViewError> {
        // A check of the whole line is cheaper than a check of each string.
        let text = utf8(&self.raw).map_err(|error| {
            self.unreadable(Located {
                path: ".".to_owned(),
                reason: error.to_string(),
            })
        })?;
        read_anything(text).map_err(|located| self.unreadable(located))
    }

    /// Reads the frame tolerantly. Invalid UTF-8 is a fault, too.
    fn read_with_faults<T: Field>(&self) -> (Result<T, Error>, Vec<Fault>) {
        let text = self.text();
        let (read, mut faults) = Reader::read_with_faults(&text);
        if let Cow::Owned(_) = text {
            faults.push(Fault::new(".", "invalid UTF-8"));
        }
        (read, faults)
    }

    /// Returns the line as text, with U+FFFD in place of invalid UTF-8.
    fn text(&self) -> Cow<'_, str> {
        // A check of the whole line is faster than a check of each string.
        match utf8(&self.raw) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => String::from_utf8_lossy(&self.raw),
        }
    }

    /// Returns the top-level member `name` without reading the rest of the
    /// message. If the member occurs twice, returns the last one.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<Json> {
        member(&self.text(), name).map(Json::of_text)
    }

    /// Returns whether the line has lone surrogates, which a Rust string cannot
    /// represent. The typed view has U+FFFD in their place. The raw bytes are
    /// unchanged. Scans the whole line.
    #[must_use]
    pub fn has_lone_surrogates(&self) -> bool {
        utf8(&self.raw).is_ok_and(|text| without_lone_surrogates(text).is_some())
    }

    fn unreadable(&self, Located { path, reason }: Located) -> ViewError {
        ViewError {
            kind: self.head().label(),
            path,
            reason,
        }
    }
}

impl PartialEq for Frame {
    fn eq(&self, other: &Self) -> bool {
        self.raw == other.raw
    }
}

impl Eq for Frame {}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame")
            .field("head", &self.head())
            .field("bytes", &self.raw.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::content::ContentBlock;
    use crate::control::ControlResponse;

    fn frame(text: &str) -> Frame {
        Frame::new(Bytes::copy_from_slice(text.as_bytes())).unwrap()
    }

    fn error(text: &str) -> FrameError {
        Frame::new(Bytes::copy_from_slice(text.as_bytes())).unwrap_err()
    }

    #[test]
    fn the_head_has_the_members_for_routing() {
        let ask = frame(
            r#"{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","input":{"subtype":"no"}}}"#,
        );
        assert_eq!(ask.head().label(), "control_request/can_use_tool");
        assert_eq!(ask.head().request_id.as_deref(), Some("r1"));

        let answer = frame(
            r#"{"response":{"request_id":"r2","subtype":"error","error":"x"},"type":"control_response"}"#,
        );
        assert_eq!(answer.head().label(), "control_response/error");
        assert_eq!(answer.head().request_id.as_deref(), Some("r2"));

        let init = frame(r#"{"type":"system","subtype":"init","uuid":"u","session_id":"s"}"#);
        assert_eq!(init.head().label(), "system/init");
        assert_eq!(
            (init.uuid(), init.head().session_id.as_deref()),
            (Some("u"), Some("s"))
        );
    }

    #[test]
    fn the_marks_of_the_scan_match_the_members() {
        for members in [
            r#""parent_tool_use_id":"t","error":"x","user_message_uuid":"u""#,
            r#""parent_tool_use_id":"","error":"","user_message_uuids":[]"#,
            r#""parent_tool_use_id":null,"error":null"#,
            r#""parent_tool_use_id":5,"error":{}"#,
            r#""parent_tool_use_id" : "t" , "error" : null"#,
            // The last occurrence of a repeated member counts.
            r#""parent_tool_use_id":"t","parent_tool_use_id":null,"error":"x","error":null"#,
            r#""parent_tool_use_id":null,"parent_tool_use_id":"t","error":null,"error":[]"#,
            r#""parent\u005ftool_use_id":"t","err\u006fr":"x","user\u005fmessage_uuid":"u""#,
            r#""uuid":"\u0075","parent_tool_use_id":"\ud800","error":"\n""#,
            r#""message":{"parent_tool_use_id":"t","error":"x","user_message_uuid":"u"}"#,
            r#""type":"user","error":"x""#,
            "",
        ] {
            let comma = if members.is_empty() { "" } else { "," };
            let frame = frame(&format!(r#"{{"type":"assistant"{comma}{members}}}"#));
            let is = |name: &str, wanted: fn(&str) -> bool| {
                let member = frame.member(name);
                member.is_some_and(|it| wanted(it.get()))
            };
            let has_messages =
                is("user_message_uuid", |_| true) || is("user_message_uuids", |_| true);
            assert_eq!(
                (frame.has_parent(), frame.has_error(), frame.has_messages()),
                (
                    is("parent_tool_use_id", |it| it.starts_with('"')),
                    is("error", |it| it != "null"),
                    has_messages
                ),
                "{members}"
            );
            let kind: String = frame.member("type").unwrap().read().unwrap();
            assert_eq!(frame.kind(), kind);
        }
        assert_eq!(error(r#"{"type":"user","type":5}"#), FrameError::NoType);
    }

    #[test]
    fn a_frame_requires_only_a_type() {
        assert_eq!(
            frame(r#"{"type":"weather","uuid":7,"request":[1,{}],"response":null}"#).kind(),
            "weather"
        );
        assert_eq!(error(r#"{"uuid":"u"}"#), FrameError::NoType);
        assert_eq!(error(r#"{"type":5}"#), FrameError::NoType);
        for text in [
            "[1,2]",
            "\"x\"",
            "3",
            "null",
            "{\"type\":\"x\"",
            "{} {}",
            "not json",
            "",
        ] {
            assert!(matches!(error(text), FrameError::NotAnObject(_)), "{text}");
        }
    }

    #[test]
    fn deep_nesting_does_not_overflow_the_stack() {
        let deep = format!(
            r#"{{"type":"x","deep":{}{}}}"#,
            "[".repeat(200_000),
            "]".repeat(200_000)
        );
        assert_eq!(frame(&deep).kind(), "x");
    }

    #[test]
    fn the_head_of_a_truncated_line_can_be_read() {
        let cut = br#"{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","input":{"co"#;
        let head = Head::of_cut_line(cut).unwrap();
        assert_eq!(head.label(), "control_request/can_use_tool");
        assert_eq!(head.request_id.as_deref(), Some("r1"));
        assert_eq!(Head::of_cut_line(b"{\"typ"), None);
    }

    #[test]
    fn lone_surrogates_are_read_as_replacement_characters_and_the_bytes_are_unchanged() {
        let line = r#"{"type":"assistant","\udc00":1,"message":{"content":[{"type":"text","text":"a\ud83d","new":"\ud83d"}]}}"#;
        let cut = frame(line);
        assert!(cut.has_lone_surrogates());
        let Message::Assistant(message) = cut.message() else {
            panic!("{cut:?}")
        };
        assert_eq!(message.message.content[0].as_text(), Some("a\u{fffd}"));
        assert_eq!(
            message.extra.get("\u{fffd}").map(crate::Json::get),
            Some("1")
        );
        assert_eq!(cut.raw(), line.as_bytes());
        assert!(!frame(r#"{"type":"x","a":"\ud83d\ude00"}"#).has_lone_surrogates());
    }

    #[test]
    fn a_message_preserves_and_lists_invalid_members() {
        let frame = frame(
            r#"{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":7}]}}"#,
        );
        let Message::Assistant(message) = frame.message() else {
            panic!("{frame:?}")
        };
        let ContentBlock::Text(text) = &message.message.content[0] else {
            panic!("{message:?}")
        };
        assert_eq!(message.message.id.as_deref(), Some("m"));
        assert_eq!(
            (&*text.text, text.extra.get("text")),
            ("", Some(&Json::from_value(&7).unwrap()))
        );
        let [fault] = &frame.faults()[..] else {
            panic!("{:?}", frame.faults())
        };
        assert_eq!(fault.path, "message.content[0].text");
        assert_eq!(fault.reason, "invalid type: integer `7`, expected a string");
    }

    #[test]
    fn a_failed_view_names_the_member_and_the_bytes_are_unchanged() {
        let broken =
            frame(r#"{"type":"control_response","response":{"subtype":"success","request_id":7}}"#);
        let error = broken.read::<ControlResponse>().unwrap_err();
        assert_eq!(error.kind, "control_response/success");
        assert_eq!(error.path, "response.request_id");
        assert!(error.reason.contains("expected a string"), "{error}");
        assert!(broken.raw().ends_with(b"}}"));
    }
}

//! One line of the protocol: its bytes, kept, and what is needed to route it.
//!
//! A frame is read in one pass that looks at a handful of members and skips
//! the rest. What the message says is read when somebody asks for it
//! ([`Frame::message`], [`Frame::read`]), and when that fails, it fails for
//! this frame alone.

use crate::message::Message;
use crate::open::{Key, Located, read_text};
use crate::surrogate::mended;
use bytes::Bytes;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use std::fmt;

/// A line that was read as a JSON object with a `type`.
#[derive(Clone, PartialEq, Eq)]
pub struct Frame {
    raw: Bytes,
    head: Head,
}

/// What routing needs of a frame.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Head {
    /// The member `type`.
    pub kind: Box<str>,
    /// `subtype`, or that of the `request` or `response` that is inside.
    pub subtype: Option<Box<str>>,
    /// `request_id`, or that of the `request` or `response` that is inside.
    pub request_id: Option<Box<str>>,
    /// `uuid`.
    pub uuid: Option<Box<str>>,
    /// `session_id`.
    pub session_id: Option<Box<str>>,
}

/// A line that is no frame.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The line is not JSON, or not a JSON object.
    #[error("the line is not a JSON object: {0}")]
    NotAnObject(String),
    /// The object has no `type`, or one that is not a string.
    #[error("the line is a JSON object without a `type`")]
    NoType,
}

/// A frame whose typed view cannot be had. The frame is still there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a `{kind}` frame cannot be read at `{path}`: {reason}")]
#[non_exhaustive]
pub struct ViewError {
    /// The frame's `type`, and its subtype behind a slash.
    pub kind: String,
    /// The member that could not be read, such as `message.content[0].text`.
    pub path: String,
    /// What was wrong with it.
    pub reason: String,
}

impl Frame {
    /// Reads a line.
    ///
    /// # Errors
    ///
    /// When it is not a JSON object with a `type`.
    pub fn new(raw: Bytes) -> Result<Self, FrameError> {
        let head = Head::of_line(&raw).or_else(|error| {
            str::from_utf8(&raw)
                .ok()
                .and_then(mended)
                .and_then(|text| Head::of_line(text.as_bytes()).ok())
                .ok_or_else(|| FrameError::NotAnObject(error.to_string()))
        })?;
        if head.kind.is_empty() {
            return Err(FrameError::NoType);
        }
        Ok(Self { raw, head })
    }

    /// The bytes as they came, without the line ending.
    #[must_use]
    pub fn raw(&self) -> &Bytes {
        &self.raw
    }

    /// What routing needs.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// The member `type`.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.head.kind
    }

    /// The member `subtype`; see [`Head::subtype`].
    #[must_use]
    pub fn subtype(&self) -> Option<&str> {
        self.head.subtype.as_deref()
    }

    /// The member `uuid`.
    #[must_use]
    pub fn uuid(&self) -> Option<&str> {
        self.head.uuid.as_deref()
    }

    /// The frame as a message of the data plane.
    ///
    /// # Errors
    ///
    /// When a known message lacks a required member or has one of the wrong
    /// shape. A type that is not known is no error: it is
    /// [`Message::Unknown`].
    pub fn message(&self) -> Result<Message, ViewError> {
        self.read()
    }

    /// The frame as a type of the caller's.
    ///
    /// # Errors
    ///
    /// When the frame does not have that shape.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, ViewError> {
        // One look at the whole line is cheaper than one at each of its strings.
        let text = str::from_utf8(&self.raw).map_err(|error| {
            self.unreadable(Located {
                path: ".".to_owned(),
                reason: error.to_string(),
            })
        })?;
        read_text(text).map_err(|located| self.unreadable(located))
    }

    /// Whether there are halves of surrogate pairs in the line, which no string
    /// can hold. The typed view has U+FFFD in their place, the raw bytes are as
    /// they came. Looks through the whole line.
    #[must_use]
    pub fn has_lone_surrogates(&self) -> bool {
        str::from_utf8(&self.raw).is_ok_and(|text| mended(text).is_some())
    }

    fn unreadable(&self, Located { path, reason }: Located) -> ViewError {
        ViewError {
            kind: self.head.label(),
            path,
            reason,
        }
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame")
            .field("head", &self.head)
            .field("bytes", &self.raw.len())
            .finish_non_exhaustive()
    }
}

impl Head {
    /// The type, and the subtype behind a slash: `system/init`.
    #[must_use]
    pub fn label(&self) -> String {
        match &self.subtype {
            Some(subtype) => format!("{}/{subtype}", self.kind),
            None => self.kind.to_string(),
        }
    }

    /// What can be read of a line that was cut off: the members before the
    /// cut. `None` when not even the type was among them.
    #[must_use]
    pub fn of_cut_line(bytes: &[u8]) -> Option<Self> {
        let mut head = Self::default();
        // The line is cut off, so this fails; what came before is in the head.
        drop(head.read(bytes));
        (!head.kind.is_empty()).then_some(head)
    }

    fn of_line(bytes: &[u8]) -> serde_json::Result<Self> {
        let mut head = Self::default();
        head.read(bytes)?;
        Ok(head)
    }

    fn read(&mut self, bytes: &[u8]) -> serde_json::Result<()> {
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        (&mut deserializer).deserialize_map(HeadVisitor(self, Level::Top))?;
        deserializer.end()
    }
}

/// Visitor methods that take a scalar or a list and give the same answer for
/// each.
macro_rules! skip_scalars_and_lists {
    ($answer:expr) => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            while seq.next_element::<IgnoredAny>()?.is_some() {}
            Ok($answer)
        }

        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($answer)
        }

        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($answer)
        }

        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($answer)
        }

        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($answer)
        }

        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($answer)
        }
    };
}

/// Where in a control frame the reader is.
#[derive(Clone, Copy, PartialEq)]
enum Level {
    Top,
    /// In `request` or `response`, whose subtype and id are the frame's.
    Inner,
}

/// Reads into a borrowed head, so that what was read before an error stays.
struct HeadVisitor<'a>(&'a mut Head, Level);

impl<'de> Visitor<'de> for HeadVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self(head, level) = self;
        while let Some(Key(key)) = map.next_key()? {
            match (&*key, level) {
                ("type", Level::Top) => {
                    head.kind = map.next_value_seed(StringOrSkip)?.unwrap_or_default();
                }
                ("subtype", _) => head.subtype = map.next_value_seed(StringOrSkip)?,
                ("request_id", _) => head.request_id = map.next_value_seed(StringOrSkip)?,
                ("uuid", Level::Top) => head.uuid = map.next_value_seed(StringOrSkip)?,
                ("session_id", Level::Top) => {
                    head.session_id = map.next_value_seed(StringOrSkip)?;
                }
                ("request" | "response", Level::Top) => {
                    map.next_value_seed(HeadVisitor(head, Level::Inner))?;
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }

    // `request` and `response` of a frame that is not ours may be anything.
    skip_scalars_and_lists!(());

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for HeadVisitor<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// A string, or `None` for anything else: the head does not mind.
struct StringOrSkip;

impl<'de> DeserializeSeed<'de> for StringOrSkip {
    type Value = Option<Box<str>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for StringOrSkip {
    type Value = Option<Box<str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Some(value.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    skip_scalars_and_lists!(None);
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn frame(text: &str) -> Frame {
        Frame::new(Bytes::copy_from_slice(text.as_bytes())).unwrap()
    }

    fn error(text: &str) -> FrameError {
        Frame::new(Bytes::copy_from_slice(text.as_bytes())).unwrap_err()
    }

    #[test]
    fn the_head_has_what_routing_needs() {
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
    fn only_the_type_is_needed() {
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
    fn deep_nesting_is_no_danger() {
        let deep = format!(
            r#"{{"type":"x","deep":{}{}}}"#,
            "[".repeat(200_000),
            "]".repeat(200_000)
        );
        assert_eq!(frame(&deep).kind(), "x");
    }

    #[test]
    fn of_a_line_that_was_cut_off_the_head_can_still_be_read() {
        let cut = br#"{"type":"control_request","request_id":"r1","request":{"subtype":"can_use_tool","input":{"co"#;
        let head = Head::of_cut_line(cut).unwrap();
        assert_eq!(head.label(), "control_request/can_use_tool");
        assert_eq!(head.request_id.as_deref(), Some("r1"));
        assert_eq!(Head::of_cut_line(b"{\"typ"), None);
    }

    #[test]
    fn lone_surrogates_are_read_as_replacement_characters_and_the_bytes_stay() {
        let line = r#"{"type":"assistant","\udc00":1,"message":{"content":[{"type":"text","text":"a\ud83d","new":"\ud83d"}]}}"#;
        let cut = frame(line);
        assert!(cut.has_lone_surrogates());
        let Message::Assistant(message) = cut.message().unwrap() else {
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
    fn a_view_that_fails_names_the_member_and_keeps_the_bytes() {
        let broken = frame(
            r#"{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":7}]}}"#,
        );
        let error = broken.message().unwrap_err();
        assert_eq!(error.kind, "assistant");
        assert_eq!(error.path, "message.content[0].text");
        assert!(error.reason.contains("expected a string"), "{error}");
        assert!(broken.raw().ends_with(b"}}"));
    }
}

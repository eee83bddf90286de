//! Routing members: the members of a line that decide where it belongs.

use crate::text::{Cursor, Invalid, Span, unescaped};
use std::borrow::Cow;

/// The routing members of a line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Head<'a> {
    /// The member `type`.
    pub kind: Cow<'a, str>,
    /// The member `subtype` of the line, or of its `request` or `response`.
    pub subtype: Option<Cow<'a, str>>,
    /// The member `request_id` of the line, or of its `request` or `response`.
    pub request_id: Option<Cow<'a, str>>,
    /// The member `uuid`.
    pub uuid: Option<Cow<'a, str>>,
    /// The member `session_id`.
    pub session_id: Option<Cow<'a, str>>,
}

/// The routing members in a line.
#[derive(Debug, Clone)]
pub(super) enum Parts {
    /// The positions of the values, as in nearly every line.
    Places(Places),
    /// The values themselves, because one has escapes or is not UTF-8.
    Values(Box<Head<'static>>),
}

/// The positions of the routing members, indexed by [`Part`].
#[derive(Debug, Clone, Default)]
pub(super) struct Places([Place; PARTS]);

/// The position of a value in a line. 0 means that the value is absent, because
/// no value starts there.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Place {
    start: u32,
    end: u32,
}

/// A routing member.
#[derive(Debug, Clone, Copy)]
pub(super) enum Part {
    Kind,
    Subtype,
    RequestId,
    Uuid,
    SessionId,
}

const PARTS: usize = 5;

/// Other properties of a line, which are recorded in the same scan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Marks {
    /// The index in [`KINDS`] of the type, counted from 1. 0 for a type that is
    /// not listed.
    kind: u8,
    /// Whether the member `parent_tool_use_id` is a string.
    pub(super) has_parent: bool,
    /// Whether the member `error` is something other than `null`.
    pub(super) has_error: bool,
    /// Whether the line has a `user_message_uuid` or `user_message_uuids`.
    pub(super) has_messages: bool,
}

/// The frequent types.
const KINDS: [&str; 8] = [
    "stream_event",
    "assistant",
    "user",
    "system",
    "control_request",
    "control_response",
    "control_cancel_request",
    "result",
];

impl Marks {
    /// Returns the type, if it is a frequent one.
    pub(super) fn kind(self) -> Option<&'static str> {
        KINDS.get(usize::from(self.kind).checked_sub(1)?).copied()
    }

    fn set_kind(&mut self, kind: &[u8]) {
        let index = KINDS.iter().position(|it| it.as_bytes() == kind);
        self.kind = index.map_or(0, |index| index as u8 + 1);
    }
}

impl Head<'_> {
    /// Returns the type, followed by a slash and the subtype, such as
    /// `system/init`.
    #[must_use]
    pub fn label(&self) -> String {
        match &self.subtype {
            Some(subtype) => format!("{}/{subtype}", self.kind),
            None => self.kind.to_string(),
        }
    }
}

impl Head<'static> {
    /// Reads the routing members of a truncated line that precede the cut.
    /// Returns `None` if `type` is not among them.
    #[must_use]
    pub fn of_cut_line(bytes: &[u8]) -> Option<Self> {
        let mut head = Self::default();
        // Reading fails at the cut. `head` then has the earlier members.
        let _ = head.read(bytes);
        (!head.kind.is_empty()).then_some(head)
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(), Invalid> {
        scan(bytes, &mut Marks::default(), |part, value| {
            let value = value.map(|span| Cow::Owned(text(bytes, span)));
            match part {
                Part::Kind => self.kind = value.unwrap_or_default(),
                Part::Subtype => self.subtype = value,
                Part::RequestId => self.request_id = value,
                Part::Uuid => self.uuid = value,
                Part::SessionId => self.session_id = value,
            }
        })
    }
}

impl Parts {
    /// Scans a line once and records the positions of its routing members.
    pub(super) fn of_line(bytes: &[u8]) -> Result<(Self, Marks), Invalid> {
        let mut places = Places::default();
        let mut marks = Marks::default();
        let mut is_plain = true;
        scan(bytes, &mut marks, |part, value| {
            let place = value.map(|span| {
                let value = &bytes[span.start..span.end];
                is_plain &= !span.escaped && (value.is_ascii() || str::from_utf8(value).is_ok());
                Place::new(span)
            });
            is_plain &= place != Some(None);
            places.0[part as usize] = place.flatten().unwrap_or_default();
        })?;
        if is_plain {
            let Place { start, end } = places.0[Part::Kind as usize];
            marks.set_kind(&bytes[start as usize..end as usize]);
            return Ok((Self::Places(places), marks));
        }
        let mut head = Head::default();
        head.read(bytes)?;
        Ok((Self::Values(Box::new(head)), marks))
    }

    /// Returns the value of a routing member in the line.
    pub(super) fn get<'a>(&'a self, line: &'a [u8], part: Part) -> Option<&'a str> {
        match self {
            Self::Places(places) => {
                let Place { start, end } = places.0[part as usize];
                let value = line.get(start as usize..end as usize)?;
                (start > 0).then(|| str::from_utf8(value).ok())?
            }
            Self::Values(head) => match part {
                Part::Kind => Some(&head.kind),
                Part::Subtype => head.subtype.as_deref(),
                Part::RequestId => head.request_id.as_deref(),
                Part::Uuid => head.uuid.as_deref(),
                Part::SessionId => head.session_id.as_deref(),
            },
        }
    }
}

impl Place {
    fn new(span: Span) -> Option<Self> {
        Some(Self {
            start: span.start.try_into().ok()?,
            end: span.end.try_into().ok()?,
        })
    }
}

/// Scans a line and reports each routing member with its value, if the value is
/// a string. The last occurrence of a repeated member counts.
fn scan(
    bytes: &[u8],
    marks: &mut Marks,
    mut found: impl FnMut(Part, Option<Span>),
) -> Result<(), Invalid> {
    let mut cursor = Cursor::new(bytes);
    cursor.expect(b'{', "an object")?;
    let mut is_first = true;
    while let Some(key) = cursor.next_key(is_first)? {
        is_first = false;
        let part = match &*name(bytes, key) {
            b"type" => Part::Kind,
            b"subtype" => Part::Subtype,
            b"request_id" => Part::RequestId,
            b"uuid" => Part::Uuid,
            b"session_id" => Part::SessionId,
            b"request" | b"response" => {
                scan_inner(bytes, &mut cursor, &mut found)?;
                continue;
            }
            b"parent_tool_use_id" => {
                marks.has_parent = cursor.peek() == Some(b'"');
                cursor.skip()?;
                continue;
            }
            b"error" => {
                marks.has_error = cursor.peek() != Some(b'n');
                cursor.skip()?;
                continue;
            }
            b"user_message_uuid" | b"user_message_uuids" => {
                marks.has_messages = true;
                cursor.skip()?;
                continue;
            }
            _ => {
                cursor.skip()?;
                continue;
            }
        };
        found(part, string(&mut cursor)?);
    }
    cursor.end()
}

/// Scans the `request` or `response` of a control frame. Its subtype and ID are
/// those of the frame.
fn scan_inner(
    bytes: &[u8],
    cursor: &mut Cursor<'_>,
    found: &mut impl FnMut(Part, Option<Span>),
) -> Result<(), Invalid> {
    // In frames of other protocols these members may have any type.
    if !cursor.take(b'{') {
        cursor.skip()?;
        return Ok(());
    }
    let mut is_first = true;
    while let Some(key) = cursor.next_key(is_first)? {
        is_first = false;
        match &*name(bytes, key) {
            b"subtype" => found(Part::Subtype, string(cursor)?),
            b"request_id" => found(Part::RequestId, string(cursor)?),
            _ => drop(cursor.skip()?),
        }
    }
    Ok(())
}

/// Returns the name of a member, unescaped.
fn name(bytes: &[u8], span: Span) -> Cow<'_, [u8]> {
    if span.escaped {
        Cow::Owned(text(bytes, span).into_bytes())
    } else {
        Cow::Borrowed(&bytes[span.start..span.end])
    }
}

/// Returns the text of a string, with U+FFFD in place of invalid UTF-8.
fn text(bytes: &[u8], span: Span) -> String {
    let text = String::from_utf8_lossy(&bytes[span.start..span.end]);
    if span.escaped {
        unescaped(&text)
    } else {
        text.into_owned()
    }
}

/// Reads a string. Skips a value of another type and returns `None`.
fn string(cursor: &mut Cursor<'_>) -> Result<Option<Span>, Invalid> {
    if cursor.peek() == Some(b'"') {
        return cursor.string("a string").map(Some);
    }
    cursor.skip()?;
    Ok(None)
}

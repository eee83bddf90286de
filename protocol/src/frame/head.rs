//! What routing needs of a line.

use crate::text::{Cursor, Invalid, Span, unescaped};

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
        let _ = head.read(bytes);
        (!head.kind.is_empty()).then_some(head)
    }

    pub(super) fn of_line(bytes: &[u8]) -> Result<Self, Invalid> {
        let mut head = Self::default();
        head.read(bytes)?;
        Ok(head)
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(), Invalid> {
        let mut cursor = Cursor::new(bytes);
        cursor.expect(b'{', "an object")?;
        let mut is_first = true;
        while let Some(key) = cursor.next_key(is_first)? {
            is_first = false;
            match name(bytes, key) {
                b"type" => self.kind = string(bytes, &mut cursor)?.unwrap_or_default(),
                b"subtype" => self.subtype = string(bytes, &mut cursor)?,
                b"request_id" => self.request_id = string(bytes, &mut cursor)?,
                b"uuid" => self.uuid = string(bytes, &mut cursor)?,
                b"session_id" => self.session_id = string(bytes, &mut cursor)?,
                b"request" | b"response" => self.read_inner(bytes, &mut cursor)?,
                _ => drop(cursor.skip()?),
            }
        }
        cursor.end()
    }

    /// Reads a control frame's `request` or `response`, whose subtype and id are
    /// the frame's.
    fn read_inner(&mut self, bytes: &[u8], cursor: &mut Cursor<'_>) -> Result<(), Invalid> {
        // Those of a frame that is not ours may be anything.
        if !cursor.take(b'{') {
            cursor.skip()?;
            return Ok(());
        }
        let mut is_first = true;
        while let Some(key) = cursor.next_key(is_first)? {
            is_first = false;
            match name(bytes, key) {
                b"subtype" => self.subtype = string(bytes, cursor)?,
                b"request_id" => self.request_id = string(bytes, cursor)?,
                _ => drop(cursor.skip()?),
            }
        }
        Ok(())
    }
}

/// The name of a member. Nothing that routing needs is written with escapes,
/// but could be.
fn name(bytes: &[u8], span: Span) -> &[u8] {
    let name = &bytes[span.start..span.end];
    if span.escaped {
        let name = String::from_utf8_lossy(name);
        let name = unescaped(&name);
        let known = [
            "type",
            "subtype",
            "request_id",
            "uuid",
            "session_id",
            "request",
            "response",
        ];
        return known
            .into_iter()
            .find(|it| *it == name)
            .unwrap_or_default()
            .as_bytes();
    }
    name
}

/// A string, or `None` for anything else: the head does not mind.
fn string(bytes: &[u8], cursor: &mut Cursor<'_>) -> Result<Option<Box<str>>, Invalid> {
    if cursor.peek() != Some(b'"') {
        cursor.skip()?;
        return Ok(None);
    }
    let span = cursor.string("a string")?;
    let text = String::from_utf8_lossy(&bytes[span.start..span.end]);
    Ok(Some(if span.escaped {
        unescaped(&text).into()
    } else {
        text.into()
    }))
}

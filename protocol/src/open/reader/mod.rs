//! Reads types from text.
//!
//! One concrete reader steps through the text once, so that each type compiles
//! to one function. This module has its modes, its position and plain values;
//! `members` has objects and lists, and preserves invalid members.

mod fault;
pub(super) mod members;

pub use fault::Fault;

use super::error::{Error, path};
use crate::json::{Json, Number};
use crate::open::fields::read_fields;
use crate::open::form::{Form, Slot, Whole};
use crate::open::own::Audited;
use crate::open::union::read_union;
use crate::text::{Cursor, escaped, unescaped};
use fault::Trace;
use std::borrow::Cow;
use std::fmt::Debug;

/// A type that an object's member can have.
pub trait Field: Sized + Clone + PartialEq + Debug + Audited + 'static {
    /// Whether the member is required.
    const IS_REQUIRED: bool = true;

    /// Whether this type is read tolerantly by default.
    const IS_TOLERANT: bool = false;

    /// Returns what the value looks like.
    fn form(&self) -> Form<'_>;

    /// Returns the value to be set.
    fn slot(&mut self) -> Slot<'_>;

    /// A value to read into. An enumeration has any value there: what was not read
    /// is cleared.
    fn fresh() -> Self;
}

/// A type whose [`Field::fresh`] is a constant, so that making a large object is
/// one copy.
pub trait Constant {
    /// As [`Field::fresh`].
    const EMPTY: Self;
}

/// The tag by which a union chose the kind of an object.
#[derive(Debug, Clone, Copy)]
pub struct Tag {
    pub(super) name: &'static str,
    /// The start of the object, if the tag is its first member. The reader is then
    /// behind the tag.
    pub(super) passed: Option<usize>,
}

/// Reads types from JSON text.
///
/// A strict reader fails at the first value of the wrong type. A tolerant one
/// skips the member: its JSON is kept in the `extra` of the enclosing object, and
/// its field holds what could be read of it.
#[derive(Debug)]
pub struct Reader<'a> {
    text: &'a str,
    cursor: Cursor<'a>,
    /// The nesting depth of the current object.
    depth: usize,
    is_tolerant: bool,
    /// Whether the current value was read only in part or with changes.
    is_spoilt: bool,
    /// A selection of members for the next object.
    only: Option<fn(&str) -> bool>,
    /// The number of bytes of invalid members that may still be preserved.
    /// Nested objects, each with an invalid item, preserve the innermost one
    /// many times.
    to_keep: usize,
    /// The current path and the faults so far, if they are requested.
    trace: Option<Box<Trace>>,
    /// A buffer for strings with escapes.
    unescaped: Vec<u8>,
}

/// A position of a reader.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    at: usize,
    depth: usize,
    only: Option<fn(&str) -> bool>,
    faults: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, is_tolerant: bool) -> Self {
        Self {
            text,
            cursor: Cursor::new(text.as_bytes()),
            depth: 0,
            is_tolerant,
            is_spoilt: false,
            only: None,
            to_keep: 4 * text.len() + 4096,
            trace: None,
            unescaped: Vec::new(),
        }
    }

    /// Creates a reader for a preserved member, to compare it with its field.
    pub(super) fn of_kept(text: &'a str) -> Self {
        let mut reader = Self::new(text, true);
        // Uses less than when the member was read as part of the whole.
        reader.to_keep = usize::MAX;
        reader
    }

    /// Reads a whole text.
    ///
    /// # Errors
    ///
    /// If the text is not valid JSON or has another type. Invalid members are
    /// errors only if it is read strictly.
    pub(in crate::open) fn read_text(
        text: &'a str,
        is_tolerant: bool,
        slot: &mut Slot<'_>,
    ) -> Result<(), Error> {
        Self::new(text, is_tolerant).whole_slot(slot)
    }

    /// Reads a whole text strictly.
    ///
    /// # Errors
    ///
    /// If the text is not valid JSON, or any value in it is invalid.
    pub fn read_strictly<T: Field>(text: &'a str) -> Result<T, Error> {
        Self::new(text, false).whole()
    }

    /// Reads a whole text tolerantly, whatever the mode of its type.
    ///
    /// # Errors
    ///
    /// If the text is not valid JSON, or the value itself has another type.
    pub fn read_tolerantly<T: Field>(text: &'a str) -> Result<T, Error> {
        Self::new(text, true).whole()
    }

    /// Reads a whole text tolerantly, and returns the faults as well.
    pub fn read_with_faults<T: Field>(text: &'a str) -> (Result<T, Error>, Vec<Fault>) {
        let mut reader = Self::new(text, true);
        reader.trace = Some(Box::default());
        let read = reader.whole();
        let mut faults = reader.trace.map(|trace| trace.faults).unwrap_or_default();
        if let Err(error) = &read {
            faults.push(Fault {
                path: path(error.steps()),
                reason: error.reason(),
            });
        }
        (read, faults)
    }

    fn whole<T: Field>(&mut self) -> Result<T, Error> {
        let mut value = T::fresh();
        self.whole_slot(&mut value.slot())?;
        Ok(value)
    }

    fn whole_slot(&mut self, slot: &mut Slot<'_>) -> Result<(), Error> {
        self.read(slot, None)?;
        Ok(self.cursor.end()?)
    }

    /// Reads a value, which a union may have chosen by a tag, into an empty one.
    ///
    /// # Errors
    ///
    /// If the value has another type. The slot may hold a part of it.
    pub fn read(&mut self, slot: &mut Slot<'_>, chosen_by: Option<Tag>) -> Result<(), Error> {
        match slot {
            Slot::Text(value) => **value = self.string()?.into_owned(),
            Slot::Optional(value) => {
                if !self.null()
                    && let Some(mut value) = value.set(true)
                {
                    return self.read(&mut value, None);
                }
            }
            Slot::Object(value) => return read_fields(*value, self, chosen_by),
            Slot::Union(value) => return read_union(*value, self, chosen_by),
            Slot::Bool(value) => **value = self.bool()?,
            Slot::Whole(value) => return self.whole_number(*value),
            Slot::Number(value) => **value = Number::of_text(self.number("a number")?),
            Slot::Word(value) => value.set(&self.string()?),
            Slot::Json(value) => **value = self.json()?,
            Slot::List(value) => return self.items(*value),
            Slot::Map(value) => return self.entries(*value),
            Slot::Members(value) => return self.members(value, chosen_by),
            Slot::Own(value) => return value.read(self),
        }
        Ok(())
    }

    /// Reads a whole number. A tolerant reader converts other numbers to the
    /// nearest whole number, if there is one.
    fn whole_number(&mut self, value: &mut dyn Whole) -> Result<(), Error> {
        let name = value.name();
        let text = self.number(name)?;
        // Like `serde_json`, does not accept `-0` as an integer.
        if text != "-0" && value.parse(text) {
            return Ok(());
        }
        let error = not_whole(text, name);
        if self.is_tolerant && nearest(text).is_some_and(|number| value.set(number)) {
            self.spoilt(&error);
            return Ok(());
        }
        Err(error)
    }

    /// Reads a value.
    ///
    /// # Errors
    ///
    /// If the value has another type.
    pub fn value<T: Field>(&mut self) -> Result<T, Error> {
        let mut value = T::fresh();
        self.read(&mut value.slot(), None)?;
        Ok(value)
    }

    /// Returns the first byte of the value.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        self.cursor.peek()
    }

    /// Returns the position, to return to it later.
    #[must_use]
    pub fn place(&self) -> Place {
        Place {
            at: self.cursor.at(),
            depth: self.depth,
            only: self.only,
            faults: self.trace.as_ref().map_or(0, |trace| trace.faults.len()),
        }
    }

    /// Returns to a position to read the value again, in addition to what was
    /// read of it.
    pub fn back_to(&mut self, place: Place) {
        self.cursor.go_to(place.at);
    }

    /// Returns to a position and discards what was read since.
    pub fn go_to(&mut self, place: Place) {
        self.cursor.go_to(place.at);
        self.depth = place.depth;
        self.only = place.only;
        if let Some(trace) = &mut self.trace {
            trace.faults.truncate(place.faults);
        }
    }

    /// Consumes the value if it is `null`.
    pub fn null(&mut self) -> bool {
        self.peek() == Some(b'n') && self.cursor.word("null").is_ok()
    }

    /// Reads a string.
    ///
    /// # Errors
    ///
    /// If the value is not a string.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'a, str>, Error> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("a string"));
        }
        match self.cursor.string_start() {
            (span, true) => Ok(Cow::Borrowed(&self.text[span.start..span.end])),
            (span, false) => self.unescape(span.start, span.end).map(Cow::Owned),
        }
    }

    /// Consumes the rest of a string that begins at `start`, from its first escape,
    /// and returns the whole of it. Unpaired surrogates become U+FFFD.
    #[inline(never)]
    fn unescape(&mut self, start: usize, escape: usize) -> Result<String, Error> {
        let bytes = self.text.as_bytes();
        let (mut run, mut at) = (start, escape);
        self.unescaped.clear();
        loop {
            let byte = match (bytes.get(at), bytes.get(at + 1)) {
                (Some(b'\\'), Some(b'n')) => b'\n',
                (Some(b'\\'), Some(byte @ (b'"' | b'\\' | b'/'))) => *byte,
                (Some(b'\\'), Some(b't')) => b'\t',
                (Some(b'\\'), Some(b'r')) => b'\r',
                (Some(b'\\'), Some(b'b')) => 8,
                (Some(b'\\'), Some(b'f')) => 12,
                (Some(b'\\'), Some(b'u')) if has_digits(bytes, at) => {
                    let (character, length) = escaped(&self.text[at..]);
                    let mut encoded = [0; 4];
                    self.unescaped.extend_from_slice(&bytes[run..at]);
                    self.unescaped
                        .extend_from_slice(character.encode_utf8(&mut encoded).as_bytes());
                    run = at + length;
                    at = self.cursor.special(run);
                    continue;
                }
                (Some(b'"'), _) => {
                    self.unescaped.extend_from_slice(&bytes[run..at]);
                    self.cursor.go_to(at + 1);
                    let text = simdutf8::basic::from_utf8(&self.unescaped);
                    return text
                        .map(str::to_owned)
                        .map_err(|_| Error::new("invalid UTF-8"));
                }
                _ => {
                    let invalid = self.cursor.string_with_escapes(start, at);
                    return Err(invalid.map_or_else(Error::from, |_| self.unexpected("a string")));
                }
            };
            self.unescaped.extend_from_slice(&bytes[run..at]);
            self.unescaped.push(byte);
            run = at + 2;
            at = self.cursor.special(run);
        }
    }

    /// Reads `true` or `false`.
    pub(super) fn bool(&mut self) -> Result<bool, Error> {
        let (word, value) = match self.peek() {
            Some(b't') => ("true", true),
            Some(b'f') => ("false", false),
            _ => return Err(self.unexpected("a boolean")),
        };
        self.cursor.word(word)?;
        Ok(value)
    }

    /// Reads the text of a number.
    pub(super) fn number(&mut self, expected: &'static str) -> Result<&'a str, Error> {
        let Some(b'-' | b'0'..=b'9') = self.peek() else {
            return Err(self.unexpected(expected));
        };
        let start = self.cursor.at();
        self.cursor.number()?;
        Ok(&self.text[start..self.cursor.at()])
    }

    /// Skips a value and returns its text.
    ///
    /// # Errors
    ///
    /// If the text is not valid JSON.
    pub fn token(&mut self) -> Result<&'a str, Error> {
        let start = self.cursor.skip()?;
        Ok(&self.text[start..self.cursor.at()])
    }

    /// Skips a value and keeps its text.
    pub(super) fn json(&mut self) -> Result<Json, Error> {
        self.token().map(Json::of_text)
    }

    /// Returns an error for a value of an unexpected type.
    #[cold]
    pub fn unexpected(&mut self, expected: &str) -> Error {
        let start = self.cursor.at();
        let first = self.peek();
        let token = match first {
            Some(b'{' | b'[') => Ok(""),
            _ => self.token(),
        };
        self.cursor.go_to(start);
        let token = match token {
            Ok(token) => token,
            Err(error) => return error,
        };
        let found = match first {
            Some(b'{') => "map".to_owned(),
            Some(b'[') => "sequence".to_owned(),
            Some(b'"') => format!("string {:?}", string_of(Some(token)).unwrap_or_default()),
            Some(b'n') => "null".to_owned(),
            Some(b't' | b'f') => format!("boolean `{token}`"),
            _ if token.contains(['.', 'e', 'E']) => format!("floating point `{token}`"),
            _ => format!("integer `{token}`"),
        };
        Error::new(format!("invalid type: {found}, expected {expected}"))
    }
}

/// The value of a text that is a JSON string.
pub fn string_of(text: Option<&str>) -> Option<Cow<'_, str>> {
    let text = text?.strip_prefix('"')?.strip_suffix('"')?;
    Some(if text.contains('\\') {
        Cow::Owned(unescaped(text))
    } else {
        Cow::Borrowed(text)
    })
}

#[cold]
fn not_whole(text: &str, expected: &str) -> Error {
    Error::new(if text.contains(['.', 'e', 'E']) || text == "-0" {
        format!("invalid type: floating point `{text}`, expected {expected}")
    } else {
        format!("invalid value: integer `{text}`, expected {expected}")
    })
}

/// The nearest whole number.
#[cold]
#[allow(
    clippy::cast_possible_truncation,
    reason = "what is too large is found to be so"
)]
fn nearest(text: &str) -> Option<i128> {
    let number: f64 = text.parse().ok()?;
    number.is_finite().then(|| number.round() as i128)
}

/// Whether the escape `\u` at this offset has its four digits.
fn has_digits(bytes: &[u8], at: usize) -> bool {
    let digits = bytes.get(at + 2..at + 6);
    digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

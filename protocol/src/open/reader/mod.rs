//! Reads types from text.
//!
//! One concrete reader steps through the text once, so that each type compiles
//! to one function. This module has its modes, its position and plain values;
//! `members` has objects and lists, and preserves invalid members.

mod fault;
pub(super) mod members;

pub use fault::Fault;

use super::error::{Error, path};
use crate::json::Json;
use crate::open::form::Written;
use crate::text::{Cursor, unescaped};
use fault::Trace;
use std::borrow::Cow;

/// A type that an object's member can have.
pub trait Field: Sized + Written + Clone + PartialEq + 'static {
    /// Whether the member is required.
    const IS_REQUIRED: bool = true;

    /// Whether this type is read tolerantly by default.
    const IS_TOLERANT: bool = false;

    /// Reads the value into `self`, which is empty. Objects are large; returned by
    /// value, they would be moved once per enclosing object.
    ///
    /// # Errors
    ///
    /// If the value has another type. `self` may hold a part of it.
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error>;

    /// The value of a missing or unreadable member.
    fn empty() -> Self;
}

/// An object, or a union of objects.
pub trait Object {
    /// Reads the object into `self`, which is empty. `chosen_by` is the tag by which
    /// a union chose this kind.
    ///
    /// # Errors
    ///
    /// If the value has another type. `self` may hold a part of it.
    fn read_object(&mut self, reader: &mut Reader<'_>, chosen_by: Option<Tag>)
    -> Result<(), Error>;
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
        }
    }

    /// Creates a reader for a preserved member, to compare it with its field.
    pub(super) fn of_kept(text: &'a str) -> Self {
        let mut reader = Self::new(text, true);
        // Uses less than when the member was read as part of the whole.
        reader.to_keep = usize::MAX;
        reader
    }

    /// Reads a whole text, in the mode of its type.
    ///
    /// # Errors
    ///
    /// If the text is not valid JSON or has another type. Invalid members are
    /// errors only if the type is read strictly.
    pub(crate) fn read_text<T: Field>(text: &'a str) -> Result<T, Error> {
        Self::new(text, T::IS_TOLERANT).whole()
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
        let read = self.value();
        match self.cursor.end() {
            Err(invalid) if read.is_ok() => Err(invalid.into()),
            _ => read,
        }
    }

    /// Reads a value.
    ///
    /// # Errors
    ///
    /// If the value has another type.
    pub fn value<T: Field>(&mut self) -> Result<T, Error> {
        let mut value = T::empty();
        value.read(self)?;
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
        let span = self.cursor.string("a string")?;
        let text = &self.text[span.start..span.end];
        Ok(if span.escaped {
            Cow::Owned(unescaped(text))
        } else {
            Cow::Borrowed(text)
        })
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

//! Reads types from text.
//!
//! One concrete reader steps through the text once, so that each type compiles
//! to one function. Here are its modes, its position and plain values;
//! `members` has objects and lists, and what is kept of invalid members.

mod fault;
pub(super) mod members;

pub use fault::Fault;

use super::error::{Error, path};
use crate::json::Json;
use crate::open::form::Written;
use crate::text::{Cursor, unescaped};
use fault::Trace;
use std::borrow::Cow;

/// A type that a member of an object can have.
pub trait Field: Sized + Written + Clone + PartialEq + 'static {
    /// Whether the member has to be there.
    const IS_REQUIRED: bool = true;

    /// Whether a text that is read as this type by itself is read tolerantly.
    const IS_TOLERANT: bool = false;

    /// Reads the value into `self`, which is empty. Objects are large; returned by
    /// value, they would be moved once per enclosing object.
    ///
    /// # Errors
    ///
    /// If the value has another type. `self` may hold a part of it.
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error>;

    /// What the value is when the member is not there, or has nothing that can
    /// be read.
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
    /// Objects that are being read, one inside the other.
    depth: usize,
    is_tolerant: bool,
    /// Whether the value that is being read was read in part only, or as
    /// another one than is there.
    is_spoilt: bool,
    /// Which members the next object shows.
    only: Option<fn(&str) -> bool>,
    /// How many bytes of members may still be kept as they are. Objects inside
    /// each other, each with an invalid item, keep what is innermost many times.
    to_keep: usize,
    /// The current path and the faults so far, if they are requested.
    trace: Option<Box<Trace>>,
}

/// Where a reader was.
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

    /// For a member that was kept, to compare it with its field.
    pub(super) fn of_kept(text: &'a str) -> Self {
        let mut reader = Self::new(text, true);
        // Less than when it was read as a part of more.
        reader.to_keep = usize::MAX;
        reader
    }

    /// Reads a whole text.
    ///
    /// # Errors
    ///
    /// When it is not what it should be: anywhere, if the type is one that is
    /// strict, and by itself, if it is a tolerant one.
    pub(crate) fn read_text<T: Field>(text: &'a str) -> Result<T, Error> {
        Self::new(text, T::IS_TOLERANT).whole()
    }

    /// Reads a whole text as strictly as any type is read.
    ///
    /// # Errors
    ///
    /// When it is not what it should be, anywhere.
    pub fn read_strictly<T: Field>(text: &'a str) -> Result<T, Error> {
        Self::new(text, false).whole()
    }

    /// Reads a whole text tolerantly, whatever the type.
    ///
    /// # Errors
    ///
    /// When it is not what it should be by itself, or no JSON.
    pub fn read_tolerantly<T: Field>(text: &'a str) -> Result<T, Error> {
        Self::new(text, true).whole()
    }

    /// Reads a whole text tolerantly, and returns its faults.
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
    /// If it is something else.
    pub fn value<T: Field>(&mut self) -> Result<T, Error> {
        let mut value = T::empty();
        value.read(self)?;
        Ok(value)
    }

    /// The first byte of the value.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        self.cursor.peek()
    }

    /// The place, to come back to.
    #[must_use]
    pub fn place(&self) -> Place {
        Place {
            at: self.cursor.at(),
            depth: self.depth,
            only: self.only,
            faults: self.trace.as_ref().map_or(0, |trace| trace.faults.len()),
        }
    }

    /// Comes back to a place where the value is read once more, beside what was
    /// read of it.
    pub fn back_to(&mut self, place: Place) {
        self.cursor.go_to(place.at);
    }

    /// Comes back to a place, as if nothing had been read since.
    pub fn go_to(&mut self, place: Place) {
        self.cursor.go_to(place.at);
        self.depth = place.depth;
        self.only = place.only;
        if let Some(trace) = &mut self.trace {
            trace.faults.truncate(place.faults);
        }
    }

    /// Takes `null`, where it is the value.
    pub fn null(&mut self) -> bool {
        self.peek() == Some(b'n') && self.cursor.word("null").is_ok()
    }

    /// Reads a string.
    ///
    /// # Errors
    ///
    /// When the value is none.
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

    /// Passes a value, and gives its text.
    ///
    /// # Errors
    ///
    /// When it is no JSON.
    pub fn token(&mut self) -> Result<&'a str, Error> {
        let start = self.cursor.skip()?;
        Ok(&self.text[start..self.cursor.at()])
    }

    /// Passes a value, and keeps its text.
    pub(super) fn json(&mut self) -> Result<Json, Error> {
        self.token().map(Json::of_text)
    }

    /// That the value is of another type than was expected.
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

/// What a text says that is a string.
pub fn string_of(text: Option<&str>) -> Option<Cow<'_, str>> {
    let text = text?.strip_prefix('"')?.strip_suffix('"')?;
    Some(if text.contains('\\') {
        Cow::Owned(unescaped(text))
    } else {
        Cow::Borrowed(text)
    })
}

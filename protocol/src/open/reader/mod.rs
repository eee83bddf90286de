//! Reads types from text.
//!
//! One concrete reader steps through the text once, so that each type compiles
//! to one function. This module contains the reader's modes, its position and
//! plain values. The module `members` reads objects and lists, and preserves
//! invalid members.

mod fault;
pub(super) mod members;

pub use fault::Fault;

use super::error::Error;
use crate::json::Json;
use crate::text::{Cursor, SIMPLE, escaped, unescaped};
use fault::Trace;
use std::borrow::Cow;

/// The tag by which a union chose the kind of an object.
#[derive(Debug, Clone, Copy)]
pub struct Tag {
    pub(super) name: &'static str,
    /// The start of the object, if the tag is its first member. The reader is
    /// then after the tag.
    pub(super) passed: Option<usize>,
}

/// Reads types from JSON text.
///
/// A strict reader fails at the first value of the wrong type. A tolerant
/// reader skips the member: its JSON is preserved in the `extra` of the
/// enclosing object, and its field has the readable part.
#[derive(Debug)]
pub struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) cursor: Cursor<'a>,
    /// The nesting depth of the current object.
    pub(super) depth: usize,
    pub(super) is_tolerant: bool,
    /// Whether the current value was read only in part or with changes.
    pub(super) is_inexact: bool,
    /// A selection of members for the next object.
    pub(super) only: Option<fn(&str) -> bool>,
    /// The remaining number of bytes of invalid members that may be preserved.
    /// It bounds the memory for nested objects that each have an invalid item,
    /// because they preserve the innermost object many times.
    pub(super) preserve_budget: usize,
    /// The current path and the faults so far, if the caller requested them.
    pub(super) trace: Option<Box<Trace>>,
    /// A buffer for strings with escapes.
    pub(super) unescaped: Vec<u8>,
}

/// A position of a reader.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    at: usize,
    depth: usize,
    only: Option<fn(&str) -> bool>,
    /// The number of faults found before this position.
    fault_count: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, is_tolerant: bool) -> Self {
        Self {
            text,
            cursor: Cursor::new(text.as_bytes()),
            depth: 0,
            is_tolerant,
            is_inexact: false,
            only: None,
            preserve_budget: 4 * text.len() + 4096,
            trace: None,
            unescaped: Vec::new(),
        }
    }

    /// Creates a reader for a preserved member, to compare it with its field.
    pub(super) fn of_preserved(text: &'a str) -> Self {
        let mut reader = Self::new(text, true);
        // No limit is needed, because this reader preserves less than the whole
        // message did.
        reader.preserve_budget = usize::MAX;
        reader
    }

    /// Returns the first byte of the value.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        self.cursor.peek()
    }

    /// Returns the current position, to which the reader can return.
    #[must_use]
    pub fn place(&self) -> Place {
        Place {
            at: self.cursor.at(),
            depth: self.depth,
            only: self.only,
            fault_count: self.trace.as_ref().map_or(0, |trace| trace.faults.len()),
        }
    }

    /// Returns to a position to read the value a second time. Faults that the
    /// first pass found remain recorded.
    pub fn back_to(&mut self, place: Place) {
        self.cursor.go_to(place.at);
    }

    /// Returns to a position and discards the faults found since.
    pub fn go_to(&mut self, place: Place) {
        self.cursor.go_to(place.at);
        self.depth = place.depth;
        self.only = place.only;
        if let Some(trace) = &mut self.trace {
            trace.faults.truncate(place.fault_count);
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

    /// Consumes the rest of a string that begins at `start`, from its first
    /// escape, and returns the whole string. Unpaired surrogates become U+FFFD.
    #[inline(never)]
    fn unescape(&mut self, start: usize, escape: usize) -> Result<String, Error> {
        let bytes = self.text.as_bytes();
        let (mut run, mut at) = (start, escape);
        self.unescaped.clear();
        self.unescaped.reserve(bytes.len() - start);
        loop {
            match (bytes.get(at), bytes.get(at + 1)) {
                (Some(b'\\'), Some(name)) if SIMPLE[usize::from(*name)] != 0 => {
                    self.unescaped.extend_from_slice(&bytes[run..=at]);
                    if let Some(last) = self.unescaped.last_mut() {
                        *last = SIMPLE[usize::from(*name)];
                    }
                    run = at + 2;
                }
                (Some(b'\\'), Some(b'u')) if has_digits(bytes, at) => {
                    let (character, length) = escaped(&self.text[at..]);
                    let mut encoded = [0; 4];
                    self.unescaped.extend_from_slice(&bytes[run..at]);
                    self.unescaped
                        .extend_from_slice(character.encode_utf8(&mut encoded).as_bytes());
                    run = at + length;
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
            }
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

    /// Skips a value and returns its text as JSON.
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

/// Returns the string that a JSON text represents, if it is a string.
pub fn string_of(text: Option<&str>) -> Option<Cow<'_, str>> {
    let text = text?.strip_prefix('"')?.strip_suffix('"')?;
    Some(if text.contains('\\') {
        Cow::Owned(unescaped(text))
    } else {
        Cow::Borrowed(text)
    })
}

/// Returns whether the escape `\u` at this offset has four digits.
fn has_digits(bytes: &[u8], at: usize) -> bool {
    let digits = bytes.get(at + 2..at + 6);
    digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

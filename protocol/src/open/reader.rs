//! Reading a type from text.
//!
//! One concrete reader goes through the text once, so that each type is
//! compiled to one function.

use super::error::{Error, MAX_DEPTH, Step, path};
use crate::json::{Json, Members};
use crate::text::{Cursor, unescaped};
use std::borrow::Cow;
use std::fmt;

/// A type that a member of an object can have.
pub trait Field: Sized {
    /// Whether the member has to be there.
    const IS_REQUIRED: bool = true;

    /// Whether a text that is read as this type by itself is read tolerantly.
    const IS_TOLERANT: bool = false;

    /// Reads the value.
    ///
    /// # Errors
    ///
    /// When it is something else.
    fn read(reader: &mut Reader<'_>) -> Result<Self, Error>;

    /// What the value is when the member is not there, or has nothing that can
    /// be read.
    fn empty() -> Self;

    /// Whether it is what it is when a member that need not be there is not.
    fn is_absent(&self) -> bool {
        false
    }
}

/// An object, or a union of objects.
pub trait Object: Field {
    /// Reads the object, which a union may have chosen by a tag that it has.
    ///
    /// # Errors
    ///
    /// When it is something else.
    fn read_object(reader: &mut Reader<'_>, chosen_by: Option<&'static str>)
    -> Result<Self, Error>;
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

/// A missing or invalid member of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The path of the member, such as `message.content[0].text`.
    pub path: String,
    /// Why it is invalid.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is invalid: {}", self.path, self.reason)
    }
}

impl Fault {
    pub(crate) fn new(path: &str, reason: &str) -> Self {
        Self {
            path: path.to_owned(),
            reason: reason.to_owned(),
        }
    }
}

#[derive(Debug, Default)]
struct Trace {
    steps: Vec<Step>,
    faults: Vec<Fault>,
}

/// An object that is being read.
#[derive(Debug)]
pub struct Inside {
    is_first: bool,
    only: Option<fn(&str) -> bool>,
    /// The tag by which a union chose this object, until it was passed.
    chosen_by: Option<&'static str>,
    /// The tags that it has.
    tags: [Option<&'static str>; 2],
    /// The fields whose members it has, a bit each.
    seen: u128,
}

/// Where a reader was.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    at: usize,
    depth: usize,
    only: Option<fn(&str) -> bool>,
    faults: usize,
}

/// What was before a member or an item was read.
struct Before {
    start: usize,
    depth: usize,
    is_spoilt: bool,
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

    /// Reads a member again that was kept, to compare it with its field.
    pub(super) fn read_again<T: Field>(text: &'a str) -> Result<T, Error> {
        let mut reader = Self::new(text, true);
        // Less than when it was read as a part of more.
        reader.to_keep = usize::MAX;
        reader.whole()
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
        let read = T::read(self);
        match self.cursor.end() {
            Err(invalid) if read.is_ok() => Err(invalid.into()),
            _ => read,
        }
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
    ///
    /// # Errors
    ///
    /// When it is no JSON.
    #[inline]
    pub fn null(&mut self) -> Result<bool, Error> {
        if self.peek() != Some(b'n') {
            return Ok(false);
        }
        self.cursor.word("null")?;
        Ok(true)
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

    /// Begins an object, which a union may have chosen by a tag.
    ///
    /// # Errors
    ///
    /// When the value is none, or too many are inside each other.
    pub fn object(&mut self, chosen_by: Option<&'static str>) -> Result<Inside, Error> {
        if !self.cursor.take(b'{') {
            return Err(self.unexpected("an object"));
        }
        if self.depth == MAX_DEPTH {
            return Err(Error::too_deep());
        }
        self.depth += 1;
        Ok(Inside {
            is_first: true,
            only: self.only.take(),
            chosen_by,
            tags: [None; 2],
            seen: 0,
        })
    }

    /// Goes to the next member of an object. At the end the object is closed.
    ///
    /// # Errors
    ///
    /// When it is no JSON.
    pub fn next_key(&mut self, inside: &mut Inside) -> Result<Option<Cow<'a, str>>, Error> {
        loop {
            let is_first = std::mem::take(&mut inside.is_first);
            let Some(span) = self.cursor.next_key(is_first)? else {
                self.depth -= 1;
                return Ok(None);
            };
            let text = &self.text[span.start..span.end];
            let key = if span.escaped {
                Cow::Owned(unescaped(text))
            } else {
                Cow::Borrowed(text)
            };
            match inside.only {
                Some(only) if !only(&key) => drop(self.cursor.skip()?),
                _ => return Ok(Some(key)),
            }
        }
    }

    /// Reads the object whose members are those that `only` tells.
    ///
    /// # Errors
    ///
    /// As `T` has them.
    pub fn part<T: Field>(&mut self, only: fn(&str) -> bool) -> Result<T, Error> {
        self.only = Some(only);
        T::read(self)
    }

    /// The text of the object's member `name`: the first one with that name, or
    /// the last one. The reader stays where it is. Nothing, where there is none.
    ///
    /// # Errors
    ///
    /// When it is no JSON.
    fn look(&mut self, name: &str, is_last: bool) -> Result<Option<&'a str>, Error> {
        let start = self.cursor.at();
        if !self.cursor.take(b'{') {
            return Ok(None);
        }
        let (mut found, mut is_first) = (None, true);
        while let Some(span) = self.cursor.next_key(is_first)? {
            is_first = false;
            let value = self.cursor.skip()?;
            let key = &self.text[span.start..span.end];
            if key == name || span.escaped && unescaped(key) == name {
                found = Some(&self.text[value..self.cursor.at()]);
                if !is_last {
                    break;
                }
            }
        }
        self.cursor.go_to(start);
        Ok(found)
    }

    /// The text of the object's last member with this name, without reading the
    /// object. Nothing, where there is none, or the value is no object.
    ///
    /// # Errors
    ///
    /// When it is no JSON.
    pub fn look_for(&mut self, name: &str) -> Result<Option<&'a str>, Error> {
        self.look(name, true)
    }

    /// What the tag of an object says, without reading the object; nothing,
    /// where it has none or it is no string.
    ///
    /// # Errors
    ///
    /// When the value is no object.
    pub fn tag_of(&mut self, name: &str) -> Result<Option<Cow<'a, str>>, Error> {
        if self.peek() != Some(b'{') {
            return Err(self.unexpected("an object"));
        }
        Ok(string_of(self.look(name, false)?))
    }

    /// Passes a tag, and checks it.
    ///
    /// # Errors
    ///
    /// When it is another one.
    pub fn tag(
        &mut self,
        inside: &mut Inside,
        name: &'static str,
        expected: &'static str,
    ) -> Result<(), Error> {
        let found = self.token()?;
        if let Some(place) = inside
            .tags
            .iter_mut()
            .find(|tag| tag.is_none_or(|tag| tag == name))
        {
            *place = Some(name);
        }
        let is_chosen = inside.chosen_by == Some(name);
        if is_chosen {
            inside.chosen_by = None;
        }
        if is_chosen || string_of(Some(found)).as_deref() == Some(expected) {
            Ok(())
        } else {
            Err(Error::other_tag(expected))
        }
    }

    /// That an object has no such tag where it could have been another one is
    /// remembered. Who reads strictly asked for this one.
    pub fn without_tag(&mut self, inside: &Inside, name: &'static str, extra: &mut Members) {
        if self.is_tolerant && !inside.tags.contains(&Some(name)) {
            // Tolerant, it cannot fail.
            let _ = self.missing(name, extra);
        }
    }

    /// Reads the object as the kind of a union that its tag tells.
    ///
    /// By itself, so that what reads the union needs no room for each of them.
    ///
    /// # Errors
    ///
    /// As `T` has them.
    #[inline(never)]
    pub fn kind<T: Object, U>(&mut self, tag: &'static str, make: fn(T) -> U) -> Result<U, Error> {
        T::read_object(self, Some(tag)).map(make)
    }

    /// Whether an object that was read as the kind that its tag tells turned out
    /// to be none: it has that tag or another one twice. It is then one of a
    /// kind that nobody knows.
    #[must_use]
    pub fn is_other_kind(&self, error: &Error) -> bool {
        self.is_tolerant && error.is_other_tag()
    }

    /// Reads the member `name`, the field with this number.
    ///
    /// # Errors
    ///
    /// If it is not valid JSON; if it is invalid and the reader is strict.
    pub fn member<T: Field>(
        &mut self,
        inside: &mut Inside,
        number: u8,
        name: &'static str,
        place: &mut T,
        extra: &mut Members,
    ) -> Result<(), Error> {
        let before = self.begin_member(inside, number, name, extra);
        let (value, read) = match T::read(self) {
            Ok(value) => {
                let is_absent = value.is_absent();
                (value, Ok(is_absent))
            }
            Err(error) => (T::empty(), Err(error)),
        };
        *place = value;
        self.end_member(&before, name, read, extra)
    }

    fn begin_member(
        &mut self,
        inside: &mut Inside,
        number: u8,
        name: &'static str,
        extra: &mut Members,
    ) -> Before {
        let bit = 1 << number;
        if inside.seen & bit != 0 {
            self.again(name, extra);
        }
        inside.seen |= bit;
        self.enter_member(name)
    }

    /// After a member was read, which may be absent, or could not be read.
    fn end_member(
        &mut self,
        before: &Before,
        name: &'static str,
        read: Result<bool, Error>,
        extra: &mut Members,
    ) -> Result<(), Error> {
        match read {
            Ok(is_absent) if self.is_spoilt || is_absent => self.keep(before, name, extra)?,
            Ok(_) => {}
            Err(error) => self.invalid_member(before, name, error, extra)?,
        }
        self.leave(before);
        Ok(())
    }

    /// Of a member that comes twice the last one counts.
    #[cold]
    fn again(&mut self, name: &'static str, extra: &mut Members) {
        extra.remove(name);
    }

    fn enter_member(&mut self, name: &str) -> Before {
        if self.trace.is_some() {
            self.step(Step::Member(name.into()));
        }
        self.enter()
    }

    fn enter_item(&mut self, index: usize) -> Before {
        if self.trace.is_some() {
            self.step(Step::Item(index));
        }
        self.enter()
    }

    #[cold]
    fn step(&mut self, step: Step) {
        if let Some(trace) = &mut self.trace {
            trace.steps.push(step);
        }
    }

    /// Before a member or an item is read.
    #[inline]
    fn enter(&mut self) -> Before {
        self.cursor.peek();
        Before {
            start: self.cursor.at(),
            depth: self.depth,
            is_spoilt: std::mem::take(&mut self.is_spoilt),
        }
    }

    /// After a member or an item was read.
    #[inline]
    fn leave(&mut self, before: &Before) {
        if let Some(trace) = &mut self.trace {
            trace.steps.pop();
        }
        self.is_spoilt = before.is_spoilt;
    }

    /// Keeps the text of a member that was read.
    #[cold]
    fn keep(
        &mut self,
        before: &Before,
        name: &'static str,
        extra: &mut Members,
    ) -> Result<(), Error> {
        self.cursor.go_to(before.start);
        let token = self.token()?;
        let Some(left) = self.to_keep.checked_sub(token.len()) else {
            return Err(Error::too_much());
        };
        self.to_keep = left;
        extra.push(name, Json::of_text(token));
        Ok(())
    }

    /// A member cannot be read.
    #[cold]
    fn invalid_member(
        &mut self,
        before: &Before,
        name: &'static str,
        error: Error,
        extra: &mut Members,
    ) -> Result<(), Error> {
        if !self.is_tolerant || error.is_too_much() {
            return Err(error.in_member(name));
        }
        self.depth = before.depth;
        self.keep(before, name, extra)?;
        if error.is_too_deep() {
            // By itself it would be read, and is not what the field holds.
            extra.push_given(name, None);
        }
        self.found(&error);
        Ok(())
    }

    /// An item of a list or a value of a map cannot be read: it is passed, and
    /// the list is there without it.
    #[cold]
    fn invalid_item(&mut self, before: &Before, error: Error) -> Result<(), Error> {
        if !self.is_tolerant || error.is_too_deep() || error.is_too_much() {
            return Err(error);
        }
        self.depth = before.depth;
        self.cursor.go_to(before.start);
        self.cursor.skip()?;
        self.found(&error);
        Ok(())
    }

    /// A value was read as another one than is there.
    #[cold]
    pub(super) fn spoilt(&mut self, error: &Error) {
        self.is_spoilt = true;
        self.found(error);
    }

    pub(super) fn is_tolerant(&self) -> bool {
        self.is_tolerant
    }

    fn found(&mut self, error: &Error) {
        if let Some(trace) = &mut self.trace {
            trace.faults.push(Fault {
                path: path(trace.steps.iter().chain(error.steps())),
                reason: error.reason(),
            });
        }
    }

    /// Checks that the object has all required members: a bit each, by their
    /// numbers in `names`.
    ///
    /// # Errors
    ///
    /// If one is missing, and the reader is strict.
    pub fn require(
        &mut self,
        inside: &Inside,
        required: u128,
        names: &'static [&'static str],
        extra: &mut Members,
    ) -> Result<(), Error> {
        let mut missing = required & !inside.seen;
        while missing != 0 {
            let number = missing.trailing_zeros();
            missing &= missing - 1;
            if let Some(name) = names.get(number as usize) {
                self.missing(name, extra)?;
            }
        }
        Ok(())
    }

    #[cold]
    fn missing(&mut self, name: &'static str, extra: &mut Members) -> Result<(), Error> {
        let error = Error::new(format!("missing field `{name}`"));
        if !self.is_tolerant {
            return Err(error);
        }
        extra.push_missing(name);
        if self.trace.is_some() {
            self.found(&error.in_member(name));
        }
        Ok(())
    }

    /// Keeps a member that the type does not know.
    ///
    /// # Errors
    ///
    /// When it is no JSON.
    pub fn unknown(
        &mut self,
        inside: &mut Inside,
        key: Cow<'a, str>,
        extra: &mut Members,
    ) -> Result<(), Error> {
        if inside.chosen_by.is_some_and(|tag| tag == key) {
            inside.chosen_by = None;
            self.cursor.skip()?;
            return Ok(());
        }
        let json = self.json()?;
        extra.push(key.into_owned(), json);
        Ok(())
    }

    /// Reads the items of a list.
    ///
    /// # Errors
    ///
    /// When the value is none; when an item cannot be read, and the reader is
    /// strict.
    pub(super) fn list<T: Field>(&mut self) -> Result<Vec<T>, Error> {
        if !self.cursor.take(b'[') {
            return Err(self.unexpected("a sequence"));
        }
        let (mut items, mut index) = (Vec::new(), 0);
        let mut is_spoilt = false;
        while self.cursor.next_item(index == 0)? {
            let before = self.enter_item(index);
            match T::read(self) {
                Ok(item) => items.push(item),
                Err(error) => {
                    self.invalid_item(&before, error)
                        .map_err(|it| it.in_item(index))?;
                    is_spoilt = true;
                }
            }
            is_spoilt |= self.is_spoilt;
            self.leave(&before);
            index += 1;
        }
        self.is_spoilt |= is_spoilt;
        Ok(items)
    }

    /// Reads the values of an object whose keys are data, one by one.
    pub(super) fn entries<T: Field>(
        &mut self,
        mut take: impl FnMut(Cow<'a, str>, T),
    ) -> Result<(), Error> {
        if !self.cursor.take(b'{') {
            return Err(self.unexpected("an object"));
        }
        let (mut is_first, mut is_spoilt) = (true, false);
        while let Some(span) = self.cursor.next_key(is_first)? {
            is_first = false;
            let text = &self.text[span.start..span.end];
            let key = if span.escaped {
                Cow::Owned(unescaped(text))
            } else {
                Cow::Borrowed(text)
            };
            let before = self.enter_member(&key);
            match T::read(self) {
                Ok(value) => take(key, value),
                Err(error) => {
                    self.invalid_item(&before, error)
                        .map_err(|it| it.in_member(&key))?;
                    is_spoilt = true;
                }
            }
            is_spoilt |= self.is_spoilt;
            self.leave(&before);
        }
        self.is_spoilt |= is_spoilt;
        Ok(())
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

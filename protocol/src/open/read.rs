//! Reads values of all types.
//!
//! Objects list their declared members and give access to their fields by
//! index, and unions choose their kind by index. The functions of this module
//! use only these lists and indexes, so they are compiled once instead of once
//! per type. `inline(never)` ensures this.

use super::compare::clear;
use super::error::{Error, path};
use super::form::{Declared, Field, Fields, How, List, Map, Slot, Union, Whole};
use super::reader::{Fault, Reader, Tag};
use crate::json::{Members, Number};
use crate::text::unescaped;
use std::borrow::Cow;

impl<'a> Reader<'a> {
    /// Reads a whole text.
    ///
    /// # Errors
    ///
    /// If the text is not valid JSON or has another type. Invalid members are
    /// errors only for a strict reader.
    pub(crate) fn read_text(
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

    /// Reads a whole text tolerantly, even if its type is read strictly by
    /// default.
    ///
    /// # Errors
    ///
    /// If the text is not valid JSON, or the value itself has another type.
    pub fn read_tolerantly<T: Field>(text: &'a str) -> Result<T, Error> {
        Self::new(text, true).whole()
    }

    /// Reads a whole text tolerantly, and also returns the faults.
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

    // Without this function, each codegen unit that reads a type would contain
    // the code that drops it.
    #[inline(never)]
    fn whole<T: Field>(&mut self) -> Result<T, Error> {
        let mut value = T::fresh();
        self.whole_slot(&mut value.slot())?;
        Ok(value)
    }

    fn whole_slot(&mut self, slot: &mut Slot<'_>) -> Result<(), Error> {
        self.read(slot, None)?;
        Ok(self.cursor.end()?)
    }

    /// Reads a value into an empty one. `chosen_by` is the tag by which a union
    /// chose it.
    ///
    /// # Errors
    ///
    /// If the value has another type. The slot may then contain a part of the
    /// value.
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
        // `-0` is not accepted as an integer, as in `serde_json`.
        if text != "-0" && value.parse(text) {
            return Ok(());
        }
        let error = not_whole(text, name);
        if self.is_tolerant && nearest(text).is_some_and(|number| value.set(number)) {
            self.mark_inexact(&error);
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

    /// Reads the members of an object that `only` selects.
    ///
    /// # Errors
    ///
    /// If `T` cannot be read.
    pub fn part<T: Field>(&mut self, part: &mut T, only: fn(&str) -> bool) -> Result<(), Error> {
        self.only = Some(only);
        self.read(&mut part.slot(), None)
    }

    /// Reads all members of an object of an unknown kind, including the tag.
    ///
    /// # Errors
    ///
    /// If the value is not an object.
    fn members(&mut self, members: &mut Members, chosen_by: Option<Tag>) -> Result<(), Error> {
        self.before_tag(chosen_by);
        let mut inside = self.object(None)?;
        while let Some(key) = self.next_key(&mut inside)? {
            self.unknown(&mut inside, key, members)?;
        }
        Ok(())
    }

    /// Reads a list.
    ///
    /// # Errors
    ///
    /// If the value is not a list, or if an item is invalid and the reader is
    /// strict.
    fn items(&mut self, list: &mut dyn List) -> Result<(), Error> {
        if !self.cursor.take(b'[') {
            return Err(self.unexpected("a sequence"));
        }
        let (mut index, mut is_inexact) = (0, false);
        while self.cursor.next_item(index == 0)? {
            let before = self.enter_item(index);
            let read = match list.push() {
                Some(mut item) => self.read(&mut item, None),
                None => Ok(()),
            };
            if let Err(error) = read {
                list.pop();
                self.invalid_item(&before, error)
                    .map_err(|it| it.in_item(index))?;
                is_inexact = true;
            }
            is_inexact |= self.is_inexact;
            self.leave(&before);
            index += 1;
        }
        self.is_inexact |= is_inexact;
        Ok(())
    }

    /// Reads an object whose keys are data.
    ///
    /// # Errors
    ///
    /// If the value is not an object, or if one of its values is invalid and
    /// the reader is strict.
    fn entries(&mut self, map: &mut dyn Map) -> Result<(), Error> {
        if !self.cursor.take(b'{') {
            return Err(self.unexpected("an object"));
        }
        let (mut is_first, mut is_inexact) = (true, false);
        while let Some(span) = self.cursor.next_key(is_first)? {
            is_first = false;
            let text = &self.text[span.start..span.end];
            let key = if span.escaped {
                Cow::Owned(unescaped(text))
            } else {
                Cow::Borrowed(text)
            };
            let before = self.enter_member(&key);
            if let Err(error) = map.put(&key, &mut |value| self.read(value, None)) {
                self.invalid_item(&before, error)
                    .map_err(|it| it.in_member(&key))?;
                is_inexact = true;
            }
            is_inexact |= self.is_inexact;
            self.leave(&before);
        }
        self.is_inexact |= is_inexact;
        Ok(())
    }
}

/// Reads an object into empty fields. `chosen_by` is the tag by which a union
/// chose the object.
///
/// # Errors
///
/// If the value has another type.
#[inline(never)]
fn read_fields(
    object: &mut dyn Fields,
    reader: &mut Reader<'_>,
    chosen_by: Option<Tag>,
) -> Result<(), Error> {
    let mut read = Ok(());
    object.slots(&mut |declared, slots, extra| {
        read = read_members(declared, slots, extra, reader, chosen_by);
    });
    read?;
    object.finish();
    Ok(())
}

fn read_members(
    declared: &'static Declared,
    slots: &mut [Slot<'_>],
    extra: &mut Members,
    reader: &mut Reader<'_>,
    chosen_by: Option<Tag>,
) -> Result<(), Error> {
    let mut inside = reader.object(chosen_by)?;
    let mut next = 0;
    loop {
        // Members mostly come in declaration order and without escapes.
        let known = reader.next_known(&mut inside, declared.members, next);
        let number = match known {
            Some(number) => number,
            None => {
                let Some(key) = reader.next_key(&mut inside)? else {
                    break;
                };
                match declared.find(&key) {
                    Some(number) => number,
                    None => {
                        match declared.tag(&key) {
                            Some((name, value)) => reader.tag(&mut inside, name, value)?,
                            None => reader.unknown(&mut inside, key, extra)?,
                        }
                        continue;
                    }
                }
            }
        };
        let (Some(name), Some(slot)) = (declared.members.get(number), slots.get_mut(number)) else {
            break;
        };
        next = number + 1;
        if inside.is_again(number) {
            // The last occurrence of a repeated member counts.
            extra.remove(name);
            clear(slot);
        }
        read_field(name, slot, extra, reader)?;
    }
    for (name, _) in declared.tags {
        if reader.lacks_tag(&inside, name) {
            reader.missing(name, extra)?;
        }
    }
    for number in inside.missing(declared.required) {
        reader.missing(declared.members[number], extra)?;
        clear(&mut slots[number]);
    }
    Ok(())
}

#[inline]
fn read_field(
    name: &'static &'static str,
    slot: &mut Slot<'_>,
    extra: &mut Members,
    reader: &mut Reader<'_>,
) -> Result<(), Error> {
    let before = reader.enter_member(name);
    // Only a `null` can leave the field as if the member were absent.
    let is_null = reader.peek() == Some(b'n');
    match reader.read(slot, None) {
        Ok(()) if reader.is_inexact() || is_null && is_absent(slot) => {
            reader.preserve(&before, name, extra)?;
        }
        Ok(()) => {}
        Err(error) => {
            clear(slot);
            reader.invalid_member(&before, name, error, extra)?;
        }
    }
    reader.leave(&before);
    Ok(())
}

/// Returns whether a field has the value of an absent member.
fn is_absent(slot: &Slot<'_>) -> bool {
    matches!(slot, Slot::Optional(value) if value.get().is_none())
}

/// Reads a union, which may itself be a kind of another union.
///
/// # Errors
///
/// If the value has another type.
#[inline(never)]
fn read_union(
    union: &mut dyn Union,
    reader: &mut Reader<'_>,
    chosen_by: Option<Tag>,
) -> Result<(), Error> {
    let kinds = union.kinds();
    let (tag, tags) = match kinds.how {
        How::Tag(tag, tags) => (tag, tags),
        How::Look(look) => {
            let number = look(reader)?;
            return reader.read(&mut union.choose(number), None);
        }
    };
    reader.before_tag(chosen_by);
    let place = reader.place();
    let (tag, value) = reader.tag_of(tag)?;
    let known = value.and_then(|value| tags.iter().find(|(tag, _)| *tag == value));
    if let Some((_, number)) = known {
        match reader.read(&mut union.choose(*number), Some(tag)) {
            Err(error) if reader.is_other_kind(&error) => {}
            read => return read,
        }
    }
    reader.go_to(place);
    reader.read(&mut union.choose(kinds.names.len()), None)
}

#[cold]
fn not_whole(text: &str, expected: &str) -> Error {
    Error::new(if text.contains(['.', 'e', 'E']) || text == "-0" {
        format!("invalid type: floating point `{text}`, expected {expected}")
    } else {
        format!("invalid value: integer `{text}`, expected {expected}")
    })
}

/// Returns the nearest whole number.
#[cold]
#[allow(
    clippy::cast_possible_truncation,
    reason = "what is too large is found to be so"
)]
fn nearest(text: &str) -> Option<i128> {
    let number: f64 = text.parse().ok()?;
    number.is_finite().then(|| number.round() as i128)
}

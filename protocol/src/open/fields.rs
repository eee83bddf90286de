//! Reading, writing, cloning and comparing objects, for all types.
//!
//! An object lists its declared members and gives access to its fields by
//! number. The functions here use only that, so they are compiled once instead
//! of once per type. `inline(never)` keeps it that way.

use super::error::Error;
use super::form::{Form, Written};
use super::reader::members::Inside;
use super::reader::{Field, Reader, Tag};
use crate::json::Members;
#[cfg(feature = "audit")]
use crate::untyped::{Pointer, Untyped};
use std::any::Any;

/// The declared members of an object.
#[derive(Debug)]
pub struct Declared {
    /// The names of the fields' members.
    pub members: &'static [&'static str],
    /// The fields whose members are required, a bit each.
    pub required: u128,
    /// The members that say what the object is, and their values.
    pub tags: &'static [(&'static str, &'static str)],
}

impl Declared {
    /// Returns the number of the field for a member. Members mostly come in
    /// declaration order, so the search starts at `from`, behind the last one.
    fn find(&self, name: &str, from: usize) -> Option<usize> {
        let (before, behind) = self.members.split_at_checked(from)?;
        match behind.iter().position(|it| *it == name) {
            Some(number) => Some(from + number),
            None => before.iter().position(|it| *it == name),
        }
    }

    /// Returns the tag with this name, and its value.
    fn tag(&self, name: &str) -> Option<&'static (&'static str, &'static str)> {
        self.tags.iter().find(|(tag, _)| *tag == name)
    }
}

/// An object as a list of fields.
pub trait Fields {
    /// Returns the declared members.
    fn declared(&self) -> &'static Declared;

    /// Returns the field with this number.
    fn field(&self, number: usize) -> Option<&dyn Member>;

    /// Returns the field with this number.
    fn field_mut(&mut self, number: usize) -> Option<&mut dyn Member>;

    /// Returns the members that are not in the fields.
    fn extra(&self) -> &Members;

    /// Returns the members that are not in the fields.
    fn extra_mut(&mut self) -> &mut Members;
}

/// A field of any type.
pub trait Member: Any + Written + Audited {
    /// Reads the value into an empty field.
    ///
    /// # Errors
    ///
    /// If the value has another type. The field may hold a part of it.
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error>;

    /// Sets the field to the empty value.
    fn clear(&mut self);

    /// Sets the field to the value of another field of the same type.
    fn copy(&mut self, other: &dyn Any);

    /// Whether another field has the same value.
    fn is_same(&self, other: &dyn Any) -> bool;

    /// Returns an empty field of the same type.
    fn emptied(&self) -> Box<dyn Member>;
}

impl<T: Field + Audited> Member for T {
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error> {
        Field::read(self, reader)
    }

    fn clear(&mut self) {
        *self = T::empty();
    }

    fn copy(&mut self, other: &dyn Any) {
        if let Some(other) = other.downcast_ref::<T>() {
            // `clone_from` would be compiled beside `clone`.
            *self = other.clone();
        }
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<T>().is_some_and(|other| self == other)
    }

    fn emptied(&self) -> Box<dyn Member> {
        Box::new(T::empty())
    }
}

/// A type that can say what it does not know, where that may be asked.
#[cfg(feature = "audit")]
pub trait Audited: Untyped {}
#[cfg(feature = "audit")]
impl<T: Untyped> Audited for T {}

/// A type that can say what it does not know, where that may be asked.
#[cfg(not(feature = "audit"))]
pub trait Audited {}
#[cfg(not(feature = "audit"))]
impl<T> Audited for T {}

/// The fields with the names of their members.
fn members(object: &dyn Fields) -> impl Iterator<Item = (&'static str, &dyn Member)> {
    let names = object.declared().members.iter().enumerate();
    names.filter_map(|(number, name)| Some((*name, object.field(number)?)))
}

/// Reads an object, which a union may have chosen by a tag, into empty fields.
///
/// # Errors
///
/// If it is something else.
#[inline(never)]
pub fn read_fields(
    object: &mut dyn Fields,
    reader: &mut Reader<'_>,
    chosen_by: Option<Tag>,
) -> Result<(), Error> {
    let declared = object.declared();
    let mut inside = reader.object(chosen_by)?;
    let mut next = 0;
    while let Some(key) = reader.next_key(&mut inside)? {
        if let Some(number) = declared.find(&key, next) {
            next = number + 1;
            read_field(object, declared, number, reader, &mut inside)?;
        } else if let Some((name, value)) = declared.tag(&key) {
            reader.tag(&mut inside, name, value)?;
        } else {
            reader.unknown(&mut inside, key, object.extra_mut())?;
        }
    }
    for (name, _) in declared.tags {
        if reader.lacks_tag(&inside, name) {
            reader.missing(name, object.extra_mut())?;
        }
    }
    for number in inside.missing(declared.required) {
        reader.missing(declared.members[number], object.extra_mut())?;
    }
    Ok(())
}

#[inline]
fn read_field(
    object: &mut dyn Fields,
    declared: &'static Declared,
    number: usize,
    reader: &mut Reader<'_>,
    inside: &mut Inside,
) -> Result<(), Error> {
    let name = &declared.members[number];
    if inside.is_again(number) {
        // Of a member that comes twice the last one counts.
        object.extra_mut().remove(name);
        clear(object, number);
    }
    let before = reader.enter_member(name);
    // Only what is `null` can be as if there were no such member.
    let is_null = reader.peek() == Some(b'n');
    let read = match object.field_mut(number) {
        Some(field) => field.read(reader),
        None => Ok(()),
    };
    match read {
        Ok(()) if reader.is_spoilt() || is_null && object.field(number).is_some_and(is_absent) => {
            reader.keep(&before, name, object.extra_mut())?;
        }
        Ok(()) => {}
        Err(error) => {
            clear(object, number);
            reader.invalid_member(&before, name, error, object.extra_mut())?;
        }
    }
    reader.leave(&before);
    Ok(())
}

#[cold]
fn clear(object: &mut dyn Fields, number: usize) {
    if let Some(field) = object.field_mut(number) {
        field.clear();
    }
}

/// Whether a field is as it is when there is no such member.
fn is_absent(field: &dyn Member) -> bool {
    matches!(field.form(), Form::Absent)
}

/// Calls `write` with each member of an object. A declared member that is still
/// as it was read is written as what was there, among the members that the type
/// does not know; or not at all, where it was missing.
#[inline(never)]
pub fn write_fields(object: &dyn Fields, write: &mut dyn FnMut(&str, &dyn Written)) {
    let (declared, extra) = (object.declared(), object.extra());
    for (name, value) in declared.tags {
        if extra.is_clean() || !extra.is_missing(name) {
            write(name, value);
        }
    }
    for (name, field) in members(object) {
        if !is_absent(field) && (extra.is_clean() || !is_as_read(name, field, extra)) {
            write(name, field);
        }
    }
    for (name, value) in extra.iter() {
        let field = declared.find(name, 0).and_then(|it| object.field(it));
        let is_written = match field {
            Some(field) => is_as_read(name, field, extra),
            None => declared.tag(name).is_none(),
        };
        if is_written {
            write(name, value);
        }
    }
}

/// Whether a field still holds what was read of a `null`, invalid or missing
/// member.
#[inline(never)]
fn is_as_read(name: &str, field: &dyn Member, extra: &Members) -> bool {
    let kept = extra.get(name);
    if kept.is_none() && !extra.is_missing(name) {
        return false;
    }
    let mut read = field.emptied();
    if let Some(json) = extra.given(name).unwrap_or(kept)
        && read.read(&mut Reader::of_kept(json.get())).is_err()
    {
        read.clear();
    }
    field.is_same(&*read)
}

/// Makes an object with empty fields a copy of another one.
#[inline(never)]
pub fn copy_fields(object: &mut dyn Fields, other: &dyn Fields) {
    for (number, (_, other)) in members(other).enumerate() {
        if let Some(field) = object.field_mut(number) {
            field.copy(other);
        }
    }
    object.extra_mut().clone_from(other.extra());
}

/// Whether two objects of one type are the same.
#[inline(never)]
pub fn is_same(object: &dyn Fields, other: &dyn Fields) -> bool {
    let mut pairs = members(object).zip(members(other));
    pairs.all(|((_, one), (_, other))| one.is_same(other)) && object.extra() == other.extra()
}

/// Collects what of an object its type does not know.
#[cfg(feature = "audit")]
#[inline(never)]
pub fn collect_untyped(object: &dyn Fields, at: &mut Pointer, found: &mut Vec<String>) {
    for (name, field) in members(object) {
        at.member(name, |at| field.collect_untyped(at, found));
    }
    for (name, _) in object.extra().iter() {
        // A declared one is `null` or invalid.
        if object.declared().find(name, 0).is_none() {
            at.member(name, |at| found.push(at.as_str().to_owned()));
        }
    }
}

//! Reading and writing objects, for all types.
//!
//! An object lists its declared members and gives access to its fields by
//! number. The functions here use only that, so they are compiled once instead
//! of once per type. `inline(never)` keeps it that way.

use super::error::Error;
use super::form::{Form, Slot, clear, is_same};
use super::reader::{Reader, Tag};
use crate::json::Members;
#[cfg(feature = "audit")]
use crate::untyped::Pointer;

/// The declared members of an object.
#[derive(Debug)]
pub struct Declared {
    /// The name of the type.
    pub name: &'static str,
    /// The names of the fields' members.
    pub members: &'static [&'static str],
    /// The fields whose members are required, a bit each.
    pub required: u128,
    /// The members that say what the object is, and their values.
    pub tags: &'static [(&'static str, &'static str)],
}

/// A bit for each field that is required.
#[must_use]
pub const fn required(fields: &[bool]) -> u128 {
    assert!(fields.len() <= 128, "a bit each");
    let (mut bits, mut number) = (0, 0);
    while number < fields.len() {
        bits |= (fields[number] as u128) << number;
        number += 1;
    }
    bits
}

impl Declared {
    /// Returns the number of the field for a member.
    fn find(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|it| *it == name)
    }

    /// Returns the tag with this name, and its value.
    fn tag(&self, name: &str) -> Option<&'static (&'static str, &'static str)> {
        self.tags.iter().find(|(tag, _)| *tag == name)
    }
}

/// What is called with the fields of an object and its other members.
pub type WithForms<'a, 'b> = dyn FnMut(&'static Declared, &[Form<'a>], &'a Members) + 'b;

/// What is called with the fields of an object and its other members.
pub type WithSlots<'a> = dyn FnMut(&'static Declared, &mut [Slot<'_>], &mut Members) + 'a;

/// An object as a list of fields.
pub trait Fields {
    /// Calls `look` with the fields.
    fn forms<'a>(&'a self, look: &mut WithForms<'a, '_>);

    /// Calls `set` with the fields.
    fn slots(&mut self, set: &mut WithSlots<'_>);

    /// Calls `set` with an empty object of the same type.
    fn with_fresh(&self, set: &mut dyn FnMut(&mut dyn Fields));

    /// Called when the object has been read.
    fn finish(&mut self) {}
}

/// Reads an object, which a union may have chosen by a tag, into empty fields.
///
/// # Errors
///
/// If it is something else.
#[inline(never)]
pub(super) fn read_fields(
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
        // Members mostly come in declaration order, without escapes.
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
            // Of a member that comes twice the last one counts.
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
    // Only what is `null` can be as if there were no such member.
    let is_null = reader.peek() == Some(b'n');
    match reader.read(slot, None) {
        Ok(()) if reader.is_spoilt() || is_null && is_absent(slot) => {
            reader.keep(&before, name, extra)?;
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

/// Whether a field is as it is when there is no such member.
fn is_absent(slot: &Slot<'_>) -> bool {
    matches!(slot, Slot::Optional(value) if value.get().is_none())
}

/// Calls `write` with each member of an object. A declared member that is still
/// as it was read is written as what was there, among the members that the type
/// does not know; or not at all, where it was missing.
#[inline(never)]
pub(super) fn write_fields<'a>(object: &'a dyn Fields, write: &mut dyn FnMut(&'a str, Form<'a>)) {
    object.forms(&mut |declared, forms, extra| {
        for (name, value) in declared.tags {
            if extra.is_clean() || !extra.is_missing(name) {
                write(name, Form::Text(value));
            }
        }
        for (number, (name, form)) in declared.members.iter().zip(forms).enumerate() {
            if !form.is_absent()
                && (extra.is_clean() || !is_as_read(object, number, name, *form, extra))
            {
                write(name, *form);
            }
        }
        for (name, value) in extra.iter() {
            let number = declared.find(name);
            let is_written = match number.and_then(|number| Some((number, forms.get(number)?))) {
                Some((number, form)) => is_as_read(object, number, name, *form, extra),
                None => declared.tag(name).is_none(),
            };
            if is_written {
                write(name, Form::Raw(value.get()));
            }
        }
    });
}

/// Whether a field still holds what was read of a `null`, invalid or missing
/// member.
#[inline(never)]
fn is_as_read(
    object: &dyn Fields,
    number: usize,
    name: &str,
    form: Form<'_>,
    extra: &Members,
) -> bool {
    let kept = extra.get(name);
    if kept.is_none() && !extra.is_missing(name) {
        return false;
    }
    let given = extra.given(name);
    if let Form::Optional(value) = form
        && given.is_none()
        && kept.is_some_and(crate::Json::is_null)
    {
        return value.get().is_none();
    }
    let mut is_as_read = false;
    object.with_fresh(&mut |read| {
        read.slots(&mut |_, slots, _| {
            if let Some(slot) = slots.get_mut(number) {
                let read = match given.unwrap_or(kept) {
                    Some(json) => Reader::of_kept(json.get()).read(slot, None).is_ok(),
                    None => false,
                };
                if !read {
                    clear(slot);
                }
            }
        });
        read.forms(&mut |_, forms, _| {
            is_as_read = forms.get(number).is_some_and(|read| is_same(form, *read));
        });
    });
    is_as_read
}

/// Collects what a type does not know of a value.
#[cfg(feature = "audit")]
#[inline(never)]
pub fn collect_untyped(form: Form<'_>, at: &mut Pointer, found: &mut Vec<String>) {
    match form {
        Form::Optional(value) => {
            if let Some(value) = value.get() {
                collect_untyped(value, at, found);
            }
        }
        Form::List(list) => {
            for number in 0..list.count() {
                if let Some(item) = list.item(number) {
                    at.item(number, |at| collect_untyped(item, at, found));
                }
            }
        }
        Form::Map(map) => map.each(&mut |key, value| {
            at.member(key, |at| collect_untyped(value, at, found));
        }),
        Form::Members(_) => found.push(at.as_str().to_owned()),
        Form::Object(object) => object.forms(&mut |declared, forms, extra| {
            for (name, form) in declared.members.iter().zip(forms) {
                at.member(name, |at| collect_untyped(*form, at, found));
            }
            for (name, _) in extra.iter() {
                // A declared one is `null` or invalid.
                if declared.find(name).is_none() {
                    at.member(name, |at| found.push(at.as_str().to_owned()));
                }
            }
        }),
        Form::Union(value) => match value.kind() {
            (number, _) if value.kinds().untyped == Some(number) => {
                found.push(at.as_str().to_owned());
            }
            (_, value) => collect_untyped(value, at, found),
        },
        Form::Own(value) => value.collect_untyped(at, found),
        _ => {}
    }
}

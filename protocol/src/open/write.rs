//! Writes values of all types.

use super::compare::{clear, is_same};
use super::form::{Fields, Form};
use super::reader::Reader;
use crate::json::Members;
use crate::text::serialize_raw;
use serde::Serialize;
use serde::ser::{SerializeMap as _, SerializeSeq as _, Serializer};

/// Serializes a value.
///
/// # Errors
///
/// The errors of the serializer.
pub fn serialize<S: Serializer>(form: Form<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    match form {
        Form::Bool(value) => serializer.serialize_bool(value),
        Form::U16(number) => serializer.serialize_u16(number),
        Form::U32(number) => serializer.serialize_u32(number),
        Form::U64(number) => serializer.serialize_u64(number),
        Form::I64(number) => serializer.serialize_i64(number),
        Form::Text(text) => serializer.serialize_str(text),
        Form::Raw(text) => serialize_raw(text, serializer),
        Form::Optional(value) => match value.get() {
            Some(value) => serializer.serialize_some(&Any(value)),
            None => serializer.serialize_none(),
        },
        Form::List(items) => {
            let mut list = serializer.serialize_seq(Some(items.count()))?;
            for item in Form::items(items) {
                list.serialize_element(&Any(item))?;
            }
            list.end()
        }
        Form::Map(_) | Form::Members(_) | Form::Object(_) => {
            let count = match form {
                Form::Map(map) => map.count(),
                Form::Members(members) => Some(members.len()),
                _ => None,
            };
            let mut map = serializer.serialize_map(count)?;
            let mut written = Ok(());
            each_member(form, &mut |name, value| {
                if written.is_ok() {
                    written = map.serialize_entry(name, &Any(value));
                }
            });
            written?;
            map.end()
        }
        Form::Union(value) => serialize(value.kind().1, serializer),
        Form::Own(value) => serialize(value.content(), serializer),
    }
}

/// Calls `visit` with each member of an object.
#[inline(never)]
pub fn each_member<'a>(form: Form<'a>, visit: &mut dyn FnMut(&'a str, Form<'a>)) {
    match form {
        Form::Map(map) => map.each(visit),
        Form::Members(members) => {
            for (name, value) in members.iter() {
                visit(name, Form::Raw(value.get()));
            }
        }
        Form::Object(object) => write_fields(object, visit),
        Form::Union(value) => each_member(value.kind().1, visit),
        Form::Own(value) => each_member(value.content(), visit),
        _ => {}
    }
}

/// A value of any type.
struct Any<'a>(Form<'a>);

impl Serialize for Any<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self.0, serializer)
    }
}

/// Calls `write` with each member of an object. A declared member that was
/// `null` or invalid, and has not changed since, is written verbatim from the
/// unknown members. A declared member that was missing is not written.
#[inline(never)]
fn write_fields<'a>(object: &'a dyn Fields, write: &mut dyn FnMut(&'a str, Form<'a>)) {
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

/// Returns whether a field has not changed since a `null`, invalid or missing
/// member was read.
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
                    Some(json) => Reader::of_preserved(json.get()).read(slot, None).is_ok(),
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

//! Compares, copies, clears and prints values of all types.

use super::form::{Fields, Form, Slot};
use crate::json::{Json, Members, Number};
#[cfg(feature = "audit")]
use crate::untyped::Pointer;
use std::fmt;

/// Returns whether two values of one type are equal.
#[inline(never)]
#[must_use]
pub fn is_same(one: Form<'_>, other: Form<'_>) -> bool {
    match (one, other) {
        (Form::Bool(one), Form::Bool(other)) => one == other,
        (Form::U16(one), Form::U16(other)) => one == other,
        (Form::U32(one), Form::U32(other)) => one == other,
        (Form::U64(one), Form::U64(other)) => one == other,
        (Form::I64(one), Form::I64(other)) => one == other,
        (Form::Text(one), Form::Text(other)) | (Form::Raw(one), Form::Raw(other)) => one == other,
        (Form::Optional(one), Form::Optional(other)) => match (one.get(), other.get()) {
            (Some(one), Some(other)) => is_same(one, other),
            (one, other) => one.is_none() && other.is_none(),
        },
        (Form::List(one), Form::List(other)) => {
            let mut pairs = Form::items(one).zip(Form::items(other));
            one.count() == other.count() && pairs.all(|(one, other)| is_same(one, other))
        }
        (Form::Map(one), Form::Map(other)) => {
            let (one, other) = (Form::entries(one), Form::entries(other));
            let mut pairs = one.iter().zip(&other);
            one.len() == other.len()
                && pairs.all(|(one, other)| one.0 == other.0 && is_same(one.1, other.1))
        }
        (Form::Members(one), Form::Members(other)) => one == other,
        (Form::Object(one), Form::Object(other)) => is_same_object(one, other),
        (Form::Union(one), Form::Union(other)) => {
            let ((one, value), (other, other_value)) = (one.kind(), other.kind());
            one == other && is_same(value, other_value)
        }
        (Form::Own(one), Form::Own(other)) => one.is_same(other),
        _ => false,
    }
}

fn is_same_object(one: &dyn Fields, other: &dyn Fields) -> bool {
    let mut is_all_same = false;
    one.forms(&mut |_, one, extra| {
        other.forms(&mut |_, other, other_extra| {
            let mut pairs = one.iter().zip(other);
            is_all_same = pairs.all(|(one, other)| is_same(*one, *other)) && extra == other_extra;
        });
    });
    is_all_same
}

/// Sets a value to another one of the same type.
#[inline(never)]
pub(super) fn copy(to: &mut Slot<'_>, from: Form<'_>) {
    match (to, from) {
        (Slot::Bool(to), Form::Bool(from)) => **to = from,
        (Slot::Whole(to), Form::U16(from)) => drop(to.set(from.into())),
        (Slot::Whole(to), Form::U32(from)) => drop(to.set(from.into())),
        (Slot::Whole(to), Form::U64(from)) => drop(to.set(from.into())),
        (Slot::Whole(to), Form::I64(from)) => drop(to.set(from.into())),
        (Slot::Number(to), Form::Raw(from)) => **to = Number::of_text(from),
        (Slot::Text(to), Form::Text(from)) => from.clone_into(to),
        (Slot::Word(to), Form::Text(from)) => to.set(from),
        (Slot::Json(to), Form::Raw(from)) => **to = Json::of_text(from),
        (Slot::Optional(to), Form::Optional(from)) => match from.get() {
            Some(from) => {
                if let Some(mut to) = to.set(true) {
                    copy(&mut to, from);
                }
            }
            None => drop(to.set(false)),
        },
        (Slot::List(to), Form::List(from)) => {
            to.clear();
            for from in Form::items(from) {
                if let Some(mut to) = to.push() {
                    copy(&mut to, from);
                }
            }
        }
        (Slot::Map(to), Form::Map(from)) => {
            to.clear();
            from.each(&mut |key, from| {
                let filled = to.put(key, &mut |to| {
                    copy(to, from);
                    Ok(())
                });
                debug_assert!(filled.is_ok(), "a copy does not fail");
            });
        }
        (Slot::Members(to), Form::Members(from)) => (*to).clone_from(from),
        (Slot::Object(to), Form::Object(from)) => copy_fields(*to, from),
        (Slot::Union(to), Form::Union(from)) => {
            let (number, from) = from.kind();
            copy(&mut to.choose(number), from);
        }
        (Slot::Own(to), Form::Own(from)) => to.copy(from),
        _ => debug_assert!(false, "two types"),
    }
}

/// Makes an object equal to another one of the same type.
#[inline(never)]
pub(super) fn copy_fields(to: &mut dyn Fields, from: &dyn Fields) {
    from.forms(&mut |_, forms, extra| {
        to.slots(&mut |_, slots, to_extra| {
            for (to, from) in slots.iter_mut().zip(forms) {
                copy(to, *from);
            }
            to_extra.clone_from(extra);
        });
    });
}

/// Sets a value to the empty value of its type.
#[inline(never)]
pub(super) fn clear(slot: &mut Slot<'_>) {
    match slot {
        Slot::Bool(value) => **value = false,
        Slot::Whole(value) => drop(value.set(0)),
        Slot::Number(value) => **value = 0.into(),
        Slot::Text(value) => value.clear(),
        Slot::Word(value) => value.set(""),
        Slot::Json(value) => **value = Json::null(),
        Slot::Optional(value) => drop(value.set(false)),
        Slot::List(value) => value.clear(),
        Slot::Map(value) => value.clear(),
        Slot::Members(value) => **value = Members::default(),
        Slot::Object(value) => clear_fields(*value),
        Slot::Union(value) => {
            let empty = value.kinds().empty;
            clear(&mut value.choose(empty));
        }
        Slot::Own(value) => value.clear(),
    }
}

/// Sets all fields of an object to the empty values of their types.
#[inline(never)]
pub(super) fn clear_fields(object: &mut dyn Fields) {
    object.slots(&mut |_, slots, extra| {
        slots.iter_mut().for_each(clear);
        *extra = Members::default();
    });
}

/// Prints a value for `Debug`.
///
/// # Errors
///
/// The errors of the formatter.
#[inline(never)]
pub fn debug(form: Form<'_>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match form {
        Form::Bool(value) => fmt::Debug::fmt(&value, f),
        Form::U16(number) => fmt::Debug::fmt(&number, f),
        Form::U32(number) => fmt::Debug::fmt(&number, f),
        Form::U64(number) => fmt::Debug::fmt(&number, f),
        Form::I64(number) => fmt::Debug::fmt(&number, f),
        Form::Text(text) => fmt::Debug::fmt(text, f),
        Form::Raw(text) => f.write_str(text),
        Form::Optional(value) => match value.get() {
            Some(value) => f.debug_tuple("Some").field(&DebugForm(value)).finish(),
            None => f.write_str("None"),
        },
        Form::List(list) => f
            .debug_list()
            .entries(Form::items(list).map(DebugForm))
            .finish(),
        Form::Map(map) => {
            let entries = Form::entries(map).into_iter();
            let entries = entries.map(|(key, value)| (key, DebugForm(value)));
            f.debug_map().entries(entries).finish()
        }
        Form::Members(members) => fmt::Debug::fmt(members, f),
        Form::Object(object) => {
            let mut printed = Ok(());
            object.forms(&mut |declared, forms, extra| {
                let mut object = f.debug_struct(declared.name);
                for (name, form) in declared.members.iter().zip(forms) {
                    object.field(name, &DebugForm(*form));
                }
                printed = object.field("extra", extra).finish();
            });
            printed
        }
        Form::Union(value) => {
            let (number, form) = value.kind();
            let name = value.kinds().names.get(number).unwrap_or(&"Unknown");
            f.debug_tuple(name).field(&DebugForm(form)).finish()
        }
        Form::Own(value) => fmt::Debug::fmt(value, f),
    }
}

/// A value that is printed for `Debug`.
struct DebugForm<'a>(Form<'a>);

impl fmt::Debug for DebugForm<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug(self.0, f)
    }
}

/// Collects the members and values that the type does not know.
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
                // Declared members in `extra` were `null` or invalid.
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

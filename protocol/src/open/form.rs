//! The form of a value: what it looks like to whoever writes, compares, copies or
//! prints it.
//!
//! `Serialize`, `Clone`, `PartialEq` and `Debug` of a type are compiled once per
//! type, and `Serialize` once more per serializer. Wire types describe themselves
//! as a [`Form`] instead, and one function each handles all of them.

use super::fields::{Fields, write_fields};
use super::own::Member;
use super::union::Union;
use crate::json::Members;
use crate::text::serialize_raw;
use serde::Serialize;
use serde::ser::{SerializeMap as _, SerializeSeq as _, Serializer};
use std::fmt;

/// The form of a value.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "`Shown` prints it")]
pub enum Form<'a> {
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    U16(u16),
    /// A number.
    U32(u32),
    /// A number.
    U64(u64),
    /// A number.
    I64(i64),
    /// A string.
    Text(&'a str),
    /// Text that is valid JSON.
    Raw(&'a str),
    /// A value that may be absent.
    Optional(&'a dyn Optional),
    /// A list.
    List(&'a dyn Items),
    /// An object whose keys are data.
    Map(&'a dyn Entries),
    /// An object of an unknown kind.
    Members(&'a Members),
    /// An object.
    Object(&'a dyn Fields),
    /// One of several kinds.
    Union(&'a dyn Union),
    /// A type with a reader of its own.
    Own(&'a dyn Member),
}

/// A value that may be absent.
pub trait Optional {
    /// Returns the value.
    fn get(&self) -> Option<Form<'_>>;

    /// Sets it to an empty value and returns that; or removes the value.
    fn set(&mut self, is_present: bool) -> Option<Slot<'_>>;
}

/// The items of a list.
pub trait Items {
    /// Returns the number of items.
    fn count(&self) -> usize;

    /// Returns the item with this number.
    fn item(&self, number: usize) -> Option<Form<'_>>;
}

/// A list.
pub trait List {
    /// Appends an empty item and returns it.
    fn push(&mut self) -> Option<Slot<'_>>;

    /// Removes the last item.
    fn pop(&mut self);

    /// Removes all items.
    fn clear(&mut self);
}

/// The members of an object whose keys are data.
pub trait Entries {
    /// Returns the number of members, if it is known.
    fn count(&self) -> Option<usize>;

    /// Calls `visit` with each of them.
    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a str, Form<'a>));
}

/// An object whose keys are data.
pub trait Map {
    /// Sets a member to what `fill` makes of an empty value, unless that fails.
    ///
    /// # Errors
    ///
    /// Those of `fill`.
    fn put(&mut self, key: &str, fill: &mut Fill<'_>) -> Result<(), super::Error>;

    /// Removes all members.
    fn clear(&mut self);
}

/// Gives an empty value its content.
pub type Fill<'a> = dyn FnMut(&mut Slot<'_>) -> Result<(), super::Error> + 'a;

/// A whole number.
pub trait Whole {
    /// The name of the type.
    fn name(&self) -> &'static str;

    /// Sets the number to that of a text. Returns `false` if it is none.
    fn parse(&mut self, text: &str) -> bool;

    /// Sets the number. Returns `false` if it is out of range.
    fn set(&mut self, number: i128) -> bool;
}

/// A string with known values.
pub trait Word {
    /// Sets the value.
    fn set(&mut self, text: &str);
}

/// A value that can be set: the mutable counterpart of a [`Form`].
#[allow(missing_debug_implementations, reason = "what it refers to has none")]
pub enum Slot<'a> {
    /// `true` or `false`.
    Bool(&'a mut bool),
    /// A whole number.
    Whole(&'a mut dyn Whole),
    /// A number.
    Number(&'a mut crate::json::Number),
    /// A string.
    Text(&'a mut String),
    /// A string with known values.
    Word(&'a mut dyn Word),
    /// Any JSON value.
    Json(&'a mut crate::json::Json),
    /// A value that may be absent.
    Optional(&'a mut dyn Optional),
    /// A list.
    List(&'a mut dyn List),
    /// An object whose keys are data.
    Map(&'a mut dyn Map),
    /// An object of an unknown kind.
    Members(&'a mut Members),
    /// An object.
    Object(&'a mut dyn Fields),
    /// One of several kinds.
    Union(&'a mut dyn Union),
    /// A type with a reader of its own.
    Own(&'a mut dyn Member),
}

impl<'a> Form<'a> {
    /// Whether it is absent.
    pub(super) fn is_absent(self) -> bool {
        matches!(self, Self::Optional(value) if value.get().is_none())
    }

    fn items(list: &dyn Items) -> impl Iterator<Item = Form<'_>> {
        (0..list.count()).filter_map(|number| list.item(number))
    }

    pub(super) fn entries(map: &'a dyn Entries) -> Vec<(&'a str, Form<'a>)> {
        let mut entries = Vec::with_capacity(map.count().unwrap_or_default());
        map.each(&mut |key, value| entries.push((key, value)));
        entries
    }
}

/// Whether two values of one type are the same.
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

/// Sets a value to that of another one of the same type.
#[inline(never)]
pub(super) fn copy(to: &mut Slot<'_>, from: Form<'_>) {
    match (to, from) {
        (Slot::Bool(to), Form::Bool(from)) => **to = from,
        (Slot::Whole(to), Form::U16(from)) => drop(to.set(from.into())),
        (Slot::Whole(to), Form::U32(from)) => drop(to.set(from.into())),
        (Slot::Whole(to), Form::U64(from)) => drop(to.set(from.into())),
        (Slot::Whole(to), Form::I64(from)) => drop(to.set(from.into())),
        (Slot::Number(to), Form::Raw(from)) => **to = crate::json::Number::of_text(from),
        (Slot::Text(to), Form::Text(from)) => from.clone_into(to),
        (Slot::Word(to), Form::Text(from)) => to.set(from),
        (Slot::Json(to), Form::Raw(from)) => **to = crate::json::Json::of_text(from),
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

/// Makes an object a copy of another one.
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

/// Sets a value to the empty one of its type.
#[inline(never)]
pub(super) fn clear(slot: &mut Slot<'_>) {
    match slot {
        Slot::Bool(value) => **value = false,
        Slot::Whole(value) => drop(value.set(0)),
        Slot::Number(value) => **value = 0.into(),
        Slot::Text(value) => value.clear(),
        Slot::Word(value) => value.set(""),
        Slot::Json(value) => **value = crate::json::Json::null(),
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

/// Serializes a value.
///
/// # Errors
///
/// Those of the serializer.
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

/// Prints a value for `Debug`.
///
/// # Errors
///
/// Those of the formatter.
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
            Some(value) => f.debug_tuple("Some").field(&Shown(value)).finish(),
            None => f.write_str("None"),
        },
        Form::List(list) => f
            .debug_list()
            .entries(Form::items(list).map(Shown))
            .finish(),
        Form::Map(map) => {
            let entries = Form::entries(map).into_iter();
            let entries = entries.map(|(key, value)| (key, Shown(value)));
            f.debug_map().entries(entries).finish()
        }
        Form::Members(members) => fmt::Debug::fmt(members, f),
        Form::Object(object) => {
            let mut printed = Ok(());
            object.forms(&mut |declared, forms, extra| {
                let mut object = f.debug_struct(declared.name);
                for (name, form) in declared.members.iter().zip(forms) {
                    object.field(name, &Shown(*form));
                }
                printed = object.field("extra", extra).finish();
            });
            printed
        }
        Form::Union(value) => {
            let (number, form) = value.kind();
            let name = value.kinds().names.get(number).unwrap_or(&"Unknown");
            f.debug_tuple(name).field(&Shown(form)).finish()
        }
        Form::Own(value) => fmt::Debug::fmt(value, f),
    }
}

/// A value that is printed.
struct Shown<'a>(Form<'a>);

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        debug(self.0, f)
    }
}

/// Implements what all wire types have in common, by their [`Form`].
#[doc(hidden)]
#[macro_export]
macro_rules! serialize_written {
    ($name:ty) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::open::serialize($crate::open::Field::form(self), serializer)
            }
        }
    };
}
pub use serialize_written;

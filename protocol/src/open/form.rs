//! The form of a value, which is used to write, compare, copy and print it, and
//! the slot of a value, which a reader fills.
//!
//! The code of a derived `Serialize`, `Clone`, `PartialEq` and `Debug` is
//! compiled once per type, and that of `Serialize` once more per serializer.
//! Wire types describe themselves as a [`Form`] instead, and one function for
//! each trait handles all of them.

use super::error::Error;
use super::reader::Reader;
use crate::json::{Json, Members, Number};
#[cfg(feature = "audit")]
use crate::untyped::Untyped;
use std::any::Any;
use std::fmt::Debug;

/// A type that a member of an object can have.
pub trait Field: Sized + Clone + PartialEq + Debug + Audited + 'static {
    /// Whether the member is required.
    const IS_REQUIRED: bool = true;

    /// Whether this type is read tolerantly by default.
    const IS_TOLERANT: bool = false;

    /// Returns the form of the value.
    fn form(&self) -> Form<'_>;

    /// Returns the slot of the value.
    fn slot(&mut self) -> Slot<'_>;

    /// Creates a value for a reader to fill. For an enumeration it may be any
    /// value.
    fn fresh() -> Self;
}

/// A type whose [`Field::fresh`] is a constant, so that creating a large object
/// is a single copy.
pub trait Constant {
    /// The value of [`Field::fresh`].
    const EMPTY: Self;
}

/// The form of a value.
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "`DebugForm` prints it")]
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
    /// A union: one of several kinds.
    Union(&'a dyn Union),
    /// A type that has its own reader.
    Own(&'a dyn Member),
}

/// A value that may be absent.
pub trait Optional {
    /// Returns the value.
    fn get(&self) -> Option<Form<'_>>;

    /// Sets an empty value and returns its slot, if `is_present` is `true`.
    /// Otherwise removes the value.
    fn set(&mut self, is_present: bool) -> Option<Slot<'_>>;
}

/// The items of a list.
pub trait Items {
    /// Returns the number of items.
    fn count(&self) -> usize;

    /// Returns the item with this index.
    fn item(&self, number: usize) -> Option<Form<'_>>;
}

/// A list whose items can be changed.
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

    /// Calls `visit` with each member.
    fn each<'a>(&'a self, visit: &mut dyn FnMut(&'a str, Form<'a>));
}

/// An object whose keys are data and whose members can be changed.
pub trait Map {
    /// Sets a member to an empty value and fills it with `fill`. If `fill`
    /// fails, the member is not set.
    ///
    /// # Errors
    ///
    /// The errors of `fill`.
    fn put(&mut self, key: &str, fill: &mut Fill<'_>) -> Result<(), Error>;

    /// Removes all members.
    fn clear(&mut self);
}

/// A function that fills an empty value.
pub type Fill<'a> = dyn FnMut(&mut Slot<'_>) -> Result<(), Error> + 'a;

/// A whole number of any size.
pub trait Whole {
    /// Returns the name of the type.
    fn name(&self) -> &'static str;

    /// Parses the number. Returns `false` if the text is not a number of this
    /// type.
    fn parse(&mut self, text: &str) -> bool;

    /// Sets the number. Returns `false` if it is out of range.
    fn set(&mut self, number: i128) -> bool;
}

/// A string with known values, of an enumeration.
pub trait Word {
    /// Sets the value.
    fn set(&mut self, text: &str);
}

/// A value that can be set. The mutable counterpart of a [`Form`].
#[allow(missing_debug_implementations, reason = "what it refers to has none")]
pub enum Slot<'a> {
    /// `true` or `false`.
    Bool(&'a mut bool),
    /// A whole number.
    Whole(&'a mut dyn Whole),
    /// A number.
    Number(&'a mut Number),
    /// A string.
    Text(&'a mut String),
    /// A string with known values.
    Word(&'a mut dyn Word),
    /// Any JSON value.
    Json(&'a mut Json),
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
    /// A union: one of several kinds.
    Union(&'a mut dyn Union),
    /// A type that has its own reader.
    Own(&'a mut dyn Member),
}

impl<'a> Form<'a> {
    /// Returns whether the value is absent.
    pub(in crate::open) fn is_absent(self) -> bool {
        matches!(self, Self::Optional(value) if value.get().is_none())
    }

    pub(in crate::open) fn items(list: &dyn Items) -> impl Iterator<Item = Form<'_>> {
        (0..list.count()).filter_map(|number| list.item(number))
    }

    pub(in crate::open) fn entries(map: &'a dyn Entries) -> Vec<(&'a str, Form<'a>)> {
        let mut entries = Vec::with_capacity(map.count().unwrap_or_default());
        map.each(&mut |key, value| entries.push((key, value)));
        entries
    }
}

/// The declared members of an object.
#[derive(Debug)]
pub struct Declared {
    /// The name of the type.
    pub name: &'static str,
    /// The names of the members, one for each field.
    pub members: &'static [&'static str],
    /// The fields whose members are required, as one bit each.
    pub required: u128,
    /// The tags, which identify the kind of the object, and their values.
    pub tags: &'static [(&'static str, &'static str)],
}

/// Returns the bits of [`Declared::required`].
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
    /// Returns the index of the field for a member.
    pub(in crate::open) fn find(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|it| *it == name)
    }

    /// Returns the tag with this name, and its value.
    pub(in crate::open) fn tag(&self, name: &str) -> Option<&'static (&'static str, &'static str)> {
        self.tags.iter().find(|(tag, _)| *tag == name)
    }
}

/// A function that reads the fields of an object and its other members.
pub type WithForms<'a, 'b> = dyn FnMut(&'static Declared, &[Form<'a>], &'a Members) + 'b;

/// A function that sets the fields of an object and its other members.
pub type WithSlots<'a> = dyn FnMut(&'static Declared, &mut [Slot<'_>], &mut Members) + 'a;

/// An object as a list of fields.
pub trait Fields {
    /// Calls `look` with the fields.
    fn forms<'a>(&'a self, look: &mut WithForms<'a, '_>);

    /// Calls `set` with the fields.
    fn slots(&mut self, set: &mut WithSlots<'_>);

    /// Calls `set` with an empty object of the same type.
    fn with_fresh(&self, set: &mut dyn FnMut(&mut dyn Fields));

    /// Completes the object after it was read.
    fn finish(&mut self) {}
}

/// The kinds of a union.
#[derive(Debug)]
pub struct Kinds {
    /// The names of the known kinds.
    pub names: &'static [&'static str],
    /// How the kind of a value is determined.
    pub how: How,
    /// The index of the kind of the empty value.
    pub empty: usize,
    /// The index of the kind that has no type.
    pub untyped: Option<usize>,
}

/// How the kind of a value is determined.
#[derive(Debug)]
pub enum How {
    /// The member with this name determines the kind. Its values have the
    /// indexes of their kinds.
    Tag(&'static str, &'static [(&'static str, usize)]),
    /// A function inspects the value and returns the index of its kind.
    Look(fn(&mut Reader<'_>) -> Result<usize, Error>),
}

/// A union of several kinds of values.
pub trait Union {
    /// Returns the kinds.
    fn kinds(&self) -> &'static Kinds;

    /// Returns the index of the kind, and the value. An unknown kind has the
    /// number of known kinds as its index.
    fn kind(&self) -> (usize, Form<'_>);

    /// Sets an empty value of the kind with this index, and returns its slot.
    fn choose(&mut self, number: usize) -> Slot<'_>;
}

/// A type that has its own reader. Its `Field::form` and `Field::slot` are
/// [`Form::Own`] and [`Slot::Own`](super::Slot::Own).
pub trait Own: Field {
    /// Reads the value into `self`, which is empty.
    ///
    /// # Errors
    ///
    /// If the value has another type. `self` may then contain a part of the
    /// value.
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error>;

    /// Returns the form that is written.
    fn content(&self) -> Form<'_>;
}

/// A value of any type that implements [`Own`].
pub trait Member: Any + Debug + Audited {
    /// Reads the value, like [`Own::read`].
    ///
    /// # Errors
    ///
    /// The errors of [`Own::read`].
    fn read(&mut self, reader: &mut Reader<'_>) -> Result<(), Error>;

    /// Returns the form that is written, like [`Own::content`].
    fn content(&self) -> Form<'_>;

    /// Sets the value to the empty one.
    fn clear(&mut self);

    /// Sets the value to another one of the same type.
    fn copy(&mut self, other: &dyn Any);

    /// Returns whether another value is equal.
    fn is_same(&self, other: &dyn Any) -> bool;
}

/// A type that can report its unknown members with the feature `audit`.
#[cfg(feature = "audit")]
pub trait Audited: Untyped {}
#[cfg(feature = "audit")]
impl<T: Untyped> Audited for T {}

/// A type that can report its unknown members with the feature `audit`.
#[cfg(not(feature = "audit"))]
pub trait Audited {}
#[cfg(not(feature = "audit"))]
impl<T> Audited for T {}

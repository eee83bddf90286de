//! What values look like to a serializer.
//!
//! `Serialize` is generic, so what is derived of it is compiled anew for every
//! serializer, in every crate that writes. Types of the wire say once, in a
//! concrete function, what they are made of; one function a serializer,
//! [`serialize`], writes all of them.

use crate::text::serialize_raw;
use serde::Serialize;
use serde::ser::{SerializeMap as _, SerializeSeq as _, Serializer};

/// A type that can be written.
pub trait Written {
    /// What the value looks like.
    fn form(&self) -> Form<'_>;
}

/// What a value looks like to a serializer.
#[allow(missing_debug_implementations, reason = "what it refers to has none")]
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
    /// A text that is valid JSON.
    Raw(&'a str),
    /// `null`.
    Absent,
    /// A value that could have been absent.
    Present(&'a dyn Written),
    /// A list.
    List(&'a dyn Items),
    /// An object, and how many members it has, where that is known.
    Map(Option<usize>, &'a dyn Entries),
}

/// The items of a list.
pub trait Items {
    /// How many there are.
    fn count(&self) -> usize;

    /// One of them.
    fn item(&self, number: usize) -> Option<&dyn Written>;
}

/// The members of an object.
pub trait Entries {
    /// Calls `write` with each of them.
    fn each(&self, write: &mut dyn FnMut(&str, &dyn Written));
}

/// Writes a value to any serializer.
///
/// # Errors
///
/// Those of the serializer.
pub fn serialize<S: Serializer>(value: &dyn Written, serializer: S) -> Result<S::Ok, S::Error> {
    match value.form() {
        Form::Bool(value) => serializer.serialize_bool(value),
        Form::U16(number) => serializer.serialize_u16(number),
        Form::U32(number) => serializer.serialize_u32(number),
        Form::U64(number) => serializer.serialize_u64(number),
        Form::I64(number) => serializer.serialize_i64(number),
        Form::Text(text) => serializer.serialize_str(text),
        Form::Raw(text) => serialize_raw(text, serializer),
        Form::Absent => serializer.serialize_none(),
        Form::Present(value) => serializer.serialize_some(&Any(value)),
        Form::List(items) => {
            let mut list = serializer.serialize_seq(Some(items.count()))?;
            for item in (0..items.count()).filter_map(|number| items.item(number)) {
                list.serialize_element(&Any(item))?;
            }
            list.end()
        }
        Form::Map(count, entries) => {
            let mut map = serializer.serialize_map(count)?;
            let mut written = Ok(());
            entries.each(&mut |name, value| {
                if written.is_ok() {
                    written = map.serialize_entry(name, &Any(value));
                }
            });
            written?;
            map.end()
        }
    }
}

/// A value of any type.
struct Any<'a>(&'a dyn Written);

impl Serialize for Any<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self.0, serializer)
    }
}

/// `Serialize` for types that are [`Written`].
#[doc(hidden)]
#[macro_export]
macro_rules! serialize_written {
    ($name:ty) => {
        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::open::serialize(self, serializer)
            }
        }
    };
}
pub use serialize_written;

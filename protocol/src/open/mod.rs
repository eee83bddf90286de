//! Open types: structs that keep the members they do not know, unions that
//! keep the kinds they do not know, enumerations that keep the values they do
//! not know.
//!
//! serde's own `flatten` and tagged enums buffer every value on the way, lose
//! the digits of large numbers and cannot hold raw JSON; and a `Deserialize`
//! that is derived is compiled anew for every deserializer. So the three macros
//! here write a function of one concrete [`Reader`], which passes over the text
//! once and loses nothing:
//!
//! - a member that is declared and `null` is read as `None`, and the fact
//!   that it was there is kept among the unknown members, so that it is
//!   written again;
//! - of a member that comes twice the last one wins;
//! - an object whose tag is missing or unknown keeps all its members;
//! - a tolerant reader keeps invalid members as well; their fields hold what
//!   could be read. They are written back unchanged unless the field was set.
//!
//! `Deserialize` asks whichever deserializer for the value's text, and
//! `Serialize` asks the value for its [`Form`]. What an object does with its
//! fields is in `fields`, once for all of them.
//!
//! Public for the crates of this project that have such types too, and for
//! nobody else: it may change with every version.

mod enumeration;
mod error;
mod field;
mod fields;
mod form;
mod loose;
mod object;
mod reader;
mod serde;
mod union;

pub(crate) use self::serde::read_anything;
pub use self::serde::{deserialize, deserialize_str};
pub use enumeration::{number_of, open_enum};
pub use error::Error;
pub(crate) use error::Located;
pub use field::Name;
#[cfg(feature = "audit")]
pub use fields::collect_untyped;
pub use fields::{
    Audited, Declared, Fields, Member, copy_fields, is_same, read_fields, write_fields,
};
pub use form::{Entries, Form, Items, Written, serialize, serialize_written};
pub use loose::Loose;
pub use object::{object, wire_name};
pub use reader::{Fault, Field, Object, Place, Reader, Tag, string_of};
pub use union::{Union, from_kind, read_union, tolerance, union};

// What the macros write only where a feature of this crate is on: a `cfg` in
// what they write would ask about the features of the crate that uses them.

#[cfg(feature = "audit")]
#[doc(hidden)]
#[macro_export]
macro_rules! if_audit {
    ($($written:tt)*) => { $($written)* };
}

#[cfg(not(feature = "audit"))]
#[doc(hidden)]
#[macro_export]
macro_rules! if_audit {
    ($($written:tt)*) => {};
}

#[cfg(feature = "schema")]
#[doc(hidden)]
#[macro_export]
macro_rules! if_schema {
    ($($written:tt)*) => { $($written)* };
}

#[cfg(not(feature = "schema"))]
#[doc(hidden)]
#[macro_export]
macro_rules! if_schema {
    ($($written:tt)*) => {};
}

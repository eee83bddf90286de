//! Open types: structs that preserve unknown members, unions that preserve
//! unknown kinds, enumerations that preserve unknown values.
//!
//! serde's `flatten` and tagged enums buffer every value, lose the digits of
//! large numbers and cannot hold raw JSON; and a derived `Deserialize` is
//! compiled again for every deserializer. The three macros here describe a type
//! to one concrete [`Reader`] instead, which reads the text once, in place, and
//! loses nothing:
//!
//! - a member that is declared and `null` is read as `None`, and the fact
//!   that it was there is kept among the unknown members, so that it is
//!   written again;
//! - of a member that comes twice the last one wins;
//! - an object whose tag is missing or unknown keeps all its members;
//! - a tolerant reader keeps invalid members as well; their fields hold what
//!   could be read. They are written back unchanged unless the field was set.
//!
//! `Deserialize` gets the text of the value from the deserializer; `Serialize`
//! writes the [`Form`] of the value. Reading, writing, cloning and comparing
//! objects is in `fields`, compiled once for all types.
//!
//! Public only for the other crates of this workspace; it may change in any
//! version.

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

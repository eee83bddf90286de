//! Open types: structs that preserve unknown members, unions that preserve
//! unknown kinds, and enumerations that preserve unknown values.
//!
//! serde's `flatten` and tagged enums buffer every value, lose the digits of
//! large numbers and cannot contain raw JSON. A derived `Deserialize` is
//! compiled again for every deserializer. The macros of this module describe a
//! type to one concrete [`Reader`] instead. It reads the text once, in place,
//! and is lossless:
//!
//! - A declared member that is `null` is read as `None`. It is also recorded among
//!   the unknown members, so that it is written again.
//! - The last occurrence of a repeated member counts.
//! - An object whose tag is missing or unknown preserves all its members.
//! - A tolerant reader also preserves invalid members. Their fields have the
//!   readable part. They are written back unchanged unless the field was set.
//!
//! `Deserialize` gets the text of the value from the deserializer and fills the
//! value's [`Slot`]. `Serialize`, `Clone`, `PartialEq` and `Debug` use the
//! value's [`Form`]. Their code is compiled once for all types.
//!
//! This module is public only for the other crates of this workspace. It may
//! change in any version.

mod compare;
mod enumeration;
mod error;
mod field;
mod form;
mod loose;
mod object;
mod own;
mod read;
mod reader;
mod serde;
mod union;
mod wire_type;
mod write;

pub(crate) use self::serde::read_anything;
pub use self::serde::{clone, deserialize, deserialize_str};
#[cfg(feature = "audit")]
pub use compare::collect_untyped;
pub use compare::{debug, is_same};
pub use enumeration::{number_of, open_enum};
pub use error::Error;
pub(crate) use error::Located;
pub use field::Name;
pub use form::{
    Audited, Constant, Declared, Entries, Field, Fields, Fill, Form, How, Items, Kinds, List, Map,
    Member, Optional, Own, Slot, Union, Whole, WithForms, WithSlots, Word, required,
};
pub use loose::Loose;
pub use object::{object, wire_name};
pub use reader::{Fault, Place, Reader, Tag, string_of};
pub use union::{choice, from_kind, tag_of, tolerance, union};
pub use wire_type::{serialize_written, wire_type};
pub(crate) use write::{append, append_text};
pub use write::{each_member, serialize};

// Macros whose output depends on a feature of this crate. A `cfg` inside the
// output would check the features of the crate that calls the macro.

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

//! Open types: structs that keep the members they do not know, unions that
//! keep the kinds they do not know, enumerations that keep the values they do
//! not know.
//!
//! serde's own `flatten` and tagged enums buffer every value on the way,
//! lose the digits of large numbers and cannot hold raw JSON. So the three
//! macros here write their own `Deserialize`: one pass over the text, no
//! buffer when the tag comes first, and nothing lost:
//!
//! - a member that is declared and `null` is read as `None`, and the fact
//!   that it was there is kept among the unknown members, so that it is
//!   written again;
//! - of a member that comes twice the last one wins;
//! - an object whose tag is missing or unknown keeps all its members.
//!
//! Public for the crates of this project that have such types too, and for
//! nobody else: it may change with every version.

mod enumeration;
mod field;
mod object;
mod read;
mod text;
mod trace;
mod union;

pub use enumeration::open_enum;
pub(crate) use field::read_list;
pub use field::{Field, absent};
pub use object::{object, wire_name};
pub use read::{Key, Object, Rest, read_object};
pub(crate) use read::{read_kept, read_members};
pub use text::Text;
pub(crate) use trace::{Located, read_text};
pub use union::{from_kind, union};

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

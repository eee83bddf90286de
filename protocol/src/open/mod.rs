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

mod enumeration;
mod field;
mod object;
mod read;
mod text;
mod trace;
mod union;

pub(crate) use enumeration::open_enum;
pub(crate) use field::{Field, absent, read_list};
pub(crate) use object::{object, wire_name};
pub(crate) use read::{Key, Object, Rest, read_kept, read_members, read_object};
pub(crate) use text::Text;
pub(crate) use trace::{Located, read_text};
pub(crate) use union::{from_kind, union};

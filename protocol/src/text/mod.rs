//! JSON text: tokens, strings, and raw values.
//!
//! Public only for the other crates of this workspace; it may change in any
//! version.

mod cursor;
mod deserializer;
mod exact;
mod member;
mod raw;
mod string;
mod surrogate;
mod utf8;

pub use cursor::{Cursor, Invalid, Span};
pub(crate) use deserializer::TextDeserializer;
pub use deserializer::read;
pub use exact::is_same_value;
pub(crate) use member::member;
pub use member::members;
pub(crate) use raw::{raw_text, serialize_raw};
pub(crate) use string::{escaped, unescaped};
pub(crate) use surrogate::mended;
pub(crate) use utf8::utf8;

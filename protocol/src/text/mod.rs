//! JSON text: tokens, strings, and raw values.
//!
//! This module is public only for the other crates of this workspace. It may
//! change in any version.

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
pub(crate) use string::{SIMPLE, escaped, unescaped};
pub(crate) use surrogate::without_lone_surrogates;
pub(crate) use utf8::utf8;

/// Returns whether a text contains another one. Unlike `str::contains`, this
/// function is compiled only once.
#[must_use]
pub fn contains(text: &str, part: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some()
}

//! Strings of JSON as they are written: half surrogate pairs count.

use serde::de::{Deserializer, Visitor};
use std::borrow::Cow;
use std::fmt;

/// A string token as bytes: UTF-8, and half a surrogate pair as three bytes of its
/// own. Nothing, when it is not a string token.
pub(super) fn bytes(token: &str) -> Option<Cow<'_, [u8]>> {
    struct Bytes;

    impl<'de> Visitor<'de> for Bytes {
        type Value = Cow<'de, [u8]>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
            Ok(Cow::Owned(bytes.to_owned()))
        }
    }

    let inside = token.strip_prefix('"')?.strip_suffix('"')?;
    if memchr::memchr(b'\\', inside.as_bytes()).is_none() {
        return Some(Cow::Borrowed(inside.as_bytes()));
    }
    serde_json::Deserializer::from_str(token)
        .deserialize_bytes(Bytes)
        .ok()
}

/// A string token as text. Nothing, when it has half a surrogate pair.
pub(super) fn text(token: &str) -> Option<Cow<'_, str>> {
    match bytes(token)? {
        // What is in a text is one.
        Cow::Borrowed(_) => token.get(1..token.len() - 1).map(Cow::Borrowed),
        Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
    }
}

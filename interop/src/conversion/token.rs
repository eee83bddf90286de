//! Reads JSON strings as they are written, including lone surrogates.

use serde::de::{Deserializer, Visitor};
use std::borrow::Cow;
use std::fmt;

/// Reads a string token as UTF-8, with three bytes for a lone surrogate. Returns `None` if it is
/// not a string token.
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

/// Reads a string token. Returns `None` if it has a lone surrogate.
pub(super) fn text(token: &str) -> Option<Cow<'_, str>> {
    match bytes(token)? {
        // The borrowed bytes are a part of a text, so they are UTF-8.
        Cow::Borrowed(_) => token.get(1..token.len() - 1).map(Cow::Borrowed),
        Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
    }
}

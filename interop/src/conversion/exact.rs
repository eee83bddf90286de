//! Strings and objects of JSON as they are written: members that occur twice and
//! half surrogate pairs count.

use super::tree::{Member, Tape};
use agentwire_protocol::{Json, Members};
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

/// An object: the members that a reader sees, and the others.
#[derive(Debug, Clone, Default)]
pub(super) struct Object {
    /// Members by name; the last one of each name.
    pub(super) members: Members,
    /// The others, as tokens: those that occur again later, and those whose name
    /// has half a surrogate pair.
    pub(super) more: Vec<(Json, Json)>,
}

impl Object {
    /// Nothing, when it is not an object.
    pub(super) fn of(value: &Json) -> Option<Self> {
        let tape = Tape::of(value);
        let all = tape.tree().members()?;
        let mut object = Self::default();
        for (name, value) in all.seen {
            object.members.push(name.into_owned(), value.json());
        }
        object.more = all.more.into_iter().map(written).collect();
        Some(object)
    }

    /// The value. Nothing, when a name is not a string token.
    pub(super) fn write(&self) -> Option<Json> {
        if self.more.is_empty() {
            return Json::from_value(&self.members).ok();
        }
        let mut text = String::from("{");
        for (token, value) in &self.more {
            bytes(token.get())?;
            text.push_str(token.get());
            text.push(':');
            text.push_str(value.get());
            text.push(',');
        }
        let members = Json::from_value(&self.members).ok()?;
        match members.get().strip_prefix('{')? {
            "}" => {
                text.pop();
                text.push('}');
            }
            rest => text.push_str(rest),
        }
        text.parse().ok()
    }
}

/// A member as it is written.
pub(super) fn written((name, value): Member<'_>) -> (Json, Json) {
    (Json::of_text(name.token), value.json())
}

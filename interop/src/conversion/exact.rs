//! JSON as it is written: members that occur twice, half surrogate pairs and the
//! digits of numbers all count. Fingerprints and deltas both see a value this way.

use agentwire_protocol::{Json, Members};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::HashSet;
use std::fmt;

/// How deep is looked into a value. What is deeper is told apart by its text.
pub(super) const MAX_DEPTH: usize = 64;

/// A string token as bytes: UTF-8, and half a surrogate pair as three bytes of its
/// own. Nothing, when it is not a string token.
pub(super) fn bytes(token: &str) -> Option<Vec<u8>> {
    struct Bytes;

    impl Visitor<'_> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_owned())
        }
    }

    if !token.starts_with('"') {
        return None;
    }
    serde_json::Deserializer::from_str(token)
        .deserialize_bytes(Bytes)
        .ok()
}

/// A string token as text. Nothing, when it has half a surrogate pair.
fn text(token: &str) -> Option<String> {
    String::from_utf8(bytes(token)?).ok()
}

/// Calls `take` with each member of an object, as it is written.
pub(super) fn members(object: &str, take: impl FnMut(&str, &str)) -> Option<()> {
    struct Each<F>(F);

    impl<'de, F: FnMut(&str, &str)> Visitor<'de> for Each<F> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
            while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
                self.0(key.get(), value.get());
            }
            Ok(())
        }
    }

    serde_json::Deserializer::from_str(object)
        .deserialize_map(Each(take))
        .ok()
}

/// Calls `take` with each item of a list, as it is written.
pub(super) fn items(list: &str, take: impl FnMut(&str)) -> Option<()> {
    struct Each<F>(F);

    impl<'de, F: FnMut(&str)> Visitor<'de> for Each<F> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list")
        }

        fn visit_seq<A: SeqAccess<'de>>(mut self, mut seq: A) -> Result<(), A::Error> {
            while let Some(item) = seq.next_element::<&RawValue>()? {
                self.0(item.get());
            }
            Ok(())
        }
    }

    serde_json::Deserializer::from_str(list)
        .deserialize_seq(Each(take))
        .ok()
}

/// Whether two values are the same: the order of members, the spelling of strings
/// and the space between things do not matter.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    is_same_at(one, other, 0)
}

fn is_same_at(one: &str, other: &str, depth: usize) -> bool {
    if one == other {
        return true;
    }
    let first = |text: &str| text.as_bytes().first().copied();
    match (first(one), first(other)) {
        _ if depth == MAX_DEPTH => false,
        (Some(b'{'), Some(b'{')) => {
            let sorted = |object| {
                let mut all = Vec::new();
                members(object, |key, value| {
                    let key = bytes(key).unwrap_or_else(|| key.as_bytes().to_owned());
                    all.push((key, value.to_owned()));
                })?;
                // Of members with the same name, the order matters.
                all.sort_by(|(one, _), (other, _)| one.cmp(other));
                Some(all)
            };
            let (Some(one), Some(other)) = (sorted(one), sorted(other)) else {
                return false;
            };
            one.len() == other.len()
                && one
                    .iter()
                    .zip(&other)
                    .all(|(one, other)| one.0 == other.0 && is_same_at(&one.1, &other.1, depth + 1))
        }
        (Some(b'['), Some(b'[')) => {
            let all = |list| {
                let mut all = Vec::new();
                items(list, |item| all.push(item.to_owned())).map(|()| all)
            };
            let (Some(one), Some(other)) = (all(one), all(other)) else {
                return false;
            };
            one.len() == other.len()
                && one
                    .iter()
                    .zip(&other)
                    .all(|(one, other)| is_same_at(one, other, depth + 1))
        }
        (Some(b'"'), Some(b'"')) => {
            let one = bytes(one);
            one.is_some() && one == bytes(other)
        }
        _ => false,
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
        let mut all: Vec<(Json, Option<String>, Json)> = Vec::new();
        members(value.get(), |key, value| {
            if let (Ok(token), Ok(value)) = (key.parse(), value.parse()) {
                all.push((token, text(key), value));
            }
        })?;
        let mut object = Self::default();
        let mut seen = HashSet::new();
        let mut last = Vec::new();
        for (token, name, value) in all.into_iter().rev() {
            match name {
                Some(name) if seen.insert(name.clone()) => last.push((name, value)),
                _ => object.more.push((token, value)),
            }
        }
        object.more.reverse();
        for (name, value) in last.into_iter().rev() {
            object.members.push(name, value);
        }
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

/// Whether two lists of members are the same.
pub(super) fn are_same(one: &[(Json, Json)], other: &[(Json, Json)]) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|(one, other)| is_same_member(one, other))
}

pub(super) fn is_same_member(one: &(Json, Json), other: &(Json, Json)) -> bool {
    is_same(one.0.get(), other.0.get()) && is_same(one.1.get(), other.1.get())
}

/// The name of a member, for people: half a surrogate pair is U+FFFD.
pub(super) fn name(token: &Json) -> String {
    token.read().unwrap_or_default()
}

/// Whether a member's name is one that a reader can have as text.
pub(super) fn is_text(token: &Json) -> bool {
    text(token.get()).is_some()
}

//! Whether a piece is still what it was.

use agentwire_protocol::Json;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use std::fmt;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// A number that two JSON values share when they are the same value: the
/// order of members, the spelling of strings and the space between things do
/// not matter. It is the same on every machine and in every version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// That of a JSON value.
    #[must_use]
    pub fn of(value: &Json) -> Self {
        Self(of_text(value.get(), 0))
    }

    /// That of a value that can be written as JSON.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn of_value<T: Serialize>(value: &T) -> serde_json::Result<Self> {
        Ok(Self(of_text(&serde_json::to_string(value)?, 0)))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16)
            .map(Self)
            .map_err(|_| serde::de::Error::custom("a fingerprint is 16 hexadecimal digits"))
    }
}

/// How deep is looked into a value. What is deeper is told apart by its text.
const MAX_DEPTH: usize = 64;

/// That of a text which is JSON. Values are read as texts, and not by
/// `serde_json`'s own numbers, which are not the same in every build.
fn of_text(text: &str, depth: usize) -> u64 {
    let read = match text.as_bytes().first() {
        _ if depth == MAX_DEPTH => None,
        Some(b'{') => Inside(depth + 1).of_object(text),
        Some(b'[') => Inside(depth + 1).of_list(text),
        Some(b'"') => string(text),
        Some(b'-' | b'0'..=b'9') => Some(number(text)),
        _ => None,
    };
    // A word, or what cannot be read: half a surrogate pair.
    read.unwrap_or_else(|| leaf(b'?', text.as_bytes()))
}

fn leaf(kind: u8, bytes: &[u8]) -> u64 {
    xxh3_64_with_seed(bytes, kind.into())
}

fn string(text: &str) -> Option<u64> {
    if !text.contains('\\') {
        return Some(leaf(b'"', text.get(1..text.len() - 1)?.as_bytes()));
    }
    let string: String = serde_json::from_str(text).ok()?;
    Some(leaf(b'"', string.as_bytes()))
}

/// Whole numbers by their digits, others by the nearest `f64`.
fn number(text: &str) -> u64 {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && text.contains(['.', 'e', 'E']) => {
            leaf(b'.', &number.to_bits().to_le_bytes())
        }
        _ => leaf(b'0', text.as_bytes()),
    }
}

/// What is inside of an object or a list, so deep.
#[derive(Clone, Copy)]
struct Inside(usize);

impl Inside {
    fn of_object(self, text: &str) -> Option<u64> {
        serde_json::Deserializer::from_str(text)
            .deserialize_map(self)
            .ok()
    }

    fn of_list(self, text: &str) -> Option<u64> {
        serde_json::Deserializer::from_str(text)
            .deserialize_seq(self)
            .ok()
    }
}

impl<'de> Visitor<'de> for Inside {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<u64, A::Error> {
        let mut all = leaf(b'[', &[]);
        while let Some(item) = seq.next_element::<&RawValue>()? {
            all = both(all, of_text(item.get(), self.0));
        }
        Ok(all)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<u64, A::Error> {
        // A sum does not mind the order.
        let mut sum = 0_u64;
        while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
            sum = sum.wrapping_add(both(
                of_text(key.get(), self.0),
                of_text(value.get(), self.0),
            ));
        }
        Ok(both(leaf(b'{', &[]), sum))
    }
}

fn both(one: u64, other: u64) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&one.to_le_bytes());
    bytes[8..].copy_from_slice(&other.to_le_bytes());
    xxh3_64(&bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn of(text: &str) -> Fingerprint {
        Fingerprint::of(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn spelling_does_not_matter() {
        assert_eq!(
            of(r#"{"a":1,"b":["x"]}"#),
            of(r#"{ "b" : ["\u0078"], "a":1 }"#)
        );
    }

    #[test]
    fn what_is_not_the_same_value_is_told_apart() {
        let all = [
            "null",
            "false",
            "0",
            "0.0",
            "-1",
            r#""""#,
            r#""0""#,
            "[]",
            "{}",
            "[[]]",
            "[1,2]",
            "[2,1]",
            r#"{"a":"b"}"#,
            r#"{"b":"a"}"#,
            r#"{"a":null}"#,
            "1e999",
            "1e998",
            r#""\ud800""#,
            r#"["a","b"]"#,
        ];
        for one in all {
            for other in all {
                assert_eq!(of(one) == of(other), one == other, "{one} {other}");
            }
        }
    }

    #[test]
    fn it_is_written_and_read() {
        let one = of("[1]");
        let text = serde_json::to_string(&one).unwrap();
        assert_eq!(text.len(), 18);
        assert_eq!(serde_json::from_str::<Fingerprint>(&text).unwrap(), one);
    }
}

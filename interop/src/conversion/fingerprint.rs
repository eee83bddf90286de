//! Whether a piece is still what it was.

use super::exact;
use super::tree::Tape;
use agentwire_protocol::Json;
use serde::de::{Deserialize, Deserializer};
use serde::{Serialize, Serializer};
use std::fmt;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// A number that two JSON values share when they are the same value: the
/// order of members, the spelling of strings and the space between things do
/// not matter. Members that occur twice and half surrogate pairs do. It is the
/// same on every machine and in every version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// That of a JSON value.
    #[must_use]
    pub fn of(value: &Json) -> Self {
        Tape::of(value).tree().fingerprint()
    }

    /// That of a value that can be written as JSON.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn of_value<T: Serialize>(value: &T) -> serde_json::Result<Self> {
        Json::from_value(value).map(|value| Self::of(&value))
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

pub(super) fn of_hash(hash: u64) -> Fingerprint {
    Fingerprint(hash)
}

/// That of a value that is neither an object nor a list, or that is told apart by its
/// text alone. Values are read as texts, and not by `serde_json`'s own numbers, which
/// are not the same in every build.
pub(super) fn of_leaf(text: &str, by_text: bool) -> u64 {
    let read = match text.as_bytes().first() {
        _ if by_text => None,
        Some(b'"') => exact::bytes(text).map(|bytes| leaf(b'"', &bytes)),
        Some(b'-' | b'0'..=b'9') => Some(number(text)),
        _ => None,
    };
    read.unwrap_or_else(|| leaf(b'?', text.as_bytes()))
}

fn leaf(kind: u8, bytes: &[u8]) -> u64 {
    xxh3_64_with_seed(bytes, kind.into())
}

/// Whole numbers by their digits, others by the nearest `f64`.
fn number(text: &str) -> u64 {
    if text.contains(['.', 'e', 'E'])
        && let Ok(number) = text.parse::<f64>()
        && number.is_finite()
    {
        return leaf(b'.', &number.to_bits().to_le_bytes());
    }
    leaf(b'0', text.as_bytes())
}

/// That of an object, of those of its names and values.
pub(super) fn of_object(members: &mut [(u64, u64)]) -> u64 {
    // A sum does not mind the order.
    let mut sum = members.iter().fold(0_u64, |sum, (name, value)| {
        sum.wrapping_add(both(*name, *value))
    });
    // Among members of the same name, the order matters.
    members.sort_by_key(|(name, _)| *name);
    for same in members.chunk_by(|(one, _), (other, _)| one == other) {
        if same.len() > 1 {
            let values = same.iter().map(|(_, value)| *value);
            sum = sum.wrapping_add(values.fold(leaf(b'=', &[]), both));
        }
    }
    both(leaf(b'{', &[]), sum)
}

/// That of an empty list: [`both`] adds an item.
pub(super) fn of_list() -> u64 {
    leaf(b'[', &[])
}

pub(super) fn both(one: u64, other: u64) -> u64 {
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
        assert_eq!(of(r#"["\ud800x"]"#), of(r#"["\uD800\u0078"]"#));
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
            r#""\ud801""#,
            r#""\ufffd""#,
            r#"{"\ud800":1}"#,
            r#"{"\ufffd":1}"#,
            r#"{"a":1,"a":2}"#,
            r#"{"a":2,"a":1}"#,
            r#"{"a":1}"#,
            r#"{"a":2}"#,
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

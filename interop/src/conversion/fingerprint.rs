//! Fingerprints of JSON values.

use super::hash;
use super::tree::{Tape, Tree};
use agentwire_protocol::Json;
use serde::de::{Deserialize, Deserializer};
use serde::{Serialize, Serializer};
use std::fmt;

/// A hash that equal JSON values share. It ignores the order of members, the spelling of strings
/// and spaces. It distinguishes duplicate members and lone surrogates. It is the same on every
/// machine and in every version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Returns the fingerprint of a JSON value.
    #[must_use]
    pub fn of(value: &Json) -> Self {
        Self::of_tree(Tape::of(value).tree())
    }

    /// Returns the fingerprint of a list of items.
    pub(super) fn of_list(items: impl IntoIterator<Item = Self>) -> Self {
        let hashes = items.into_iter().map(|item| item.0);
        Self(hashes.fold(hash::of_list(), hash::both))
    }

    pub(super) fn of_tree(value: Tree<'_>) -> Self {
        Self(value.hash())
    }

    /// Returns the fingerprint of a value, serialized as JSON.
    ///
    /// # Errors
    ///
    /// If the value cannot be serialized.
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
    fn different_values_have_different_fingerprints() {
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
    fn fingerprints_are_serialized() {
        let one = of("[1]");
        let text = serde_json::to_string(&one).unwrap();
        assert_eq!(text.len(), 18);
        assert_eq!(serde_json::from_str::<Fingerprint>(&text).unwrap(), one);
    }
}

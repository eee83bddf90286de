//! Compares JSON values exactly, including digits.

use super::without_lone_surrogates;
use crate::ids::IdMap;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The maximum depth of comparison. Deeper values are compared as text.
const MAX_DEPTH: usize = 128;

/// Returns whether two texts are the same JSON value. Numbers are compared by
/// their text, so every digit counts. The order of members does not matter, and
/// the last occurrence of a repeated member counts. `null` and an absent member
/// differ. Lone surrogates count as U+FFFD.
///
/// # Errors
///
/// If one of the texts is not valid JSON.
pub fn is_same_value(one: &str, other: &str) -> serde_json::Result<bool> {
    let without_lone_surrogates = [one, other]
        .map(|text| without_lone_surrogates(text).map_or(Cow::Borrowed(text), Cow::Owned));
    let [one, other] = [
        serde_json::from_str(&without_lone_surrogates[0])?,
        serde_json::from_str(&without_lone_surrogates[1])?,
    ];
    Ok(same(one, other, 0))
}

fn same(one: &RawValue, other: &RawValue, depth: usize) -> bool {
    if one.get() == other.get() {
        return true;
    }
    if depth == MAX_DEPTH {
        return false;
    }
    match (first(one), first(other)) {
        (b'{', b'{') => both(one, other, |one: IdMap<&RawValue, Box<str>>, other| {
            one.len() == other.len()
                && one.iter().all(|(key, value)| {
                    other
                        .get(key)
                        .is_some_and(|other: &&RawValue| same(value, other, depth + 1))
                })
        }),
        (b'[', b'[') => both(one, other, |one: Vec<&RawValue>, other| {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| same(one, other, depth + 1))
        }),
        (b'"', b'"') => both(one, other, |one: String, other| one == other),
        _ => false,
    }
}

fn first(value: &RawValue) -> u8 {
    value.get().as_bytes().first().copied().unwrap_or_default()
}

/// Reads both texts and compares their values. Returns `false` if one of them
/// cannot be read.
fn both<'a, T: Deserialize<'a>>(
    one: &'a RawValue,
    other: &'a RawValue,
    compare: impl FnOnce(T, T) -> bool,
) -> bool {
    match (
        serde_json::from_str(one.get()),
        serde_json::from_str(other.get()),
    ) {
        (Ok(one), Ok(other)) => compare(one, other),
        _ => false,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::is_same_value;

    #[test]
    fn only_order_and_white_space_are_ignored() {
        for (one, other, same) in [
            (
                r#"{"a":1,"b":[2,"x"]}"#,
                r#" { "b" : [ 2 , "x" ] , "a" : 1 } "#,
                true,
            ),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#, true),
            (r#""é\/""#, r#""\u00e9/""#, true),
            ("1e400", "1e400", true),
            (
                r#"{"\ud800":"\udc00"}"#,
                "{\"\u{fffd}\":\"\u{fffd}\"}",
                true,
            ),
            ("1", "1.0", false),
            ("0", "-0", false),
            ("9007199254740993", "9007199254740992", false),
            (r#"{"a":null}"#, "{}", false),
            ("[1,2]", "[2,1]", false),
            ("[1]", "[1,1]", false),
            ("\"1\"", "1", false),
        ] {
            assert_eq!(is_same_value(one, other).unwrap(), same, "{one} {other}");
        }
        assert!(is_same_value("{", "{}").is_err());
    }

    #[test]
    fn deep_nesting_does_not_overflow_the_stack() {
        let deep = |inside: &str| "[".repeat(100_000) + inside + &"]".repeat(100_000);
        assert!(is_same_value(&deep("1"), &deep("1")).unwrap());
        assert!(!is_same_value(&deep("1"), &deep("2")).unwrap());
    }
}

//! Hashes of JSON values.

use super::token;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Hashes a leaf, or any value by its text. Numbers are hashed by their text, because the numbers
/// of `serde_json` differ between builds.
pub(super) fn of_leaf(text: &str, by_text: bool) -> u64 {
    let read = match text.as_bytes().first() {
        _ if by_text => None,
        Some(b'"') => token::bytes(text).map(|bytes| leaf(b'"', &bytes)),
        Some(b'-' | b'0'..=b'9') => Some(number(text)),
        _ => None,
    };
    read.unwrap_or_else(|| leaf(b'?', text.as_bytes()))
}

/// Hashes a string without escapes by the text between its quotes.
pub(super) fn of_plain(text: &str) -> u64 {
    leaf(b'"', text.as_bytes())
}

fn leaf(kind: u8, bytes: &[u8]) -> u64 {
    xxh3_64_with_seed(bytes, kind.into())
}

/// Hashes a whole number by its digits, and another number by the nearest `f64`.
fn number(text: &str) -> u64 {
    let is_whole = text.bytes().all(|it| it == b'-' || it.is_ascii_digit());
    if !is_whole
        && let Ok(number) = text.parse::<f64>()
        && number.is_finite()
    {
        return leaf(b'.', &number.to_bits().to_le_bytes());
    }
    leaf(b'0', text.as_bytes())
}

/// Hashes an object by the hashes of its names and values.
pub(super) fn of_object(members: &mut [(u64, u64)]) -> u64 {
    // A sum does not depend on the order.
    let mut sum = members.iter().fold(0_u64, |sum, (name, value)| {
        sum.wrapping_add(both(*name, *value))
    });
    // The order of duplicate members counts.
    members.sort_by_key(|(name, _)| *name);
    for same in members.chunk_by(|(one, _), (other, _)| one == other) {
        if same.len() > 1 {
            let values = same.iter().map(|(_, value)| *value);
            sum = sum.wrapping_add(values.fold(leaf(b'=', &[]), both));
        }
    }
    both(leaf(b'{', &[]), sum)
}

/// Returns the hash of an empty list. [`both`] adds an item to the hash.
pub(super) fn of_list() -> u64 {
    leaf(b'[', &[])
}

pub(super) fn both(one: u64, other: u64) -> u64 {
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&one.to_le_bytes());
    bytes[8..].copy_from_slice(&other.to_le_bytes());
    xxh3_64(&bytes)
}

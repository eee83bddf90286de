//! Names for engines that accept only a few characters in a name.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// The maximum length of a name in bytes. Longer names are hashed. NATS accepts subjects of about
/// 4,000 bytes, object stores keys of 1,024, and file systems names of 255.
const MAX_LENGTH: usize = 120;

/// Returns the name of a text. Distinct texts have distinct names. The names of long texts are
/// hashes.
pub(crate) fn name(text: &str) -> String {
    let escaped = escaped(text);
    if escaped.len() <= MAX_LENGTH {
        return escaped;
    }
    // In escaped texts, `=` is followed by two digits, so this prefix is distinct.
    let mut name = String::from("==");
    for byte in Sha256::digest(text) {
        let _ = write!(name, "{byte:02x}");
    }
    name
}

/// Escapes a text. The result has one or more ASCII letters, digits, `-`, `_` and `=`.
pub(crate) fn escaped(text: &str) -> String {
    if text.is_empty() {
        return "=".to_owned();
    }
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => {
                escaped.push(char::from(byte));
            }
            _ => {
                let _ = write!(escaped, "={byte:02X}");
            }
        }
    }
    escaped
}

/// Reverses [`escaped`].
pub(crate) fn unescaped(text: &str) -> Option<String> {
    if text == "=" {
        return Some(String::new());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    loop {
        rest = match rest {
            [] => return String::from_utf8(bytes).ok(),
            [b'=', high, low, rest @ ..] => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                let byte = digit(*high)? * 16 + digit(*low)?;
                bytes.push(u8::try_from(byte).ok()?);
                rest
            }
            [b'=', ..] => return None,
            [byte, rest @ ..] => {
                bytes.push(*byte);
                rest
            }
        };
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_distinct_and_escaping_is_lossless() {
        let long = "a".repeat(500);
        let hash = name(&long);
        let texts = [
            "", "=", "==", "a", "A", ".", "*", ">", "a.b", "a=2Eb", "=2E", " ", "\n", "é", "🦀",
            "$JS", "\0", &long, &hash,
        ];
        let mut names = BTreeSet::new();
        for text in texts {
            assert_eq!(unescaped(&escaped(text)).unwrap(), text);
            let name = name(text);
            let is_plain = |it: u8| it.is_ascii_alphanumeric() || b"-_=".contains(&it);
            assert!(!name.is_empty() && name.bytes().all(is_plain), "{name}");
            assert!(name.len() <= MAX_LENGTH);
            assert!(names.insert(name), "{text:?} has the name of another text");
        }
        for damaged in ["=2", "=x0", "a=", "=FF"] {
            assert_eq!(unescaped(damaged), None);
        }
    }
}

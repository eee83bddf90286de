//! Names for any text, on engines that accept few characters in a name.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// Longer names are hashed. A NATS server accepts subjects of about 4,000 bytes, an
/// object store keys of 1,024, and a file system names of 255.
const LONGEST: usize = 120;

/// Turns any text into a name, and different texts into different ones: a long
/// text into its hash.
pub(crate) fn name(text: &str) -> String {
    let escaped = escaped(text);
    if escaped.len() <= LONGEST {
        return escaped;
    }
    // No text is escaped as this, because two digits come behind `=`.
    let mut name = String::from("==");
    for byte in Sha256::digest(text) {
        let _ = write!(name, "{byte:02x}");
    }
    name
}

/// Writes a text with ASCII letters, digits, `-`, `_` and `=`; at least one of them.
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

/// Reads what [`escaped`] has written.
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
    fn texts_are_kept_apart_and_come_back() {
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
            assert!(name.len() <= LONGEST);
            assert!(names.insert(name), "{text:?} is taken for another");
        }
        for damaged in ["=2", "=x0", "a=", "=FF"] {
            assert_eq!(unescaped(damaged), None);
        }
    }
}

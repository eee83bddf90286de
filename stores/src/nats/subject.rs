//! Subjects: keys as tokens.

use agentwire::session_log::SessionKey;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// Longer tokens are hashed. A server accepts subjects of about 4,000 bytes.
const TOKEN: usize = 120;

/// The subjects of a store.
#[derive(Debug)]
pub(super) struct Subjects {
    prefix: String,
}

impl Subjects {
    pub(super) fn new(prefix: &str) -> Self {
        Self {
            prefix: prefix.to_owned(),
        }
    }

    /// Those of the stream.
    pub(super) fn all(&self) -> Vec<String> {
        ["log", "chunk"]
            .map(|kind| format!("{}.{kind}.*.*", self.prefix))
            .into()
    }

    /// That of a session's batches.
    pub(super) fn log(&self, session: &SessionKey) -> String {
        self.of("log", &session.project, &token(&session.session_id))
    }

    /// That of the parts of a session's large batches.
    pub(super) fn chunks(&self, session: &SessionKey) -> String {
        self.of("chunk", &session.project, &token(&session.session_id))
    }

    /// Those of the batches of a project's sessions.
    pub(super) fn project(&self, project: &str) -> String {
        self.of("log", project, "*")
    }

    fn of(&self, kind: &str, project: &str, session: &str) -> String {
        format!("{}.{kind}.{}.{session}", self.prefix, token(project))
    }
}

/// Turns any text into a token, and different texts into different ones: a long
/// text into its hash.
fn token(text: &str) -> String {
    let escaped = escaped(text);
    if escaped.len() <= TOKEN {
        return escaped;
    }
    // No text is escaped as this, because two digits come behind `=`.
    let mut token = String::from("==");
    for byte in Sha256::digest(text) {
        let _ = write!(token, "{byte:02x}");
    }
    token
}

/// Writes a text with ASCII letters, digits, `-`, `_` and `=`; at least one of them.
pub(super) fn escaped(text: &str) -> String {
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
pub(super) fn unescaped(text: &str) -> Option<String> {
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
        let hash = token(&long);
        let texts = [
            "", "=", "==", "a", "A", ".", "*", ">", "a.b", "a=2Eb", "=2E", " ", "\n", "é", "🦀",
            "$JS", "\0", &long, &hash,
        ];
        let mut tokens = BTreeSet::new();
        for text in texts {
            assert_eq!(unescaped(&escaped(text)).unwrap(), text);
            let token = token(text);
            let is_token = |it: u8| it.is_ascii_alphanumeric() || b"-_=".contains(&it);
            assert!(!token.is_empty() && token.bytes().all(is_token), "{token}");
            assert!(token.len() <= TOKEN);
            assert!(tokens.insert(token), "{text:?} is taken for another");
        }
        for damaged in ["=2", "=x0", "a=", "=FF"] {
            assert_eq!(unescaped(damaged), None);
        }
    }
}

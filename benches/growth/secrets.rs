//! Cases of the masking of secrets in text.

use crate::Case;
use agentwire_testkit::secret::masked;

/// Texts that begin a secret or look so, and do not end it.
const PIECES: &[&str] = &[
    "key=",
    "key='",
    "key\\",
    "a-key: ",
    "password=\"\\",
    "authorization: ",
    "cookie:",
    "cookie: a=123456 ",
    "basic ",
    "curl -u ",
    "https://",
    "https://user:password@host ",
    "eyJ-",
    "eyJhbGciOi.",
    "ops_eyJ",
    "glpat-",
    "sk-",
    "-----BEGIN ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n",
    "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----",
    "\u{1b}[",
    "\u{1b}[1;",
    "\\n",
    "%3D",
    "a.",
    "_",
    "\u{e9}",
    "0123456789abcdef",
    "two words ",
];

pub(crate) fn all() -> Vec<Case> {
    let pieces = PIECES.iter().map(|piece| {
        Case::new(format!("secrets: {piece:?}"), |n| {
            // The text is longer than the examined part of a value or a key.
            let text = piece.repeat(20 * n);
            move || drop(masked(&text))
        })
    });
    pieces.collect()
}

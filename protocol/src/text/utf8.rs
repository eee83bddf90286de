//! Checks that bytes are UTF-8.

use std::str::Utf8Error;

/// The bytes as text. For a whole line; the standard library's check, of which
/// the error comes, is as fast for a few bytes.
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, Utf8Error> {
    simdutf8::basic::from_utf8(bytes).or_else(|_| str::from_utf8(bytes))
}

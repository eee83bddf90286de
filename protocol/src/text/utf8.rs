//! Validates UTF-8.

use std::str::Utf8Error;

/// Converts bytes to text. Meant for whole lines. For a few bytes, the check of
/// the standard library, which also provides the error, is as fast.
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str, Utf8Error> {
    simdutf8::basic::from_utf8(bytes).or_else(|_| str::from_utf8(bytes))
}

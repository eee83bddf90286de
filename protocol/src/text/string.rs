//! Unescapes JSON strings.

use memchr::memchr;

/// The character of each escape, by the byte after the backslash. 0 if there is
/// no such escape.
pub(crate) const SIMPLE: [u8; 256] = {
    let mut all = [0; 256];
    all[b'"' as usize] = b'"';
    all[b'\\' as usize] = b'\\';
    all[b'/' as usize] = b'/';
    all[b'b' as usize] = 8;
    all[b'f' as usize] = 12;
    all[b'n' as usize] = b'\n';
    all[b'r' as usize] = b'\r';
    all[b't' as usize] = b'\t';
    all
};

/// Unescapes the contents of a string that a [`Cursor`](super::Cursor) has
/// validated. Unpaired surrogates become U+FFFD.
pub(crate) fn unescaped(mut text: &str) -> String {
    let mut said = String::with_capacity(text.len());
    while let Some(at) = memchr(b'\\', text.as_bytes()) {
        said.push_str(&text[..at]);
        let (character, behind) = escaped(&text[at..]);
        said.push(character);
        text = &text[at + behind..];
    }
    said.push_str(text);
    said
}

/// Decodes the escape sequence at the start. Returns the character and the
/// length of the sequence.
pub(crate) fn escaped(text: &str) -> (char, usize) {
    let simple = match text.as_bytes().get(1) {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => {
            return match (unit(text), text.get(6..).and_then(unit)) {
                (Some(high @ 0xd800..=0xdbff), Some(low @ 0xdc00..=0xdfff)) => {
                    let code = 0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                    (character(code), 12)
                }
                (Some(code), _) => (character(code), 6),
                (None, _) => (char::REPLACEMENT_CHARACTER, 2),
            };
        }
        // These are `\"`, `\/` and `\\`.
        Some(byte) => char::from(*byte),
        None => return (char::REPLACEMENT_CHARACTER, 1),
    };
    (simple, 2)
}

fn character(code: u32) -> char {
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Returns the code unit of `\uXXXX`.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

//! Escapes text of an agent for display on a terminal.
//!
//! Text of a model, a tool or a recording may contain control sequences (which move the cursor,
//! change colours, rename the window), characters that reverse the direction of text, and
//! invisible characters. They could make one question look like another. These functions
//! replace such characters by visible escapes: `\u{1b}`.

use std::borrow::Cow;

/// Escapes a text for display on one line. Every hidden character is replaced
/// by its Rust escape, including line ends.
///
/// ```
/// assert_eq!(agentwire_protocol::visible::line("rm x\r\u{1b}[2Kls"), r"rm x\r\u{1b}[2Kls");
/// ```
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, &[])
}

/// Escapes a text for display on several lines: like [`line`](fn@line), but line ends and tabs
/// are unchanged.
///
/// ```
/// assert_eq!(agentwire_protocol::visible::lines("a\n\tb\u{202e}c"), "a\n\tb\\u{202e}c");
/// ```
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, &['\n', '\t'])
}

/// Shortens a text to at most `most` characters: its beginning, the number of omitted
/// characters, and its end.
///
/// ```
/// assert_eq!(agentwire_protocol::visible::shortened("abcdefghijkl", 8), "abcdef… (4 characters left out) …kl");
/// ```
#[must_use]
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= most {
        return Cow::Borrowed(text);
    }
    // The end is as informative as the middle.
    let tail = most / 4;
    let at = |number: usize| {
        text.char_indices()
            .nth(number)
            .map_or(text.len(), |(at, _)| at)
    };
    let (head, tail) = (&text[..at(most - tail)], &text[at(count - tail)..]);
    format!("{head}… ({} characters left out) …{tail}", count - most).into()
}

/// Returns whether a character is not displayed as it is: a control character,
/// a character that changes the direction of text or has no width, or a tag
/// character.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

/// Returns whether a byte is printable ASCII.
const fn is_plain(byte: u8) -> bool {
    matches!(byte, b' '..=b'~')
}

/// The bytes that are a control character or the first byte of a hidden character. Characters
/// that are displayed as they are may begin with the same byte.
static SUSPECT: [bool; 256] = {
    let mut suspect = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        suspect[byte] = matches!(
            byte,
            0..0x20 | 0x7f | 0xc2 | 0xcd | 0xd8 | 0xe1..=0xe3 | 0xef | 0xf0 | 0xf3
        );
        byte += 1;
    }
    suspect
};

/// The bytes that are looked at together.
const CHUNK: usize = 32;

/// Returns whether a text has a character that is changed. Most texts have printable ASCII,
/// line ends and tabs only, which are found without decoding. `ends` is whether line ends and
/// tabs are unchanged.
fn has_changed(text: &str, ends: bool, is_changed: impl Fn(char) -> bool) -> bool {
    let is_end = |byte: u8| (byte == b'\n') | (byte == b'\t');
    let is_plain = |byte: &u8| is_plain(*byte) | (ends & is_end(*byte));
    let mut from = 0;
    while from < text.len() {
        let chunk = &text.as_bytes()[from..text.len().min(from + CHUNK)];
        if chunk.iter().fold(true, |all, byte| all & is_plain(byte)) {
            from += chunk.len();
            continue;
        }
        let suspects = chunk.iter().enumerate();
        for (at, _) in suspects.filter(|(_, byte)| SUSPECT[usize::from(**byte)]) {
            let rest = text.get(from + at..).unwrap_or_default();
            if rest.chars().next().is_some_and(&is_changed) {
                return true;
            }
        }
        from += chunk.len();
    }
    false
}

fn escaped<'a>(text: &'a str, except: &[char]) -> Cow<'a, str> {
    let is_changed = |c: char| is_hidden(c) && !except.contains(&c);
    if !has_changed(text, !except.is_empty(), is_changed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            // A single line end.
            '\r' if except.contains(&'\n') && characters.peek() == Some(&'\n') => {}
            '\n' | '\r' | '\t' if is_changed(c) => shown.extend(c.escape_default()),
            c if is_changed(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_sequences_and_invisible_characters_are_escaped() {
        for (text, shown) in [
            ("plain, é, 漢, 🦀", "plain, é, 漢, 🦀"),
            ("\u{1b}]0;title\u{7}", r"\u{1b}]0;title\u{7}"),
            ("\u{9b}31m", r"\u{9b}31m"),
            ("a\u{8}b\u{7f}", r"a\u{8}b\u{7f}"),
            ("\u{202e}txt\u{2066}\u{61c}", r"\u{202e}txt\u{2066}\u{61c}"),
            (
                "a\u{200b}b\u{feff}c\u{200d}",
                r"a\u{200b}b\u{feff}c\u{200d}",
            ),
            ("x\u{e0041}\u{e0100}", r"x\u{e0041}\u{e0100}"),
            ("a\nb\r\nc\td", r"a\nb\r\nc\td"),
        ] {
            assert_eq!(line(text), shown);
            assert!(!line(text).contains(is_hidden));
        }
        assert_eq!(lines("a\r\nb\rc\td"), "a\nb\\rc\td");
    }

    #[test]
    fn every_hidden_character_is_found() {
        let before = "0123456789 é漢 0123456789 0123456789";
        let mut text = before.to_owned();
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            text.truncate(before.len());
            text.push(c);
            let is_found = has_changed(&text, false, is_hidden);
            assert_eq!(is_found, is_hidden(c), "{c:?}");
        }
    }

    #[test]
    fn long_texts_are_shortened_in_the_middle() {
        let text = format!("{}; rm -r x", "é".repeat(5000));
        let short = shortened(&text, 400);
        assert!(short.starts_with("éé") && short.ends_with("; rm -r x"));
        assert!(short.contains("(4609 characters left out)"), "{short}");
        assert_eq!(shortened("éé", 2), "éé");
    }
}

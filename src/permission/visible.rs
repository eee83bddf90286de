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
/// assert_eq!(agentwire::permission::visible::line("rm x\r\u{1b}[2Kls"), r"rm x\r\u{1b}[2Kls");
/// ```
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, &[])
}

/// Escapes a text for display on several lines: like [`line`](fn@line), but line ends and tabs
/// are unchanged.
///
/// ```
/// assert_eq!(agentwire::permission::visible::lines("a\n\tb\u{202e}c"), "a\n\tb\\u{202e}c");
/// ```
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, &['\n', '\t'])
}

/// Shortens a text to at most `most` characters: its beginning, the number of omitted
/// characters, and its end.
///
/// ```
/// assert_eq!(agentwire::permission::visible::shortened("abcdefghijkl", 8), "abcdef… (4 characters left out) …kl");
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

fn escaped<'a>(text: &'a str, except: &[char]) -> Cow<'a, str> {
    let is_changed = |c: char| is_hidden(c) && !except.contains(&c);
    if !text.contains(is_changed) {
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
    fn long_texts_are_shortened_in_the_middle() {
        let text = format!("{}; rm -r x", "é".repeat(5000));
        let short = shortened(&text, 400);
        assert!(short.starts_with("éé") && short.ends_with("; rm -r x"));
        assert!(short.contains("(4609 characters left out)"), "{short}");
        assert_eq!(shortened("éé", 2), "éé");
    }
}

//! What an agent says, for a terminal.
//!
//! A model, a tool or a recording may say what a terminal obeys (it moves the
//! cursor, changes colours, renames the window), what turns text around, or what
//! cannot be seen. A question could so look like another one. Here such
//! characters become what can be seen: `\u{1b}`.

use std::borrow::Cow;

/// A text in one line: what is not seen as it is becomes its escape in Rust,
/// line ends too.
///
/// ```
/// assert_eq!(agentwire::visible::line("rm x\r\u{1b}[2Kls"), r"rm x\r\u{1b}[2Kls");
/// ```
#[must_use]
pub fn line(text: &str) -> Cow<'_, str> {
    escaped(text, &[])
}

/// A text of several lines: as [`line`](fn@line), but line ends and tabs stay.
///
/// ```
/// assert_eq!(agentwire::visible::lines("a\n\tb\u{202e}c"), "a\n\tb\\u{202e}c");
/// ```
#[must_use]
pub fn lines(text: &str) -> Cow<'_, str> {
    escaped(text, &['\n', '\t'])
}

/// A text of which this many characters are shown at most: its beginning, how
/// much is left out, and its end.
///
/// ```
/// assert_eq!(agentwire::visible::shortened("abcdefghijkl", 8), "abcdef… (4 characters left out) …kl");
/// ```
#[must_use]
pub fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    let count = text.chars().count();
    if count <= most {
        return Cow::Borrowed(text);
    }
    // The end tells as much as the middle would.
    let tail = most / 4;
    let at = |number: usize| {
        text.char_indices()
            .nth(number)
            .map_or(text.len(), |(at, _)| at)
    };
    let (head, tail) = (&text[..at(most - tail)], &text[at(count - tail)..]);
    format!("{head}… ({} characters left out) …{tail}", count - most).into()
}

/// Whether a character is not seen as it is: a control character, or one that
/// turns text around, has no width, or belongs to a tag.
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

fn escaped<'a>(text: &'a str, kept: &[char]) -> Cow<'a, str> {
    let is_changed = |c: char| is_hidden(c) && !kept.contains(&c);
    if !text.contains(is_changed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            // One end of a line.
            '\r' if kept.contains(&'\n') && characters.peek() == Some(&'\n') => {}
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
    fn what_a_terminal_obeys_and_what_cannot_be_seen_is_shown() {
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
    fn a_long_text_is_cut_and_its_end_is_seen() {
        let text = format!("{}; rm -r x", "é".repeat(5000));
        let short = shortened(&text, 400);
        assert!(short.starts_with("éé") && short.ends_with("; rm -r x"));
        assert!(short.contains("(4609 characters left out)"), "{short}");
        assert_eq!(shortened("éé", 2), "éé");
    }
}

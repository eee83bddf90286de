//! Escapes and shortens texts of models and tools for display.

use crate::entry::{LongText, Omitted};
use agentwire_protocol::visible;
use std::borrow::Cow;

/// Escapes hidden characters in a text of several lines. A text that needs no change is not
/// copied.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    visible::lines(text)
}

/// Escapes hidden characters in a title, and shortens it.
pub(crate) fn title(text: &str) -> String {
    const LONGEST: usize = 200;
    let mut words = String::new();
    for word in text.split_whitespace() {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
        // A character has at most four bytes.
        if words.len() > LONGEST * 4 {
            break;
        }
    }
    let words = visible::line(&words);
    match words.char_indices().nth(LONGEST) {
        None => words.into_owned(),
        Some((at, _)) => format!("{}…", words[..at].trim_end()),
    }
}

/// Escapes hidden characters in the output of a command. Removes control sequences of
/// terminals, which set colours, and turns each kind of line end into `\n`.
pub(crate) fn output(text: &str) -> Cow<'_, str> {
    if !text.contains(['\u{1b}', '\r', '\u{9b}']) {
        return lines(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\r' => {
                rest.next_if_eq(&'\n');
                plain.push('\n');
            }
            '\u{1b}' if rest.next_if_eq(&'[').is_some() => end_of_sequence(&mut rest),
            '\u{9b}' => end_of_sequence(&mut rest),
            // A title or a link: up to BEL or ESC \.
            '\u{1b}' if rest.next_if_eq(&']').is_some() => {
                while let Some(c) = rest.next_if(|c| *c != '\n') {
                    if c == '\u{7}' || c == '\u{1b}' && rest.next_if_eq(&'\\').is_some() {
                        break;
                    }
                }
            }
            c => plain.push(c),
        }
    }
    match lines(&plain) {
        Cow::Borrowed(_) => plain.into(),
        Cow::Owned(text) => text.into(),
    }
}

/// Skips the parameters and the last character of a control sequence.
fn end_of_sequence(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while rest.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    rest.next_if(|c| matches!(c, '@'..='~'));
}

/// Cuts a text in the middle, to at most `most` bytes. Cuts at the ends of lines if possible.
pub(crate) fn cut(text: Cow<'_, str>, most: usize) -> LongText {
    if text.len() <= most {
        return LongText {
            text: text.into_owned(),
            omitted: None,
        };
    }
    let mut head = boundary(&text, most / 4 * 3, false);
    let mut tail = boundary(&text, text.len() - most / 4, true);
    if let Some(end) = text[..head].rfind('\n').filter(|end| *end > head / 2) {
        head = end + 1;
    }
    let half = tail + (text.len() - tail) / 2;
    if let Some(end) = text[tail..].find('\n').filter(|end| tail + end < half) {
        tail += end + 1;
    }
    let mut left = String::with_capacity(head + text.len() - tail);
    left.push_str(&text[..head]);
    left.push_str(&text[tail..]);
    LongText {
        text: left,
        omitted: Some(Omitted {
            at: head as u64,
            bytes: (tail - head) as u64,
        }),
    }
}

/// Appends to a text that may be cut.
#[cfg(feature = "acp")]
pub(crate) fn append(before: LongText, more: &str, most: usize) -> LongText {
    let mut text = before.text + more;
    let Some(mut omitted) = before.omitted else {
        return cut(text.into(), most);
    };
    if text.len() > most {
        let at = omitted.at as usize;
        let tail = boundary(&text, at.max(text.len() - most / 4), true);
        omitted.bytes += (tail - at) as u64;
        text.drain(at..tail);
    }
    LongText {
        text,
        omitted: Some(omitted),
    }
}

/// Returns the nearest start of a character, before or after a position.
fn boundary(text: &str, mut at: usize, after: bool) -> usize {
    while !text.is_char_boundary(at) {
        at = if after { at + 1 } else { at - 1 };
    }
    at
}

impl LongText {
    /// Returns the beginning and the end of the text. The end is empty unless a part was
    /// omitted between them.
    #[must_use]
    pub fn parts(&self) -> (&str, &str) {
        let at = self.omitted.map_or(self.text.len(), |it| it.at as usize);
        self.text.split_at_checked(at).unwrap_or((&self.text, ""))
    }

    /// Returns whether the text is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_sequences_of_a_command_are_removed() {
        for (raw, shown) in [
            ("\u{1b}[1;31merror\u{1b}[0m: x\r\ny\rz", "error: x\ny\nz"),
            ("\u{1b}]8;;http://a\u{1b}\\link\u{1b}]8;;\u{7}", "link"),
            ("\u{9b}2Kdone\u{8}", "done\\u{8}"),
            ("\u{1b}", "\\u{1b}"),
            ("\u{1b}[", ""),
            ("plain", "plain"),
        ] {
            assert_eq!(output(raw), shown);
        }
    }

    #[test]
    fn a_long_text_is_cut_in_the_middle_at_line_ends() {
        let text: String = (0..100)
            .map(|number| format!("line {number:03}\n"))
            .collect();
        let LongText {
            text: left,
            omitted,
        } = cut(text.as_str().into(), 200);
        let omitted = omitted.expect("cut");
        let (head, tail) = left.split_at(omitted.at as usize);
        assert!(head.starts_with("line 000\n") && head.ends_with('\n'));
        assert!(tail.starts_with("line 0") && tail.ends_with("line 099\n"));
        assert_eq!(head.len() + tail.len() + omitted.bytes as usize, text.len());
        // Within characters of several bytes.
        let text = "é".repeat(100);
        let LongText {
            text: left,
            omitted,
        } = cut(text.as_str().into(), 41);
        assert_eq!(left.len() + omitted.expect("cut").bytes as usize, 200);
        assert!(left.chars().all(|c| c == 'é'));
    }
}

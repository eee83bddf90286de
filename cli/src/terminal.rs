//! Escapes texts of agents, models and files for output to a terminal.

use agentwire::permission::visible::{is_hidden, lines};
use std::borrow::Cow;
use std::fmt::{Display, Write as _};
use std::io::{self, Write as _};

/// Prints an error to standard error. A failure to write is ignored.
pub(crate) fn complain(what: impl Display) {
    let what = format!("agentwire: {what}\n");
    drop(io::stderr().write_all(lines(&what).as_bytes()));
}

/// Escapes control characters and invisible characters in a line of JSON, which does not
/// change its value.
pub(crate) fn json(line: &[u8]) -> Cow<'_, [u8]> {
    let text = String::from_utf8_lossy(line);
    // Outside of strings, JSON contains none of these characters except whitespace.
    let is_escaped = |c: char| is_hidden(c) && !matches!(c, '\t' | '\r' | '\n');
    if !text.contains(is_escaped) {
        return Cow::Borrowed(line);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_escaped(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a `String` does not fail.
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(c);
        }
    }
    shown.into_bytes().into()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn escaped_json_has_the_same_value_and_no_hidden_characters() {
        let line = "{\"a\":\"\u{9b}1A\u{202e}x\u{e0041}\u{7f}\"}";
        let shown = json(line.as_bytes());
        let text = std::str::from_utf8(&shown).unwrap();
        assert!(!text.contains(is_hidden), "{text}");
        let value = |json: &[u8]| serde_json::from_slice::<serde_json::Value>(json).unwrap();
        assert_eq!(value(&shown), value(line.as_bytes()));
    }
}

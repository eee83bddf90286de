//! Incomplete JSON text.

use crate::json::Json;

/// JSON text that arrives in pieces, and its value so far. For example, the
/// input of a tool that the model is streaming.
///
/// ```
/// use agentwire_protocol::conversation::PartialJson;
///
/// let mut input = PartialJson::default();
/// input.push(r#"{"file_path":"/a","content":"fn ma"#);
/// assert_eq!(input.value().unwrap().get(), r#"{"file_path":"/a","content":"fn ma"}"#);
/// input.push(r#"in","limit":1"#);
/// // The number may have more digits, so it is not part of the value yet.
/// assert_eq!(input.value().unwrap().get(), r#"{"file_path":"/a","content":"fn main"}"#);
/// ```
#[derive(Debug, Clone, Default)]
pub struct PartialJson {
    text: String,
    /// The number of bytes that were scanned.
    seen: usize,
    /// The closing brackets that the text still needs, outermost first.
    open: Vec<u8>,
    at: At,
    /// The position at which the text can be cut and closed. It is after the
    /// last complete value, or within a string.
    cut: usize,
    /// Whether `cut` is within a string.
    in_string: bool,
}

/// The parser state for the next byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum At {
    /// Before a value, or before any other token that is not a key.
    #[default]
    Value,
    /// Before a key.
    Key,
    /// In a number or in a word such as `true`.
    Scalar,
    /// In a string.
    String { key: bool, escape: Escape },
}

/// The state within an escape sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escape {
    None,
    /// After the first half of a surrogate pair.
    Half,
    /// After the backslash. Records whether the first half of a surrogate pair
    /// precedes it.
    Begun {
        half: bool,
    },
    /// In the digits of `\u`. Records their count and value.
    Digits {
        half: bool,
        count: u8,
        value: u16,
    },
}

impl PartialJson {
    /// Appends a piece of text.
    pub fn push(&mut self, piece: &str) {
        self.text.push_str(piece);
        while let Some(&byte) = self.text.as_bytes().get(self.seen) {
            self.seen += 1;
            self.at = self.step(byte);
        }
    }

    /// Returns the text so far.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the value so far. It contains strings as far as they have
    /// arrived, and other values once they are complete. Returns `None` before
    /// the first value, and if the text is invalid.
    #[must_use]
    pub fn value(&self) -> Option<Json> {
        let mut text = self.text.get(..self.cut)?.to_owned();
        if self.in_string {
            text.push('"');
        }
        // The text can be cut after every bracket, so the brackets that are
        // open now were open at the cut.
        text.extend(self.open.iter().rev().map(|&byte| char::from(byte)));
        serde_json::from_str(&text).ok()
    }

    /// Returns the value if the text is complete.
    #[must_use]
    pub fn whole(&self) -> Option<Json> {
        serde_json::from_str(&self.text).ok()
    }

    fn step(&mut self, byte: u8) -> At {
        match self.at {
            At::String { key, escape } => self.in_string(key, escape, byte),
            At::Scalar if !matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\n' | b'\r') => {
                At::Scalar
            }
            At::Scalar => {
                self.note_cut(self.seen - 1, false);
                self.between(false, byte)
            }
            At::Key => self.between(true, byte),
            At::Value => self.between(false, byte),
        }
    }

    /// Handles a byte outside of strings, numbers and words.
    fn between(&mut self, key: bool, byte: u8) -> At {
        match byte {
            b'{' | b'[' => {
                self.open.push(if byte == b'{' { b'}' } else { b']' });
                self.note_cut(self.seen, false);
                if byte == b'{' { At::Key } else { At::Value }
            }
            b'}' | b']' => {
                self.open.pop();
                self.note_cut(self.seen, false);
                At::Value
            }
            b'"' => {
                if !key {
                    self.note_cut(self.seen, true);
                }
                At::String {
                    key,
                    escape: Escape::None,
                }
            }
            b',' if self.open.last() == Some(&b'}') => At::Key,
            b',' | b':' => At::Value,
            b' ' | b'\t' | b'\n' | b'\r' if key => At::Key,
            b' ' | b'\t' | b'\n' | b'\r' => At::Value,
            _ => At::Scalar,
        }
    }

    fn in_string(&mut self, key: bool, escape: Escape, byte: u8) -> At {
        let escape = match (escape, byte) {
            (Escape::None | Escape::Half, b'"') => {
                if !key {
                    self.note_cut(self.seen, false);
                }
                return At::Value;
            }
            (Escape::None, b'\\') => Escape::Begun { half: false },
            (Escape::Half, b'\\') => Escape::Begun { half: true },
            (Escape::Begun { half }, b'u') => Escape::Digits {
                half,
                count: 0,
                value: 0,
            },
            (Escape::Digits { half, count, value }, _) => {
                let digit = char::from(byte).to_digit(16).unwrap_or_default();
                let value = value << 4 | u16::try_from(digit).unwrap_or_default();
                match count {
                    0..3 => Escape::Digits {
                        half,
                        count: count + 1,
                        value,
                    },
                    _ if !half && (0xD800..0xDC00).contains(&value) => Escape::Half,
                    _ => Escape::None,
                }
            }
            _ => Escape::None,
        };
        if !key && escape == Escape::None && self.text.is_char_boundary(self.seen) {
            self.note_cut(self.seen, true);
        }
        At::String { key, escape }
    }

    /// Records that the text can be cut at `cut`, after a complete value or in a string.
    fn note_cut(&mut self, cut: usize, in_string: bool) {
        self.cut = cut;
        self.in_string = in_string;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::PartialJson;

    fn so_far(text: &str) -> Option<String> {
        let mut partial = PartialJson::default();
        partial.push(text);
        partial.value().map(|value| value.get().to_owned())
    }

    #[test]
    fn the_value_has_everything_that_has_arrived() {
        for (text, value) in [
            ("", None),
            (" ", None),
            ("tru", None),
            ("{", Some("{}")),
            (r#"{"a"#, Some("{}")),
            (r#"{"a""#, Some("{}")),
            (r#"{"a":"#, Some("{}")),
            (r#"{"a":""#, Some(r#"{"a":""}"#)),
            (r#"{"a":"b"#, Some(r#"{"a":"b"}"#)),
            (r#"{"a":"b","#, Some(r#"{"a":"b"}"#)),
            (r#"{"a":"b","c":tr"#, Some(r#"{"a":"b"}"#)),
            (r#"{"a":1"#, Some("{}")),
            (r#"{"a":1,"#, Some(r#"{"a":1}"#)),
            (r#"{"a":1 "#, Some(r#"{"a":1}"#)),
            (
                r#"{"a":[1,{"b":[true,"c"#,
                Some(r#"{"a":[1,{"b":[true,"c"]}]}"#),
            ),
            (r#"{"a":[1,2"#, Some(r#"{"a":[1]}"#)),
            (r#"{"a":[[]"#, Some(r#"{"a":[[]]}"#)),
            (r#"{"a":{"b":{}}}"#, Some(r#"{"a":{"b":{}}}"#)),
            (r#"{"a":"x\"#, Some(r#"{"a":"x"}"#)),
            (r#"{"a":"x\n"#, Some(r#"{"a":"x\n"}"#)),
            (r#"{"a":"x\u00"#, Some(r#"{"a":"x"}"#)),
            (r#"{"a":"x\u00e9"#, Some(r#"{"a":"x\u00e9"}"#)),
            (r#"{"a":"x\ud83d"#, Some(r#"{"a":"x"}"#)),
            (r#"{"a":"x\ud83d\ude0"#, Some(r#"{"a":"x"}"#)),
            (r#"{"a":"x\ud83d\ude00"#, Some(r#"{"a":"x\ud83d\ude00"}"#)),
            (r#"{"a":"}]{[,\""#, Some(r#"{"a":"}]{[,\""}"#)),
            (r#"{"}":"#, Some("{}")),
            (r#""text"#, Some(r#""text""#)),
            ("]", None),
            ("}{", None),
        ] {
            assert_eq!(so_far(text).as_deref(), value, "{text}");
        }
    }
}

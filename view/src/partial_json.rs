//! Incomplete JSON text.

use agentwire_protocol::Json;

/// JSON text that arrives in pieces, and its value so far. For example, the
/// input of a tool that the model is streaming.
#[derive(Debug, Clone, Default)]
pub(crate) struct PartialJson {
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
    pub(crate) fn push(&mut self, piece: &str) {
        self.text.push_str(piece);
        while let Some(&byte) = self.text.as_bytes().get(self.seen) {
            self.seen += 1;
            self.at = self.step(byte);
        }
    }

    /// Returns the text so far.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the value so far. It contains strings as far as they have
    /// arrived, and other values once they are complete. Returns `None` before
    /// the first value, and if the text is invalid.
    pub(crate) fn value(&self) -> Option<Json> {
        let mut text = self.text.get(..self.cut)?.to_owned();
        if self.in_string {
            text.push('"');
        }
        // The text can be cut after every bracket, so the brackets that are
        // open now were open at the cut.
        text.extend(self.open.iter().rev().map(|&byte| char::from(byte)));
        serde_json::from_str(&text).ok()
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
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn the_value_has_everything_that_has_arrived() {
        for (text, value) in [
            (" ", None),
            ("tru", None),
            (r#"{"a"#, Some("{}")),
            (r#"{"a":"#, Some("{}")),
            (r#"{"a":""#, Some(r#"{"a":""}"#)),
            (r#"{"a":"b","c":tr"#, Some(r#"{"a":"b"}"#)),
            (r#"{"a":1"#, Some("{}")),
            (r#"{"a":1 "#, Some(r#"{"a":1}"#)),
            (
                r#"{"a":[1,{"b":[true,"c"#,
                Some(r#"{"a":[1,{"b":[true,"c"]}]}"#),
            ),
            (r#"{"a":"x\n"#, Some(r#"{"a":"x\n"}"#)),
            (r#"{"a":"x\u00"#, Some(r#"{"a":"x"}"#)),
            (r#"{"a":"x\u00e9"#, Some(r#"{"a":"x\u00e9"}"#)),
            (r#"{"a":"x\ud83d\ude0"#, Some(r#"{"a":"x"}"#)),
            (r#"{"a":"x\ud83d\ude00"#, Some(r#"{"a":"x\ud83d\ude00"}"#)),
            (r#"{"a":"}]{[,\""#, Some(r#"{"a":"}]{[,\""}"#)),
            ("]", None),
            ("}{", None),
        ] {
            let mut partial = PartialJson::default();
            partial.push(text);
            let read = partial.value().map(|value| value.get().to_owned());
            assert_eq!(read.as_deref(), value, "{text}");
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            ".{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((".{0,3}", inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// Returns whether one value is a prefix of the other.
    fn begins(part: &Value, whole: &Value) -> bool {
        match (part, whole) {
            (Value::String(part), Value::String(whole)) => whole.starts_with(part.as_str()),
            (Value::Array(part), Value::Array(whole)) => {
                part.len() <= whole.len()
                    && part
                        .iter()
                        .zip(whole)
                        .all(|(part, whole)| begins(part, whole))
            }
            (Value::Object(part), Value::Object(whole)) => part
                .iter()
                .all(|(key, part)| whole.get(key).is_some_and(|whole| begins(part, whole))),
            _ => part == whole,
        }
    }

    proptest! {
        #[test]
        fn every_beginning_of_a_json_text_is_read_as_a_beginning_of_its_value(value in any_json()) {
            // A number is complete once something follows it.
            let value = Value::Array(vec![value]);
            let mut partial = PartialJson::default();
            let mut last = None;
            for piece in value.to_string().chars() {
                partial.push(piece.encode_utf8(&mut [0; 4]));
                last = partial.value().map(|it| it.to_value().unwrap());
                if let Some(so_far) = &last {
                    prop_assert!(begins(so_far, &value), "{} of {value}", partial.text());
                }
            }
            prop_assert_eq!(last, Some(value));
        }
    }
}

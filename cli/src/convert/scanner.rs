//! Finds the end of a JSON value in text that arrives in pieces.

/// Reads text until a value ends or is invalid. Checks only the structure of the text, not its
/// words, numbers and escapes.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    /// Whether each open container is an object, from the outermost to the innermost.
    open: Vec<bool>,
    expects: Expects,
    token: Token,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Expects {
    #[default]
    Value,
    /// An item, or the end of the list.
    Item,
    /// A member, or the end of the object.
    Member,
    Name,
    Colon,
    /// A comma, or the end of the container.
    Comma,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Token {
    #[default]
    None,
    Text,
    /// The character after a backslash in a string.
    Escape,
    Word,
}

/// The result of a piece of text.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The value continues.
    More,
    /// The value ends before this byte of the piece.
    End(usize),
    /// The byte at this index is invalid.
    Invalid(usize),
}

impl Scanner {
    /// Returns whether the value is a word or a number, which ends at the end of the text.
    pub(super) fn is_word(&self) -> bool {
        self.open.is_empty() && self.token == Token::Word
    }

    /// Returns whether no part of a value was read.
    pub(super) fn is_idle(&self) -> bool {
        self.open.is_empty() && self.token == Token::None
    }

    /// Reads the next piece of text.
    pub(super) fn take(&mut self, text: &[u8]) -> Step {
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            match self.token {
                Token::Text => {
                    let rest = text.get(at..).unwrap_or_default();
                    let plain = rest
                        .iter()
                        .position(|byte| matches!(byte, b'"' | b'\\' | ..0x20));
                    let Some(plain) = plain else {
                        return Step::More;
                    };
                    at += plain;
                    match rest.get(plain) {
                        Some(b'\\') => self.token = Token::Escape,
                        Some(b'"') => {
                            self.token = Token::None;
                            if matches!(self.expects, Expects::Name | Expects::Member) {
                                self.expects = Expects::Colon;
                            } else if self.is_done() {
                                return Step::End(at + 1);
                            }
                        }
                        _ => return Step::Invalid(at),
                    }
                }
                Token::Escape if byte < 0x20 => return Step::Invalid(at),
                Token::Escape => self.token = Token::Text,
                Token::Word if is_word(byte) => {}
                Token::Word => {
                    self.token = Token::None;
                    if self.is_done() {
                        return Step::End(at);
                    }
                    // Read the byte again, as part of the next token.
                    continue;
                }
                Token::None if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') => {}
                Token::None => match self.read_punctuation(byte) {
                    Some(true) => return Step::End(at + 1),
                    Some(false) => {}
                    None => return Step::Invalid(at),
                },
            }
            at += 1;
        }
        Step::More
    }

    /// Reads a byte between tokens. Returns whether the value ends there, or `None` if the
    /// byte is invalid.
    fn read_punctuation(&mut self, byte: u8) -> Option<bool> {
        let is_object = self.open.last().copied();
        let takes_value = matches!(self.expects, Expects::Value | Expects::Item);
        match byte {
            b'{' | b'[' if takes_value => {
                self.open.push(byte == b'{');
                self.expects = match byte {
                    b'{' => Expects::Member,
                    _ => Expects::Item,
                };
            }
            b'"' if takes_value || matches!(self.expects, Expects::Member | Expects::Name) => {
                self.token = Token::Text;
            }
            _ if is_word(byte) && takes_value => self.token = Token::Word,
            b':' if self.expects == Expects::Colon => self.expects = Expects::Value,
            b',' if self.expects == Expects::Comma => {
                self.expects = match is_object {
                    Some(true) => Expects::Name,
                    _ => Expects::Value,
                };
            }
            b'}' if is_object == Some(true)
                && matches!(self.expects, Expects::Member | Expects::Comma) =>
            {
                self.open.pop();
                return Some(self.is_done());
            }
            b']' if is_object == Some(false)
                && matches!(self.expects, Expects::Item | Expects::Comma) =>
            {
                self.open.pop();
                return Some(self.is_done());
            }
            _ => return None,
        }
        Some(false)
    }

    /// Closes a value. Returns whether it is the outermost one.
    fn is_done(&mut self) -> bool {
        self.expects = Expects::Comma;
        self.open.is_empty()
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

#[cfg(test)]
mod tests {
    use super::{Scanner, Step};

    #[test]
    fn the_end_of_a_value_is_found_in_any_pieces() {
        for (text, end) in [
            (r#"{"a":[1,{"b":"}]\""}],"c":{}} x"#, 29),
            ("[] []", 2),
            (r#""a""b""#, 3),
            ("12 13", 2),
            ("true,", 4),
            ("  [\n\n1\n]\n", 8),
        ] {
            assert_eq!(Scanner::default().take(text.as_bytes()), Step::End(end));
            let mut scanner = Scanner::default();
            let steps = text.bytes().map(|byte| scanner.take(&[byte]));
            let before = steps.take_while(|step| *step == Step::More).count();
            assert!(before == end - 1 || before == end, "{text}: {before}");
        }
    }

    #[test]
    fn invalid_bytes_are_found_at_once() {
        for (text, at) in [
            ("{\"type\":\"user\",\n{", 16),
            ("[1,2\n{", 5),
            ("{\"a\":1 \"b\"", 7),
            ("\"cut\n", 4),
            ("}", 0),
            ("[1}", 2),
            ("[,", 1),
            ("{\"a\"}", 4),
            ("{1", 1),
        ] {
            assert_eq!(
                Scanner::default().take(text.as_bytes()),
                Step::Invalid(at),
                "{text}"
            );
        }
    }
}

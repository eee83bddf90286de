//! Steps through JSON text token by token.
//!
//! The cursor accepts any bytes. It returns tokens, or an error with an offset.
//! It skips nested values without recursion, and neither decodes nor copies.

use super::string::SIMPLE;

/// A position in JSON text.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// The contents of a string, which are the bytes between its quotes.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    pub start: usize,
    pub end: usize,
    /// Whether the contents have escapes.
    pub escaped: bool,
}

/// The error for text that is not valid JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{expected} expected at byte {at}")]
pub struct Invalid {
    at: usize,
    expected: &'static str,
}

type Result<T> = std::result::Result<T, Invalid>;

/// The enclosing objects and arrays as one bit each, innermost last. Only
/// nesting deeper than 64 levels allocates.
#[derive(Default)]
struct Enclosing {
    word: u64,
    depth: usize,
    full: Vec<u64>,
}

impl Enclosing {
    fn push(&mut self, is_object: bool) {
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.full.push(self.word);
        }
        self.word = self.word << 1 | u64::from(is_object);
        self.depth += 1;
    }

    fn pop(&mut self) {
        self.depth -= 1;
        self.word >>= 1;
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.word = self.full.pop().unwrap_or_default();
        }
    }

    /// Returns whether the innermost container is an object. Returns `None` at
    /// the top level.
    fn innermost(&self) -> Option<bool> {
        (self.depth > 0).then_some(self.word & 1 == 1)
    }
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Returns the offset in the text.
    #[inline]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns to an earlier offset.
    #[inline]
    pub fn go_to(&mut self, at: usize) {
        self.at = at;
    }

    /// Skips white space and returns the next byte.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        match self.bytes.get(self.at) {
            Some(..=b' ') => self.peek_behind_space(),
            byte => byte.copied(),
        }
    }

    #[cold]
    fn peek_behind_space(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.bytes.get(self.at) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    /// Skips white space and consumes `byte`, if it comes next.
    #[inline]
    pub fn take(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    #[inline]
    pub fn expect(&mut self, byte: u8, expected: &'static str) -> Result<()> {
        if self.take(byte) {
            Ok(())
        } else {
            Err(self.invalid(expected))
        }
    }

    /// Returns the error for the current offset.
    #[cold]
    pub fn invalid(&self, expected: &'static str) -> Invalid {
        Invalid {
            at: self.at,
            expected,
        }
    }

    /// Checks that only white space remains.
    pub fn end(&mut self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.invalid("the end")),
        }
    }

    /// Advances to the value of an object's next member and returns its name.
    /// At the end of the object, consumes the closing brace and returns `None`.
    /// `is_first` means that the cursor is directly after the opening brace.
    #[inline(always)]
    pub fn next_key(&mut self, is_first: bool) -> Result<Option<Span>> {
        if self.bytes.get(self.at) == Some(&b'}') {
            self.at += 1;
            return Ok(None);
        }
        // The usual form: no white space, no escapes.
        let quote = self.at + usize::from(!is_first);
        if (is_first || self.bytes.get(self.at) == Some(&b','))
            && self.bytes.get(quote) == Some(&b'"')
        {
            let start = quote + 1;
            let end = special(self.bytes, start);
            if self.bytes.get(end..end + 2) == Some(b"\":") {
                self.at = end + 2;
                return Ok(Some(Span {
                    start,
                    end,
                    escaped: false,
                }));
            }
        }
        self.next_key_of_any_kind(is_first)
    }

    /// Advances like [`Self::next_key`], but only if the name is one of `names`
    /// and has the usual form. Returns the index of the name. Compares from
    /// index `from` on, without a search for the end of the name.
    #[inline(always)]
    pub fn next_known_key(&mut self, is_first: bool, names: &[&str], from: usize) -> Option<usize> {
        let mut rest = self.bytes.get(self.at..)?;
        if !is_first {
            rest = rest.strip_prefix(b",")?;
        }
        rest = rest.strip_prefix(b"\"")?;
        let is_next = |name: &&str| {
            rest.get(name.len()) == Some(&b'"')
                && rest.get(name.len() + 1) == Some(&b':')
                && rest.starts_with(name.as_bytes())
        };
        let (before, behind) = names.split_at_checked(from)?;
        let number = match behind.iter().position(is_next) {
            Some(number) => from + number,
            None => before.iter().position(is_next)?,
        };
        self.at = self.bytes.len() - rest.len() + names[number].len() + 2;
        Some(number)
    }

    #[cold]
    fn next_key_of_any_kind(&mut self, is_first: bool) -> Result<Option<Span>> {
        match self.peek() {
            Some(b'}') => {
                self.at += 1;
                return Ok(None);
            }
            Some(b',') if !is_first => {
                self.at += 1;
                self.peek();
            }
            _ if is_first => {}
            _ => return Err(self.invalid("`,` or `}`")),
        }
        let key = self.string("a member's name")?;
        self.expect(b':', "`:`")?;
        Ok(Some(key))
    }

    /// Advances to an array's next item. At the end of the array, consumes the
    /// closing bracket and returns `false`. `is_first` means that the cursor is
    /// directly after the opening bracket.
    #[inline]
    pub fn next_item(&mut self, is_first: bool) -> Result<bool> {
        match self.peek() {
            Some(b',') if !is_first => self.at += 1,
            Some(b']') => {
                self.at += 1;
                return Ok(false);
            }
            _ if is_first => {}
            _ => return Err(self.invalid("`,` or `]`")),
        }
        Ok(true)
    }

    /// Consumes a string.
    #[inline(always)]
    pub fn string(&mut self, expected: &'static str) -> Result<Span> {
        if self.peek() != Some(b'"') {
            return Err(self.invalid(expected));
        }
        let start = self.at + 1;
        let end = special(self.bytes, start);
        if self.bytes.get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(Span {
                start,
                end,
                escaped: false,
            });
        }
        self.string_with_escapes(start, end)
    }

    /// Scans the string whose opening quote is at the cursor. Returns the span
    /// from the start of the contents to the first escape, control character or
    /// closing quote, and whether the scan ended at the closing quote. Consumes
    /// the string only in that case.
    #[inline(always)]
    pub fn string_start(&mut self) -> (Span, bool) {
        let start = self.at + 1;
        let end = special(self.bytes, start);
        let is_whole = self.bytes.get(end) == Some(&b'"');
        if is_whole {
            self.at = end + 1;
        }
        let span = Span {
            start,
            end,
            escaped: false,
        };
        (span, is_whole)
    }

    /// Returns the offset, from `at` on, of the next quote, backslash or control
    /// character.
    #[inline(always)]
    pub fn special(&self, at: usize) -> usize {
        special(self.bytes, at)
    }

    /// Consumes the rest of a string that begins at `start`, from the first escape on.
    pub fn string_with_escapes(&mut self, start: usize, escape: usize) -> Result<Span> {
        let bytes = self.bytes;
        let mut at = escape;
        loop {
            let expected = match (bytes.get(at), bytes.get(at + 1)) {
                (Some(b'\\'), Some(name)) if SIMPLE[usize::from(*name)] != 0 => {
                    at = special(bytes, at + 2);
                    continue;
                }
                (Some(b'\\'), Some(b'u')) => {
                    let digits = bytes.get(at + 2..at + 6);
                    if digits.is_some_and(|it| it.iter().all(u8::is_ascii_hexdigit)) {
                        at = special(bytes, at + 6);
                        continue;
                    }
                    "an escape"
                }
                (Some(b'"'), _) => {
                    self.at = at + 1;
                    return Ok(Span {
                        start,
                        end: at,
                        escaped: true,
                    });
                }
                (Some(b'\\'), _) => "an escape",
                (Some(_), _) => "no control character",
                (None, _) => "`\"`",
            };
            self.at = at;
            return Err(self.invalid(expected));
        }
    }

    /// Consumes a number.
    #[inline]
    pub fn number(&mut self) -> Result<()> {
        self.at += usize::from(self.bytes.get(self.at) == Some(&b'-'));
        match self.bytes.get(self.at) {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.invalid("a digit")),
        }
        if let Some(b'.' | b'e' | b'E') = self.bytes.get(self.at) {
            self.fraction()?;
        }
        Ok(())
    }

    #[inline]
    fn digits(&mut self) {
        while let Some(b'0'..=b'9') = self.bytes.get(self.at) {
            self.at += 1;
        }
    }

    fn fraction(&mut self) -> Result<()> {
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.some_digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            self.at += 1;
            self.at += usize::from(matches!(self.bytes.get(self.at), Some(b'+' | b'-')));
            self.some_digits()?;
        }
        Ok(())
    }

    fn some_digits(&mut self) -> Result<()> {
        let before = self.at;
        self.digits();
        if self.at == before {
            return Err(self.invalid("a digit"));
        }
        Ok(())
    }

    /// Consumes `true`, `false` or `null`.
    #[inline]
    pub fn word(&mut self, word: &'static str) -> Result<()> {
        match self.bytes.get(self.at..self.at + word.len()) {
            Some(found) if found == word.as_bytes() => {
                self.at += word.len();
                Ok(())
            }
            _ => Err(self.invalid(word)),
        }
    }

    /// Consumes a value other than an object or an array.
    #[inline(always)]
    fn scalar(&mut self, first: Option<u8>) -> Result<()> {
        match first {
            Some(b'"') => drop(self.string("`\"`")?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true")?,
            Some(b'f') => self.word("false")?,
            Some(b'n') => self.word("null")?,
            _ => return Err(self.invalid("a value")),
        }
        Ok(())
    }

    /// Skips a value and returns its start.
    #[inline]
    pub fn skip(&mut self) -> Result<usize> {
        let first = self.peek();
        let start = self.at;
        match first {
            Some(b'{' | b'[') => self.skip_nested()?,
            _ => self.scalar(first)?,
        }
        Ok(start)
    }

    fn skip_nested(&mut self) -> Result<()> {
        let mut enclosing = Enclosing::default();
        loop {
            // A value starts here.
            let first = self.peek();
            let is_empty = match first {
                Some(b'{') => {
                    self.at += 1;
                    enclosing.push(true);
                    match self.next_key(true)? {
                        Some(_) => continue,
                        None => true,
                    }
                }
                Some(b'[') => {
                    self.at += 1;
                    enclosing.push(false);
                    if self.next_item(true)? {
                        continue;
                    }
                    true
                }
                _ => {
                    self.scalar(first)?;
                    false
                }
            };
            if is_empty {
                enclosing.pop();
            }
            // A value has ended here.
            loop {
                let has_more = match enclosing.innermost() {
                    None => return Ok(()),
                    Some(true) => self.next_key(false)?.is_some(),
                    Some(false) => self.next_item(false)?,
                };
                if has_more {
                    break;
                }
                enclosing.pop();
            }
        }
    }
}

/// Returns the offset, from `at` on, of the next quote, backslash or control
/// character. If there is none, returns the length.
///
/// Most strings are not longer than a UUID, so five words of 8 bytes are
/// checked first. After that, blocks of 32 bytes are skipped, for which the
/// compiler uses vector instructions.
#[inline]
pub(super) fn special(bytes: &[u8], at: usize) -> usize {
    let (words, _) = bytes.get(at..).unwrap_or_default().as_chunks();
    let short = &words[..words.len().min(5)];
    match special_in_words(short) {
        Some(offset) => at + offset,
        None => special_far(bytes, at + short.as_flattened().len()),
    }
}

#[inline(never)]
fn special_far(bytes: &[u8], mut at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let (blocks, _) = rest.as_chunks::<32>();
    let has_special = |block: &[u8; 32]| {
        block
            .iter()
            .fold(false, |found, &byte| found | is_special(byte))
    };
    let clean = blocks.iter().position(has_special).unwrap_or(blocks.len());
    at += blocks[..clean].as_flattened().len();
    let (words, end) = bytes.get(at..).unwrap_or_default().as_chunks();
    if let Some(offset) = special_in_words(words) {
        return at + offset;
    }
    let found = end.iter().position(|&byte| is_special(byte));
    at + words.as_flattened().len() + found.unwrap_or(end.len())
}

/// Returns the offset of the first quote, backslash or control character.
#[inline]
fn special_in_words(words: &[[u8; 8]]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    for (number, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // Exchanging two bits makes a quote follow the control characters.
        let controls_and_quotes = (word ^ (ONES * 2)).wrapping_sub(ONES * 0x21);
        let backslashes = (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
        // The lowest marker bit is exact: subtraction borrows from higher bytes only.
        let found = (controls_and_quotes | backslashes) & !word & (ONES << 7);
        if found != 0 {
            return Some(8 * number + (found.trailing_zeros() / 8) as usize);
        }
    }
    None
}

#[inline]
fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

#[cfg(test)]
mod tests {
    use super::{is_special, special};

    #[test]
    fn every_byte_at_every_place_is_found_as_one_byte_at_a_time() {
        for filler in [b'#', 0x7f, 0x80, 0xa2, 0xdc, 0xff] {
            for byte in 0..=u8::MAX {
                for length in 0..120 {
                    let mut bytes = vec![filler; 120];
                    bytes[length] = byte;
                    bytes.truncate(length + 9);
                    for start in [0, length / 2, length] {
                        let rest = bytes[start..].iter();
                        let found = rest.copied().position(is_special);
                        let expected = found.map_or(bytes.len(), |at| start + at);
                        assert_eq!(special(&bytes, start), expected, "{byte} at {length}");
                    }
                }
            }
        }
    }
}

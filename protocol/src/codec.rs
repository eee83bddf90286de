//! Splits bytes into lines, and encodes values as lines.
//!
//! A line ends at byte 0x0A and nowhere else. U+2028 is part of the text, and a
//! code point split across two reads is joined before decoding. A carriage
//! return before the newline is part of the line ending. Blank lines are
//! skipped.

use crate::open::{Form, append};
use bytes::{Buf, Bytes, BytesMut};
use memchr::{memchr, memchr2};

/// The default limit for the length of a line: 64 MiB.
pub const DEFAULT_LINE_LIMIT: usize = 64 * 1024 * 1024;

/// The maximum length of the retained beginning of an oversized line.
const MAX_HEAD_LENGTH: usize = 4 * 1024;

/// The length up to which lines are always copied out of the buffer.
const COPY_LIMIT: usize = 16 * 1024;

/// The capacity above which the read buffer is freed after a long line.
const MAX_CAPACITY: usize = 1024 * 1024;

/// The length up to which an encoded line is copied out of the buffer in which it was encoded.
const SHORT: usize = 512;

/// The result of decoding one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A whole line, without its ending.
    Whole(Bytes),
    /// A line that exceeded the limit and was discarded.
    TooLong {
        /// The first bytes of the line, at most 4 KiB.
        head: Bytes,
        /// The length of the line in bytes.
        length: u64,
    },
    /// Bytes without a newline at the end of the input.
    Unfinished(Bytes),
}

/// Splits a stream of bytes into lines, with a length limit.
#[derive(Debug)]
pub struct LineDecoder {
    buffer: BytesMut,
    /// The length of the buffer's beginning that is known to contain no
    /// newline.
    scanned: usize,
    limit: usize,
    /// An oversized line that is being discarded: its head, and its length so
    /// far.
    skipping: Option<(Bytes, u64)>,
}

impl Default for LineDecoder {
    fn default() -> Self {
        Self::new(DEFAULT_LINE_LIMIT)
    }
}

impl LineDecoder {
    /// Creates a decoder that discards lines of more than `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            buffer: BytesMut::new(),
            scanned: 0,
            limit,
            skipping: None,
        }
    }

    /// Returns the buffer with the bytes of an incomplete line. A reader
    /// appends received bytes to the buffer, without another copy. The reader
    /// may replace it with a buffer that begins with the same bytes.
    pub fn buffer(&mut self) -> &mut BytesMut {
        &mut self.buffer
    }

    /// Adds received bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next complete line.
    pub fn next_line(&mut self) -> Option<Line> {
        loop {
            let newline = memchr(b'\n', &self.buffer[self.scanned..]).map(|at| at + self.scanned);
            match (newline, self.skipping.take()) {
                (Some(at), Some((head, length))) => {
                    self.discard(at + 1);
                    return Some(Line::TooLong {
                        head,
                        length: length + at as u64,
                    });
                }
                (None, Some((head, length))) => {
                    let length = length + self.buffer.len() as u64;
                    self.discard(self.buffer.len());
                    self.skipping = Some((head, length));
                    return None;
                }
                (Some(at), None) if at > self.limit => {
                    let head = self.head(at);
                    self.discard(at + 1);
                    return Some(Line::TooLong {
                        head,
                        length: at as u64,
                    });
                }
                (Some(at), None) => {
                    let line = self.take(at);
                    self.discard(1);
                    if !is_blank(&line) {
                        return Some(Line::Whole(line));
                    }
                }
                (None, None) if self.buffer.len() > self.limit => {
                    self.skipping = Some((self.head(self.buffer.len()), 0));
                }
                (None, None) => {
                    self.scanned = self.buffer.len();
                    return None;
                }
            }
        }
    }

    /// Returns the bytes after the last newline, at the end of the input.
    pub fn finish(&mut self) -> Option<Line> {
        if let Some((head, length)) = self.skipping.take() {
            return Some(Line::TooLong { head, length });
        }
        let rest = self.take(self.buffer.len());
        (!is_blank(&rest)).then_some(Line::Unfinished(rest))
    }

    /// Returns the number of buffered bytes whose line is incomplete.
    #[must_use]
    pub fn buffered(&self) -> usize {
        self.buffer.len()
    }

    fn head(&self, length: usize) -> Bytes {
        Bytes::copy_from_slice(&self.buffer[..length.min(MAX_HEAD_LENGTH)])
    }

    /// Removes and returns the first `length` bytes of the buffer. The bytes
    /// are copied, so that a short line does not keep the whole buffer alive. A
    /// long line that fills most of the buffer takes over the buffer.
    fn take(&mut self, length: usize) -> Bytes {
        let ending = usize::from(length > 0 && self.buffer[length - 1] == b'\r');
        if length > COPY_LIMIT && length >= self.buffer.capacity() / 2 {
            let mut line = self.buffer.split_to(length);
            line.truncate(length - ending);
            self.scanned = 0;
            return line.freeze();
        }
        let line = Bytes::copy_from_slice(&self.buffer[..length - ending]);
        self.discard(length);
        line
    }

    fn discard(&mut self, length: usize) {
        self.scanned = 0;
        self.buffer.advance(length);
        if self.buffer.is_empty() && self.buffer.capacity() > MAX_CAPACITY {
            self.buffer = BytesMut::new();
        }
    }
}

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

/// Encodes a value as one line, including the newline.
///
/// # Errors
///
/// If the value cannot be written as JSON.
pub fn encode<T: serde::Serialize + ?Sized>(value: &T) -> serde_json::Result<Bytes> {
    let mut line = Vec::with_capacity(SHORT);
    serde_json::to_writer(&mut line, value)?;
    Ok(end_line(line))
}

/// Encodes a wire type like [`encode`], in fewer instructions.
pub(crate) fn encode_form(form: Form<'_>) -> Bytes {
    let mut line = Vec::with_capacity(SHORT);
    append(form, &mut line);
    end_line(line)
}

/// Removes line breaks from JSON text, and appends a newline.
pub(crate) fn end_line(mut line: Vec<u8>) -> Bytes {
    // Untyped JSON may contain line breaks. Inside strings they are always
    // escaped, so these are whitespace.
    let mut from = 0;
    while let Some(at) = memchr2(b'\n', b'\r', &line[from..]) {
        from += at;
        line[from] = b' ';
    }
    line.push(b'\n');
    if line.len() <= SHORT {
        // One small allocation for as long as the line is queued. The buffer, with the
        // shared counter that its spare capacity requires, would be two large ones.
        return Bytes::copy_from_slice(&line);
    }
    line.into()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn whole(text: &str) -> Line {
        Line::Whole(Bytes::copy_from_slice(text.as_bytes()))
    }

    fn lines(decoder: &mut LineDecoder) -> Vec<Line> {
        std::iter::from_fn(|| decoder.next_line()).collect()
    }

    #[test]
    fn splits_at_newlines_only_and_skips_blank_lines() {
        let mut decoder = LineDecoder::default();
        decoder.push("{\"a\":\"\u{2028}\u{85}\"}\r\n\n  \t\r\n{}\n{\"half\"".as_bytes());
        assert_eq!(
            lines(&mut decoder),
            [whole("{\"a\":\"\u{2028}\u{85}\"}"), whole("{}")]
        );
        assert_eq!(
            decoder.finish(),
            Some(Line::Unfinished(Bytes::from_static(b"{\"half\"")))
        );
        assert_eq!(decoder.finish(), None);
    }

    #[test]
    fn an_oversized_line_is_reported_with_its_head_and_the_next_one_is_read() {
        let mut decoder = LineDecoder::new(10);
        decoder.push(b"0123456789\n");
        decoder.push(b"0123456789a");
        assert_eq!(lines(&mut decoder), [whole("0123456789")]);
        decoder.push(b"bc\nnext\n0123456789abcdef\nlast\n");
        assert_eq!(
            lines(&mut decoder),
            [
                Line::TooLong {
                    head: Bytes::from_static(b"0123456789a"),
                    length: 13
                },
                whole("next"),
                Line::TooLong {
                    head: Bytes::from_static(b"0123456789abcdef"),
                    length: 16
                },
                whole("last"),
            ]
        );
        assert_eq!(decoder.buffered(), 0);
    }

    #[test]
    fn a_line_over_the_limit_does_not_grow_the_buffer() {
        let mut decoder = LineDecoder::new(1000);
        for _ in 0..10_000 {
            decoder.push(&[b'x'; 100]);
            assert_eq!(decoder.next_line(), None);
            assert!(decoder.buffered() <= 1100);
        }
        let Some(Line::TooLong { length, .. }) = decoder.finish() else {
            panic!()
        };
        assert_eq!(length, 1_000_000);
    }

    #[test]
    fn the_default_limit_is_64_mib_and_the_head_of_an_oversized_line_has_4_kib() {
        assert_eq!(DEFAULT_LINE_LIMIT, 67_108_864);
        let mut decoder = LineDecoder::new(10_000);
        decoder.push(&[b'x'; 20_000]);
        decoder.push(b"\n");
        let Some(Line::TooLong { head, length }) = decoder.next_line() else {
            panic!()
        };
        assert_eq!((head.len(), length), (4096, 20_000));
    }

    #[test]
    fn buffered_counts_the_bytes_after_the_last_newline() {
        let mut decoder = LineDecoder::new(10);
        for line in ["0123456789abcdef\n", "0123456789a", "b\n", "short\n"] {
            decoder.push(line.as_bytes());
            let is_whole = decoder.next_line().is_some();
            assert_eq!((is_whole, decoder.buffered()), (line.ends_with('\n'), 0));
        }
        decoder.push(b"{}\nrest");
        assert_eq!(decoder.next_line(), Some(whole("{}")));
        assert_eq!(decoder.buffered(), 4);
    }

    #[test]
    fn a_buffer_that_grew_for_a_long_line_is_freed_and_a_smaller_one_is_reused() {
        let capacity_after = |length: usize| {
            let mut decoder = LineDecoder::default();
            let mut long = vec![b'x'; length];
            long.extend(b"\nbehind");
            decoder.push(&long);
            assert!(matches!(decoder.next_line(), Some(Line::Whole(_))));
            decoder.push(b" it\n");
            assert_eq!(decoder.next_line(), Some(whole("behind it")));
            decoder.push(b"{}\n");
            assert_eq!(decoder.next_line(), Some(whole("{}")));
            decoder.buffer.capacity()
        };
        assert!(capacity_after(4 * 1024 * 1024) <= 1024 * 1024);
        assert!(capacity_after(64 * 1024) > 32 * 1024);
    }

    proptest! {
        #[test]
        fn lines_do_not_depend_on_the_chunks_of_input(
            text in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..30), 0..8),
            cuts in prop::collection::vec(1_usize..9, 1..40),
            limit in 5_usize..40,
        ) {
            let input = text.join(&b'\n');
            let mut whole = LineDecoder::new(limit);
            whole.push(&input);
            let mut expected = lines(&mut whole);
            expected.extend(whole.finish());

            let mut cut = LineDecoder::new(limit);
            let (mut got, mut rest, mut sizes) = (vec![], &input[..], cuts.iter().cycle());
            while !rest.is_empty() {
                let (piece, behind) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
                cut.push(piece);
                got.extend(lines(&mut cut));
                rest = behind;
            }
            got.extend(cut.finish());

            // The head of an oversized line has the bytes that had arrived.
            let without_heads = |lines: Vec<Line>| -> Vec<Line> {
                lines.into_iter().map(|line| match line {
                    Line::TooLong { length, .. } => Line::TooLong { head: Bytes::new(), length },
                    line => line,
                }).collect()
            };
            prop_assert_eq!(without_heads(got), without_heads(expected));
        }
    }
}

//! Finds JSON values in an input: a sequence of values or a list.

use super::input_error::{InputError, Place};
use super::scanner::{Scanner, Step};
use agentwire_interop::conversion::{Outline, Outlines};
use agentwire_protocol::Json;
use serde::Deserializer;
use serde::de::{IgnoredAny, SeqAccess, Visitor};
use std::fmt;
use std::io::{self, BufRead, Read as _};
use std::string::FromUtf8Error;
use std::sync::mpsc::SyncSender;

/// The maximum number of values in a batch, and of bytes of its short values.
const BATCH: usize = 1024;
const BATCH_BYTES: usize = 1 << 18;

/// Longer values, in bytes, are sent without a copy.
const LONG: usize = 1 << 20;

/// The number of bytes that may be read again to find the value after an invalid value:
/// initially, and additionally for each byte that is read.
const READ_AGAIN: usize = 1 << 20;
const READ_AGAIN_PER_BYTE: usize = 8;

/// Consecutive values.
#[derive(Default)]
pub(super) struct Batch {
    /// The texts of the short values.
    pub(super) short: Outlines,
    pub(super) read: Vec<Read>,
}

pub(super) enum Read {
    /// The next short value.
    Short(Place),
    Long(Outline, Place),
    Failed(InputError),
}

impl Batch {
    fn is_full(&self) -> bool {
        self.read.len() >= BATCH
            || self.short.bytes() >= BATCH_BYTES
            || matches!(self.read.last(), Some(Read::Long(..)))
    }
}

/// Finds the values of an input and sends them in batches.
pub(super) struct Values {
    sender: SyncSender<Batch>,
    batch: Batch,
    number: usize,
}

/// The receiver was dropped.
pub(super) struct ReceiverDropped;

impl Values {
    pub(super) fn new(sender: SyncSender<Batch>) -> Self {
        Self {
            sender,
            batch: Batch::default(),
            number: 0,
        }
    }

    pub(super) fn read(
        &mut self,
        mut input: impl BufRead,
        name: &str,
    ) -> Result<(), ReceiverDropped> {
        let read = start(&mut input).and_then(|(start, encoding)| {
            if let Some(encoding) = encoding {
                self.fail(InputError::Encoding {
                    file: name.to_owned(),
                    encoding,
                });
                return Ok(());
            }
            let mut input = io::Cursor::new(start).chain(input);
            match is_list(&mut input)? {
                true => self.read_list(input),
                false => self.read_sequence(input),
            }
        });
        if let Err(error) = read {
            self.fail(InputError::File {
                file: name.to_owned(),
                error,
            });
        }
        self.flush()
    }

    /// Reads a sequence of values. A line may have several values, and a value may have
    /// several lines. After an invalid value, skips its first line and the following lines up
    /// to a line on which a value can begin.
    fn read_sequence(&mut self, mut input: impl BufRead) -> io::Result<()> {
        let mut text = Text {
            line: 1,
            ..Text::default()
        };
        let mut read_again = READ_AGAIN;
        loop {
            if self.batch.is_full() && self.flush().is_err() {
                return Ok(());
            }
            if text.is_scanned() {
                text.discard_read();
                let read = read_line(&mut input, &mut text.bytes)?;
                read_again = read_again.saturating_add(read.saturating_mul(READ_AGAIN_PER_BYTE));
                if read == 0 {
                    if text.scanner.is_idle() {
                        return Ok(());
                    }
                    if text.scanner.is_word() {
                        self.next(&mut text, 0);
                    } else {
                        self.skip(&mut text, &mut read_again, None);
                    }
                    continue;
                }
                // Usually, a line is one value.
                if read == text.bytes.len() && self.take_line(&mut text) {
                    text.skip_line();
                    continue;
                }
            }
            let rest = text.bytes.get(text.scanned..).unwrap_or_default();
            let is_start = text.scanned == text.start && rest.starts_with(MARK);
            if is_start {
                text.skip_to(text.start + MARK.len());
                continue;
            }
            match text.scanner.take(rest) {
                Step::More => text.scanned = text.bytes.len(),
                Step::End(end) => self.next(&mut text, end),
                Step::Invalid(at) => {
                    let at = text.scanned + at;
                    self.skip(&mut text, &mut read_again, Some(at));
                }
            }
        }
    }

    /// Takes the value that ends `end` bytes after the scanned text.
    fn next(&mut self, text: &mut Text, end: usize) {
        let end = text.scanned + end;
        let value = text.bytes.get(text.start..end).unwrap_or_default();
        let blank = value.iter().take_while(|byte| byte.is_ascii_whitespace());
        let (blank, value) = value.split_at(blank.count());
        let first = text.line + lines(blank);
        let place = Place::Lines(first, first + lines(value));
        let written = String::from_utf8_lossy(value);
        match serde_json::from_str::<Json>(&written) {
            Ok(json) => {
                if matches!(written, std::borrow::Cow::Owned(_)) {
                    self.fail(InputError::Utf8 { place });
                }
                self.take(json, place);
                text.skip_to(end);
            }
            Err(error) => {
                self.invalid(place, &error);
                // Skip the rest of the line.
                let rest = text.bytes.get(end..).unwrap_or_default();
                let rest = memchr::memchr(b'\n', rest).map_or(rest.len(), |line| line + 1);
                text.skip_to(end + rest);
            }
        }
    }

    /// Skips an invalid value and reads the text after its first line again. If the limit is
    /// exceeded, continues after the line of the byte at `wrong` instead.
    fn skip(&mut self, text: &mut Text, read_again: &mut usize, wrong: Option<usize>) {
        let rest = text.bytes.get(text.start..).unwrap_or_default();
        let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace());
        let blank = blank.count();
        let scanned = match wrong {
            Some(wrong) => wrong.saturating_sub(text.start),
            None => rest.trim_ascii_end().len(),
        };
        let from = match read_again.checked_sub(scanned) {
            Some(remaining) => {
                *read_again = remaining;
                blank
            }
            // A value may begin on the invalid line.
            None => match memchr::memrchr(b'\n', rest.get(..scanned).unwrap_or(rest)) {
                Some(line) if line > blank => line,
                _ => blank,
            },
        };
        let mut end = from;
        loop {
            let more = rest.get(end..).unwrap_or_default();
            let Some(line) = memchr::memchr(b'\n', more) else {
                end = rest.len();
                break;
            };
            end += line + 1;
            let begins = rest.get(end..).unwrap_or_default();
            if without_byte_order_mark(begins)
                .first()
                .is_none_or(|byte| matches!(byte, b'{' | b'['))
            {
                break;
            }
        }
        let value = rest.get(blank..end).unwrap_or_default();
        let first = text.line + lines(rest.get(..blank).unwrap_or_default());
        let place = Place::Lines(first, first + lines(value.trim_ascii_end()));
        let line = memchr::memchr(b'\n', value).map_or(value, |end| &value[..end]);
        match serde_json::from_str::<Json>(&String::from_utf8_lossy(line)) {
            Err(error) => self.invalid(place, &error),
            Ok(_) => self.fail(InputError::Value {
                place,
                reason: "expected value".to_owned(),
            }),
        }
        text.skip_to(text.start + end);
    }

    fn invalid(&mut self, place: Place, error: &serde_json::Error) {
        self.fail(InputError::value(place, error));
    }

    /// Reads a list of values.
    fn read_list(&mut self, input: impl BufRead) -> io::Result<()> {
        let mut deserializer = serde_json::Deserializer::from_reader(input);
        let read = deserializer.deserialize_seq(Items(self));
        if let Err(error) = read.and_then(|()| deserializer.end()) {
            let number = self.number;
            self.fail(InputError::List { number, error });
        }
        Ok(())
    }

    /// Takes the text if it is a value.
    fn take_line(&mut self, text: &mut Text) -> bool {
        let place = Place::Lines(text.line, text.line);
        if text.bytes.len() <= LONG || text.bytes.starts_with(MARK) {
            let text = std::str::from_utf8(without_byte_order_mark(&text.bytes));
            return text.is_ok_and(|text| self.take_short(text, place));
        }
        let long = text.take_long();
        let is_value = long.is_some();
        if let Some(long) = long {
            self.number += 1;
            self.batch.read.push(Read::Long(long, place));
        }
        is_value
    }

    fn take(&mut self, value: Json, place: Place) {
        if value.get().len() > LONG {
            self.number += 1;
            self.batch.read.push(Read::Long(value.into(), place));
        } else {
            self.take_short(value.get(), place);
        }
    }

    fn take_short(&mut self, text: &str, place: Place) -> bool {
        let is_value = self.batch.short.push(text);
        if is_value {
            self.number += 1;
            self.batch.read.push(Read::Short(place));
        }
        is_value
    }

    fn fail(&mut self, error: InputError) {
        self.batch.read.push(Read::Failed(error));
    }

    fn flush(&mut self) -> Result<(), ReceiverDropped> {
        let batch = std::mem::take(&mut self.batch);
        self.sender.send(batch).map_err(|_| ReceiverDropped)
    }
}

/// Text that is searched for values.
#[derive(Default)]
struct Text {
    bytes: Vec<u8>,
    /// The start of the next value, the line of the start, and the end of the scanned text.
    start: usize,
    line: usize,
    scanned: usize,
    scanner: Scanner,
}

impl Text {
    fn is_scanned(&self) -> bool {
        self.scanned == self.bytes.len()
    }

    /// Takes the text without a copy if it is a value.
    fn take_long(&mut self) -> Option<Outline> {
        let text = String::from_utf8(std::mem::take(&mut self.bytes));
        let text = text.map_err(FromUtf8Error::into_bytes);
        match text.map(|text| Outline::parse(text).map_err(String::into_bytes)) {
            Ok(Ok(outline)) => Some(outline),
            Err(bytes) | Ok(Err(bytes)) => {
                self.bytes = bytes;
                None
            }
        }
    }

    /// Skips the whole text, which is one line.
    fn skip_line(&mut self) {
        self.line += 1;
        self.start = self.bytes.len();
        self.scanned = self.start;
    }

    /// Skips the text up to the start of a value.
    fn skip_to(&mut self, end: usize) {
        self.line += lines(self.bytes.get(self.start..end).unwrap_or_default());
        self.start = end;
        self.scanned = end;
        self.scanner = Scanner::default();
    }

    /// Removes the text before the next value.
    fn discard_read(&mut self) {
        if self.scanner.is_idle() {
            self.skip_to(self.bytes.len());
        }
        // Do not retain the memory of a huge line.
        if self.start == self.bytes.len() && self.bytes.capacity() > LONG {
            self.bytes = Vec::new();
        } else {
            self.bytes.drain(..self.start);
        }
        self.scanned -= self.start;
        self.start = 0;
    }
}

/// Reads up to the end of a line. This function is faster than `read_until`.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    let before = line.len();
    loop {
        let buffer = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            buffer => buffer?,
        };
        let end = memchr::memchr(b'\n', buffer).map(|end| end + 1);
        let taken = end.unwrap_or(buffer.len());
        line.extend_from_slice(&buffer[..taken]);
        input.consume(taken);
        if end.is_some() || taken == 0 {
            return Ok(line.len() - before);
        }
    }
}

fn lines(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count()
}

/// The byte order mark of UTF-8.
const MARK: &[u8] = "\u{feff}".as_bytes();

fn without_byte_order_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// Reads the start of the input without the byte order mark. Also returns the encoding if it is not
/// UTF-8.
fn start(input: &mut impl BufRead) -> io::Result<(Vec<u8>, Option<&'static str>)> {
    let mut start = Vec::new();
    input.take(4).read_to_end(&mut start)?;
    let encoding = match start[..] {
        [0xff, 0xfe, 0, 0] | [0, 0, 0xfe, 0xff] => Some("UTF-32"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("UTF-16"),
        [one, 0, 0, 0] | [0, 0, 0, one] if one > 0 => Some("UTF-32"),
        [one, 0, two, 0] | [0, one, 0, two] if one > 0 && two > 0 => Some("UTF-16"),
        _ => None,
    };
    let mark = start.len() - without_byte_order_mark(&start).len();
    start.drain(..mark);
    Ok((start, encoding))
}

/// Returns whether the input is a list.
fn is_list(input: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let buffer = input.fill_buf()?;
        let blank = buffer.iter().take_while(|byte| byte.is_ascii_whitespace());
        let blank = blank.count();
        match buffer.get(blank) {
            Some(byte) => return Ok(*byte == b'['),
            None if blank == 0 => return Ok(false),
            None => input.consume(blank),
        }
    }
}

/// Visits the items of a list while they are read.
struct Items<'a>(&'a mut Values);

impl<'de> Visitor<'de> for Items<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of values")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Self(values) = self;
        while let Some(value) = seq.next_element::<Json>()? {
            let place = Place::Item(values.number + 1);
            values.take(value, place);
            if values.batch.is_full() && values.flush().is_err() {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
            }
        }
        Ok(())
    }
}

//! Records: the file format of a batch.
//!
//! ```text
//! {"position":1,"token":[1,"host"],"parts":[""],"entries":[[0,15]],"summary":null}
//! {"type":"user"}
//! 0000000000000061 6c35f5b4
//! ```
//!
//! A record consists of a header with the lengths of the texts, the texts, each with a line break,
//! and a footer with the length and the checksum of everything before it. The lengths allow line
//! breaks in texts. The footer makes it possible to read the last record from the end of the file.

use crate::session_log::{Batch, Entry, Head, NewBatch, Next, Part, Position, Token};
use agentwire_protocol::Json;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::str::FromStr;

/// The length of the footer in bytes.
const FOOTER_LENGTH: usize = 16 + 1 + 8 + 1;

/// A batch, or the deletion of all earlier batches.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) position: Position,
    pub(super) token: Token,
    pub(super) is_deleted: bool,
    pub(super) entries: Vec<Entry>,
    pub(super) summary: Option<Json>,
}

/// The first line of a record.
#[derive(Debug, Serialize, Deserialize)]
struct Header {
    position: u64,
    token: (u64, String),
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    deleted: bool,
    /// The names of the entries' parts.
    parts: Vec<String>,
    /// The index of its part and its length in bytes, for each entry.
    entries: Vec<(usize, usize)>,
    /// The length of the summary in bytes.
    summary: Option<usize>,
}

impl Header {
    /// Returns the length of the texts with their line breaks. Returns `None` on overflow.
    fn texts_length(&self) -> Option<usize> {
        let lengths = self.entries.iter().map(|(_, length)| *length);
        let mut lengths = lengths.chain(self.summary);
        lengths.try_fold(0_usize, |sum, length| {
            sum.checked_add(length)?.checked_add(1)
        })
    }
}

impl Record {
    pub(super) fn of(batch: &NewBatch<'_>) -> Self {
        Self {
            position: Position(batch.after.0.saturating_add(1)),
            token: batch.token.clone(),
            is_deleted: false,
            entries: batch.entries.to_vec(),
            summary: batch.summary.cloned(),
        }
    }

    pub(super) fn deletion(position: Position, token: Token) -> Self {
        Self {
            position,
            token,
            is_deleted: true,
            entries: Vec::new(),
            summary: None,
        }
    }

    pub(super) fn head(&self) -> Head {
        match self.is_deleted {
            true => Head::deleted(self.position, self.token.clone()),
            false => Head::new(self.position, self.token.clone()),
        }
    }

    /// Returns the record as a [`Next`]. Returns `None` if the record is a deletion.
    pub(super) fn next(&self) -> Option<Next> {
        (!self.is_deleted).then(|| Next::new(self.position, self.token.clone()))
    }

    pub(super) fn bytes(&self) -> usize {
        let lengths = self.entries.iter().map(|entry| entry.json.get().len());
        lengths.sum()
    }

    pub(super) fn into_batch(self) -> Option<Batch> {
        (!self.is_deleted).then(|| Batch::new(self.position, self.token, self.entries))
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut parts: Vec<String> = Vec::new();
        let mut number = |name: &str| {
            parts
                .iter()
                .rposition(|part| part == name)
                .unwrap_or_else(|| {
                    parts.push(name.to_owned());
                    parts.len() - 1
                })
        };
        let entries = self.entries.iter().map(|entry| {
            let number = number(entry.part.name());
            (number, entry.json.get().len())
        });
        let first = Header {
            position: self.position.0,
            token: (self.token.number, self.token.writer.to_string()),
            deleted: self.is_deleted,
            entries: entries.collect(),
            summary: self.summary.as_ref().map(|it| it.get().len()),
            parts,
        };
        let mut bytes = Vec::with_capacity(self.bytes() + 200);
        serde_json::to_writer(&mut bytes, &first).expect("numbers and strings are JSON");
        bytes.push(b'\n');
        let texts = self.entries.iter().map(|entry| &entry.json);
        for text in texts.chain(&self.summary) {
            bytes.extend_from_slice(text.get().as_bytes());
            bytes.push(b'\n');
        }
        let end = footer(bytes.len(), crc32fast::hash(&bytes));
        bytes.extend_from_slice(end.as_bytes());
        bytes
    }

    /// Parses the texts of a record whose checksum is valid.
    fn parse(first: Header, mut texts: &[u8]) -> Option<Self> {
        let mut next = |length: usize| {
            let (text, rest) = texts.split_at_checked(length)?;
            texts = rest.strip_prefix(b"\n")?;
            Json::from_str(str::from_utf8(text).ok()?).ok()
        };
        let parts: Vec<Part> = first.parts.iter().map(|name| Part::named(name)).collect();
        let mut entries = Vec::with_capacity(first.entries.len());
        for (part, length) in first.entries {
            entries.push(Entry::new(parts.get(part)?.clone(), next(length)?));
        }
        let summary = match first.summary {
            None => None,
            Some(length) => Some(next(length)?),
        };
        Some(Self {
            position: Position(first.position),
            token: Token::new(first.token.0, first.token.1),
            is_deleted: first.deleted,
            entries,
            summary,
        })
    }
}

/// Returns the footer of a record.
fn footer(length: usize, sum: u32) -> String {
    format!("{length:016x} {sum:08x}\n")
}

/// Parses the length in a footer.
fn footer_length(end: &[u8; FOOTER_LENGTH]) -> Option<u64> {
    let length = str::from_utf8(&end[..16]).ok()?;
    u64::from_str_radix(length, 16).ok()
}

/// The result of reading a record.
enum Outcome {
    Record(Record),
    /// A complete record was skipped.
    Skipped,
    /// There is no record, or an incomplete one.
    Incomplete,
}

/// Reads the records of a file in order.
pub(super) struct Scan<'f, F> {
    file: BufReader<&'f mut F>,
    offset: u64,
    /// The length of the file when it was opened.
    end: u64,
    /// The position of the preceding record, if it is known.
    before: Option<Position>,
}

impl<'f, F: Read + Seek> Scan<'f, F> {
    /// Creates a scan at an offset at which a record begins. `before` is the position of the
    /// preceding record, if it is known.
    pub(super) fn new(
        file: &'f mut F,
        offset: u64,
        end: u64,
        before: Option<Position>,
    ) -> io::Result<Self> {
        let mut file = BufReader::with_capacity(1 << 16, file);
        file.seek(SeekFrom::Start(offset))?;
        Ok(Self {
            file,
            offset,
            end,
            before,
        })
    }

    /// Returns the offset of the next record.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the next record. Returns `None` at the end, or before an incomplete record.
    pub(super) fn next(&mut self) -> io::Result<Option<Record>> {
        self.next_after(Position::START)
    }

    /// Returns the next record after a position.
    pub(super) fn next_after(&mut self, after: Position) -> io::Result<Option<Record>> {
        loop {
            let offset = self.offset;
            match self.read_record(Some(after))? {
                Outcome::Record(record) => return Ok(Some(record)),
                Outcome::Skipped => {}
                Outcome::Incomplete => {
                    self.check_end(offset)?;
                    return Ok(None);
                }
            }
        }
    }

    /// Reads a record. Skips the texts of a record whose position is up to `after`.
    fn read_record(&mut self, after: Option<Position>) -> io::Result<Outcome> {
        let rest = self.end.saturating_sub(self.offset);
        let mut line = Vec::new();
        (&mut self.file).take(rest).read_until(b'\n', &mut line)?;
        let Some(first) = line.strip_suffix(b"\n") else {
            return Ok(Outcome::Incomplete);
        };
        let Ok(first) = serde_json::from_slice::<Header>(first) else {
            return Ok(Outcome::Incomplete);
        };
        let Some(length) = first.texts_length().filter(|_| self.is_expected(&first)) else {
            return Ok(Outcome::Incomplete);
        };
        let total = line
            .len()
            .saturating_add(length)
            .saturating_add(FOOTER_LENGTH);
        if total as u64 > rest {
            return Ok(Outcome::Incomplete);
        }
        // Only the position and the length of skipped records are checked.
        let is_wanted = after.is_none_or(|after| first.position > after.0);
        let mut texts = vec![0; if is_wanted { length } else { 0 }];
        if is_wanted {
            self.file.read_exact(&mut texts)?;
        } else {
            self.file.seek_relative(length as i64)?;
        }
        let mut end = [0; FOOTER_LENGTH];
        self.file.read_exact(&mut end)?;
        let is_valid = match is_wanted {
            true => {
                let mut hasher = crc32fast::Hasher::new();
                hasher.update(&line);
                hasher.update(&texts);
                end == *footer(line.len() + length, hasher.finalize()).as_bytes()
            }
            false => footer_length(&end) == Some((line.len() + length) as u64),
        };
        if !is_valid {
            return Ok(Outcome::Incomplete);
        }
        self.offset += total as u64;
        self.before = Some(Position(first.position));
        if !is_wanted {
            return Ok(Outcome::Skipped);
        }
        Ok(match Record::parse(first, &texts) {
            Some(record) => Outcome::Record(record),
            None => Outcome::Incomplete,
        })
    }

    /// Returns whether a record has the expected position. The first record of a log has the first
    /// position or is a deletion.
    fn is_expected(&self, first: &Header) -> bool {
        self.before.is_none_or(|before| {
            let is_deletion = first.deleted && before == Position::START;
            is_deletion || before.0.checked_add(1) == Some(first.position)
        })
    }

    /// Treats `offset` as the end of the log. Returns an error if a complete record follows,
    /// because the log is then damaged.
    fn check_end(&mut self, offset: u64) -> io::Result<()> {
        let last = start_of_last(&mut self.file, self.end)?;
        if last.is_some_and(|last| last > offset) || self.has_record_after(offset)? {
            let why = format!("the log is damaged at byte {offset}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        self.offset = offset;
        Ok(())
    }

    /// Returns whether a complete record begins at a later line.
    fn has_record_after(&mut self, offset: u64) -> io::Result<bool> {
        self.before = None;
        let mut line = Vec::new();
        let mut at = offset;
        loop {
            self.file.seek(SeekFrom::Start(at))?;
            line.clear();
            let rest = self.end.saturating_sub(at);
            let read = (&mut self.file).take(rest).read_until(b'\n', &mut line)?;
            if read == 0 {
                return Ok(false);
            }
            at += read as u64;
            self.offset = at;
            if !matches!(self.read_record(None)?, Outcome::Incomplete) {
                return Ok(true);
            }
        }
    }
}

/// Returns the offset of the last record. Returns `None` if the file does not end with a record.
pub(super) fn start_of_last(file: &mut (impl Read + Seek), end: u64) -> io::Result<Option<u64>> {
    let Some(before) = end.checked_sub(FOOTER_LENGTH as u64) else {
        return Ok(None);
    };
    let mut line = [0; FOOTER_LENGTH];
    file.seek(SeekFrom::Start(before))?;
    file.read_exact(&mut line)?;
    let start = footer_length(&line).and_then(|length| before.checked_sub(length));
    let Some(start) = start else {
        return Ok(None);
    };
    let mut bytes = vec![0; (before - start) as usize];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut bytes)?;
    let is_whole = line == *footer(bytes.len(), crc32fast::hash(&bytes)).as_bytes();
    Ok(is_whole.then_some(start))
}

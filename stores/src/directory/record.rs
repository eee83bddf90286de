//! Records: a batch as it stands in a file.
//!
//! ```text
//! {"position":1,"token":[1,"host"],"parts":[""],"entries":[[0,15]],"summary":null}
//! {"type":"user"}
//! 0000000000000061 6c35f5b4
//! ```
//!
//! A line that says what follows, the texts, each with a line break behind it, and a
//! line with the number of bytes so far and their checksum. By the lengths a text may
//! have line breaks, and by the last line the last record is found from the end of the file.

use crate::session_log::{Batch, Entry, Head, NewBatch, Next, Part, Position, Token};
use agentwire_protocol::Json;
use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::str::FromStr;

/// How many bytes the last line has.
const END: usize = 16 + 1 + 8 + 1;

/// A batch in a file, or the deletion of those before.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) position: Position,
    pub(super) token: Token,
    pub(super) is_deleted: bool,
    pub(super) entries: Vec<Entry>,
    pub(super) summary: Option<Json>,
}

/// What the first line says.
#[derive(Debug, Serialize, Deserialize)]
struct First {
    position: u64,
    token: (u64, String),
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    deleted: bool,
    /// The names of the parts that entries belong to.
    parts: Vec<String>,
    /// Of each entry the part, by its number, and the length in bytes.
    entries: Vec<(usize, usize)>,
    /// The length of the summary.
    summary: Option<usize>,
}

impl First {
    /// The length of the texts with their line breaks.
    fn following(&self) -> Option<usize> {
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

    /// As the batch behind a position; nothing, if it is a deletion.
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
        let first = First {
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
        let end = end_line(bytes.len(), crc32fast::hash(&bytes));
        bytes.extend_from_slice(end.as_bytes());
        bytes
    }

    /// Reads the texts of a record whose checksum is right.
    fn parse(first: First, mut texts: &[u8]) -> Option<Self> {
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

/// The last line of a record: the length of what is before it, and the checksum.
fn end_line(length: usize, sum: u32) -> String {
    format!("{length:016x} {sum:08x}\n")
}

/// The length in the last line of a record.
fn length_in(end: &[u8; END]) -> Option<u64> {
    let length = str::from_utf8(&end[..16]).ok()?;
    u64::from_str_radix(length, 16).ok()
}

/// What is at a place where a record should be.
enum Found {
    Record(Record),
    /// A good record, which was not read.
    Passed,
    /// No record, or a part of one.
    Nothing,
}

/// Reads the records of a file in their order.
pub(super) struct Scan<'f, F> {
    file: BufReader<&'f mut F>,
    offset: u64,
    /// Where the file ended when it was opened.
    end: u64,
    /// The position of the record before, where that is known.
    before: Option<Position>,
}

impl<'f, F: Read + Seek> Scan<'f, F> {
    /// Begins at an offset where a record begins. `before` is the position of the
    /// record before it, if it is known.
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

    /// Where the next record begins.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// The next record; nothing at the end, or before what a crash left of one.
    pub(super) fn next(&mut self) -> io::Result<Option<Record>> {
        self.next_behind(Position::START)
    }

    /// The next record behind a position. What is before it is passed over.
    pub(super) fn next_behind(&mut self, after: Position) -> io::Result<Option<Record>> {
        loop {
            let offset = self.offset;
            match self.found(Some(after))? {
                Found::Record(record) => return Ok(Some(record)),
                Found::Passed => {}
                Found::Nothing => {
                    self.is_end(offset)?;
                    return Ok(None);
                }
            }
        }
    }

    /// Reads what is here; `after` is the position up to which nothing is wanted.
    fn found(&mut self, after: Option<Position>) -> io::Result<Found> {
        let rest = self.end.saturating_sub(self.offset);
        let mut line = Vec::new();
        (&mut self.file).take(rest).read_until(b'\n', &mut line)?;
        let Some(first) = line.strip_suffix(b"\n") else {
            return Ok(Found::Nothing);
        };
        let Ok(first) = serde_json::from_slice::<First>(first) else {
            return Ok(Found::Nothing);
        };
        let Some(length) = first.following().filter(|_| self.follows(&first)) else {
            return Ok(Found::Nothing);
        };
        let whole = line.len().saturating_add(length).saturating_add(END);
        if whole as u64 > rest {
            return Ok(Found::Nothing);
        }
        // What is passed over is held against its place and its length alone.
        let is_wanted = after.is_none_or(|after| first.position > after.0);
        let mut texts = vec![0; if is_wanted { length } else { 0 }];
        if is_wanted {
            self.file.read_exact(&mut texts)?;
        } else {
            self.file.seek_relative(length as i64)?;
        }
        let mut end = [0; END];
        self.file.read_exact(&mut end)?;
        let is_right = match is_wanted {
            true => {
                let mut hasher = crc32fast::Hasher::new();
                hasher.update(&line);
                hasher.update(&texts);
                end == *end_line(line.len() + length, hasher.finalize()).as_bytes()
            }
            false => length_in(&end) == Some((line.len() + length) as u64),
        };
        if !is_right {
            return Ok(Found::Nothing);
        }
        self.offset += whole as u64;
        self.before = Some(Position(first.position));
        if !is_wanted {
            return Ok(Found::Passed);
        }
        Ok(match Record::parse(first, &texts) {
            Some(record) => Found::Record(record),
            None => Found::Nothing,
        })
    }

    /// Whether a record has the position that is next. A log begins with the first
    /// one, or with a deletion.
    fn follows(&self, first: &First) -> bool {
        self.before.is_none_or(|before| {
            let is_deletion = first.deleted && before == Position::START;
            is_deletion || before.0.checked_add(1) == Some(first.position)
        })
    }

    /// Whether what is here is what a crash left at the end of the file. If a good
    /// record comes behind it, it is damage.
    fn is_end(&mut self, offset: u64) -> io::Result<()> {
        let last = start_of_last(&mut self.file, self.end)?;
        if last.is_some_and(|last| last > offset) || self.has_record_behind(offset)? {
            let why = format!("the log is damaged at byte {offset}");
            return Err(io::Error::new(io::ErrorKind::InvalidData, why));
        }
        self.offset = offset;
        Ok(())
    }

    /// Whether a good record begins with a line behind this one.
    fn has_record_behind(&mut self, offset: u64) -> io::Result<bool> {
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
            if !matches!(self.found(None)?, Found::Nothing) {
                return Ok(true);
            }
        }
    }
}

/// Where the last record begins, if the file ends with one.
pub(super) fn start_of_last(file: &mut (impl Read + Seek), end: u64) -> io::Result<Option<u64>> {
    let Some(before) = end.checked_sub(END as u64) else {
        return Ok(None);
    };
    let mut line = [0; END];
    file.seek(SeekFrom::Start(before))?;
    file.read_exact(&mut line)?;
    let start = length_in(&line).and_then(|length| before.checked_sub(length));
    let Some(start) = start else {
        return Ok(None);
    };
    let mut bytes = vec![0; (before - start) as usize];
    file.seek(SeekFrom::Start(start))?;
    file.read_exact(&mut bytes)?;
    let is_whole = line == *end_line(bytes.len(), crc32fast::hash(&bytes)).as_bytes();
    Ok(is_whole.then_some(start))
}

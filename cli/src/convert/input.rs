//! Reads JSON values: a sequence, or a list.

use super::scanner::{Scanner, Step};
use agentwire_interop::conversion::{Direction, Outline};
use agentwire_interop::session::{Line, Superseded};
use agentwire_interop::transcript::{self, Branch, History, Record, Tree};
use agentwire_protocol::Json;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Deserializer;
use serde::de::{DeserializeOwned, IgnoredAny, SeqAccess, Visitor};
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::marker::PhantomData;
use std::path::Path;
use std::string::FromUtf8Error;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::{fmt, thread, vec};
use tempfile::NamedTempFile;

/// The size of the read buffer, in bytes.
const BUFFER: usize = 1 << 20;

/// The number of values per batch, and of batches in the channel.
const BATCH: usize = 64;
const WAITING: usize = 8;

/// How many bytes may be read again to find the value that follows an invalid one:
/// so many at first, and so many more for each byte that is read.
const READ_AGAIN: usize = 1 << 20;
const READ_AGAIN_PER_BYTE: usize = 8;

/// The input cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum InputError {
    /// The file cannot be read.
    #[error("cannot read {file}: {error}")]
    File { file: String, error: io::Error },
    /// The file is not UTF-8.
    #[error("cannot read {file}: it is {encoding}; convert it to UTF-8")]
    Encoding {
        file: String,
        encoding: &'static str,
    },
    /// A value is invalid.
    #[error("{place}: {reason}")]
    Value { place: Place, reason: String },
    /// A value has bytes that are not UTF-8. The value follows, with U+FFFD in their
    /// place.
    #[error("{place}: invalid UTF-8, replaced with U+FFFD")]
    Utf8 { place: Place },
    /// The list is invalid after this number of values.
    #[error("the list ends after value {number}: {error}")]
    List {
        number: usize,
        error: serde_json::Error,
    },
    /// The residue is not complete.
    #[error("{0}")]
    Residue(String),
}

/// Where a value is in its file, counted from 1.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// The first line, and the last.
    Lines(usize, usize),
    /// The number in the list.
    Item(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lines(first, last) if first == last => write!(f, "line {first}"),
            Self::Lines(first, last) => write!(f, "lines {first} to {last}"),
            Self::Item(number) => write!(f, "value {number}"),
        }
    }
}

/// The reason of an error, without the place, which is not one in the file.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((reason, _)) => reason.to_owned(),
        None => text,
    }
}

/// A value of an input, which may keep the JSON that it is read from.
pub(super) trait Value: Sized + Send + 'static {
    fn of(outline: Outline) -> serde_json::Result<Self>;
}

impl Value for Json {
    fn of(outline: Outline) -> serde_json::Result<Self> {
        Ok(outline.into_json())
    }
}

impl Value for Line {
    fn of(outline: Outline) -> serde_json::Result<Self> {
        Ok(outline.into_json().into())
    }
}

impl Value for Record {
    fn of(outline: Outline) -> serde_json::Result<Self> {
        Ok(outline.into_json().into())
    }
}

/// A value that does not keep its JSON.
pub(super) struct Plain<T>(pub(super) T);

impl<T: DeserializeOwned + Send + 'static> Value for Plain<T> {
    fn of(outline: Outline) -> serde_json::Result<Self> {
        outline.json().read().map(Self)
    }
}

/// A piece that is converted, and the JSON that it was read from.
pub(super) struct Piece<D: Direction> {
    pub(super) outline: Outline,
    pub(super) value: D::From,
}

impl<D: Direction + 'static> Value for Piece<D>
where
    D::From: Send + 'static,
{
    fn of(outline: Outline) -> serde_json::Result<Self> {
        let value = D::read(&outline)?;
        Ok(Self { outline, value })
    }
}

/// The values of a file, read ahead on another thread.
pub(super) struct Input<T> {
    batches: Receiver<Vec<Result<T, InputError>>>,
    batch: vec::IntoIter<Result<T, InputError>>,
}

impl<T: Value> Input<T> {
    /// Opens a file, or standard input for `-`.
    pub(super) fn open(file: &Path) -> Result<Self, InputError> {
        let (progress, input) = open(file)?;
        let (sender, batches) = sync_channel(WAITING);
        let name = file.display().to_string();
        thread::spawn(move || {
            let input = BufReader::with_capacity(BUFFER, progress.wrap_read(input));
            let mut values = Values {
                sender,
                batch: Vec::new(),
                number: 0,
            };
            // Fails only if the receiver is gone.
            _ = values.read(input, &name);
            progress.finish_and_clear();
        });
        Ok(Self {
            batches,
            batch: vec![].into_iter(),
        })
    }
}

impl<T> Iterator for Input<T> {
    type Item = Result<T, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(value) = self.batch.next() {
                return Some(value);
            }
            self.batch = self.batches.recv().ok()?.into_iter();
        }
    }
}

/// Opens the input, with a progress bar.
fn open(file: &Path) -> Result<(ProgressBar, Box<dyn Read + Send>), InputError> {
    if file == Path::new("-") {
        return Ok((ProgressBar::hidden(), Box::new(io::stdin())));
    }
    let failed = |error| InputError::File {
        file: file.display().to_string(),
        error,
    };
    let opened = File::open(file).map_err(failed)?;
    let progress = if io::stderr().is_terminal() {
        let bar = ProgressBar::new(opened.metadata().map_err(failed)?.len());
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {bytes}/{total_bytes} {eta}") {
            bar.set_style(style);
        }
        bar
    } else {
        ProgressBar::hidden()
    };
    Ok((progress, Box::new(opened)))
}

/// Reads values and sends them to the [`Input`].
struct Values<T> {
    sender: SyncSender<Vec<Result<T, InputError>>>,
    batch: Vec<Result<T, InputError>>,
    number: usize,
}

/// The receiver is gone.
struct Unwanted;

impl<T: Value> Values<T> {
    fn read(&mut self, mut input: impl BufRead, name: &str) -> Result<(), Unwanted> {
        let read = start(&mut input).and_then(|(start, encoding)| {
            if let Some(encoding) = encoding {
                self.batch.push(Err(InputError::Encoding {
                    file: name.to_owned(),
                    encoding,
                }));
                return Ok(());
            }
            let mut input = io::Cursor::new(start).chain(input);
            match is_list(&mut input)? {
                true => self.read_list(input),
                false => self.read_sequence(input),
            }
        });
        if let Err(error) = read {
            self.give(Err(InputError::File {
                file: name.to_owned(),
                error,
            }))?;
        }
        self.flush()
    }

    /// Reads a sequence of values: one or several on a line, or one on several
    /// lines. An invalid value costs its first line, and what follows it up to a
    /// line on which a value can begin.
    fn read_sequence(&mut self, mut input: impl BufRead) -> io::Result<()> {
        let mut text = Text {
            line: 1,
            ..Text::default()
        };
        let mut again = READ_AGAIN;
        loop {
            if self.batch.len() >= BATCH && self.flush().is_err() {
                return Ok(());
            }
            if text.is_scanned() {
                text.forget();
                let read = input.read_until(b'\n', &mut text.bytes)?;
                again = again.saturating_add(read.saturating_mul(READ_AGAIN_PER_BYTE));
                if read == 0 {
                    if text.scanner.is_idle() {
                        return Ok(());
                    }
                    if text.scanner.is_word() {
                        self.next(&mut text, 0);
                    } else {
                        self.skip(&mut text, &mut again, None);
                    }
                    continue;
                }
                // Nearly always, a line is a value.
                if read == text.bytes.len()
                    && let Some(value) = text.whole_line()
                {
                    self.take(value, Place::Lines(text.line, text.line));
                    text.pass_line();
                    continue;
                }
            }
            let rest = text.bytes.get(text.scanned..).unwrap_or_default();
            let is_start = text.scanned == text.start && rest.starts_with(MARK);
            if is_start {
                text.pass(text.start + MARK.len());
                continue;
            }
            match text.scanner.take(rest) {
                Step::More => text.scanned = text.bytes.len(),
                Step::End(end) => self.next(&mut text, end),
                Step::Wrong(at) => {
                    let at = text.scanned + at;
                    self.skip(&mut text, &mut again, Some(at));
                }
            }
        }
    }

    /// Takes the value that ends so many bytes behind what was scanned.
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
                    self.batch.push(Err(InputError::Utf8 { place }));
                }
                self.take(json.into(), place);
                text.pass(end);
            }
            Err(error) => {
                self.invalid(place, &error);
                // The rest of the line is not worth more.
                let rest = text.bytes.get(end..).unwrap_or_default();
                let rest = memchr::memchr(b'\n', rest).map_or(rest.len(), |line| line + 1);
                text.pass(end + rest);
            }
        }
    }

    /// Skips an invalid value. What follows its first line is read again, as long as
    /// that does not take too long; otherwise, what follows the line of `wrong` is.
    fn skip(&mut self, text: &mut Text, again: &mut usize, wrong: Option<usize>) {
        let rest = text.bytes.get(text.start..).unwrap_or_default();
        let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace());
        let blank = blank.count();
        let scanned = match wrong {
            Some(wrong) => wrong.saturating_sub(text.start),
            None => rest.trim_ascii_end().len(),
        };
        let from = match again.checked_sub(scanned) {
            Some(left) => {
                *again = left;
                blank
            }
            // The line that is wrong may be where a value begins.
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
            if without_mark(begins)
                .first()
                .is_none_or(|byte| matches!(byte, b'{' | b'['))
            {
                break;
            }
        }
        let value = rest.get(blank..end).unwrap_or_default();
        let first = text.line + lines(rest.get(..blank).unwrap_or_default());
        let place = Place::Lines(first, first + lines(value.trim_ascii_end()));
        let one = memchr::memchr(b'\n', value).map_or(value, |line| &value[..line]);
        match serde_json::from_str::<Json>(&String::from_utf8_lossy(one)) {
            Err(error) => self.invalid(place, &error),
            Ok(_) => self.batch.push(Err(InputError::Value {
                place,
                reason: "expected value".to_owned(),
            })),
        }
        text.pass(text.start + end);
    }

    fn invalid(&mut self, place: Place, error: &serde_json::Error) {
        let reason = reason(error);
        self.batch.push(Err(InputError::Value { place, reason }));
    }

    /// Reads a list of values.
    fn read_list(&mut self, input: impl BufRead) -> io::Result<()> {
        let mut deserializer = serde_json::Deserializer::from_reader(input);
        let read = deserializer.deserialize_seq(Items(self, PhantomData));
        if let Err(error) = read.and_then(|()| deserializer.end()) {
            let number = self.number;
            self.batch.push(Err(InputError::List { number, error }));
        }
        Ok(())
    }

    fn take(&mut self, value: Outline, place: Place) {
        self.number += 1;
        if let Some(value) = unwrapped(value) {
            match T::of(value) {
                Ok(read) => self.batch.push(Ok(read)),
                Err(error) => self.invalid(place, &error),
            }
        }
    }

    fn give(&mut self, value: Result<T, InputError>) -> Result<(), Unwanted> {
        self.batch.push(value);
        self.flush()
    }

    fn flush(&mut self) -> Result<(), Unwanted> {
        let batch = std::mem::take(&mut self.batch);
        self.sender.send(batch).map_err(|_| Unwanted)
    }
}

/// Text in which values are looked for.
#[derive(Default)]
struct Text {
    bytes: Vec<u8>,
    /// Where the next value starts, on which line, and how far it has been scanned.
    start: usize,
    line: usize,
    scanned: usize,
    scanner: Scanner,
}

impl Text {
    fn is_scanned(&self) -> bool {
        self.scanned == self.bytes.len()
    }

    /// Takes the value that the text is, if it is one. A long one is not copied.
    fn whole_line(&mut self) -> Option<Outline> {
        if self.bytes.len() <= BUFFER || self.bytes.starts_with(MARK) {
            let text = std::str::from_utf8(without_mark(&self.bytes)).ok()?;
            return Outline::parse(text);
        }
        let text = String::from_utf8(std::mem::take(&mut self.bytes));
        let text = text.map_err(FromUtf8Error::into_bytes);
        match text.map(|text| Outline::parse_long(text).map_err(String::into_bytes)) {
            Ok(Ok(outline)) => Some(outline),
            Err(bytes) | Ok(Err(bytes)) => {
                self.bytes = bytes;
                None
            }
        }
    }

    /// Passes the whole text, which is a line.
    fn pass_line(&mut self) {
        self.line += 1;
        self.start = self.bytes.len();
        self.scanned = self.start;
    }

    /// Passes everything up to this place: a value starts there.
    fn pass(&mut self, end: usize) {
        self.line += lines(self.bytes.get(self.start..end).unwrap_or_default());
        self.start = end;
        self.scanned = end;
        self.scanner = Scanner::default();
    }

    /// Removes what is before the next value.
    fn forget(&mut self) {
        if self.scanner.is_idle() {
            self.pass(self.bytes.len());
        }
        // One huge line is not kept in memory until the end.
        if self.start == self.bytes.len() && self.bytes.capacity() > BUFFER {
            self.bytes = Vec::new();
        } else {
            self.bytes.drain(..self.start);
        }
        self.scanned -= self.start;
        self.start = 0;
    }
}

fn lines(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count()
}

/// The byte order mark of UTF-8.
const MARK: &[u8] = "\u{feff}".as_bytes();

fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// Reads the start of the input: without the byte order mark, and the encoding if
/// it is not UTF-8.
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
    let mark = start.len() - without_mark(&start).len();
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

/// Returns the message of an entry of a recording, or `None` if the entry has no
/// message. Other values are returned unchanged.
fn unwrapped(value: Outline) -> Option<Outline> {
    if !value.json().get().starts_with(r#"{"t":"#) {
        return Some(value);
    }
    match value.find(["dir", "msg"]) {
        [None, _] => Some(value),
        [Some(r#""send""# | r#""recv""#), Some(said)] if said.starts_with('{') => {
            Some(Json::of_text(said).into())
        }
        _ => None,
    }
}

/// Takes the items of a list, each as soon as it is read.
struct Items<'a, T>(&'a mut Values<T>, PhantomData<T>);

impl<'de, T: Value> Visitor<'de> for Items<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of values")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Self(values, _) = self;
        while let Some(value) = seq.next_element::<Json>()? {
            let place = Place::Item(values.number + 1);
            values.take(value.into(), place);
            if values.batch.len() >= BATCH && values.flush().is_err() {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
            }
        }
        Ok(())
    }
}

/// Finds what lines of a session say of others: which ones they supersede, and which
/// call started a sub-agent.
pub(super) fn superseded(file: &Path) -> Result<Superseded, InputError> {
    let failed = |error| InputError::File {
        file: file.display().to_string(),
        error,
    };
    let mut superseded = Superseded::default();
    let mut input = BufReader::with_capacity(BUFFER, File::open(file).map_err(failed)?);
    let mut text = Vec::new();
    // Few lines refer to others: only those are parsed.
    let says = [
        &b"\"supersedes\""[..],
        b"\"isReplay\"",
        b"\"agent_id\"",
        b"\"task_started\"",
    ]
    .map(memchr::memmem::Finder::new);
    while {
        text.clear();
        input.read_until(b'\n', &mut text).map_err(failed)? > 0
    } {
        if says.iter().all(|word| word.find(&text).is_none()) {
            continue;
        }
        match serde_json::from_slice::<Json>(&text) {
            Ok(line) if !line.get().starts_with('[') => {
                if let Some(line) = unwrapped(line.into()) {
                    superseded.note(&Line::from(line.into_json()));
                }
            }
            // The lines are not the values.
            _ => return superseded_in_values(file),
        }
    }
    Ok(superseded)
}

/// The same, with every value parsed.
fn superseded_in_values(file: &Path) -> Result<Superseded, InputError> {
    let mut superseded = Superseded::default();
    for line in Input::<Line>::open(file)? {
        match line {
            Ok(line) => superseded.note(&line),
            // Reported when the file is converted.
            Err(InputError::File { file, error }) => return Err(InputError::File { file, error }),
            Err(_) => {}
        }
    }
    Ok(superseded)
}

/// Returns the branch of a transcript on which the conversation continued.
pub(super) fn branch(file: &Path, history: History) -> Result<Branch, InputError> {
    let place = transcript::Place::of(&file.to_string_lossy());
    let mut tree = match place.and_then(|place| place.agent) {
        Some(agent) => Tree::of_agent(agent),
        None => Tree::default(),
    };
    for record in Input::<Record>::open(file)? {
        match record {
            Ok(record) => tree.note(&record),
            // Reported when the file is converted.
            Err(InputError::Value { .. } | InputError::Utf8 { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(tree.branch(history))
}

/// Copies standard input to a temporary file, which can be read twice.
pub(super) fn spool() -> Result<NamedTempFile, InputError> {
    let failed = |error| InputError::File {
        file: "standard input".to_owned(),
        error,
    };
    let mut file = NamedTempFile::new().map_err(failed)?;
    io::copy(&mut io::stdin().lock(), &mut file).map_err(failed)?;
    Ok(file)
}

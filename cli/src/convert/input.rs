//! Reads JSON values: a sequence, or a list.

use agentwire_interop::session::{Line, Superseded};
use agentwire_interop::transcript::{Branch, History, Place, Record, Tree};
use agentwire_protocol::Json;
use indicatif::{ProgressBar, ProgressStyle};
use serde::de::{DeserializeOwned, Error as _, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::marker::PhantomData;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::{fmt, thread, vec};
use tempfile::NamedTempFile;

/// The size of the read buffer, in bytes.
const BUFFER: usize = 1 << 20;

/// The number of values per batch, and of batches in the channel.
const BATCH: usize = 64;
const WAITING: usize = 8;

/// The input cannot be read.
#[derive(Debug, thiserror::Error)]
pub(super) enum InputError {
    /// The file cannot be read.
    #[error("cannot read {file}: {error}")]
    File { file: String, error: io::Error },
    /// A value is invalid.
    #[error("value {number}: {error}")]
    Value {
        /// The number of the value, counted from 1.
        number: usize,
        error: serde_json::Error,
    },
    /// The list is invalid after this number of values.
    #[error("the list ends after value {number}: {error}")]
    List {
        number: usize,
        error: serde_json::Error,
    },
}

/// A value, and the JSON that it was read from.
pub(super) struct Written<T> {
    pub(super) json: Json,
    pub(super) value: T,
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Written<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        let value = json.read().map_err(D::Error::custom)?;
        Ok(Self { json, value })
    }
}

/// The values of a file, read ahead on another thread.
pub(super) struct Input<T> {
    batches: Receiver<Vec<Result<T, InputError>>>,
    batch: vec::IntoIter<Result<T, InputError>>,
}

impl<T: DeserializeOwned + Send + 'static> Input<T> {
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

impl<T: DeserializeOwned> Values<T> {
    fn read(&mut self, mut input: impl BufRead, name: &str) -> Result<(), Unwanted> {
        let read = match is_list(&mut input) {
            Ok(true) => self.read_list(input),
            Ok(false) => self.read_lines(input),
            Err(error) => Err(error),
        };
        if let Err(error) = read {
            self.give(Err(InputError::File {
                file: name.to_owned(),
                error,
            }))?;
        }
        self.flush()
    }

    /// Reads a sequence of values, each on one or more lines.
    fn read_lines(&mut self, mut input: impl BufRead) -> io::Result<()> {
        let mut text = Vec::new();
        loop {
            let before = text.len();
            if input.read_until(b'\n', &mut text)? == 0 {
                if !text.trim_ascii().is_empty() {
                    self.value(&String::from_utf8_lossy(&text), true);
                }
                return Ok(());
            }
            let is_blank = text[before..].trim_ascii().is_empty();
            if (is_blank && before == 0) || self.value(&String::from_utf8_lossy(&text), false) {
                text.clear();
            }
            if self.batch.len() >= BATCH && self.flush().is_err() {
                return Ok(());
            }
        }
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

    /// Reads a value. Returns `false` if the text is incomplete, unless it is the
    /// last.
    fn value(&mut self, text: &str, is_last: bool) -> bool {
        match serde_json::from_str::<Json>(text) {
            Err(error) if error.is_eof() && !is_last => return false,
            Err(error) => {
                self.number += 1;
                let number = self.number;
                self.batch.push(Err(InputError::Value { number, error }));
            }
            Ok(value) => self.take(value),
        }
        true
    }

    fn take(&mut self, value: Json) {
        self.number += 1;
        let number = self.number;
        if let Some(value) = unwrapped(value) {
            let read = value.read();
            self.batch
                .push(read.map_err(|error| InputError::Value { number, error }));
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
fn unwrapped(value: Json) -> Option<Json> {
    if !value.get().starts_with(r#"{"t":"#) {
        return Some(value);
    }
    let Some(direction) = value.member("dir") else {
        return Some(value);
    };
    match direction.get() {
        r#""send""# | r#""recv""# => value
            .member("msg")
            .filter(|said| said.get().starts_with('{')),
        _ => None,
    }
}

/// Takes the items of a list, each as soon as it is read.
struct Items<'a, T>(&'a mut Values<T>, PhantomData<T>);

impl<'de, T: DeserializeOwned> Visitor<'de> for Items<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of values")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Self(values, _) = self;
        while let Some(value) = seq.next_element::<Json>()? {
            values.take(value);
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
        if says.iter().any(|word| word.find(&text).is_some())
            && let Ok(line) = serde_json::from_slice::<Json>(&text)
            && let Some(line) = unwrapped(line)
        {
            superseded.note(&Line::from(line));
        }
    }
    Ok(superseded)
}

/// Returns the branch of a transcript on which the conversation continued.
pub(super) fn branch(file: &Path, history: History) -> Result<Branch, InputError> {
    let place = Place::of(&file.to_string_lossy());
    let mut tree = match place.and_then(|place| place.agent) {
        Some(agent) => Tree::of_agent(agent),
        None => Tree::default(),
    };
    for record in Input::<Record>::open(file)? {
        match record {
            Ok(record) => tree.note(&record),
            // Reported when the file is converted.
            Err(InputError::Value { .. }) => {}
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

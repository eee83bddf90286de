//! Reads the values of an input.

use super::input_error::{InputError, Place};
use super::values::{Batch, Read, Values};
use agentwire_interop::conversion::Outline;
use agentwire_interop::session::Line;
use agentwire_interop::transcript::Record;
use agentwire_protocol::Json;
use indicatif::{ProgressBar, ProgressStyle};
use serde::de::DeserializeOwned;
use std::fs::File;
use std::io::{self, BufReader, IsTerminal};
use std::marker::PhantomData;
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::{iter, thread, vec};
use tempfile::NamedTempFile;

/// The size of the read buffer, in bytes.
const BUFFER: usize = 1 << 20;

/// The number of batches that are read ahead.
const READ_AHEAD: usize = 4;

/// Returns the text of an error without the position, which is relative to the value.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((reason, _)) => reason.to_owned(),
        None => text,
    }
}

impl InputError {
    pub(super) fn value(place: Place, error: &serde_json::Error) -> Self {
        Self::Value {
            place,
            reason: reason(error),
        }
    }
}

/// A type of values of an input.
pub(super) trait Value: Sized {
    fn of(outline: Outline) -> serde_json::Result<Self>;
}

impl Value for Json {
    fn of(outline: Outline) -> serde_json::Result<Self> {
        Ok(outline.json())
    }
}

/// A line does not retain its JSON.
impl Value for Line {
    fn of(outline: Outline) -> serde_json::Result<Self> {
        Ok(Line::of_outline(&outline.without_media()))
    }
}

/// A record does not retain long images.
impl Value for Record {
    fn of(outline: Outline) -> serde_json::Result<Self> {
        Ok(outline.without_media().json().into())
    }
}

/// A value that does not retain its JSON.
pub(super) struct Plain<T>(pub(super) T);

impl<T: DeserializeOwned> Value for Plain<T> {
    fn of(outline: Outline) -> serde_json::Result<Self> {
        outline.read().map(Self)
    }
}

/// The values of a file. Another thread reads ahead.
pub(super) struct Input<T> {
    outlines: Outlines,
    of: PhantomData<T>,
}

/// The outlines of the values of a file.
pub(super) struct Outlines {
    batches: Receiver<Batch>,
    short: Box<dyn Iterator<Item = Outline>>,
    read: vec::IntoIter<Read>,
    /// The last line of the previous value. `None` if several values on a line are accepted.
    last_line: Option<usize>,
}

impl<T: Value> Input<T> {
    /// Opens a file, or standard input for `-`.
    pub(super) fn open(file: &Path) -> Result<Self, InputError> {
        Ok(Self {
            outlines: Outlines::open(file)?,
            of: PhantomData,
        })
    }

    /// Refuses further values on a line, because agents read only the first record on a line
    /// of a transcript.
    pub(super) fn one_per_line(mut self) -> Self {
        self.outlines = self.outlines.one_per_line(true);
        self
    }
}

impl<T: Value> Iterator for Input<T> {
    type Item = Result<T, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.outlines.next()?;
        Some(next.and_then(|(outline, place)| {
            T::of(outline).map_err(|error| InputError::value(place, &error))
        }))
    }
}

impl Outlines {
    pub(super) fn open(file: &Path) -> Result<Self, InputError> {
        let (progress, input) = open(file)?;
        let (sender, batches) = sync_channel(READ_AHEAD);
        let name = file.display().to_string();
        thread::spawn(move || {
            let input = BufReader::with_capacity(BUFFER, progress.wrap_read(input));
            // Sending fails only if the receiver is gone.
            _ = Values::new(sender).read(input, &name);
            progress.finish_and_clear();
        });
        Ok(Self {
            batches,
            short: Box::new(iter::empty()),
            read: vec![].into_iter(),
            last_line: None,
        })
    }

    /// Refuses further values on a line, like [`Input::one_per_line`].
    pub(super) fn one_per_line(mut self, enabled: bool) -> Self {
        self.last_line = enabled.then_some(0);
        self
    }

    /// Returns whether a value begins on the last line of the previous one.
    fn is_further(&mut self, place: Place) -> bool {
        match (place, &mut self.last_line) {
            (Place::Lines(first, last), Some(before)) => {
                let is_further = first == *before;
                *before = last;
                is_further
            }
            _ => false,
        }
    }

    /// Returns the outline of the next value.
    fn outline(&mut self) -> Option<Result<(Outline, Place), InputError>> {
        loop {
            match self.read.next() {
                Some(Read::Short(place)) => return Some(Ok((self.short.next()?, place))),
                Some(Read::Long(outline, place)) => return Some(Ok((outline, place))),
                Some(Read::Failed(error)) => return Some(Err(error)),
                None => {
                    let Batch { short, read } = self.batches.recv().ok()?;
                    self.short = Box::new(short.split());
                    self.read = read.into_iter();
                }
            }
        }
    }
}

impl Iterator for Outlines {
    type Item = Result<(Outline, Place), InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (outline, place) = match self.outline()? {
                Ok(read) => read,
                Err(error) => return Some(Err(error)),
            };
            if self.is_further(place) {
                return Some(Err(InputError::Value {
                    place,
                    reason: "the line has another record before it".to_owned(),
                }));
            }
            if let Some(outline) = unwrapped(outline) {
                return Some(Ok((outline, place)));
            }
        }
    }
}

/// Opens the input, with a progress bar.
fn open(file: &Path) -> Result<(ProgressBar, Box<dyn io::Read + Send>), InputError> {
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

/// Returns the message of an entry of a recording, or `None` if the entry has no
/// message. Other values are returned unchanged.
pub(super) fn unwrapped(value: Outline) -> Option<Outline> {
    if !value.text().starts_with(r#"{"t":"#) {
        return Some(value);
    }
    match value.find(["dir", "msg"]) {
        [None, _] => Some(value),
        [Some(r#""send""# | r#""recv""#), Some(message)] if message.starts_with('{') => {
            Some(Json::of_text(message).into())
        }
        _ => None,
    }
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

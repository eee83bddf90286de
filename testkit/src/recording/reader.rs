//! Reads the entries and sessions of a recording.

use super::{Entry, EntryKind, RecordingError};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Reads the entries of a recording. Empty lines are skipped.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    line: u64,
    buffer: Vec<u8>,
}

impl<R: BufRead> Reader<R> {
    /// Creates a reader of this input.
    pub fn new(input: R) -> Self {
        Self {
            input,
            line: 0,
            buffer: Vec::new(),
        }
    }

    fn read(&mut self) -> Result<Option<Entry>, RecordingError> {
        loop {
            self.buffer.clear();
            if self.input.read_until(b'\n', &mut self.buffer)? == 0 {
                return Ok(None);
            }
            self.line += 1;
            let line = self.buffer.trim_ascii();
            if !line.is_empty() {
                return Entry::read(line, self.line).map(Some);
            }
        }
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Entry, RecordingError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

/// Returns the sessions of a recording, each with its entries in order. A
/// session begins when a CLI is spawned.
///
/// # Errors
///
/// Fails if the input cannot be read, or if a line is not an entry.
pub fn sessions(input: impl BufRead) -> Result<Vec<Vec<Entry>>, RecordingError> {
    let mut sessions: Vec<Vec<Entry>> = Vec::new();
    for entry in Reader::new(input) {
        let entry = entry?;
        match sessions.last_mut() {
            Some(session) if !matches!(entry.kind, EntryKind::Spawn(_)) => session.push(entry),
            _ => sessions.push(vec![entry]),
        }
    }
    Ok(sessions)
}

/// Returns the session with this number of a recording file, counted from 1.
/// The default is the first session in which the host sends a line.
///
/// # Errors
///
/// Fails if the file cannot be read, if a line is not an entry, or if there is
/// no such session.
pub fn open(file: &Path, number: Option<usize>) -> Result<Vec<Entry>, RecordingError> {
    let mut all = sessions(BufReader::new(File::open(file)?))?;
    let speaks = |session: &Vec<Entry>| {
        session
            .iter()
            .any(|it| matches!(it.kind, EntryKind::Sent(_)))
    };
    let number = number.unwrap_or_else(|| 1 + all.iter().position(speaks).unwrap_or(0));
    let count = all.len();
    match number.checked_sub(1) {
        Some(place) if place < count => Ok(all.swap_remove(place)),
        _ => Err(RecordingError::NoSession { number, count }),
    }
}

//! Reads the recording in a file or any other input: its entries, its sessions.

use super::{Entry, RecordingError, What};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// Reads a recording entry by entry. Lines that are empty are passed over.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    line: u64,
    buffer: Vec<u8>,
}

impl<R: BufRead> Reader<R> {
    /// Reads from here.
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

/// The sessions in a recording, each with its entries in order. A session
/// begins where a CLI is started.
///
/// # Errors
///
/// When the input cannot be read, or a line of it is no entry.
pub fn sessions(input: impl BufRead) -> Result<Vec<Vec<Entry>>, RecordingError> {
    let mut sessions: Vec<Vec<Entry>> = Vec::new();
    for entry in Reader::new(input) {
        let entry = entry?;
        match sessions.last_mut() {
            Some(session) if !matches!(entry.what, What::Spawn(_)) => session.push(entry),
            _ => sessions.push(vec![entry]),
        }
    }
    Ok(sessions)
}

/// One session of the recording in a file: that with this number, counted from
/// 1, or else the first one in which the host says anything.
///
/// # Errors
///
/// When the file cannot be read, a line of it is no entry, or there is no such
/// session.
pub fn open(file: &Path, number: Option<usize>) -> Result<Vec<Entry>, RecordingError> {
    let mut all = sessions(BufReader::new(File::open(file)?))?;
    let speaks = |session: &Vec<Entry>| session.iter().any(|it| matches!(it.what, What::Sent(_)));
    let number = number.unwrap_or_else(|| 1 + all.iter().position(speaks).unwrap_or(0));
    let count = all.len();
    match number.checked_sub(1) {
        Some(place) if place < count => Ok(all.swap_remove(place)),
        _ => Err(RecordingError::NoSession { number, count }),
    }
}

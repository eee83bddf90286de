//! A line at the end of a transcript.

use super::super::error::HistoryError;
use super::place::Place;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Appends a line to the session's transcript.
pub(in super::super) fn append(place: &Place<'_>, line: &str) -> Result<(), HistoryError> {
    let transcripts = place.transcripts()?;
    let path = transcripts.first().ok_or_else(|| place.not_found())?;
    match append_to(path, line) {
        Ok(true) => Ok(()),
        Ok(false) => Err(HistoryError::NotRegular { path: path.clone() }),
        Err(error) => Err(HistoryError::unwritable(path)(error)),
    }
}

/// Appends a line in one write. Returns whether the file is a regular one.
fn append_to(path: &Path, line: &str) -> io::Result<bool> {
    // A pipe would block when it is opened.
    let before = fs::symlink_metadata(path)?;
    if !before.is_file() {
        return Ok(false);
    }
    let mut file = File::options().read(true).append(true).open(path)?;
    if !is_same(&before, &file.metadata()?) {
        return Ok(false);
    }
    let mut text = Vec::with_capacity(line.len() + 1);
    if !ends_with_line(&mut file)? {
        // The agent was killed while it wrote the last line.
        text.push(b'\n');
    }
    text.extend_from_slice(line.as_bytes());
    file.write_all(&text)?;
    Ok(true)
}

fn ends_with_line(file: &mut File) -> io::Result<bool> {
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// Whether the file that was opened is the one that was looked at, and not what took
/// its place since.
fn is_same(before: &Metadata, opened: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        (before.dev(), before.ino()) == (opened.dev(), opened.ino())
    }
    #[cfg(not(unix))]
    {
        let _ = before;
        opened.is_file()
    }
}

//! Appends a line to a transcript.

use super::super::error::HistoryError;
use super::target::Target;
use agentwire_files::private_file::open;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Appends a line to the session's transcript.
pub(in super::super) fn append(target: &Target<'_>, line: &str) -> Result<(), HistoryError> {
    let transcripts = target.transcripts()?;
    let path = transcripts.first().ok_or_else(|| target.not_found())?;
    target.check_folder(path)?;
    match append_to(path, line) {
        Ok(true) => Ok(()),
        Ok(false) => Err(HistoryError::NotRegular { path: path.clone() }),
        Err(error) => Err(HistoryError::unwritable(path)(error)),
    }
}

/// Appends a line in one write. Returns whether the file is a regular one.
fn append_to(path: &Path, line: &str) -> io::Result<bool> {
    let mut file = match open(path, File::options().read(true).append(true)) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => return Ok(false),
        file => file?,
    };
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

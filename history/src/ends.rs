//! The first and the last bytes of a transcript.

use agentwire_protocol::transcript::Ends;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The number of bytes that are searched for a record of a conversation.
const MAX_SEARCHED: u64 = 16 << 20;

/// A reusable buffer for the ends of a transcript.
#[derive(Debug, Default)]
pub(super) struct EndsBuffer(Vec<u8>);

/// The ends of a transcript, its size and its time.
#[derive(Debug)]
pub(super) struct FileEnds<'b> {
    pub(super) ends: Ends<'b>,
    pub(super) size: u64,
    /// Milliseconds since 1970.
    pub(super) modified: i64,
}

impl EndsBuffer {
    /// Reads the ends of a file. Returns `None` if the file is empty, cannot be read, or is not a
    /// regular file. Links are not regular files.
    pub(super) fn read(&mut self, path: &Path) -> Option<FileEnds<'_>> {
        let metadata = fs::symlink_metadata(path)
            .ok()
            .filter(fs::Metadata::is_file)?;
        let mut file = File::open(path).ok()?;
        let size = metadata.len();
        let modified = milliseconds(metadata.modified().ok()?);
        let end = u64::try_from(Ends::SIZE).ok()?;
        self.0.clear();
        self.0.reserve_exact(2 * Ends::SIZE);
        let at_once = if size <= 2 * end { 2 * end } else { end };
        file.by_ref().take(at_once).read_to_end(&mut self.0).ok()?;
        let read = self.0.len();
        if read == 0 {
            return None;
        }
        let head = read.min(Ends::SIZE);
        let ends = if size > 2 * end {
            file.seek(SeekFrom::Start(size - end)).ok()?;
            file.take(end).read_to_end(&mut self.0).ok()?;
            Ends::new(&self.0[..head], &self.0[head..])
        } else if size > end {
            Ends::new(&self.0[..head], &self.0[read.saturating_sub(Ends::SIZE)..])
        } else {
            Ends::new(&self.0[..head], &self.0[..head])
        };
        Some(FileEnds {
            ends,
            size,
            modified,
        })
    }

    /// Returns whether a file has a record of a conversation.
    pub(super) fn has_conversation(&mut self, path: &Path) -> bool {
        let Some(read) = self.read(path) else {
            return false;
        };
        if read.ends.has_conversation() {
            return true;
        }
        if read.size <= Ends::SIZE as u64 {
            return false;
        }
        let Ok(file) = File::open(path) else {
            return false;
        };
        let mut file = file.take(MAX_SEARCHED);
        self.0.clear();
        loop {
            // Retain the end of the last piece, because a name may begin there.
            let consumed = self.0.len().saturating_sub(32);
            self.0.drain(..consumed);
            let before = self.0.len();
            let piece = file
                .by_ref()
                .take(Ends::SIZE as u64)
                .read_to_end(&mut self.0);
            if piece.is_err() || self.0.len() == before {
                // A longer transcript counts as one with a conversation.
                return file.limit() == 0;
            }
            if Ends::new(&self.0, &self.0).has_conversation() {
                return true;
            }
        }
    }
}

/// Returns milliseconds since 1970, rounded like the official SDK.
pub(super) fn milliseconds(time: SystemTime) -> i64 {
    let (seconds, nanoseconds) = match time.duration_since(UNIX_EPOCH) {
        Ok(since) => (since.as_secs() as f64, f64::from(since.subsec_nanos())),
        Err(error) => {
            let before = error.duration();
            (
                -(before.as_secs() as f64),
                -f64::from(before.subsec_nanos()),
            )
        }
    };
    let milliseconds = seconds * 1000.0 + nanoseconds / 1e6;
    #[allow(clippy::cast_possible_truncation)]
    let rounded = (milliseconds + 0.5).floor() as i64;
    rounded
}

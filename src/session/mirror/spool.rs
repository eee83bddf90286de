//! Reading entries that are not stored yet from the agent's own file.

use crate::store::{EntryHead, entry_of_line};
use agentwire_protocol::Json;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;

/// The limits of one call, except for a single larger message.
pub(super) const CALL_ENTRIES: usize = 500;
pub(super) const CALL_BYTES: usize = 1024 * 1024;

/// The position of entries in the agent's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The end of the preceding entries.
    after: End,
    /// The byte offset from which to search, once known.
    offset: Option<u64>,
    end: End,
}

/// Identifies the last of some entries.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct End {
    /// The last `uuid`; `None` if no entry has one.
    pub(super) through: Option<Box<str>>,
    /// The number of entries without a `uuid` after it.
    pub(super) trailing: usize,
}

/// Some of the entries.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) entries: Vec<Json>,
    pub(super) read: Read,
}

/// The part of a place that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Read {
    /// The offset of the next entry.
    offset: u64,
    /// Whether the last entry with a `uuid` was read, and the number of later ones that were.
    is_through: bool,
    trailing: usize,
}

impl End {
    /// Returns the end of these entries.
    pub(super) fn of(entries: &[Json]) -> Self {
        let uuid = |entry: &Json| EntryHead::of(entry)?.uuid;
        let mut trailing = 0;
        for entry in entries.iter().rev() {
            if let Some(uuid) = uuid(entry) {
                let through = Some(uuid.into());
                return Self { through, trailing };
            }
            trailing += 1;
        }
        let through = None;
        Self { through, trailing }
    }

    /// Extends the end by that of further entries.
    pub(super) fn extend(&mut self, end: Self) {
        match end.through {
            Some(_) => *self = end,
            None => self.trailing += end.trailing,
        }
    }
}

impl Place {
    pub(super) fn new(after: End, end: End) -> Self {
        Self {
            after,
            offset: None,
            end,
        }
    }

    /// Extends the place by further entries.
    pub(super) fn extend(&mut self, end: End) {
        self.end.extend(end);
    }

    /// Returns whether only entries without a `uuid` remain.
    pub(super) fn has_only_trailing(&self) -> bool {
        self.end.through.is_none()
    }

    /// Removes what was read at `before`, the state of this place before it was extended. Returns
    /// whether nothing remains.
    pub(super) fn was_read(&mut self, before: &Self, read: Read) -> bool {
        self.offset = Some(read.offset);
        if read.is_through && self.end.through == before.end.through {
            self.end.through = None;
            self.end.trailing -= read.trailing.min(self.end.trailing);
        }
        self.end.through.is_none() && self.end.trailing == 0
    }

    /// Reads entries up to the limits of a call, and those without a `uuid` after the last one. The
    /// file is only appended to, or replaced. A line without a line feed is incomplete.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or does not contain the preceding entry.
    pub(super) fn read(&self, file: &Path) -> io::Result<Chunk> {
        let End { through, trailing } = &self.end;
        let mut lines = BufReader::new(File::open(file)?);
        let mut read = Read {
            offset: self.offset.unwrap_or(0),
            is_through: through.is_none(),
            trailing: 0,
        };
        lines.seek(SeekFrom::Start(read.offset))?;
        let mut is_before = self.offset.is_none() && self.after.through.is_some();
        let mut skipped = match self.offset {
            None => 0,
            Some(_) => self.after.trailing,
        };
        let (mut entries, mut bytes) = (Vec::new(), 0);
        let mut line = Vec::new();
        loop {
            line.clear();
            lines.read_until(b'\n', &mut line)?;
            if line.last() != Some(&b'\n') {
                break;
            }
            let entry = entry_of_line(&line);
            let is_behind = !is_before && skipped == self.after.trailing;
            if !is_before && read.is_through {
                // Later entries with a `uuid` belong to another place.
                let is_other = matches!(entry, Some((_, Some(_))));
                if is_other || is_behind && read.trailing == *trailing {
                    break;
                }
            }
            read.offset += line.len() as u64;
            let Some((entry, uuid)) = entry else {
                continue;
            };
            if is_before {
                is_before = uuid.as_deref() != self.after.through.as_deref();
                continue;
            }
            if uuid.is_none() && !is_behind {
                skipped += 1;
                continue;
            }
            entries.push(entry);
            bytes += line.len();
            if read.is_through {
                read.trailing += 1;
            } else {
                read.is_through = uuid.is_some() && uuid.as_deref() == through.as_deref();
                if entries.len() >= CALL_ENTRIES || bytes >= CALL_BYTES {
                    break;
                }
            }
        }
        if is_before {
            let why = "it does not contain the entry before the missing ones";
            return Err(io::Error::new(io::ErrorKind::NotFound, why));
        }
        Ok(Chunk { entries, read })
    }
}

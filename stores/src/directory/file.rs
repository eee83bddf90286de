//! The file of a log, and its lock.

use super::record::{Record, Scan, start_of_last};
use crate::session_log::Position;
use agentwire_files::private_file;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The start of the first line. The file's ID follows it.
const MAGIC: &str = "agentwire session log 1 ";

/// The length of the first line in bytes.
const HEADER_LENGTH: usize = MAGIC.len() + 32 + 1;

/// An exclusive lock of a log. Dropping it closes the file, which unlocks it.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock of a log. Creates missing parent folders.
    pub(super) fn take(root: &Path, log: &Path) -> io::Result<Self> {
        if let Some(folder) = log.parent() {
            create_folder(root, folder)?;
        }
        let path = log.with_extension("lock");
        let file = private_file::open_or_create(&path, File::options().write(true))?;
        file.lock()?;
        Ok(Self { _file: file })
    }
}

/// Creates a folder and its parents durably. New folders, and those below the root, are
/// accessible only to this user.
fn create_folder(root: &Path, folder: &Path) -> io::Result<()> {
    let is_below = folder != root && folder.starts_with(root);
    if !is_below && (folder.as_os_str().is_empty() || folder.is_dir()) {
        return Ok(());
    }
    let parent = folder.parent();
    if let Some(parent) = parent {
        create_folder(root, parent)?;
    }
    let is_new = private_file::create_private_folder(folder)?;
    parent.filter(|_| is_new).map_or(Ok(()), sync_folder)
}

/// Returns an error if a folder between the root and a log is a link.
pub(super) fn reject_links(root: &Path, log: &Path) -> io::Result<()> {
    let folders = log.ancestors().skip(1);
    for folder in folders.take_while(|it| *it != root) {
        if fs::symlink_metadata(folder).is_ok_and(|it| !it.is_dir()) {
            let why = format!("{} is not a folder", folder.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
    }
    Ok(())
}

/// Writes the directory entries of a folder to disk.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(windows) {
        // Windows has no such call.
        return Ok(());
    }
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    File::open(folder)?.sync_all()
}

/// The file of a log.
#[derive(Debug)]
pub(super) struct LogFile {
    file: File,
    /// The random ID of this file. A deletion replaces the file by one with another ID.
    id: String,
    /// The length of the file when it was opened.
    end: u64,
}

impl LogFile {
    /// Opens a log for reading. Returns `None` if it does not exist.
    pub(super) fn open(root: &Path, path: &Path) -> io::Result<Option<Self>> {
        reject_links(root, path)?;
        match private_file::open(path, File::options().read(true)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            file => {
                let file = file?;
                // This fails for files of other users and on read-only file systems. Both can be
                // read.
                private_file::make_private(&file).ok();
                Self::from_file(file).map(Some)
            }
        }
    }

    /// Opens a log for writing. Requires the [`Lock`].
    pub(super) fn open_to_write(path: &Path) -> io::Result<Self> {
        let mut options = File::options();
        options.read(true).write(true);
        let is_new = fs::symlink_metadata(path).is_err();
        let file = private_file::open_or_create(path, &options)?;
        if let Some(folder) = path.parent().filter(|_| is_new) {
            sync_folder(folder)?;
        }
        Self::from_file(file)
    }

    /// Replaces a log by a new one with a single record. Requires the [`Lock`].
    pub(super) fn replace(path: &Path, record: &Record) -> io::Result<()> {
        private_file::replace(path, |file| {
            file.write_all(&first_line(&new_id()))?;
            file.write_all(&record.to_bytes())
        })?;
        sync_folder(path.parent().unwrap_or(Path::new(".")))
    }

    fn from_file(mut file: File) -> io::Result<Self> {
        // A writer may append at the same time, so everything after this length is ignored.
        let end = file.metadata()?.len();
        let mut first = Vec::new();
        let mut rest = (&mut file).take(end);
        (&mut rest)
            .take(HEADER_LENGTH as u64)
            .read_to_end(&mut first)?;
        let line = str::from_utf8(&first).ok();
        let id = line.and_then(|it| it.strip_prefix(MAGIC)?.strip_suffix('\n'));
        if let Some(id) = id {
            let id = id.to_owned();
            return Ok(Self { file, id, end });
        }
        if is_partial_first_line(&first) && is_all_zeros(&mut rest)? {
            let id = String::new();
            return Ok(Self { file, id, end: 0 });
        }
        let why = "not a session log of this version";
        Err(io::Error::new(io::ErrorKind::InvalidData, why))
    }

    /// Returns the file's ID.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Returns whether nothing was ever appended.
    pub(super) fn is_empty(&self) -> bool {
        self.end <= HEADER_LENGTH as u64
    }

    /// Scans all records.
    pub(super) fn scan(&mut self) -> io::Result<Scan<'_, File>> {
        self.scan_from(HEADER_LENGTH as u64, Some(Position::START))
    }

    /// Scans the records from an offset at which a record begins. `before` is the position of the
    /// record before the offset.
    pub(super) fn scan_from(
        &mut self,
        offset: u64,
        before: Option<Position>,
    ) -> io::Result<Scan<'_, File>> {
        Scan::new(&mut self.file, offset, self.end, before)
    }

    /// Returns the first record after a position.
    pub(super) fn first_after(&mut self, after: Position) -> io::Result<Option<Record>> {
        self.scan()?.next_after(after)
    }

    /// Returns the last record. A record after it that a crash left incomplete is ignored.
    pub(super) fn last(&mut self) -> io::Result<Option<Record>> {
        if self.is_empty() {
            return Ok(None);
        }
        let start = start_of_last(&mut self.file, self.end)?;
        let mut scan = match start {
            Some(start) => self.scan_from(start, None)?,
            None => self.scan()?,
        };
        let mut last = None;
        while let Some(record) = scan.next()? {
            last = Some(record);
        }
        self.end = scan.offset();
        Ok(last)
    }

    /// Appends a record after the [last](Self::last) one and syncs it to disk.
    pub(super) fn append(&mut self, record: &Record) -> io::Result<()> {
        // An incomplete record is removed.
        if self.file.metadata()?.len() > self.end {
            self.file.set_len(self.end)?;
        }
        if self.end == 0 {
            // The first line is synced before the first batch, so that a file without it has no
            // batches.
            let id = new_id();
            let line = first_line(&id);
            self.file.rewind()?;
            self.file.write_all(&line)?;
            self.file.sync_all()?;
            (self.id, self.end) = (id, line.len() as u64);
        }
        let bytes = record.to_bytes();
        self.file.seek(SeekFrom::Start(self.end))?;
        let written = self
            .file
            .write_all(&bytes)
            .and_then(|()| self.file.sync_data());
        if written.is_err() {
            // Readers ignore an incomplete record.
            let _ = self.file.set_len(self.end);
        }
        written
    }
}

/// Returns whether these bytes are an incomplete first line, possibly padded with zeros.
fn is_partial_first_line(first: &[u8]) -> bool {
    let written = first.iter().rposition(|byte| *byte != 0);
    let written = &first[..written.map_or(0, |last| last + 1)];
    let magic = written.len().min(MAGIC.len());
    written.len() < HEADER_LENGTH
        && written[..magic] == MAGIC.as_bytes()[..magic]
        && written[magic..].iter().all(u8::is_ascii_hexdigit)
}

/// Returns whether the rest of a file is zeros.
fn is_all_zeros(rest: &mut impl Read) -> io::Result<bool> {
    let mut bytes = [0; 1 << 13];
    loop {
        match rest.read(&mut bytes)? {
            0 => return Ok(true),
            read if bytes[..read].iter().all(|byte| *byte == 0) => {}
            _ => return Ok(false),
        }
    }
}

fn new_id() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

fn first_line(id: &str) -> Vec<u8> {
    format!("{MAGIC}{id}\n").into_bytes()
}

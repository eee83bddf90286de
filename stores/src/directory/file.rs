//! The file of a log, and its lock.

use super::record::{Record, Scan, start_of_last};
use crate::session_log::Position;
use agentwire_files::private_file;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// What a log begins with, before an ID of its own: which format it has.
const MAGIC: &str = "agentwire session log 1 ";

/// The length of the first line.
const FIRST: usize = MAGIC.len() + 32 + 1;

/// Excludes other writers until it is dropped: closing the file unlocks it.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Waits for the lock of a log. Creates the folders that it is in.
    pub(super) fn take(root: &Path, log: &Path) -> io::Result<Self> {
        if let Some(folder) = log.parent() {
            create(root, folder)?;
        }
        let path = log.with_extension("lock");
        let file = private_file::open_or_create(&path, File::options().write(true))?;
        file.lock()?;
        Ok(Self { _file: file })
    }
}

/// Creates a folder below the root, and those that it is in, so that a crash does not take
/// them away. Only this user gets into those that are new or below the root.
fn create(root: &Path, folder: &Path) -> io::Result<()> {
    let is_below = folder != root && folder.starts_with(root);
    if !is_below && (folder.as_os_str().is_empty() || folder.is_dir()) {
        return Ok(());
    }
    let parent = folder.parent();
    if let Some(parent) = parent {
        create(root, parent)?;
    }
    let is_new = private_file::create_private_folder(folder)?;
    parent.filter(|_| is_new).map_or(Ok(()), sync)
}

/// Fails if a folder between the root and a log is a link.
pub(super) fn check(root: &Path, log: &Path) -> io::Result<()> {
    let folders = log.ancestors().skip(1);
    for folder in folders.take_while(|it| *it != root) {
        if fs::symlink_metadata(folder).is_ok_and(|it| !it.is_dir()) {
            let why = format!("{} is a link or a file", folder.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
    }
    Ok(())
}

/// Has the names in a folder written to the disk.
fn sync(folder: &Path) -> io::Result<()> {
    if cfg!(windows) {
        // It has no such call.
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
    /// An ID that no other file has had.
    id: String,
    /// How long it was when it was opened.
    end: u64,
}

impl LogFile {
    /// Opens a log to read it. Nothing, if there is none.
    pub(super) fn open(root: &Path, path: &Path) -> io::Result<Option<Self>> {
        check(root, path)?;
        match private_file::open(path, File::options().read(true)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            file => {
                let file = file?;
                // Another user's may be read, and what is on a read-only file system.
                private_file::make_private(&file).ok();
                Self::of(file).map(Some)
            }
        }
    }

    /// Opens a log to write it. The lock has to be held.
    pub(super) fn open_to_write(path: &Path) -> io::Result<Self> {
        let mut options = File::options();
        options.read(true).write(true);
        let is_new = fs::symlink_metadata(path).is_err();
        let file = private_file::open_or_create(path, &options)?;
        if let Some(folder) = path.parent().filter(|_| is_new) {
            sync(folder)?;
        }
        Self::of(file)
    }

    /// Puts a new log in the place of one, with a single record. The lock has to be
    /// held.
    pub(super) fn replace(path: &Path, record: &Record) -> io::Result<()> {
        private_file::replace(path, |file| {
            file.write_all(&first_line(&new_id()))?;
            file.write_all(&record.to_bytes())
        })?;
        sync(path.parent().unwrap_or(Path::new(".")))
    }

    fn of(mut file: File) -> io::Result<Self> {
        // Its writer may be at it: what came after this is not looked at.
        let end = file.metadata()?.len();
        let mut first = Vec::new();
        let mut rest = (&mut file).take(end);
        (&mut rest).take(FIRST as u64).read_to_end(&mut first)?;
        let line = str::from_utf8(&first).ok();
        let id = line.and_then(|it| it.strip_prefix(MAGIC)?.strip_suffix('\n'));
        if let Some(id) = id {
            let id = id.to_owned();
            return Ok(Self { file, id, end });
        }
        if is_unfinished(&first) && is_hole(&mut rest)? {
            let id = String::new();
            return Ok(Self { file, id, end: 0 });
        }
        let why = "this is not a session log of this version";
        Err(io::Error::new(io::ErrorKind::InvalidData, why))
    }

    /// Which file it is.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Whether nothing was ever appended to it.
    pub(super) fn is_empty(&self) -> bool {
        self.end <= FIRST as u64
    }

    /// Reads its records.
    pub(super) fn scan(&mut self) -> io::Result<Scan<'_, File>> {
        self.scan_from(FIRST as u64, Some(Position::START))
    }

    /// Reads its records from an offset on, where one begins; `before` is the position
    /// of the record before it.
    pub(super) fn scan_from(
        &mut self,
        offset: u64,
        before: Option<Position>,
    ) -> io::Result<Scan<'_, File>> {
        Scan::new(&mut self.file, offset, self.end, before)
    }

    /// The first record behind a position.
    pub(super) fn first_behind(&mut self, after: Position) -> io::Result<Option<Record>> {
        self.scan()?.next_behind(after)
    }

    /// The last record. Where a crash left a part of one behind it, the end of the
    /// log is taken to be before that.
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

    /// Appends a record behind the [last](Self::last) one, and has it written to the
    /// disk.
    pub(super) fn append(&mut self, record: &Record) -> io::Result<()> {
        // What a crash left.
        if self.file.metadata()?.len() > self.end {
            self.file.set_len(self.end)?;
        }
        if self.end == 0 {
            // On the disk before there is a batch, so that a file without this line has
            // none.
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
            // A part of a record is no harm, and may stay.
            let _ = self.file.set_len(self.end);
        }
        written
    }
}

/// Whether these bytes are what a crash left of a first line: its beginning, with
/// nothing or zeros behind.
fn is_unfinished(first: &[u8]) -> bool {
    let written = first.iter().rposition(|byte| *byte != 0);
    let written = &first[..written.map_or(0, |last| last + 1)];
    let magic = written.len().min(MAGIC.len());
    written.len() < FIRST
        && written[..magic] == MAGIC.as_bytes()[..magic]
        && written[magic..].iter().all(u8::is_ascii_hexdigit)
}

/// Whether the rest of a file is zeros.
fn is_hole(rest: &mut impl Read) -> io::Result<bool> {
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

//! Files that are there as a whole or not at all.

use super::super::error::HistoryError;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use uuid::Uuid;

/// Writes a file that only this user can read, in place of what had the name.
pub(super) fn write(folder: &Path, name: &str, text: &[u8]) -> Result<(), HistoryError> {
    // No name of a session, so that nothing lists it.
    let temporary = folder.join(format!(".{name}.{}.tmp", Uuid::new_v4()));
    let path = folder.join(name);
    let written = write_new(&temporary, text).and_then(|()| fs::rename(&temporary, &path));
    written.map_err(|error| {
        fs::remove_file(&temporary).ok();
        HistoryError::unwritable(path)(error)
    })
}

fn write_new(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text)?;
    file.sync_all()
}

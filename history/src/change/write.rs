//! Files that are there as a whole or not at all.

use super::super::error::HistoryError;
use agentwire_files::private_file::replace;
use std::io::Write;
use std::path::Path;

/// Writes a file that only this user can read, in place of what had the name.
pub(super) fn write(folder: &Path, name: &str, text: &[u8]) -> Result<(), HistoryError> {
    let path = folder.join(name);
    replace(&path, |file| file.write_all(text)).map_err(HistoryError::unwritable(path))
}

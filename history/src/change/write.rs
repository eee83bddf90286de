//! Atomic writes.

use super::super::error::HistoryError;
use agentwire_files::private_file::replace;
use std::io::Write;
use std::path::Path;

/// Creates or replaces a private file atomically.
pub(super) fn write(folder: &Path, name: &str, text: &[u8]) -> Result<(), HistoryError> {
    let path = folder.join(name);
    replace(&path, |file| file.write_all(text)).map_err(HistoryError::unwritable(path))
}

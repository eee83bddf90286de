//! Deletes a session.

use super::super::error::{HistoryError, existing};
use super::target::Target;
use std::fs;
use std::io;
use std::path::Path;

/// Deletes the session's first transcript, and then its folder.
pub(in super::super) fn delete(target: &Target<'_>) -> Result<(), HistoryError> {
    let transcripts = target.transcripts()?;
    let path = transcripts.first().ok_or_else(|| target.not_found())?;
    target.check_folder(path)?;
    let metadata = fs::symlink_metadata(path).map_err(HistoryError::undeletable(path))?;
    if metadata.is_dir() {
        return Err(HistoryError::NotRegular { path: path.clone() });
    }
    // Removes a link, but not its target.
    existing(fs::remove_file(path)).map_err(HistoryError::undeletable(path))?;
    let folder = path.with_extension("");
    remove(&folder).map_err(HistoryError::undeletable(folder))
}

/// Removes a folder with its contents, a file or a link.
fn remove(path: &Path) -> io::Result<()> {
    let Some(metadata) = existing(fs::symlink_metadata(path))? else {
        return Ok(());
    };
    match metadata.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    }
}

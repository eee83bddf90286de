//! Deletion of a session.

use super::super::error::{HistoryError, existing};
use super::place::Place;
use std::fs;
use std::io;
use std::path::Path;

/// Deletes the session's first transcript, and then the folder beside it.
pub(in super::super) fn delete(place: &Place<'_>) -> Result<(), HistoryError> {
    let transcripts = place.transcripts()?;
    let path = transcripts.first().ok_or_else(|| place.not_found())?;
    place.check_folder(path)?;
    let metadata = fs::symlink_metadata(path).map_err(HistoryError::undeletable(path))?;
    if metadata.is_dir() {
        return Err(HistoryError::NotRegular { path: path.clone() });
    }
    // Of a link, what it leads to is left.
    existing(fs::remove_file(path)).map_err(HistoryError::undeletable(path))?;
    let folder = path.with_extension("");
    remove(&folder).map_err(HistoryError::undeletable(folder))
}

/// Removes a folder with what is in it, or a file or a link.
fn remove(path: &Path) -> io::Result<()> {
    let Some(metadata) = existing(fs::symlink_metadata(path))? else {
        return Ok(());
    };
    match metadata.is_dir() {
        true => fs::remove_dir_all(path),
        false => fs::remove_file(path),
    }
}

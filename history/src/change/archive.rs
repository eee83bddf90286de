//! Archives a session.

use super::super::error::HistoryError;
use super::target::Target;
use super::time::now;
use super::write::write;
use agentwire_files::private_file::create_folder;
use agentwire_protocol::transcript::archived_mark;
use std::io;
use std::path::Path;

/// Writes the mark for each of the session's transcripts, even if one fails.
pub(in super::super) fn archive(target: &Target<'_>, archived: bool) -> Result<(), HistoryError> {
    let text = archived_mark(archived, &now());
    let marked = target.all_transcripts()?.into_iter().map(|path| {
        target.check_folder(&path)?;
        mark(&path.with_extension(""), &text)
    });
    let marked: Vec<Result<(), HistoryError>> = marked.collect();
    marked.into_iter().collect()
}

fn mark(folder: &Path, text: &str) -> Result<(), HistoryError> {
    match create_folder(folder) {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            return Err(HistoryError::NotRegular {
                path: folder.to_owned(),
            });
        }
        created => created.map_err(HistoryError::unwritable(folder))?,
    };
    write(folder, "archived.json", text.as_bytes())
}

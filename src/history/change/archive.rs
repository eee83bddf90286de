//! The mark of an archived session.

use super::super::error::HistoryError;
use super::place::Place;
use super::time::now;
use super::write::write;
use agentwire_protocol::transcript::archived_mark;
use std::fs::DirBuilder;
use std::path::Path;

/// Writes the mark of each of the session's transcripts. If one fails, the others are
/// written all the same.
pub(in super::super) fn archive(place: &Place<'_>, archived: bool) -> Result<(), HistoryError> {
    let text = archived_mark(archived, &now());
    let marked = place
        .all_transcripts()?
        .into_iter()
        .map(|path| mark(&path.with_extension(""), &text));
    let marked: Vec<Result<(), HistoryError>> = marked.collect();
    marked.into_iter().collect()
}

fn mark(folder: &Path, text: &str) -> Result<(), HistoryError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
        .create(folder)
        .map_err(HistoryError::unwritable(folder))?;
    write(folder, "archived.json", text.as_bytes())
}

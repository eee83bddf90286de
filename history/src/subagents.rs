//! The transcripts of a session's sub-agents.

use super::folders::{is_folder, name_of, sorted};
use std::path::{Path, PathBuf};

/// A sub-agent's transcript.
#[derive(Debug)]
pub(super) struct AgentFile {
    pub(super) id: String,
    pub(super) path: PathBuf,
}

/// Returns the transcripts in a folder and its subfolders, excluding links.
pub(super) fn files(folder: &Path) -> Vec<AgentFile> {
    let mut files = Vec::new();
    // Walks depth first, because folders are sorted among the files.
    let mut open = vec![sorted(folder).unwrap_or_default().into_iter()];
    while let Some(entries) = open.last_mut() {
        let Some(entry) = entries.next() else {
            open.pop();
            continue;
        };
        let name = name_of(&entry);
        let id = name
            .strip_prefix("agent-")
            .and_then(|it| it.strip_suffix(".jsonl"));
        if entry.file_type().is_ok_and(|it| it.is_file()) {
            files.extend(id.map(|id| AgentFile {
                id: id.to_owned(),
                path: entry.path(),
            }));
        } else if is_folder(&entry) {
            open.push(sorted(&entry.path()).unwrap_or_default().into_iter());
        }
    }
    files
}

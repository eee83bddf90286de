//! Finds the transcripts of a session.

use super::error::HistoryError;
use super::folders::{Projects, real};
use super::worktrees::worktrees;
use std::fs;
use std::path::{Path, PathBuf};

/// A session's transcript.
#[derive(Debug)]
pub(super) struct FoundTranscript {
    pub(super) path: PathBuf,
    /// The working directory of the session's project, if the search was restricted to one project.
    pub(super) project: Option<String>,
}

/// Finds the non-empty transcripts of a session: in the project, or else in its worktrees. Without
/// a project, searches all projects.
pub(super) fn find(
    projects: &Projects,
    directory: Option<&Path>,
    id: &str,
) -> Result<Vec<FoundTranscript>, HistoryError> {
    search(projects, directory, id, false)
}

/// Finds the non-empty transcripts of a session in the project and its worktrees. Without a
/// project, searches all projects.
pub(super) fn find_all(
    projects: &Projects,
    directory: Option<&Path>,
    id: &str,
) -> Result<Vec<FoundTranscript>, HistoryError> {
    search(projects, directory, id, true)
}

fn search(
    projects: &Projects,
    directory: Option<&Path>,
    id: &str,
    all: bool,
) -> Result<Vec<FoundTranscript>, HistoryError> {
    let mut found = Vec::new();
    let mut add = |folder: &Path, project: Option<&str>| {
        let path = folder.join(format!("{id}.jsonl"));
        if fs::metadata(&path).is_ok_and(|it| it.len() > 0) {
            let project = project.map(str::to_owned);
            found.push(FoundTranscript { path, project });
        }
        found.is_empty()
    };
    let Some(directory) = directory else {
        for entry in projects.entries()? {
            add(&entry.path(), None);
        }
        return Ok(found);
    };
    let directory = real(directory);
    let mut is_missing = true;
    for folder in projects.folders_of(&directory)? {
        is_missing &= add(&folder, Some(&directory));
    }
    if is_missing || all {
        for worktree in worktrees(&directory).iter().filter(|it| **it != directory) {
            for folder in projects.folders_of(worktree)? {
                add(&folder, Some(worktree));
            }
        }
    }
    Ok(found)
}

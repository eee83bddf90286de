//! Where a session is.

use super::error::HistoryError;
use super::folders::{Projects, real};
use super::worktrees::worktrees;
use std::fs;
use std::path::{Path, PathBuf};

/// A session's transcript.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// The working directory whose project it is in, if one was searched for.
    pub(super) project: Option<String>,
}

/// Finds the transcripts of a session that are not empty: those of the project, or
/// if there are none, of its worktrees; or of all projects.
pub(super) fn find(
    projects: &Projects,
    directory: Option<&Path>,
    id: &str,
) -> Result<Vec<Found>, HistoryError> {
    search(projects, directory, id, false)
}

/// Finds the transcripts of a session that are not empty, in the project and in its
/// worktrees, or in all projects.
pub(super) fn find_all(
    projects: &Projects,
    directory: Option<&Path>,
    id: &str,
) -> Result<Vec<Found>, HistoryError> {
    search(projects, directory, id, true)
}

fn search(
    projects: &Projects,
    directory: Option<&Path>,
    id: &str,
    all: bool,
) -> Result<Vec<Found>, HistoryError> {
    let mut found = Vec::new();
    let mut add = |folder: &Path, project: Option<&str>| {
        let path = folder.join(format!("{id}.jsonl"));
        if fs::metadata(&path).is_ok_and(|it| it.len() > 0) {
            let project = project.map(str::to_owned);
            found.push(Found { path, project });
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
    let mut goes_on = true;
    for folder in projects.of(&directory)? {
        goes_on &= add(&folder, Some(&directory));
    }
    if goes_on || all {
        for worktree in worktrees(&directory).iter().filter(|it| **it != directory) {
            for folder in projects.of(worktree)? {
                add(&folder, Some(worktree));
            }
        }
    }
    Ok(found)
}

//! The session to change.

use super::super::error::HistoryError;
use super::super::find::{FoundTranscript, find, find_all};
use super::super::folders::Projects;
use agentwire_files::is_session_id;
use agentwire_files::private_file::check_folder;
use std::path::{Path, PathBuf};

/// A session ID and the projects in which it is searched.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Target<'p> {
    pub(in super::super) projects: &'p Projects,
    pub(in super::super) project: Option<&'p Path>,
    pub(in super::super) id: &'p str,
}

impl Target<'_> {
    /// Returns an error if the ID is invalid.
    pub(in super::super) fn check(&self) -> Result<(), HistoryError> {
        match is_session_id(self.id) {
            true => Ok(()),
            false => Err(HistoryError::InvalidId {
                id: self.id.to_owned(),
            }),
        }
    }

    /// Returns the session's transcripts, at least one. The history reads the first one.
    pub(super) fn transcripts(&self) -> Result<Vec<PathBuf>, HistoryError> {
        self.check()?;
        self.paths(find(self.projects, self.project, self.id)?)
    }

    /// Returns the session's transcripts including those in other worktrees.
    pub(super) fn all_transcripts(&self) -> Result<Vec<PathBuf>, HistoryError> {
        self.check()?;
        self.paths(find_all(self.projects, self.project, self.id)?)
    }

    /// Returns an error if the folder of a transcript is a link that leads out of the folder
    /// `projects`.
    pub(super) fn check_folder(&self, transcript: &Path) -> Result<(), HistoryError> {
        let folder = transcript.parent().unwrap_or(Path::new("."));
        check_folder(&self.projects.folder, folder).map_err(|_| HistoryError::NotRegular {
            path: folder.to_owned(),
        })
    }

    pub(in super::super) fn not_found(&self) -> HistoryError {
        HistoryError::NotFound {
            id: self.id.to_owned(),
            project: self.project.map(Path::to_owned),
        }
    }

    fn paths(&self, found: Vec<FoundTranscript>) -> Result<Vec<PathBuf>, HistoryError> {
        match found.is_empty() {
            true => Err(self.not_found()),
            false => Ok(found.into_iter().map(|found| found.path).collect()),
        }
    }
}

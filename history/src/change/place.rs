//! The session that is changed.

use super::super::error::HistoryError;
use super::super::find::{Found, find, find_all};
use super::super::folders::Projects;
use agentwire_files::is_session_id;
use agentwire_files::private_file::check_folder;
use std::path::{Path, PathBuf};

/// A session, and where it is searched for.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Place<'p> {
    pub(in super::super) projects: &'p Projects,
    pub(in super::super) project: Option<&'p Path>,
    pub(in super::super) id: &'p str,
}

impl Place<'_> {
    /// Fails if the ID is none, before anything else is looked at.
    pub(in super::super) fn check(&self) -> Result<(), HistoryError> {
        match is_session_id(self.id) {
            true => Ok(()),
            false => Err(HistoryError::InvalidId {
                id: self.id.to_owned(),
            }),
        }
    }

    /// The session's transcripts, of which there is at least one. The first is the
    /// one that is read.
    pub(super) fn transcripts(&self) -> Result<Vec<PathBuf>, HistoryError> {
        self.check()?;
        self.some(find(self.projects, self.project, self.id)?)
    }

    /// As [`Place::transcripts`], with those in other worktrees.
    pub(super) fn all_transcripts(&self) -> Result<Vec<PathBuf>, HistoryError> {
        self.check()?;
        self.some(find_all(self.projects, self.project, self.id)?)
    }

    /// Fails if the folder of a transcript is a link that leads out of the folder of all
    /// projects: then it is not of the agent's, and not changed.
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

    fn some(&self, found: Vec<Found>) -> Result<Vec<PathBuf>, HistoryError> {
        match found.is_empty() {
            true => Err(self.not_found()),
            false => Ok(found.into_iter().map(|found| found.path).collect()),
        }
    }
}

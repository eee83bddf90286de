//! The options that select sessions.

use super::error::SessionsError;
use agentwire::view::View;
use agentwire_history::{History, SessionInfo};
use std::path::PathBuf;

/// The location of the sessions.
#[derive(Debug, clap::Args)]
pub(super) struct Stored {
    /// Only the sessions of this working directory and the other worktrees of its git repository
    /// [default: the sessions of all projects]
    #[arg(long, value_name = "DIR")]
    project: Option<PathBuf>,

    /// The agent's configuration directory [default: the value of
    /// `CLAUDE_CONFIG_DIR`, or `.claude` in the home directory]
    #[arg(long, value_name = "DIR")]
    config_dir: Option<PathBuf>,
}

impl Stored {
    pub(super) fn history(&self) -> Result<History, SessionsError> {
        let history = match &self.config_dir {
            Some(directory) => History::in_directory(directory),
            None => History::new()?,
        };
        Ok(match &self.project {
            Some(project) => history.project(project),
            None => history,
        })
    }
}

/// Returns the path of a session's transcript.
pub(super) fn transcript(history: &History, id: &str) -> Result<PathBuf, SessionsError> {
    let path = history.transcript_path(id)?;
    path.ok_or_else(|| SessionsError::NotFound { id: id.to_owned() })
}

/// Returns the view of a session, with its sub-agents.
pub(super) fn view(history: &History, id: &str) -> Result<View, SessionsError> {
    let files = history.session_files(id)?;
    let files = files.ok_or_else(|| SessionsError::NotFound { id: id.to_owned() })?;
    let mut view = View::new();
    view.restore_files(&files);
    Ok(view)
}

/// Returns the summary of a session, for display.
pub(super) fn title(session: Option<&SessionInfo>) -> String {
    session.map_or_else(String::new, |session| session.summary.clone())
}

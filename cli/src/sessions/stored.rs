//! The sessions that a command works with.

use super::error::SessionsError;
use agentwire_history::{History, SessionInfo};
use std::path::PathBuf;

/// Where the sessions are.
#[derive(Debug, clap::Args)]
pub(super) struct Stored {
    /// Only the sessions of this working directory and of the other worktrees of its
    /// git repository [default: the sessions of all projects]
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

/// The path of a session's transcript.
pub(super) fn transcript(history: &History, id: &str) -> Result<PathBuf, SessionsError> {
    let path = history.transcript_path(id)?;
    path.ok_or_else(|| SessionsError::NotFound { id: id.to_owned() })
}

/// What a list shows of a session, where there is something to show.
pub(super) fn title(session: Option<&SessionInfo>) -> String {
    session.map_or_else(String::new, |session| session.summary.clone())
}

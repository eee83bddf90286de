//! Errors of `agentwire sessions`.

use agentwire_history::HistoryError;
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub(super) enum SessionsError {
    #[error(transparent)]
    History(#[from] HistoryError),
    #[error("no session {id}")]
    NotFound { id: String },
    #[error("cannot confirm the deletion of session {id} without a terminal; use `--yes`")]
    NoTerminal { id: String },
    #[error("cannot read {}: {error}", path.display())]
    Input { path: PathBuf, error: io::Error },
    #[error("cannot write {}: {error}", path.display())]
    File { path: PathBuf, error: io::Error },
    #[error("cannot write to standard output: {0}")]
    Output(io::Error),
}

impl From<io::Error> for SessionsError {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl SessionsError {
    pub(super) fn input(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| Self::Input { path, error }
    }

    pub(super) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| Self::File { path, error }
    }
}

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
    #[error("cannot read {}: {source}", path.display())]
    Input { path: PathBuf, source: io::Error },
    #[error("cannot write {}: {source}", path.display())]
    File { path: PathBuf, source: io::Error },
    #[error("cannot write to standard output: {0}")]
    Output(#[from] io::Error),
}

impl SessionsError {
    pub(super) fn input(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Input { path, source }
    }

    pub(super) fn file(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { path, source }
    }
}

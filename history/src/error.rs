//! Errors of the history.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The error of reading or changing the history.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HistoryError {
    /// Neither `CLAUDE_CONFIG_DIR` nor a home directory is set.
    #[error("no configuration directory: set `CLAUDE_CONFIG_DIR` or `HOME`")]
    NoHome,
    /// A file or a folder exists but cannot be read, for example because of its permissions.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file or the folder.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// A session ID is not a UUID.
    #[error("`{id}` is not a session ID")]
    InvalidId {
        /// The given ID.
        id: String,
    },
    /// The session does not exist.
    #[error("no session {id} in {}", searched(project.as_deref()))]
    NotFound {
        /// The session ID.
        id: String,
        /// The [project](super::History::project) that was searched, or `None` for all projects.
        project: Option<PathBuf>,
    },
    /// A title is blank.
    #[error("the title is blank")]
    BlankTitle,
    /// A tag is blank, or consists only of characters that are removed.
    #[error("the tag is blank; use `None` to remove the tag")]
    BlankTag,
    /// The session has no messages that a fork can copy.
    #[error("session {id} has no messages to fork")]
    NoMessages {
        /// The session ID.
        id: String,
    },
    /// The session has no message with the ID of [`ForkSession::up_to`](super::ForkSession::up_to).
    #[error("session {id} has no message {message}")]
    UnknownMessage {
        /// The session ID.
        id: String,
        /// The given ID.
        message: String,
    },
    /// The transcript is not a regular file, or the folder of its session or project is a link
    /// that leads out of the folder `projects`. Nothing was changed.
    #[error("{} is a link or not a regular file; nothing was changed", path.display())]
    NotRegular {
        /// The transcript or the folder.
        path: PathBuf,
    },
    /// A file could not be written, for example because of its permissions.
    #[error("cannot write {}: {error}", path.display())]
    Unwritable {
        /// The file or its folder.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
    /// A file or a folder could not be deleted.
    #[error("cannot delete {}: {error}", path.display())]
    Undeletable {
        /// The file or the folder.
        path: PathBuf,
        /// The reason.
        error: io::Error,
    },
}

/// Names the searched projects.
fn searched(project: Option<&Path>) -> String {
    match project {
        Some(project) => format!("the project {}", project.display()),
        None => "any project".to_owned(),
    }
}

impl HistoryError {
    pub(super) fn unreadable(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| Self::Unreadable { path, error }
    }

    pub(super) fn unwritable(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| Self::Unwritable { path, error }
    }

    pub(super) fn undeletable(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| Self::Undeletable { path, error }
    }
}

/// Converts errors of missing files to `None`.
pub(super) fn existing<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound
            | io::ErrorKind::NotADirectory
            | io::ErrorKind::IsADirectory
            | io::ErrorKind::InvalidInput => Ok(None),
            _ => Err(error),
        },
    }
}

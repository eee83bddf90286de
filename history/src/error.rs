//! Failures of reading and changing the history.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The history could not be read or changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HistoryError {
    /// Neither `CLAUDE_CONFIG_DIR` nor a home directory is set.
    #[error("no configuration directory: set `CLAUDE_CONFIG_DIR` or `HOME`")]
    NoHome,
    /// A file or a folder exists and could not be read, for example because of
    /// its permissions.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file or the folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A session ID is not a UUID.
    #[error("`{id}` is not a session ID")]
    InvalidId {
        /// The given ID.
        id: String,
    },
    /// There is no such session.
    #[error("no session {id} in {}", place(project.as_deref()))]
    NotFound {
        /// The session ID.
        id: String,
        /// The [project](super::History::project) that was searched; `None` for all
        /// projects.
        project: Option<PathBuf>,
    },
    /// A title is blank.
    #[error("the title is blank")]
    BlankTitle,
    /// A tag is blank, or has only characters that are removed.
    #[error("the tag is blank; use `None` to remove the tag")]
    BlankTag,
    /// The session has no messages that a fork can copy.
    #[error("session {id} has no messages to fork")]
    NoMessages {
        /// The session ID.
        id: String,
    },
    /// The session has no message with the ID that was given to
    /// [`ForkSession::up_to`](super::ForkSession::up_to).
    #[error("session {id} has no message {message}")]
    UnknownMessage {
        /// The session ID.
        id: String,
        /// The given ID.
        message: String,
    },
    /// The transcript is a link, a folder, or another file that is none of the
    /// agent's; or the folder of its session or its project is a link that leads out of the
    /// folder of all projects. Nothing was changed.
    #[error("{} is a link or not a file of the agent's: nothing was changed", path.display())]
    NotRegular {
        /// The transcript or the folder.
        path: PathBuf,
    },
    /// A file could not be written, for example because of its permissions.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The file or its folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file or a folder could not be deleted.
    #[error("cannot delete {}: {source}", path.display())]
    Undeletable {
        /// The file or the folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

/// Where a session was searched.
fn place(project: Option<&Path>) -> String {
    match project {
        Some(project) => format!("the project {}", project.display()),
        None => "any project".to_owned(),
    }
}

impl HistoryError {
    pub(super) fn unreadable(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Unreadable { path, source }
    }

    pub(super) fn unwritable(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Unwritable { path, source }
    }

    pub(super) fn undeletable(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Undeletable { path, source }
    }
}

/// Returns `None` for what does not exist.
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

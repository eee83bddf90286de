//! What can go wrong, and what a session says when it is over.

use agentwire_protocol::host::RequestFailure;
use agentwire_protocol::{Json, ViewError};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;

/// What can go wrong.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no agent CLI where one is looked for.
    #[error("{0}")]
    CliNotFound(#[from] CliNotFound),
    /// The CLI is there and could not be started.
    #[error("cannot start {}: {source}", program.display())]
    Spawn {
        /// The CLI.
        program: PathBuf,
        /// Why not.
        source: Arc<io::Error>,
    },
    /// An option cannot be passed on to the CLI.
    #[error("the option `{option}` {problem}")]
    Option {
        /// The option, by its flag or its name.
        option: String,
        /// What is wrong with it.
        problem: String,
    },
    /// What is to be sent cannot be written as JSON.
    #[error("what is to be sent cannot be written as JSON: {0}")]
    Encode(Arc<serde_json::Error>),
    /// A request was not answered, or refused.
    #[error(transparent)]
    Request(Arc<RequestFailure>),
    /// A request was done, but what came of it cannot be read.
    #[error("`{subtype}` was done, but its answer cannot be read: {reason}")]
    UnreadAnswer {
        /// The request.
        subtype: &'static str,
        /// The answer.
        payload: Option<Json>,
        /// Why it cannot be read.
        reason: String,
    },
    /// A message has members that are not as they should be. The frame that
    /// it came in is intact, and the session goes on.
    #[error(transparent)]
    View(#[from] ViewError),
    /// The session is over, or closing.
    #[error("{0}")]
    Ended(Arc<SessionEnd>),
}

impl From<RequestFailure> for Error {
    fn from(failure: RequestFailure) -> Self {
        Self::Request(Arc::new(failure))
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Encode(Arc::new(error))
    }
}

/// There is no agent CLI where one is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CliNotFound {
    /// The places, in the order in which they were tried.
    pub looked: Vec<String>,
}

impl fmt::Display for CliNotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no agent CLI was found; looked for: {}. Install it with `npm install -g \
             @anthropic-ai/claude-code`, or say where it is with AGENTWIRE_CLI or an explicit path",
            self.looked.join(", ")
        )
    }
}

impl std::error::Error for CliNotFound {}

/// How a session ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SessionEnd {
    /// Why it ended.
    pub reason: EndReason,
    /// How the CLI exited, if it has.
    pub exit: Option<ExitStatus>,
    /// The end of what it said on standard error, at most 64 KiB.
    pub stderr: String,
}

/// Why a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndReason {
    /// The host closed it.
    Closed,
    /// The CLI exited, or was killed, without having been asked to.
    Exited,
    /// The CLI closed its output and lives on.
    OutputClosed,
    /// The host closed it, and the CLI exited with a status that no error
    /// result explains.
    FailedAtExit,
    /// The runtime that the session ran on is gone.
    RuntimeGone,
}

impl SessionEnd {
    /// The host said that the session is to end, and it is about to.
    pub(crate) fn closing() -> Self {
        Self {
            reason: EndReason::Closed,
            exit: None,
            stderr: String::new(),
        }
    }

    pub(crate) fn runtime_gone() -> Self {
        Self {
            reason: EndReason::RuntimeGone,
            exit: None,
            stderr: String::new(),
        }
    }
}

impl fmt::Display for SessionEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.reason {
            EndReason::Closed => "the session is closed",
            EndReason::Exited => "the agent CLI ended in the middle of the session",
            EndReason::OutputClosed => "the agent CLI closed its output",
            EndReason::FailedAtExit => "the agent CLI failed when it was to end",
            EndReason::RuntimeGone => "the session's runtime was shut down",
        })?;
        if self.reason != EndReason::Closed {
            if let Some(exit) = self.exit {
                write!(f, " ({exit})")?;
            }
            let stderr = self.stderr.trim_end();
            if !stderr.is_empty() {
                write!(f, "; it said last:\n{stderr}")?;
            }
        }
        Ok(())
    }
}

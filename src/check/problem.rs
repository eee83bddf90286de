//! Problems that a check found, and their remedies.

use crate::event::{Error, IgnoredOption, Notice};
use agentwire_protocol::host::{RequestFailure, WireNotice};
use agentwire_protocol::message::{ResultMessage, ResultSubtype};
use serde::Serialize;
use std::fmt;
use std::time::Duration;

/// A problem that a [`check`](crate::check()) found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Problem {
    /// The kind of problem.
    pub kind: ProblemKind,
    /// Whether it prevents sessions.
    pub is_fatal: bool,
    /// The problem.
    pub message: String,
    /// The remedy.
    pub advice: String,
}

/// The kind of a [`Problem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ProblemKind {
    /// An option is invalid.
    InvalidOption,
    /// An option has no effect, because another one overrides it.
    IgnoredOption,
    /// The CLI does not support an option.
    UnsupportedOption,
    /// There is no CLI, or it is not executable.
    CliNotFound,
    /// The operating system cannot run the CLI.
    CliNotStarted,
    /// The CLI exited before it responded.
    CliExited,
    /// The CLI is older than the oldest supported version.
    CliTooOld,
    /// The CLI did not respond in time, or refused the first request.
    NoResponse,
    /// The CLI wrote a line that is not a message.
    InvalidOutput,
    /// The CLI has no credentials.
    NotLoggedIn,
    /// The model did not reply.
    NoReply,
    /// Another error or notice of the session.
    Other,
}

impl Problem {
    fn new(kind: ProblemKind, message: impl ToString, advice: impl Into<String>) -> Self {
        Self {
            kind,
            is_fatal: true,
            message: message.to_string(),
            advice: advice.into(),
        }
    }

    fn warning(self) -> Self {
        Self {
            is_fatal: false,
            ..self
        }
    }

    pub(super) fn of_error(error: &Error) -> Self {
        use ProblemKind::*;
        let (kind, advice) = match error {
            Error::Option { .. } => (InvalidOption, "correct the option".to_owned()),
            Error::CliNotFound(_) => (
                CliNotFound,
                "install Claude Code, or set the path of its executable".to_owned(),
            ),
            Error::Spawn { .. } => (
                CliNotStarted,
                "install the CLI for this system, and set the path of its executable".to_owned(),
            ),
            Error::Ended(_) => (
                CliExited,
                "run the CLI in a terminal; if it fails there, too, install it again".to_owned(),
            ),
            Error::TooOld { option: None, .. } => {
                (CliTooOld, "update the CLI: `claude update`".to_owned())
            }
            Error::TooOld { needs, .. } => (
                UnsupportedOption,
                match needs {
                    Some(version) => format!("remove the option, or update the CLI to {version}"),
                    None => "correct or remove the option".to_owned(),
                },
            ),
            Error::NotApplied { .. } => (
                UnsupportedOption,
                "remove the option, or update the CLI".to_owned(),
            ),
            Error::StartUp { failure, .. } => (
                NoResponse,
                match **failure {
                    RequestFailure::TimedOut { .. } => {
                        "run the CLI in a terminal to see what it waits for; on a slow machine, \
                         raise the timeout"
                    }
                    _ => "correct the options, or update the CLI",
                }
                .to_owned(),
            ),
            _ => (Other, "resolve this error, and check again".to_owned()),
        };
        Self::new(kind, error, advice)
    }

    pub(super) fn of_ignored(ignored: &IgnoredOption) -> Self {
        let advice = format!("remove `{}` or `{}`", ignored.option, ignored.by);
        Self::new(ProblemKind::IgnoredOption, ignored, advice).warning()
    }

    /// Returns the problem of a notice; `None` if it is not about the options or the CLI, or was
    /// reported before.
    pub(super) fn of_notice(notice: &Notice) -> Option<Self> {
        use ProblemKind::{InvalidOutput, Other, UnsupportedOption};
        let (kind, advice) = match notice {
            Notice::NotApplied { .. } => {
                (UnsupportedOption, "remove the option, or update the CLI")
            }
            Notice::NotAsConfigured { .. } => {
                (Other, "set the reported value, or change the settings")
            }
            Notice::UnknownTool { .. } => (Other, "correct the name of the tool"),
            Notice::McpServerUnavailable { .. } => (Other, "start the server, or log in to it"),
            Notice::McpServerPanicked { .. }
            | Notice::McpServerEnded { .. }
            | Notice::McpToolsUnusable { .. } => (Other, "correct the server in the program"),
            Notice::Wire(WireNotice::NotAFrame { .. } | WireNotice::UnfinishedLine { .. }) => (
                InvalidOutput,
                "set the path of the CLI itself, or of a wrapper that prints nothing",
            ),
            _ => return None,
        };
        Some(Self::new(kind, notice, advice).warning())
    }

    /// Returns the problem of a turn that failed.
    pub(super) fn of_result(result: &ResultMessage) -> Option<Self> {
        let text = result.error_text()?;
        if result.subtype == ResultSubtype::ErrorMaxTurns {
            // The model called a tool, so it replied.
            return None;
        }
        let advice = match result.api_error_status {
            Some(401 | 403) => "log in again, or replace the API key",
            Some(404) => "set a model that the account can use",
            Some(429 | 529) => "try again later",
            _ => "check the account and the connection to the API",
        };
        Some(Self::new(ProblemKind::NoReply, text, advice))
    }

    pub(super) fn no_reply(limit: Duration) -> Self {
        let message = format!("the model did not reply within {limit:?}");
        let advice = "check the connection to the API, or try again later";
        Self::new(ProblemKind::NoReply, message, advice)
    }

    pub(super) fn not_logged_in() -> Self {
        let advice = "set ANTHROPIC_API_KEY, run `claude auth login`, or log in with \
                      `Handle::claude_authenticate`";
        Self::new(ProblemKind::NotLoggedIn, "the CLI is not logged in", advice)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.is_fatal { "problem" } else { "notice" };
        write!(f, "{what}: {}\n  remedy: {}", self.message, self.advice)
    }
}

//! Errors, and how sessions end.

use super::busy::Busy;
use crate::ownership::SessionOwner;
use crate::process::{CliNotFound, CliVersion};
use crate::store::{StoreCallError, TranscriptFailure};
use agentwire_protocol::content::CannotAttach;
use agentwire_protocol::control::Refusal;
use agentwire_protocol::host::{RequestFailure, SubmissionState, TurnOutcome};
use agentwire_protocol::message::{FailedTurn, StructuredError};
use agentwire_protocol::{Json, ViewError};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;

/// An error of a session, a request or an option.
///
/// `Display` includes the causes, so [`source`](std::error::Error::source) does
/// not repeat them. `Debug` prints the same text, because `unwrap` and a `main`
/// that returns the error use it.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No agent CLI was found.
    #[error(transparent)]
    CliNotFound(#[from] CliNotFound),
    /// The CLI could not be spawned.
    #[error("cannot start {}: {error}", program.display())]
    Spawn {
        /// The CLI.
        program: PathBuf,
        /// The cause.
        error: Arc<io::Error>,
    },
    /// There is no tokio runtime. Nothing was spawned.
    #[error(
        "a session requires a tokio runtime: call this in a function with `#[tokio::main]`, or \
         inside `tokio::runtime::Runtime::block_on`"
    )]
    NoRuntime,
    /// The connection to the agent could not be opened
    /// ([`Transport::open`](crate::transport::Transport::open)).
    #[error("cannot connect to the agent: {error}")]
    Transport {
        /// The cause.
        error: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// An option is invalid: it cannot be passed to the CLI, or the CLI would
    /// refuse it.
    #[error("the option `{option}` {problem}")]
    Option {
        /// The option, by its flag or name.
        option: String,
        /// The problem. Reads as a sentence after the option.
        problem: String,
    },
    /// The CLI was spawned, but did not complete the first request.
    #[error("the agent CLI did not start up: {failure}{}{}", limit(.failure), stderr_tail(.stderr))]
    StartUp {
        /// The cause.
        failure: Arc<RequestFailure>,
        /// The end of its standard error, at most 64 KiB.
        stderr: String,
    },
    /// A message or request cannot be serialized as JSON.
    #[error("a message or request cannot be serialized as JSON: {0}")]
    Encode(Arc<serde_json::Error>),
    /// A request got no response, or was refused.
    #[error(transparent)]
    Request(Arc<RequestFailure>),
    /// The agent does not support a request, or a part of it.
    #[error("{}", not_supported(subtype, *needs, refusal.as_ref()))]
    NotSupported {
        /// The request.
        subtype: Box<str>,
        /// The capability that agents with support declare, if there is one.
        needs: Option<&'static str>,
        /// The agent's error response. `None` if the request was not sent
        /// because an agent without the capability would ignore a part of it,
        /// and do something else than requested.
        refusal: Option<Refusal>,
    },
    /// A request succeeded, but its response is invalid.
    #[error("`{subtype}` succeeded, but its response is invalid: {reason}")]
    InvalidResponse {
        /// The request.
        subtype: Box<str>,
        /// The response.
        payload: Option<Json>,
        /// The reason why it is invalid.
        reason: String,
    },
    /// There is no pending request with this ID: it was answered or cancelled, or never arrived.
    /// Also returned if the request takes another type of response.
    #[error("no pending request with id `{request_id}`, or it takes another type of response")]
    NoPendingRequest {
        /// The ID.
        request_id: Box<str>,
    },
    /// The CLI did not apply a required option of the first request: `settings`,
    /// `managed_settings`, `mcp_servers`, or `hooks` including a [gate](crate::Hook::gate). Either
    /// the CLI is too old, or it was spawned elsewhere ([`Pipes`](crate::transport::Pipes)) without
    /// [`Options::arguments`](crate::Options::arguments).
    #[error(
        "the agent CLI did not apply the option `{option}`: it is too old, or was started without \
         `Options::arguments`"
    )]
    NotApplied {
        /// The option.
        option: &'static str,
    },
    /// The CLI does not support a required option, or is older than 2.0.0.
    #[error("{}", too_old(option.as_deref(), *needs, *version))]
    TooOld {
        /// The option: a method of [`Options`](crate::Options), or a flag.
        /// `None` if agentwire does not support this CLI at all.
        option: Option<Box<str>>,
        /// The first supported version of Claude Code, if known.
        needs: Option<CliVersion>,
        /// The version of this CLI, if known.
        version: Option<CliVersion>,
    },
    /// A message has invalid members. Its frame is intact, and the session continues.
    #[error(transparent)]
    View(#[from] ViewError),
    /// A message was withdrawn before it was sent, as requested by an
    /// interrupt.
    #[error("message {uuid} was withdrawn before it was sent")]
    Withdrawn {
        /// The message.
        uuid: Box<str>,
    },
    /// The agent ended a turn with an error. The text is that of the result; see
    /// [`ResultMessage::error_text`](agentwire_protocol::message::ResultMessage::error_text).
    #[error(transparent)]
    FailedTurn(#[from] FailedTurn),
    /// A result has no structured output, or its type does not match; see
    /// [`ResultMessage::structured`](agentwire_protocol::message::ResultMessage::structured).
    #[error(transparent)]
    Structured(Arc<StructuredError>),
    /// A turn ended without a result.
    #[error("the turn of message {uuid} ended without a result ({outcome:?})")]
    NoResult {
        /// The message.
        uuid: Box<str>,
        /// How the turn ended.
        outcome: TurnOutcome,
    },
    /// No turn will pick up a message: it was withdrawn, was sent before, or the agent reported
    /// nothing about it.
    #[error("no turn picked up message {uuid}: it is {state}")]
    NoTurn {
        /// The message.
        uuid: Box<str>,
        /// The delivery status of the message.
        state: SubmissionState,
    },
    /// The outbound queue has no space for a message or request; see
    /// [`Options::outbound_queue_limits`](crate::Options::outbound_queue_limits).
    #[error("the outbound queue is full: wait for space with `send_when_room`")]
    Full,
    /// Text was discarded because it was not read in time; see
    /// [`Options::unread_hard_limit`](crate::Options::unread_hard_limit). The stream continues.
    #[error("{events} pieces of text ({bytes} bytes) were discarded: they were not read in time")]
    Lagged {
        /// The number of pieces of text. Joined pieces count as one.
        events: usize,
        /// The size of the pieces on the wire, in bytes.
        bytes: usize,
    },
    /// The session is open in another process; see
    /// [`Options::when_owned`](crate::Options::when_owned). Nothing was spawned.
    #[error("the session {session_id} is open in {owner}")]
    SessionOwned {
        /// The session.
        session_id: String,
        /// The owner.
        owner: SessionOwner,
    },
    /// The session to resume does not exist; see [`Options::resume`](crate::Options::resume). The
    /// CLI was spawned, and has exited.
    #[error(
        "there is no session `{session_id}` to resume: check its ID, the working directory and \
         `CLAUDE_CONFIG_DIR`"
    )]
    NoSuchSession {
        /// The ID, as set by the option.
        session_id: String,
        /// The errors of the CLI's result and the tail of its standard error. Not part of
        /// `Display`, which has the same information.
        message: String,
    },
    /// The session store failed while a session was loaded.
    #[error("the session store failed in `{call}` for {of}: {failure}")]
    SessionStore {
        /// The method of [`SessionStore`](crate::SessionStore).
        call: &'static str,
        /// The transcript or project of the call.
        of: String,
        /// The cause.
        failure: TranscriptFailure,
    },
    /// A file for the CLI could not be written: the transcript of a resumed
    /// session, or the configuration of a CLI that does not read it from the
    /// pipe.
    #[error("cannot write {} for the agent CLI: {error}", path.display())]
    PrivateFile {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: Arc<io::Error>,
    },
    /// A file could not be attached.
    #[error(transparent)]
    Attach(#[from] AttachError),
    /// The agent cannot be put to sleep now.
    #[error("the agent cannot be put to sleep: {0}")]
    Busy(Busy),
    /// The session has ended or is closing.
    #[error("{0}")]
    Ended(Arc<SessionEnd>),
}

impl From<StoreCallError> for Error {
    fn from(StoreCallError { call, of, failure }: StoreCallError) -> Self {
        Self::session_store(call, of, failure)
    }
}

impl Error {
    /// Creates an error for a failed call of the session store.
    pub(crate) fn session_store(
        call: &'static str,
        of: impl ToString,
        failure: TranscriptFailure,
    ) -> Self {
        Self::SessionStore {
            call,
            of: of.to_string(),
            failure,
        }
    }

    /// Creates an [`Error::Transport`], for implementations of
    /// [`Transport`](crate::transport::Transport).
    pub fn transport(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Transport {
            error: Arc::from(why.into()),
        }
    }

    /// Creates an [`Error::Option`].
    pub(crate) fn option(option: &str, problem: impl Into<String>) -> Self {
        Self::Option {
            option: option.to_owned(),
            problem: problem.into(),
        }
    }

    /// Converts the refusal of an unsupported request into [`Error::NotSupported`], with the
    /// capability that supporting agents declare. Returns other errors unchanged.
    pub(crate) fn if_not_supported(self, needs: Option<&'static str>) -> Self {
        match &self {
            Self::Request(failure) => match &**failure {
                RequestFailure::Refused { subtype, refusal }
                    if refusal.code.as_deref() == Some("unsupported_request") =>
                {
                    Self::NotSupported {
                        subtype: subtype.clone(),
                        needs,
                        refusal: Some(refusal.clone()),
                    }
                }
                _ => self,
            },
            _ => self,
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<RequestFailure> for Error {
    fn from(failure: RequestFailure) -> Self {
        Self::Request(Arc::new(failure))
    }
}

impl From<StructuredError> for Error {
    fn from(error: StructuredError) -> Self {
        Self::Structured(Arc::new(error))
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Encode(Arc::new(error))
    }
}

/// The reason why a file could not be attached.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum AttachError {
    /// The file cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: Arc<io::Error>,
    },
    /// The file is larger than the limit.
    #[error("{} cannot be attached: it is larger than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit, in bytes.
        limit: u64,
    },
    /// The Messages API does not support this kind of file.
    #[error("{error}")]
    Kind {
        /// The file.
        path: PathBuf,
        /// The supported kinds, and alternatives.
        error: CannotAttach,
    },
}

/// How a session ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SessionEnd {
    /// The reason.
    pub reason: EndReason,
    /// The CLI's exit status, if it has exited.
    pub exit: Option<ExitStatus>,
    /// The tail of its standard error, at most 64 KiB.
    pub stderr: String,
    /// The variables of its environment that are known to stop a CLI
    /// ([`HOST_TOOLS`](crate::process::HOST_TOOLS), `LD_PRELOAD`), if it exited before its
    /// first turn and wrote nothing to standard error.
    pub suspects: Vec<String>,
}

/// The reason why a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EndReason {
    /// The host closed it.
    Closed,
    /// Its [`Client`](crate::Client) or [`Query`](crate::Query) was dropped
    /// without being closed.
    Dropped,
    /// The CLI exited before its first turn, for instance because it refused an
    /// option, or because it is not an agent CLI. A session to resume that does not exist is an
    /// [`Error::NoSuchSession`] instead.
    ExitedBeforeFirstTurn,
    /// The CLI exited or was killed unexpectedly.
    Exited,
    /// The CLI closed its output but kept running. For an agent that was
    /// spawned elsewhere
    /// ([`Client::connect_over`](crate::Client::connect_over)), it is unknown
    /// whether it keeps running.
    OutputClosed,
    /// The CLI closed its input but kept running.
    InputClosed,
    /// The host closed the session during a turn, which did not finish within
    /// [`ClosePolicy::finish`](crate::ClosePolicy).
    CutOff,
    /// The CLI could not be killed. An agent that was spawned elsewhere did not
    /// close its output in time.
    StillAlive,
    /// The host closed the session, and the CLI exited with a failure status that no error result
    /// explains.
    FailedAtExit,
    /// The host closed the session because the agent did not stop its turn:
    /// [`Handle::stop`](crate::Handle::stop).
    Unresponsive,
    /// The agent had pending work, wrote nothing, and did not respond to a probe
    /// ([`RestartPolicy::hang`](crate::RestartPolicy)).
    Hung,
    /// Another host owns the session, or may own it: an [attachment](crate::attachment) no longer
    /// allows it to act. The agent was killed.
    OwnershipLost,
    /// The session's runtime was shut down.
    RuntimeGone,
}

impl SessionEnd {
    /// Returns the end of a session that is being closed.
    pub(crate) fn closing(reason: EndReason) -> Self {
        Self {
            reason,
            exit: None,
            stderr: String::new(),
            suspects: Vec::new(),
        }
    }

    /// Returns the final error of the session's streams.
    pub(crate) fn error(self: &Arc<Self>) -> Option<Error> {
        (self.reason != EndReason::Closed).then(|| Error::Ended(Arc::clone(self)))
    }

    pub(crate) fn runtime_gone() -> Self {
        Self::closing(EndReason::RuntimeGone)
    }
}

impl fmt::Display for SessionEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.reason {
            EndReason::Closed => "the session is closed",
            EndReason::Dropped => "the session is closed, because its `Client` was dropped",
            EndReason::ExitedBeforeFirstTurn => "the agent CLI exited before its first turn",
            EndReason::Exited => "the agent CLI exited unexpectedly",
            EndReason::OutputClosed => "the agent CLI closed its output",
            EndReason::InputClosed => "the agent CLI closed its input",
            EndReason::CutOff => "the session was closed before its turn ended",
            EndReason::StillAlive => "the agent CLI could not be stopped",
            EndReason::FailedAtExit => "the agent CLI failed while it was closed",
            EndReason::Unresponsive => "the agent CLI did not stop its turn, and was closed",
            EndReason::Hung => "the agent CLI stopped responding",
            EndReason::OwnershipLost => "another host owns the session, or may own it",
            EndReason::RuntimeGone => "the session's runtime was shut down",
        })?;
        if !matches!(self.reason, EndReason::Closed | EndReason::Dropped) {
            if let Some(exit) = self.exit {
                write!(f, " ({exit})")?;
            }
            f.write_str(&stderr_tail(&self.stderr))?;
        }
        if !self.suspects.is_empty() {
            write!(
                f,
                "; its environment has {}, which can cause this: see `Options::environment`",
                self.suspects.join(", ")
            )?;
        }
        Ok(())
    }
}

/// Formats [`Error::TooOld`].
fn too_old(option: Option<&str>, needs: Option<CliVersion>, version: Option<CliVersion>) -> String {
    let this = version.map_or_else(
        || "this agent CLI".to_owned(),
        |it| format!("Claude Code {it}"),
    );
    let Some(option) = option else {
        let needs = needs.map_or_else(String::new, |it| {
            format!("; agentwire requires {it} or later")
        });
        return format!("{this} is not supported{needs}");
    };
    let needs = needs.map_or_else(String::new, |it| format!("; it requires {it} or later"));
    format!("{this} does not support the option `{option}`{needs}")
}

/// Formats [`Error::NotSupported`].
fn not_supported(subtype: &str, needs: Option<&str>, refusal: Option<&Refusal>) -> String {
    let needs = needs.map_or_else(String::new, |name| {
        format!("; it does not declare the capability `{name}`")
    });
    match refusal {
        Some(refusal) => format!("the agent does not support `{subtype}`: {refusal}{needs}"),
        None => {
            format!("`{subtype}` was not sent: the agent would ignore a part of it{needs}")
        }
    }
}

/// Returns a hint about the option with the time limit, if it expired.
fn limit(failure: &RequestFailure) -> &'static str {
    match failure {
        RequestFailure::TimedOut { .. } => " (`Options::request_timeout`)",
        _ => "",
    }
}

/// Formats the tail of standard error for the end of a message.
fn stderr_tail(stderr: &str) -> String {
    match stderr.trim_end() {
        "" => String::new(),
        said => format!("; its standard error ends with:\n{said}"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::permission::Rules;
    use agentwire_protocol::message::ResultMessage;
    use std::error::Error as StdError;

    /// Returns an error of each variant, with causes where it has some.
    fn all() -> Vec<Error> {
        let invalid = || serde_json::from_str::<u8>("x").unwrap_err();
        let io = || Arc::new(io::Error::new(io::ErrorKind::NotFound, invalid()));
        let end = Arc::new(SessionEnd {
            stderr: "no licence".to_owned(),
            ..SessionEnd::closing(EndReason::Exited)
        });
        let timed_out = RequestFailure::TimedOut {
            subtype: "initialize".into(),
            after: std::time::Duration::from_secs(1),
        };
        let result = r#"{"type":"result","subtype":"success","is_error":true,
            "result":"Please run /login","api_error_status":401,"terminal_reason":"api_error"}"#;
        let result: ResultMessage = serde_json::from_str(result).unwrap();
        let path = PathBuf::from("/a");
        let name = || "a".to_owned();
        let failure = || TranscriptFailure::Failed("no".to_owned());
        vec![
            Error::CliNotFound(CliNotFound {
                named_by: None,
                looked: vec!["/a: no such file".to_owned()],
                shim: None,
            }),
            Error::Spawn {
                program: path.clone(),
                error: io(),
            },
            Error::NoRuntime,
            Error::transport(invalid()),
            Error::option("a", "is invalid"),
            Error::StartUp {
                failure: Arc::new(timed_out.clone()),
                stderr: name(),
            },
            Error::from(invalid()),
            Error::from(timed_out),
            Error::NotSupported {
                subtype: "a".into(),
                needs: Some("b"),
                refusal: Some(Refusal::new("no")),
            },
            Error::InvalidResponse {
                subtype: "a".into(),
                payload: None,
                reason: name(),
            },
            Error::NoPendingRequest {
                request_id: "a".into(),
            },
            Error::NotApplied { option: "a" },
            Error::TooOld {
                option: Some("a".into()),
                needs: None,
                version: None,
            },
            Error::Withdrawn { uuid: "a".into() },
            result.clone().error_for_result().unwrap_err().into(),
            StructuredError::Absent(result.error_text()).into(),
            StructuredError::Unreadable(invalid()).into(),
            Error::NoTurn {
                uuid: "a".into(),
                state: SubmissionState::Lost,
            },
            Error::Full,
            Error::Lagged {
                events: 1,
                bytes: 2,
            },
            Error::NoSuchSession {
                session_id: name(),
                message: "No conversation found".to_owned(),
            },
            Error::session_store("load", "a", failure()),
            Error::PrivateFile {
                path: path.clone(),
                error: io(),
            },
            AttachError::Read { path, error: io() }.into(),
            Error::Busy(Busy::Turn),
            Error::Ended(end),
        ]
    }

    /// Returns the texts of an error and its sources.
    fn chain(error: &dyn StdError) -> Vec<String> {
        let mut texts = vec![error.to_string()];
        let mut source = error.source();
        while let Some(error) = source {
            texts.push(error.to_string());
            source = error.source();
        }
        texts
    }

    #[test]
    fn no_error_repeats_a_cause_or_a_hint_in_its_sources() {
        let rules = Rules::builder().allow(["Bash("]).build().unwrap_err();
        let all = all();
        let all = all.iter().map(|error| error as &dyn StdError);
        for error in all.chain([&rules as &dyn StdError]) {
            let chain = chain(error);
            for (outer, inner) in chain.iter().zip(&chain[1..]) {
                assert!(!outer.contains(inner), "{chain:?}");
            }
            let hints = chain.concat().matches("ANTHROPIC_API_KEY").count();
            assert!(hints < 2, "{chain:?}");
        }
    }
}

//! What can go wrong, and what a session says when it is over.

use crate::process::{CliNotFound, CliVersion};
use crate::store::StoreFailure;
use agentwire_protocol::content::CannotAttach;
use agentwire_protocol::control::Refusal;
use agentwire_protocol::host::{RequestFailure, SubmissionState, TurnOutcome};
use agentwire_protocol::message::FailedTurn;
use agentwire_protocol::{Json, ViewError};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;

/// What can go wrong.
///
/// The text of an error says all there is to say, with what it came of, which
/// [`source`](std::error::Error::source) does not repeat. `Debug` writes that
/// text as well, since it is what `unwrap` prints and a `main` that returns the
/// error.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no agent CLI where one is looked for.
    #[error(transparent)]
    CliNotFound(#[from] CliNotFound),
    /// The CLI is there and could not be started.
    #[error("cannot start {}: {error}", program.display())]
    Spawn {
        /// The CLI.
        program: PathBuf,
        /// Why not.
        error: Arc<io::Error>,
    },
    /// There is no tokio runtime where the session would start. Nothing was
    /// spawned.
    #[error(
        "a session requires a tokio runtime: call this in a function with `#[tokio::main]`, or \
         inside `tokio::runtime::Runtime::block_on`"
    )]
    NoRuntime,
    /// The way to the agent could not be opened
    /// ([`Transport::open`](crate::Transport::open)).
    #[error("the agent cannot be reached: {error}")]
    Transport {
        /// Why not.
        error: Arc<dyn std::error::Error + Send + Sync>,
    },
    /// An option cannot be passed on to the CLI, or the CLI would refuse it.
    #[error("the option `{option}` {problem}")]
    Option {
        /// The option, by its flag or its name.
        option: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The CLI was started and did not come to answer the first request.
    #[error("the agent CLI did not start up: {failure}{}", said_last(.stderr))]
    StartUp {
        /// Why not.
        failure: Arc<RequestFailure>,
        /// The end of what it said on standard error, at most 64 KiB.
        stderr: String,
    },
    /// What is to be sent cannot be written as JSON.
    #[error("what is to be sent cannot be written as JSON: {0}")]
    Encode(Arc<serde_json::Error>),
    /// A request was not answered, or refused.
    #[error(transparent)]
    Request(Arc<RequestFailure>),
    /// The agent does not know a request, or not all of it.
    #[error("{}", not_supported(subtype, *needs, refusal.as_ref()))]
    NotSupported {
        /// The request.
        subtype: Box<str>,
        /// The capability that the agent would have declared, where there is
        /// one.
        needs: Option<&'static str>,
        /// What the agent said to it. `None` when the request was not sent: an
        /// agent without that capability would have passed over a part of it,
        /// and done something else than was asked.
        refusal: Option<Refusal>,
    },
    /// A request was done, but what came of it cannot be read.
    #[error("`{subtype}` was done, but its answer cannot be read: {reason}")]
    InvalidResponse {
        /// The request.
        subtype: Box<str>,
        /// The answer.
        payload: Option<Json>,
        /// Why it cannot be read.
        reason: String,
    },
    /// Nothing is asked under this id: it is answered, was cancelled, or never
    /// came, or it is answered with something of another type.
    #[error("nothing is asked under the id `{request_id}`, or nothing that this answers")]
    NoPendingRequest {
        /// The id.
        request_id: Box<str>,
    },
    /// The CLI did not take what an option gave it in the first request, and
    /// without it would do what it is not to do, or could not do what it is for:
    /// `settings`, `managed_settings`, `mcp_servers`, or `hooks` with a
    /// [gate](crate::Hook::gate) among them. It is too old; or whoever started it
    /// ([`Pipes`](crate::Pipes)) did not pass
    /// [`Options::arguments`](crate::Options::arguments).
    #[error(
        "the agent CLI did not take the option `{option}`: it is too old, or was started without \
         the arguments of the options"
    )]
    NotApplied {
        /// The option.
        option: &'static str,
    },
    /// The CLI is too old for an option. Without the option the session would
    /// do something else than was configured.
    #[error("{}", too_old(option, *needs, *version))]
    TooOld {
        /// The option: a method of [`Options`](crate::Options), or a flag.
        option: Box<str>,
        /// The first version of Claude Code that has it, where that is known.
        needs: Option<CliVersion>,
        /// The version of this CLI, where that is known.
        version: Option<CliVersion>,
    },
    /// A message has members that are not as they should be. The frame that
    /// it came in is intact, and the session goes on.
    #[error(transparent)]
    View(#[from] ViewError),
    /// A message was taken back before it was sent, by an interrupt that asked
    /// for it.
    #[error("message {uuid} was withdrawn before it was sent")]
    Withdrawn {
        /// The message.
        uuid: Box<str>,
    },
    /// The agent ended a turn with an error. Its text is that of the result;
    /// see [`ResultMessage::error_text`](agentwire_protocol::message::ResultMessage::error_text).
    #[error(transparent)]
    FailedTurn(#[from] FailedTurn),
    /// A turn ended without a result.
    #[error("the turn of message {uuid} ended without a result ({outcome:?})")]
    NoResult {
        /// The message.
        uuid: Box<str>,
        /// How the turn ended.
        outcome: TurnOutcome,
    },
    /// No turn takes a message up any more: it was taken back, was sent before,
    /// or the agent said nothing of it.
    #[error("no turn took up message {uuid}: it is {state}")]
    NoTurn {
        /// The message.
        uuid: Box<str>,
        /// What became of it.
        state: SubmissionState,
    },
    /// So much waits to be written already that there was no room for a
    /// message or a request: see
    /// [`Options::outbound_queue_limits`](crate::Options::outbound_queue_limits).
    #[error("too much waits to be written already: wait for room with `send_when_room`")]
    Full,
    /// Text was dropped because it was not read in time; see
    /// [`Options::unread_hard_limit`](crate::Options::unread_hard_limit). The
    /// stream of texts that says so goes on.
    #[error("{events} pieces of text ({bytes} bytes) were dropped: they were not read in time")]
    Lagged {
        /// How many. Pieces that had been joined count as one.
        events: usize,
        /// How many bytes they had on the wire.
        bytes: usize,
    },
    /// The session store did not say what the session was to go on from.
    #[error("the session store failed in `{call}` of {of}: {failure}")]
    SessionStore {
        /// The method of [`SessionStore`](crate::SessionStore).
        call: &'static str,
        /// The transcript or the project that it was asked of.
        of: String,
        /// Why not.
        failure: StoreFailure,
    },
    /// A file that the CLI is to read cannot be written: the transcript that a
    /// session resumes from, or the configuration of a CLI that does not read it
    /// from the pipe.
    #[error("cannot write {}, which the agent CLI is to read: {error}", path.display())]
    PrivateFile {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: Arc<io::Error>,
    },
    /// A file cannot be attached.
    #[error(transparent)]
    Attach(#[from] AttachError),
    /// The session is over, or closing.
    #[error("{0}")]
    Ended(Arc<SessionEnd>),
}

impl Error {
    /// What keeps a [`Transport`](crate::Transport) from reaching its agent.
    pub fn transport(why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Transport {
            error: Arc::from(why.into()),
        }
    }

    /// This option cannot be used.
    pub(crate) fn option(option: &str, problem: impl Into<String>) -> Self {
        Self::Option {
            option: option.to_owned(),
            problem: problem.into(),
        }
    }

    /// The same error; and if it is that the agent does not know a request,
    /// that, with the capability which agents have that know it.
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

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Encode(Arc::new(error))
    }
}

/// A file that cannot be attached.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum AttachError {
    /// It cannot be read.
    #[error("{} cannot be read: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: Arc<io::Error>,
    },
    /// It is larger than was allowed.
    #[error("{} cannot be attached: it has more than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// How many bytes it may have.
        limit: u64,
    },
    /// It is of a kind that the Messages API does not take.
    #[error("{error}")]
    Kind {
        /// The file.
        path: PathBuf,
        /// What may be attached, and what to do instead.
        error: CannotAttach,
    },
}

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
    /// Its [`Client`](crate::Client) or [`Query`](crate::Query) was dropped
    /// without having been closed.
    Dropped,
    /// The CLI exited before its first turn, for instance because it refused an
    /// option or the session to resume, or is no agent CLI.
    ExitedBeforeFirstTurn,
    /// The CLI exited, or was killed, without having been asked to.
    Exited,
    /// The CLI closed its output and lived on; or it was somewhere else
    /// ([`Client::connect_over`](crate::Client::connect_over)), where nobody
    /// sees whether it did.
    OutputClosed,
    /// The CLI closed its input and lived on.
    InputClosed,
    /// The host closed it in the middle of a turn, which had been given as
    /// much time as [`ClosePolicy::finish`](crate::ClosePolicy) says.
    CutOff,
    /// The CLI could not be killed; or, somewhere else, did not close its
    /// output in time.
    StillAlive,
    /// The host closed it, and the CLI exited with a status that no error
    /// result explains.
    FailedAtExit,
    /// The host ended it because the agent did not stop its turn:
    /// [`Handle::stop`](crate::Handle::stop).
    Unresponsive,
    /// The runtime that the session ran on is gone.
    RuntimeGone,
}

impl SessionEnd {
    /// The session takes nothing any more, and is about to end.
    pub(crate) fn closing(reason: EndReason) -> Self {
        Self {
            reason,
            exit: None,
            stderr: String::new(),
        }
    }

    /// What the streams of the session end with.
    pub(crate) fn error(self: &Arc<Self>) -> Option<Error> {
        (self.reason != EndReason::Closed).then(|| Error::Ended(Arc::clone(self)))
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
            EndReason::Dropped => "the session is closed, because its `Client` was dropped",
            EndReason::ExitedBeforeFirstTurn => "the agent CLI exited before its first turn",
            EndReason::Exited => "the agent CLI ended in the middle of the session",
            EndReason::OutputClosed => "the agent CLI closed its output",
            EndReason::InputClosed => "the agent CLI closed its input",
            EndReason::CutOff => "the session was closed before its turn had come to an end",
            EndReason::StillAlive => "the agent CLI could not be ended",
            EndReason::FailedAtExit => "the agent CLI failed when it was to end",
            EndReason::Unresponsive => "the agent CLI did not stop its turn, and was closed",
            EndReason::RuntimeGone => "the session's runtime was shut down",
        })?;
        if !matches!(self.reason, EndReason::Closed | EndReason::Dropped) {
            if let Some(exit) = self.exit {
                write!(f, " ({exit})")?;
            }
            f.write_str(&said_last(&self.stderr))?;
        }
        Ok(())
    }
}

/// Which version an option needs, in words.
fn too_old(option: &str, needs: Option<CliVersion>, version: Option<CliVersion>) -> String {
    let this = version.map_or_else(
        || "this agent CLI".to_owned(),
        |it| format!("Claude Code {it}"),
    );
    let needs = needs.map_or_else(String::new, |it| format!("; it requires {it} or later"));
    format!("{this} does not support the option `{option}`{needs}")
}

/// What an agent cannot do, in words.
fn not_supported(subtype: &str, needs: Option<&str>, refusal: Option<&Refusal>) -> String {
    let needs = needs.map_or_else(String::new, |name| {
        format!("; it has not declared the capability `{name}`")
    });
    match refusal {
        Some(refusal) => format!("the agent does not know `{subtype}`: {refusal}{needs}"),
        None => {
            format!("`{subtype}` was not sent, as the agent would pass over a part of it{needs}")
        }
    }
}

/// The end of standard error, for the end of a message.
fn said_last(stderr: &str) -> String {
    match stderr.trim_end() {
        "" => String::new(),
        said => format!("; it said last:\n{said}"),
    }
}

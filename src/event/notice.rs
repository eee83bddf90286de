//! Problems that do not end the session.

use super::ignored_option::IgnoredOption;
use super::summary::{CallbackFailure, RequestSummary};
use crate::ownership::SessionOwner;
use crate::store::{TranscriptFailure, TranscriptKey};
use agentwire_protocol::{Json, host};
use std::fmt;
use std::time::SystemTime;

/// A problem that does not end the session.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Notice {
    /// Unexpected input from the agent.
    Wire(host::WireNotice),
    /// A callback was not set, or returned no valid response. The agent's request was denied; a
    /// hook that is not a gate was skipped.
    CallbackFailed {
        /// The request's ID.
        request_id: Box<str>,
        /// The request.
        request: RequestSummary,
        /// The cause.
        failure: CallbackFailure,
    },
    /// The agent denied a tool call that needs a permission, because no permission callback is set
    /// (`permission_denied`). CLIs up to 2.1.197 do not report it.
    NoPermissionCallback {
        /// The tool.
        tool_name: String,
        /// The ID of the tool call.
        tool_use_id: String,
    },
    /// A request of the agent is unsupported or invalid. It got an error response, except for
    /// dialogs, which get none, as the protocol requires.
    NotSupported {
        /// The request's ID.
        request_id: Box<str>,
        /// The type of request.
        subtype: String,
        /// The reason why it could not be handled.
        reason: String,
    },
    /// An in-process MCP server panicked. The request failed; the server
    /// continues.
    McpServerPanicked {
        /// The server.
        server: Box<str>,
        /// The tool that was called, or else the method.
        during: String,
        /// The panic message.
        message: String,
    },
    /// An in-process MCP server stopped, or failed to start. Requests to it
    /// fail until the agent reconnects.
    McpServerEnded {
        /// The server.
        server: Box<str>,
        /// The cause.
        reason: String,
    },
    /// The agent cannot use the tools of an in-process MCP server, or one of
    /// them. The agent does not report this: it shows the server as connected.
    McpToolsUnusable {
        /// The server.
        server: Box<str>,
        /// The tool; `None` if it concerns all tools of the server.
        tool: Option<Box<str>>,
        /// The cause.
        reason: String,
    },
    /// An MCP server that the host configured is not available to the agent at
    /// the start of a turn. Repeated when the status changes.
    McpServerUnavailable {
        /// The server.
        server: Box<str>,
        /// The agent's status of it, such as `failed` or `needs-auth`; `None`
        /// if the agent does not list the server.
        status: Option<Box<str>>,
    },
    /// At the start of the first turn, the agent reports another model or permission mode than
    /// configured. An organisation's settings may forbid the configured one, or the model may have
    /// been replaced.
    NotAsConfigured {
        /// The option.
        option: &'static str,
        /// The configured value.
        configured: Box<str>,
        /// The agent's value.
        reported: Box<str>,
    },
    /// An option has no effect, because another one overrides it.
    IgnoredOption(IgnoredOption),
    /// At the start of the first turn, an option names a tool that the agent does not report and
    /// agentwire does not know. The agent ignores such a name silently, so a rule that was meant to
    /// deny a tool has no effect. Names of MCP tools are not checked.
    UnknownTool {
        /// The option: `tools`, `allowed_tools`, `disallowed_tools` or `rules`.
        option: &'static str,
        /// The name.
        name: Box<str>,
        /// The built-in tool with the closest name, if one is close.
        closest: Option<&'static str>,
    },
    /// The agent did not apply the plugins of the first request. Either it is too old, a plugin
    /// could not be loaded, or it was spawned elsewhere ([`Pipes`](crate::transport::Pipes))
    /// without [`Options::arguments`](crate::Options::arguments). Required options cause an
    /// [`Error::NotApplied`](crate::Error::NotApplied) instead.
    NotApplied {
        /// The option.
        option: &'static str,
    },
    /// The session store is behind: three calls in a row failed, or one timed out. The entries are
    /// buffered, and sent again. Repeated after each failed call, and followed by
    /// [`Notice::StoreCaughtUp`] or [`Notice::NotMirrored`].
    StoreBehind {
        /// The number of buffered entries.
        entries: usize,
        /// Since when the store has been behind.
        since: SystemTime,
        /// The cause of the last failure.
        failure: TranscriptFailure,
    },
    /// The session store is no longer behind: it has stored all buffered entries.
    StoreCaughtUp {
        /// Since when it was behind.
        since: SystemTime,
    },
    /// Entries of a transcript are missing from the session store. This session no longer sends
    /// them, nor later entries of the transcript. They remain in the agent's own file; the next
    /// session that resumes the transcript with the store on this machine sends them: see
    /// [`Options::session_store`](crate::Options::session_store).
    NotMirrored {
        /// The transcript; `None` if it could not be read.
        key: Option<TranscriptKey>,
        /// The number of entries; 0 if they could not be read.
        entries: usize,
        /// The cause.
        failure: TranscriptFailure,
    },
    /// The session that the agent has opened (the latest one, or one with a new ID) is also open in
    /// another process. Both write it.
    SessionShared {
        /// The session.
        session_id: Box<str>,
        /// The other owner.
        owner: SessionOwner,
    },
    /// Another process of the agent could not be started. There may be another
    /// attempt; see [`RestartPolicy::most`](crate::RestartPolicy).
    NotRestarted {
        /// The number of the attempt, from 1.
        attempt: u32,
        /// The cause.
        error: String,
    },
    /// A user message never reached the agent, or the session ended before the agent finished it.
    Lost {
        /// The message.
        uuid: Box<str>,
    },
    /// An earlier host of the session had accepted this user message, but lost the session or
    /// exited before it reported the delivery status: see
    /// [`Options::session_store`](crate::Options::session_store). This notice is delivered at the
    /// start of the session, and again to the next host if this one has run no turn.
    Inherited {
        /// The message.
        uuid: Box<str>,
        /// The message in the agent's format.
        message: Json,
        /// [`Redelivery::Resent`](crate::protocol::host::Redelivery::Resent): no turn had picked up
        /// the message. This host sends it before its own messages.
        ///
        /// [`Redelivery::CutOff`](crate::protocol::host::Redelivery::CutOff): a turn had picked up
        /// the message. It is not sent again, because its effects could be duplicated. The
        /// transcript shows whether the turn finished.
        redelivery: host::Redelivery,
    },
    /// A queued user message was withdrawn, as requested by an interrupt.
    Withdrawn {
        /// The message.
        uuid: Box<str>,
    },
    /// The consumer was too slow, and events older than the next one were discarded; see
    /// [`Options::unread_hard_limit`](crate::Options::unread_hard_limit).
    Lagged {
        /// The number of events. Joined partial messages count as one.
        events: usize,
        /// The size of the discarded events in bytes.
        bytes: usize,
    },
}

impl Notice {
    /// Returns the size of its texts, in bytes.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Wire(notice) => notice.size(),
            Self::CallbackFailed { failure, .. } => match failure {
                CallbackFailure::Panicked(why)
                | CallbackFailure::Failed(why)
                | CallbackFailure::Invalid(why) => why.len(),
                CallbackFailure::InvalidRequest(fault) => fault.path.len() + fault.reason.len(),
                CallbackFailure::Dropped
                | CallbackFailure::Unread
                | CallbackFailure::NoCallback => 0,
            },
            Self::McpServerPanicked {
                during, message, ..
            } => during.len() + message.len(),
            Self::McpServerEnded { reason, .. } | Self::McpToolsUnusable { reason, .. } => {
                reason.len()
            }
            Self::NotAsConfigured {
                configured,
                reported,
                ..
            } => configured.len() + reported.len(),
            Self::NotSupported {
                subtype, reason, ..
            } => subtype.len() + reason.len(),
            Self::StoreBehind { failure, .. } | Self::NotMirrored { failure, .. } => {
                match failure {
                    TranscriptFailure::Failed(why)
                    | TranscriptFailure::Refused(why)
                    | TranscriptFailure::Panicked(why)
                    | TranscriptFailure::InvalidMessage(why) => why.len(),
                    _ => 0,
                }
            }
            Self::NoPermissionCallback {
                tool_name,
                tool_use_id,
            } => tool_name.len() + tool_use_id.len(),
            Self::NotRestarted { error, .. } => error.len(),
            Self::Inherited { message, .. } => message.get().len(),
            Self::UnknownTool { name, .. } => name.len(),
            Self::IgnoredOption(it) => it.option.len() + it.by.len() + it.effect.len(),
            Self::NotApplied { .. }
            | Self::SessionShared { .. }
            | Self::McpServerUnavailable { .. }
            | Self::Withdrawn { .. }
            | Self::Lost { .. }
            | Self::StoreCaughtUp { .. }
            | Self::Lagged { .. } => 0,
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wire(notice) => notice.fmt(f),
            Self::CallbackFailed {
                request, failure, ..
            } => f.write_str(&request.failed(failure)),
            Self::NoPermissionCallback { tool_name, .. } => {
                let tool_name = tool_name.clone();
                f.write_str(
                    &RequestSummary::Permission { tool_name }.failed(&CallbackFailure::NoCallback),
                )
            }
            Self::NotSupported {
                subtype, reason, ..
            } => {
                write!(f, "cannot handle the agent's request `{subtype}`: {reason}")
            }
            Self::McpServerPanicked {
                server,
                during,
                message,
            } => {
                write!(
                    f,
                    "the MCP server `{server}` panicked in `{during}`: {message}"
                )
            }
            Self::McpServerEnded { server, reason } => {
                write!(f, "the MCP server `{server}` stopped: {reason}")
            }
            Self::McpToolsUnusable {
                server,
                tool: Some(tool),
                reason,
            } => write!(
                f,
                "the agent cannot use the tool `{tool}` of the MCP server `{server}`: {reason}"
            ),
            Self::McpToolsUnusable { server, reason, .. } => write!(
                f,
                "the agent cannot use the tools of the MCP server `{server}`: {reason}"
            ),
            Self::McpServerUnavailable {
                server,
                status: Some(status),
            } => write!(
                f,
                "the MCP server `{server}` is unavailable: its status is `{status}`"
            ),
            Self::McpServerUnavailable { server, .. } => {
                write!(f, "the agent does not have the MCP server `{server}`")
            }
            Self::NotAsConfigured {
                option,
                configured,
                reported,
            } => write!(
                f,
                "`Options::{option}` is `{configured}`, but the agent reports `{reported}`"
            ),
            Self::UnknownTool {
                option,
                name,
                closest,
            } => {
                write!(
                    f,
                    "`Options::{option}` names the unknown tool `{name}`, which has no effect"
                )?;
                match closest {
                    Some(closest) => write!(f, "; the closest name is `{closest}`"),
                    None => Ok(()),
                }
            }
            Self::IgnoredOption(ignored) => ignored.fmt(f),
            Self::NotApplied { option } => {
                write!(
                    f,
                    "the agent did not apply the option `{option}`, or only a part of it"
                )
            }
            Self::StoreBehind {
                entries, failure, ..
            } => write!(
                f,
                "the session store is behind by {entries} entries: {failure}"
            ),
            Self::StoreCaughtUp { .. } => f.write_str("the session store has caught up"),
            Self::NotMirrored {
                key: Some(key),
                entries,
                failure,
            } => write!(
                f,
                "{entries} entries of {key} are missing from the session store: {failure}"
            ),
            Self::NotMirrored { failure, .. } => {
                write!(
                    f,
                    "part of a transcript is missing from the session store: {failure}"
                )
            }
            Self::SessionShared { session_id, owner } => {
                write!(f, "the session {session_id} is also open in {owner}")
            }
            Self::NotRestarted { attempt, error } => {
                write!(
                    f,
                    "attempt {attempt} to start the agent again failed: {error}"
                )
            }
            Self::Lost { uuid } => {
                write!(
                    f,
                    "the session ended before the agent finished message {uuid}"
                )
            }
            Self::Inherited {
                uuid,
                redelivery: host::Redelivery::Resent,
                ..
            } => write!(
                f,
                "message {uuid}, which an earlier host had accepted, is sent again"
            ),
            Self::Inherited { uuid, .. } => write!(
                f,
                "message {uuid}, which an earlier host had accepted, was picked up by a turn there"
            ),
            Self::Withdrawn { uuid } => write!(f, "message {uuid} was withdrawn"),
            Self::Lagged { events, bytes } => write!(
                f,
                "{events} events ({bytes} bytes) were discarded: they were not read in time"
            ),
        }
    }
}

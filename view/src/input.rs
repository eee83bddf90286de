//! Inputs of a view.

use crate::entry::Activity;
use agentwire_protocol::host::SubmissionState;
use agentwire_protocol::mcp::McpElicitation;
use agentwire_protocol::message::UserMessage;
use agentwire_protocol::permission::CanUseTool;
use agentwire_protocol::{Frame, Message};
use std::borrow::Cow;

/// A message or an event of a session.
///
/// With the feature `view` of the crate `agentwire`, its events are inputs, too.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Input<'a> {
    /// A message of the agent.
    Message(&'a Message),
    /// A message of the agent that was not parsed.
    Frame(&'a Frame),
    /// A user message that the host sends. The agent does not send it back: without this input, a
    /// view has no prompts.
    Sent {
        /// The `uuid` under which the agent reports its delivery.
        uuid: &'a str,
        /// The message.
        message: &'a UserMessage,
    },
    /// The delivery state of a user message, if the host knows more than the agent reports.
    Delivery {
        /// The `uuid` of the message.
        uuid: &'a str,
        /// The state.
        state: SubmissionState,
    },
    /// A permission request.
    Permission {
        /// The ID of the request.
        request_id: &'a str,
        /// The request.
        request: &'a CanUseTool,
    },
    /// A question of an MCP server to the user.
    Elicitation {
        /// The ID of the request.
        request_id: &'a str,
        /// The question.
        request: &'a McpElicitation,
    },
    /// A request is no longer pending: the host has responded, or it was withdrawn.
    Settled {
        /// The ID of the request.
        request_id: &'a str,
    },
    /// The activity of the session, as reported by the host.
    Activity(Activity),
    /// A problem that the host noticed.
    Problem(Cow<'a, str>),
    /// The session has ended. The text is the reason, if the session has failed.
    Ended(Option<&'a str>),
    /// Messages of an agent in the Agent Client Protocol.
    #[cfg(feature = "acp")]
    Acp(crate::AcpInput<'a>),
    /// An input without an effect on a view.
    Nothing,
}

impl<'a> From<&'a Message> for Input<'a> {
    fn from(message: &'a Message) -> Self {
        Self::Message(message)
    }
}

impl<'a> From<&'a Frame> for Input<'a> {
    fn from(frame: &'a Frame) -> Self {
        Self::Frame(frame)
    }
}

#[cfg(feature = "acp")]
impl<'a> From<crate::AcpInput<'a>> for Input<'a> {
    fn from(input: crate::AcpInput<'a>) -> Self {
        Self::Acp(input)
    }
}

//! The driver's interface to in-process MCP servers.

use crate::event::Notice;
use agentwire_protocol::control::Refusal;
use agentwire_protocol::mcp::{McpMessage, McpReply};
use std::fmt;
use std::task::{Context, Poll};

/// The servers of a session.
pub(crate) trait Servers: fmt::Debug + Send {
    /// Handles a message from the agent to a server.
    fn receive(&mut self, ask: Box<str>, message: McpMessage) -> Vec<Out>;

    /// Returns the next actions of the servers; pending if there are none.
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Vec<Out>>;

    /// Returns whether a server waits for the agent's response to a request.
    fn await_responses(&self) -> bool;

    /// Handles the cancellation of a request by the agent.
    fn cancel(&mut self, ask: &str);

    /// Stops the servers at the end of the session.
    fn stop(&mut self);
}

/// An action for the driver.
#[cfg_attr(
    not(feature = "mcp"),
    expect(dead_code, reason = "there are no servers without the feature")
)]
pub(crate) enum Out {
    /// Responds to a request.
    Answer(Box<str>, McpReply),
    /// Refuses a request.
    Refuse(Box<str>, Refusal),
    /// Sends a request or notification of a server to the agent.
    Begin(McpMessage),
    /// Delivers a notice.
    Notify(Notice),
}

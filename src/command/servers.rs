//! MCP servers that run inside the host, as the driver knows them.

use crate::event::Notice;
use agentwire_protocol::control::Refusal;
use agentwire_protocol::mcp::{McpMessage, McpReply};
use std::fmt;
use std::task::{Context, Poll};

/// The servers of a session.
pub(crate) trait Servers: fmt::Debug + Send {
    /// The agent has sent a message to a server.
    fn receive(&mut self, ask: Box<str>, message: McpMessage) -> Vec<Out>;

    /// What the servers have done next; pending when none did anything.
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Vec<Out>>;

    /// Whether a server waits for the agent's response to a request.
    fn await_responses(&self) -> bool;

    /// The agent does not wait for the answer to an ask any more.
    fn cancel(&mut self, ask: &str);

    /// The session is over: the servers are stopped.
    fn stop(&mut self);
}

/// Something for the driver to do.
#[cfg_attr(
    not(feature = "mcp"),
    expect(dead_code, reason = "there are no servers without the feature")
)]
pub(crate) enum Out {
    /// Answer an ask.
    Answer(Box<str>, McpReply),
    /// Refuse one.
    Refuse(Box<str>, Refusal),
    /// Pass on what a server begins.
    Begin(McpMessage),
    /// Tell the user.
    Tell(Notice),
}

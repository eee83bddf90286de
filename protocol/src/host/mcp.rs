//! Messages that MCP servers inside the host initiate.

use super::{Host, OutgoingState, Request};
use crate::control::{AnswerKind, ControlResponse};
use crate::frame::Frame;
use crate::mcp::McpMessage;
use crate::outbox::Class;

/// The prefix of the IDs of requests that carry such messages.
const ID: &str = "mcp-";

impl Host {
    /// Sends a notification or a request that an MCP server initiates. The
    /// response to such a request arrives in a later request of the agent. The
    /// message is queued after the server's earlier responses and before its
    /// later ones. The agent's acknowledgement carries no data, so only an
    /// error produces an event.
    ///
    /// Sends nothing if the session is closing.
    pub fn relay(&mut self, message: &McpMessage) {
        if matches!(self.outgoing, OutgoingState::Ending | OutgoingState::Closed) {
            return;
        }
        self.relayed += 1;
        let id = format!("{ID}{}", self.relayed);
        // Values read from JSON can always be written as JSON.
        if let Ok(Request { outgoing, .. }) = Request::new(id, message) {
            self.outbox.push(outgoing);
        }
    }

    /// Returns whether the outbound queue has room for messages and responses
    /// of MCP servers. Wait for room before sending either, so that their order
    /// is preserved.
    #[must_use]
    pub fn has_room_to_relay(&self) -> bool {
        self.outbox.has_room(Class::Mcp, 1)
    }

    /// Returns whether a response is the agent's acknowledgement of a relayed
    /// message.
    pub(super) fn is_relayed(&self, answer: &Frame) -> bool {
        let id = answer.request_id();
        let number = id.and_then(|id| id.strip_prefix(ID)?.parse::<u64>().ok());
        number.is_some_and(|number| number <= self.relayed)
            && answer
                .read::<ControlResponse>()
                .is_ok_and(|answer| answer.response.subtype == AnswerKind::Success)
    }
}

//! What MCP servers that run in the host begin.

use super::{Host, OutgoingState, Request};
use crate::control::{AnswerKind, ControlResponse};
use crate::frame::Frame;
use crate::mcp::McpMessage;
use crate::outbox::Class;

/// What the ids of these requests begin with.
const ID: &str = "mcp-";

impl Host {
    /// Passes on what an MCP server begins: a notification, or a request, whose
    /// answer comes as an ask of the agent's. It has its place behind the
    /// answers of the server that were given before, and in front of those to
    /// come. The agent's own answer says nothing, so nobody waits for it, and
    /// it is no event unless it is a refusal.
    ///
    /// When the session is closing, nothing is sent.
    pub fn relay(&mut self, message: &McpMessage) {
        if matches!(self.outgoing, OutgoingState::Ending | OutgoingState::Closed) {
            return;
        }
        self.relayed += 1;
        let id = format!("{ID}{}", self.relayed);
        // What was read from JSON is always JSON.
        if let Ok(Request { outgoing, .. }) = Request::new(id, message) {
            self.outbox.push(outgoing);
        }
    }

    /// Whether there is room for what MCP servers begin, and answer. Who waits
    /// for it keeps both in order.
    #[must_use]
    pub fn has_room_to_relay(&self) -> bool {
        self.outbox.has_room(Class::Mcp, 1)
    }

    /// Whether this is the agent's word that it has taken such a message.
    pub(super) fn is_relayed(&self, answer: &Frame) -> bool {
        let id = answer.request_id();
        let number = id.and_then(|id| id.strip_prefix(ID)?.parse::<u64>().ok());
        number.is_some_and(|number| number <= self.relayed)
            && answer
                .read::<ControlResponse>()
                .is_ok_and(|answer| answer.response.subtype == AnswerKind::Success)
    }
}

//! The tools that a conversation has called so far.

use crate::Message;
use agentwire_protocol::content::ContentBlock;
use std::collections::HashMap;

/// The tool calls of a conversation so far, by their ids: some systems want a
/// tool's name with its answer, and some have kinds of answers for kinds of
/// calls.
#[derive(Debug, Clone, Default)]
pub struct Calls(HashMap<Box<str>, Box<str>>);

impl Calls {
    /// Notes a call of a tool.
    pub fn note(&mut self, id: &str, tool: &str) {
        self.0.insert(id.into(), tool.into());
    }

    /// Notes the calls in a message of ours.
    pub fn note_message(&mut self, message: &Message) {
        if let Message::Assistant(message) = message {
            for call in message
                .message
                .content
                .iter()
                .filter_map(ContentBlock::as_tool_use)
            {
                self.note(&call.id, &call.name);
            }
        }
    }

    /// The tool that was called under this id.
    #[must_use]
    pub fn tool(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(|tool| &**tool)
    }
}

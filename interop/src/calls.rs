//! The tool calls of a conversation so far.

use crate::Message;
use agentwire_protocol::content::ContentBlock;
use std::collections::HashMap;

/// The tools of a conversation's calls, by call ID. Some systems require the name of the tool in a
/// result, or have different results for different tools.
#[derive(Debug, Clone, Default)]
pub struct Calls(HashMap<Box<str>, Box<str>>);

impl Calls {
    /// Adds a call.
    pub fn note(&mut self, id: &str, tool: &str) {
        self.0.insert(id.into(), tool.into());
    }

    /// Adds the calls of a message.
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

    /// Returns the name of the tool of a call.
    #[must_use]
    pub fn tool(&self, id: &str) -> Option<&str> {
        self.0.get(id).map(|tool| &**tool)
    }
}

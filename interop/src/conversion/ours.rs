//! Our own messages as a system: what other directions become ours by.

use super::System;
use crate::{Calls, Message};
use agentwire_protocol::content::ContentBlock;

/// Our own messages, such as a [transcript](crate::transcript::Transcript) becomes
/// when it is converted to the lines of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ours;

impl System for Ours {
    type Item = Message;

    fn write(&self, _: &Calls, message: &Message) -> Vec<Message> {
        vec![message.clone()]
    }

    fn joins(&self, _: &[Message], _: &Message) -> bool {
        false
    }

    fn read(&self, _: &Calls, messages: &[Message]) -> Vec<Message> {
        messages.to_vec()
    }

    fn note_calls(&self, calls: &mut Calls, message: &Message) {
        if let Message::Assistant(message) = message {
            for call in message
                .message
                .content
                .iter()
                .filter_map(ContentBlock::as_tool_use)
            {
                calls.note(&call.id, &call.name);
            }
        }
    }
}

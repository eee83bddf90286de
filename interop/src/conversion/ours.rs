//! Our own messages as a system.

use super::System;
use crate::{Calls, Message};

/// Our own messages, for instance to convert a
/// [transcript](crate::transcript::Transcript) to the lines of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Ours;

impl System for Ours {
    type Item = Message;

    fn has_authors(&self) -> bool {
        true
    }

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
        calls.note_message(message);
    }
}

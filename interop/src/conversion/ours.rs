//! A system whose items are the messages of this crate.

use super::System;
use crate::{Calls, Message};

/// The system whose items are the messages of this crate. It is used, for example, to convert a
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

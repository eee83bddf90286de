//! Converts messages to and from OpenHands.

use super::write::lone_text;
use super::{Message, Role, read, write};
use crate::author::is_author;
use crate::conversion::System;
use crate::message::Message as Ours;
use crate::{Calls, TextOr};

/// The system of OpenHands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OpenHands;

impl System for OpenHands {
    type Item = Message;

    fn write(&self, calls: &Calls, message: &Ours) -> Vec<Message> {
        write::write(calls, message)
    }

    fn joins(&self, before: &[Message], message: &Message) -> bool {
        before.iter().all(|it| it.role == Role::Tool)
            && match &message.role {
                // A message of another author stays separate.
                Role::User if is_author(message.name.as_deref()) => false,
                Role::User => match &message.content {
                    // Such content is written after results. Content without results is written
                    // differently.
                    Some(TextOr::Other(contents)) => {
                        !contents.is_empty() && lone_text(contents).is_none()
                    }
                    Some(TextOr::Text(_)) => true,
                    None => false,
                },
                role => *role == Role::Tool,
            }
    }

    fn read(&self, _: &Calls, messages: &[Message]) -> Vec<Ours> {
        read::read(messages)
    }

    fn note_calls(&self, calls: &mut Calls, message: &Message) {
        for call in message.tool_calls.iter().flatten() {
            calls.note(&call.id, &call.name);
        }
    }
}

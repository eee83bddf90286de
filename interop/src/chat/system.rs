//! Converts messages to and from Chat Completions.

use super::write::lone_text;
use super::{Message, ToolCall, read, write};
use crate::author::is_author;
use crate::conversion::System;
use crate::message::Message as Ours;
use crate::{Calls, TextOr};

/// The system of Chat Completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Chat;

impl System for Chat {
    type Item = Message;

    fn write(&self, _: &Calls, message: &Ours) -> Vec<Message> {
        write::write(message)
    }

    fn joins(&self, before: &[Message], message: &Message) -> bool {
        let is_result = |it: &Message| matches!(it, Message::Tool(_) | Message::Function(_));
        before.iter().all(is_result)
            && match message {
                // A message of another author stays separate.
                Message::User(message) if is_author(message.name.as_deref()) => false,
                Message::User(message) => match &message.content {
                    // Such content is written after results. Content without results is written
                    // differently.
                    Some(TextOr::Other(parts)) => !parts.is_empty() && lone_text(parts).is_none(),
                    Some(TextOr::Text(_)) => true,
                    None => false,
                },
                message => is_result(message),
            }
    }

    fn read(&self, _: &Calls, messages: &[Message]) -> Vec<Ours> {
        read::read(messages)
    }

    fn note_calls(&self, calls: &mut Calls, message: &Message) {
        let Message::Assistant(message) = message else {
            return;
        };
        for call in message.tool_calls.iter().flatten() {
            let ToolCall {
                id,
                function,
                custom,
                ..
            } = call;
            let name = function.as_ref().and_then(|it| it.name.as_deref());
            let name = name.or(custom.as_ref().map(|it| &*it.name));
            if let (Some(id), Some(name)) = (id, name) {
                calls.note(id, name);
            }
        }
    }
}

//! Converts messages to and from Responses.

use super::write::lone_text;
use super::{Content, Item, Role, read, write};
use crate::conversion::System;
use crate::message::Message as Ours;
use crate::{Calls, TextOr, author};

/// The system of the Responses API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Responses;

impl System for Responses {
    type Item = Item;

    fn write(&self, _: &Calls, message: &Ours) -> Vec<Item> {
        write::write(&author::with_tag(message))
    }

    /// Returns whether an item belongs to the message before it. A message of the model ends before
    /// another role, or before a second message.
    fn joins(&self, before: &[Item], item: &Item) -> bool {
        let Some(last) = before.last() else {
            return false;
        };
        match (Speaker::of(last), Speaker::of(item)) {
            (Speaker::Tool, Speaker::Tool) => true,
            // A message of another author stays separate.
            (Speaker::Tool, Speaker::User(content)) if is_tagged(content.as_ref()) => false,
            (Speaker::Tool, Speaker::User(content)) => match content {
                // Such content is written after results. Content without results is written
                // differently.
                Some(TextOr::Other(parts)) => !parts.is_empty() && lone_text(parts).is_none(),
                Some(TextOr::Text(_)) => true,
                None => false,
            },
            (Speaker::Model(one), Speaker::Model(other)) => !(one.is_some() && other.is_some()),
            _ => false,
        }
    }

    fn read(&self, _: &Calls, items: &[Item]) -> Vec<Ours> {
        let messages = read::read(items).into_iter();
        messages.map(author::without_tag).collect()
    }

    fn note_calls(&self, calls: &mut Calls, item: &Item) {
        if let Item::FunctionCall(call) = item
            && let Some(id) = call.call_id.as_ref().or(call.id.as_ref())
            && let Some(name) = &call.name
        {
            calls.note(id, name);
        }
    }
}

/// Returns whether content has the tag of an author.
fn is_tagged(content: Option<&Content>) -> bool {
    let text = match content {
        Some(TextOr::Text(text)) => Some(&**text),
        Some(TextOr::Other(parts)) => parts.iter().find_map(read::text),
        None => None,
    };
    text.is_some_and(author::is_tagged)
}

/// The speaker of an item.
enum Speaker<'a> {
    User(&'a Option<Content>),
    /// The model, with the content of a message.
    Model(Option<&'a Content>),
    Tool,
    Other,
}

impl<'a> Speaker<'a> {
    fn of(item: &'a Item) -> Self {
        match item {
            Item::Message(message) => match message.role {
                Role::User => Self::User(&message.content),
                Role::Assistant => match &message.content {
                    // Empty reasoning would be lost in a merge.
                    None => Self::Other,
                    Some(TextOr::Other(parts)) if parts.is_empty() => Self::Other,
                    content => Self::Model(content.as_ref()),
                },
                _ => Self::Other,
            },
            Item::FunctionCall(_) | Item::Reasoning(_) => Self::Model(None),
            Item::FunctionCallOutput(_) => Self::Tool,
            Item::Unknown(_) => Self::Other,
        }
    }
}

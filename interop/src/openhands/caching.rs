//! Marks the parts of a prompt that are cached.

use super::{Content, Message, Role};
use crate::TextOr;

/// Marks the cacheable parts of a prompt, as the library does before it calls a model of Anthropic
/// (`LLM._apply_prompt_caching`). These are the first content of the system message, which is its
/// static part, and the last content of the last message of the user or a tool. The mark of the
/// second content of the system message, which differs between conversations, is removed.
///
/// The library fails if the last message of the user or a tool has no content. This function does
/// not change such a message.
pub fn apply_caching(messages: &mut [Message]) {
    if let Some(system) = messages.first_mut().filter(|it| it.role == Role::System) {
        let mut contents = system.contents().into_owned();
        if let Some(first) = contents.first_mut() {
            first.set_cache_prompt(true);
        }
        if let Some(second) = contents.get_mut(1) {
            second.set_cache_prompt(false);
        }
        if !contents.is_empty() {
            system.content = Some(TextOr::Other(contents));
        }
    }
    let mut messages = messages.iter_mut().rev();
    let last = messages.find(|it| matches!(it.role, Role::User | Role::Tool));
    if let Some(message) = last {
        let mut contents = message.contents().into_owned();
        if let Some(last) = contents.last_mut() {
            last.set_cache_prompt(true);
            message.content = Some(TextOr::Other(contents));
        }
    }
}

impl Content {
    fn set_cache_prompt(&mut self, cache_prompt: bool) {
        match self {
            Self::Text(text) => text.cache_prompt = Some(cache_prompt),
            Self::Image(image) => image.cache_prompt = Some(cache_prompt),
            Self::Unknown(_) => {}
        }
    }
}

//! Reads messages of OpenHands.

use super::content::ephemeral;
use super::{Content, Message, Role, ThinkingBlock};
use crate::author::with_author;
use crate::blocks::{result_with, thinking, user};
use crate::chat::thinking_block;
use crate::media::image;
use crate::message::Message as Ours;
use crate::{TextOr, arguments};
use agentwire_protocol::content::{Content as OurContent, ContentBlock};

/// Reads one message of the model, or results of tools and the user message after them.
pub(super) fn read(messages: &[Message]) -> Vec<Ours> {
    let [message] = messages else {
        return vec![Ours::user(
            messages.iter().flat_map(user_blocks).collect::<Vec<_>>(),
        )];
    };
    match &message.role {
        Role::System => {
            let contents = message.contents();
            let texts = contents.iter().filter_map(Content::as_text);
            let texts: Vec<&str> = texts.map(|text| &*text.text).collect();
            vec![Ours::instructions(texts.join("\n"))]
        }
        Role::User => vec![with_author(
            user(user_content(message)),
            message.name.as_deref(),
        )],
        Role::Tool => vec![Ours::user(user_blocks(message))],
        Role::Assistant => vec![Ours::assistant(assistant(message))],
        Role::Unknown(_) => vec![],
    }
}

fn user_content(message: &Message) -> Option<OurContent> {
    Some(match message.content.as_ref()? {
        TextOr::Text(text) => text.as_str().into(),
        TextOr::Other(contents) => blocks(contents).into(),
    })
}

fn user_blocks(message: &Message) -> Vec<ContentBlock> {
    match (&message.role, user_content(message)) {
        (Role::Tool, content) => {
            let id = message.tool_call_id.as_deref().unwrap_or_default();
            vec![result_with(id, content)]
        }
        (_, content) => content.map_or_else(Vec::new, OurContent::into_blocks),
    }
}

fn assistant(message: &Message) -> Vec<ContentBlock> {
    let mut content = reasoning_blocks(message);
    content.extend(blocks(&message.contents()));
    let calls = message.tool_calls.iter().flatten();
    content.extend(calls.map(|call| {
        ContentBlock::tool_use(&*call.id, &*call.name, arguments::input(&call.arguments))
    }));
    content
}

fn reasoning_blocks(message: &Message) -> Vec<ContentBlock> {
    let blocks = message.thinking_blocks.as_deref().unwrap_or_default();
    let item = message.responses_reasoning_item.as_ref();
    let texts = item.and_then(|item| {
        let summary = item.summary.as_ref().filter(|texts| !texts.is_empty());
        summary.or(item.content.as_ref())
    });
    let texts = texts.into_iter().flatten().map(String::as_str).collect();
    let read = blocks.iter().map(|block| match block {
        ThinkingBlock::Thinking(it) => Some(thinking_block(&it.thinking, it.signature.as_deref())),
        ThinkingBlock::Redacted(it) => Some(ContentBlock::redacted_thinking(&*it.data)),
        ThinkingBlock::Unknown(_) => None,
    });
    thinking(message.reasoning_content.as_deref(), texts, read.collect())
}

fn blocks(contents: &[Content]) -> Vec<ContentBlock> {
    let mut blocks = Vec::new();
    for content in contents {
        let before = blocks.len();
        match content {
            Content::Text(text) => blocks.push(ContentBlock::text(&*text.text)),
            Content::Image(images) => blocks.extend(images.image_urls.iter().map(|url| image(url))),
            Content::Unknown(_) => {}
        }
        // The last image has the cache mark.
        if content.cache_prompt() && blocks.len() > before {
            match blocks.last_mut() {
                Some(ContentBlock::Text(block)) => block.cache_control = ephemeral(Some(true)),
                Some(ContentBlock::Image(block)) => block.cache_control = ephemeral(Some(true)),
                _ => {}
            }
        }
    }
    blocks
}

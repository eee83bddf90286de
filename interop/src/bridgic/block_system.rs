//! Converts messages to and from Bridgic's messages of blocks.

use super::block::{Block, Message, Role};
use super::content::{self, ReplyBlock};
use super::tool::is_object;
use crate::conversion::System;
use crate::{Calls, Message as Ours, author};
use agentwire_protocol::Json;
use agentwire_protocol::content::ContentBlock;

/// The system of Bridgic's messages of blocks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Blocks;

impl System for Blocks {
    type Item = Message;

    fn write(&self, _: &Calls, message: &Ours) -> Vec<Message> {
        match message {
            Ours::Instructions(instructions) => {
                let text = Block::text(&*instructions.text);
                vec![Message::new(Role::System, vec![text])]
            }
            Ours::User(message) => {
                let user = content::user(message.message.content.as_ref());
                // Each result has its own message, because the library merges several results.
                let mut items: Vec<_> = user
                    .results
                    .into_iter()
                    .map(|(id, text)| Message::new(Role::Tool, vec![Block::tool_result(id, text)]))
                    .collect();
                if !user.texts.is_empty() {
                    let texts = user.texts.into_iter().map(Block::text);
                    let mut text = Message::new(Role::User, texts.collect());
                    // The library sends this member as the name of the message.
                    if let Some(name) = author::name(message) {
                        let extras = text.extras.get_or_insert_default();
                        extras.set("name", &*name);
                    }
                    items.push(text);
                }
                items
            }
            Ours::Assistant(message) => {
                let blocks = content::assistant(&message.message.content);
                let blocks = blocks.map(|block| match block {
                    ReplyBlock::Text(text) => Block::text(text),
                    ReplyBlock::Call(call) => {
                        Block::tool_call(&*call.id, &*call.name, object(&call.input))
                    }
                });
                vec![Message::new(Role::Ai, blocks.collect())]
            }
            _ => vec![],
        }
    }

    fn joins(&self, before: &[Message], item: &Message) -> bool {
        let continues = [Role::Tool, Role::User].contains(item.role());
        // A message of another author stays separate.
        let is_author = author::is_author(name(item).as_deref());
        continues && !is_author && before.last().is_some_and(|it| *it.role() == Role::Tool)
    }

    fn read(&self, _: &Calls, items: &[Message]) -> Vec<Ours> {
        let mut results = Vec::new();
        let mut texts = Vec::new();
        let mut by = None;
        for item in items {
            by = by.or_else(|| name(item));
            match item.role() {
                Role::System => return vec![Ours::instructions(item.content())],
                Role::Ai => return vec![read_assistant(item.blocks())],
                Role::User | Role::Tool => {}
                Role::Unknown(_) => return vec![],
            }
            for block in item.blocks() {
                match block {
                    Block::Text(block) => texts.push(&*block.text),
                    Block::ToolResult(block) => {
                        results.push(ContentBlock::tool_result(&*block.id, &*block.content));
                    }
                    // Users call no tools.
                    Block::ToolCall(_) | Block::Unknown(_) => {}
                }
            }
        }
        let is_named = results.is_empty();
        let message = content::of_user(results, texts);
        vec![author::with_author(
            message,
            by.as_deref().filter(|_| is_named),
        )]
    }

    fn note_calls(&self, calls: &mut Calls, item: &Message) {
        for block in item.blocks() {
            if let Block::ToolCall(call) = block {
                calls.note(&call.id, &call.name);
            }
        }
    }
}

/// Returns the name that the library sends for a message.
fn name(message: &Message) -> Option<String> {
    message.extras.as_ref()?.get_str("name")
}

fn read_assistant(blocks: &[Block]) -> Ours {
    let blocks = blocks.iter().filter_map(|block| match block {
        Block::Text(block) if block.text.is_empty() => None,
        Block::Text(block) => Some(ContentBlock::text(&*block.text)),
        Block::ToolCall(call) => Some(ContentBlock::tool_use(
            &*call.id,
            &*call.name,
            object(&call.arguments),
        )),
        // The model returns no results.
        Block::ToolResult(_) | Block::Unknown(_) => None,
    });
    Ours::assistant(blocks.collect())
}

/// Replaces a value that is not an object by `{}`.
fn object(value: &Json) -> Json {
    if is_object(value) {
        value.clone()
    } else {
        serde_json::json!({}).into()
    }
}

//! Writes messages of OpenHands.

use super::{
    Content, ImageContent, Message, MessageToolCall, Origin, Role, TextContent, ThinkingBlock,
};
use crate::author::name;
use crate::blocks::{ReplyBlocks, UserBlocks};
use crate::media::url_of;
use crate::message::Message as Ours;
use crate::{Calls, TextOr, arguments};
use agentwire_protocol::content::{
    Content as OurContent, ContentBlock, TextBlock, ToolResultBlock, ToolUseBlock,
};

pub(super) fn write(calls: &Calls, message: &Ours) -> Vec<Message> {
    match message {
        Ours::Instructions(instructions) => {
            vec![message_with(
                Role::System,
                instructions.text.as_str().into(),
            )]
        }
        Ours::User(message) => {
            let mut messages = match &message.message.content {
                None => vec![Message::new(Role::User)],
                Some(OurContent::Text(text)) => {
                    vec![message_with(Role::User, text.as_str().into())]
                }
                Some(OurContent::Blocks(blocks)) => user_messages(calls, blocks),
            };
            if let (Some(last), Some(name)) = (messages.last_mut(), name(message)) {
                last.name = Some(name);
            }
            messages
        }
        Ours::Assistant(message) => assistant_messages(&message.message.content),
        Ours::Unknown(_) => vec![],
    }
}

fn message_with(role: Role, content: TextOr<Vec<Content>>) -> Message {
    let mut message = Message::new(role);
    message.content = Some(content);
    message
}

fn user_messages(calls: &Calls, blocks: &[ContentBlock]) -> Vec<Message> {
    let sorted = UserBlocks::of(blocks);
    let answers = sorted.results.iter();
    let mut messages: Vec<Message> = answers.map(|it| result_message(calls, it)).collect();
    let contents: Vec<Content> = sorted.rest.iter().filter_map(|it| content(it)).collect();
    if !contents.is_empty() || blocks.is_empty() {
        let content = match lone_text(&contents) {
            // After results, the original is always a list. Without results, a text stays a text.
            Some(text) if !sorted.results.is_empty() => text.into(),
            _ => TextOr::Other(contents),
        };
        messages.push(message_with(Role::User, content));
    }
    messages
}

/// Returns the text of a list that consists of one text without a cache mark.
pub(super) fn lone_text(contents: &[Content]) -> Option<&str> {
    match contents {
        [Content::Text(text)] if text.cache_prompt != Some(true) => Some(&text.text),
        _ => None,
    }
}

fn result_message(calls: &Calls, answer: &ToolResultBlock) -> Message {
    let mut message = Message::new(Role::Tool);
    message.content = answer.content.as_ref().map(|it| match it {
        OurContent::Text(text) => text.as_str().into(),
        OurContent::Blocks(blocks) => TextOr::Other(blocks.iter().filter_map(content).collect()),
    });
    message.name = calls.tool(&answer.tool_use_id).map(str::to_owned);
    message.tool_call_id = Some(answer.tool_use_id.clone());
    message
}

fn assistant_messages(blocks: &[ContentBlock]) -> Vec<Message> {
    let blocks_by_kind = ReplyBlocks::of(blocks);
    if blocks_by_kind.is_empty() && !blocks.is_empty() {
        return vec![];
    }
    let contents: Vec<Content> = blocks_by_kind
        .texts
        .iter()
        .map(|it| text(it).into())
        .collect();
    let calls: Vec<_> = blocks_by_kind.calls.iter().map(|it| call(it)).collect();
    let thinking: Vec<_> = blocks_by_kind
        .thinking
        .iter()
        .filter_map(|it| thinking(it))
        .collect();
    let mut message = message_with(Role::Assistant, TextOr::Other(contents));
    message.tool_calls = (!calls.is_empty()).then_some(calls);
    message.thinking_blocks = (!thinking.is_empty()).then_some(thinking);
    message.reasoning_content = blocks_by_kind.reasoning;
    vec![message]
}

fn call(call: &ToolUseBlock) -> MessageToolCall {
    MessageToolCall::new(
        &*call.id,
        &*call.name,
        arguments::arguments(&call.input),
        Origin::Completion,
    )
}

fn thinking(block: &ContentBlock) -> Option<ThinkingBlock> {
    match block {
        ContentBlock::Thinking(block) => Some(ThinkingBlock::thinking(
            &*block.thinking,
            block.signature.clone(),
        )),
        ContentBlock::RedactedThinking(block) => Some(ThinkingBlock::redacted(&*block.data)),
        _ => None,
    }
}

fn text(block: &TextBlock) -> TextContent {
    let mut content = TextContent::new(&*block.text);
    content.cache_prompt = block.cache_control.is_some().then_some(true);
    content
}

fn content(block: &ContentBlock) -> Option<Content> {
    match block {
        ContentBlock::Text(block) => Some(text(block).into()),
        ContentBlock::Image(block) => {
            let mut content = ImageContent::new(vec![url_of(&block.source)?]);
            content.cache_prompt = block.cache_control.is_some().then_some(true);
            Some(content.into())
        }
        _ => None,
    }
}

//! Writes messages of Chat Completions.

use super::{
    AssistantMessage, Content, File, FilePart, ImagePart, Message, Part, RedactedThinking,
    SystemMessage, TextPart, Thinking, ThinkingBlock, ToolCall, ToolMessage, UserMessage,
};
use crate::author::name;
use crate::blocks::{ReplyBlocks, UserBlocks};
use crate::media::url_of;
use crate::message::Message as Ours;
use crate::{TextOr, arguments};
use agentwire_protocol::content::{
    Content as OurContent, ContentBlock, TextBlock, ToolResultBlock, ToolUseBlock,
};

pub(super) fn write(message: &Ours) -> Vec<Message> {
    match message {
        Ours::Instructions(instructions) => vec![
            SystemMessage {
                content: Some(instructions.text.as_str().into()),
                ..Default::default()
            }
            .into(),
        ],
        Ours::User(message) => match &message.message.content {
            None => vec![user(None, name(message))],
            Some(OurContent::Text(text)) => {
                vec![user(Some(text.as_str().into()), name(message))]
            }
            Some(OurContent::Blocks(blocks)) => user_messages(blocks, name(message)),
        },
        Ours::Assistant(message) => assistant_messages(&message.message.content),
        Ours::Unknown(_) => vec![],
    }
}

fn user(content: Option<Content>, name: Option<String>) -> Message {
    UserMessage {
        content,
        name,
        ..Default::default()
    }
    .into()
}

fn user_messages(blocks: &[ContentBlock], name: Option<String>) -> Vec<Message> {
    let sorted = UserBlocks::of(blocks);
    let mut messages: Vec<Message> = sorted
        .results
        .iter()
        .map(|it| tool_message(it).into())
        .collect();
    let parts: Vec<Part> = sorted.rest.iter().filter_map(|block| part(block)).collect();
    if !parts.is_empty() || blocks.is_empty() {
        let content = match lone_text(&parts) {
            // After results, the original is always a list. Without results, a text stays a text.
            Some(text) if !sorted.results.is_empty() => text.into(),
            _ => TextOr::Other(parts),
        };
        messages.push(user(Some(content), name));
    }
    messages
}

/// Returns the text of a list that consists of one text without cache control.
pub(super) fn lone_text(parts: &[Part]) -> Option<&str> {
    match parts {
        [Part::Text(part)] if part.cache_control.is_none() => Some(&part.text),
        _ => None,
    }
}

fn tool_message(answer: &ToolResultBlock) -> ToolMessage {
    let content = match &answer.content {
        None => "".into(),
        Some(OurContent::Text(text)) => text.as_str().into(),
        Some(OurContent::Blocks(blocks)) => TextOr::Other(blocks.iter().filter_map(part).collect()),
    };
    ToolMessage {
        content: Some(content),
        tool_call_id: Some(answer.tool_use_id.clone()),
        cache_control: answer.cache_control.clone(),
        ..Default::default()
    }
}

fn assistant_messages(blocks: &[ContentBlock]) -> Vec<Message> {
    let blocks_by_kind = ReplyBlocks::of(blocks);
    if blocks_by_kind.is_empty() && !blocks.is_empty() {
        return vec![];
    }
    let calls: Vec<ToolCall> = blocks_by_kind
        .calls
        .iter()
        .map(|call| tool_call(call))
        .collect();
    let thinking: Vec<ThinkingBlock> = blocks_by_kind
        .thinking
        .iter()
        .filter_map(|it| thinking(it))
        .collect();
    let content = match &blocks_by_kind.texts[..] {
        [] if calls.is_empty() => Some("".into()),
        [] => None,
        [text] if text.cache_control.is_none() && !text.text.is_empty() => {
            Some(text.text.as_str().into())
        }
        texts => Some(TextOr::Other(
            texts.iter().map(|text| text_part(text).into()).collect(),
        )),
    };
    vec![
        AssistantMessage {
            content,
            tool_calls: (!calls.is_empty()).then_some(calls),
            thinking_blocks: (!thinking.is_empty()).then_some(thinking),
            reasoning_content: blocks_by_kind.reasoning,
            ..Default::default()
        }
        .into(),
    ]
}

fn tool_call(call: &ToolUseBlock) -> ToolCall {
    ToolCall::function(&*call.id, &*call.name, arguments::arguments(&call.input))
}

fn thinking(block: &ContentBlock) -> Option<ThinkingBlock> {
    match block {
        ContentBlock::Thinking(block) => Some(
            Thinking {
                thinking: block.thinking.clone(),
                signature: block.signature.clone(),
                cache_control: None,
                extra: Default::default(),
            }
            .into(),
        ),
        ContentBlock::RedactedThinking(block) => Some(
            RedactedThinking {
                data: block.data.clone(),
                cache_control: None,
                extra: Default::default(),
            }
            .into(),
        ),
        _ => None,
    }
}

fn text_part(block: &TextBlock) -> TextPart {
    let mut part = TextPart::new(&*block.text);
    part.cache_control.clone_from(&block.cache_control);
    part
}

fn part(block: &ContentBlock) -> Option<Part> {
    match block {
        ContentBlock::Text(block) => Some(text_part(block).into()),
        ContentBlock::Image(block) => {
            let mut part = ImagePart::new(url_of(&block.source)?);
            part.cache_control.clone_from(&block.cache_control);
            Some(part.into())
        }
        ContentBlock::Document(block) => {
            // A file has no member for a URL.
            let file_data = url_of(&block.source).filter(|url| url.starts_with("data:"))?;
            let part = FilePart {
                file: File {
                    file_data: Some(file_data),
                    filename: block.title.clone(),
                    ..Default::default()
                },
                cache_control: block.cache_control.clone(),
                prompt_cache_breakpoint: None,
                extra: Default::default(),
            };
            Some(part.into())
        }
        _ => None,
    }
}

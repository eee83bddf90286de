//! Reads messages of Chat Completions.

use super::{
    AssistantMessage, Content, FunctionMessage, Message, Part, ThinkingBlock, ToolCall,
    ToolMessage, UserMessage,
};
use crate::author::with_author;
use crate::blocks::{result_with, thinking, user};
use crate::media::{document, image};
use crate::message::Message as Ours;
use crate::{TextOr, arguments};
use agentwire_protocol::content::{
    CacheControl, Content as OurContent, ContentBlock, DocumentBlock,
};

/// Reads one message of the model, or results of tools and the user message after them.
pub(super) fn read(messages: &[Message]) -> Vec<Ours> {
    match messages {
        [] | [Message::Unknown(_)] => vec![],
        [Message::System(message)] => vec![instructions(&message.content)],
        [Message::Developer(message)] => vec![instructions(&message.content)],
        [Message::User(message)] => vec![with_author(
            user(user_content(message)),
            message.name.as_deref(),
        )],
        [Message::Assistant(message)] => vec![Ours::assistant(assistant(message))],
        messages => vec![Ours::user(
            messages.iter().flat_map(user_blocks).collect::<Vec<_>>(),
        )],
    }
}

fn instructions(content: &Option<Content>) -> Ours {
    Ours::instructions(match content {
        None => String::new(),
        Some(TextOr::Text(text)) => text.clone(),
        Some(TextOr::Other(parts)) => {
            let texts: Vec<&str> = parts
                .iter()
                .filter_map(|part| match part {
                    Part::Text(part) => Some(&*part.text),
                    _ => None,
                })
                .collect();
            texts.join("\n")
        }
    })
}

fn user_content(message: &UserMessage) -> Option<OurContent> {
    match (message.content.as_ref()?, &message.cache_control) {
        (TextOr::Text(text), None) => Some(text.as_str().into()),
        (content, cache_control) => {
            let mut blocks = blocks(content);
            if let Some(cache_control) = cache_control {
                cached(&mut blocks, cache_control);
            }
            Some(blocks.into())
        }
    }
}

/// Sets the cache control of a message, which is that of its last block.
fn cached(blocks: &mut [ContentBlock], cache_control: &CacheControl) {
    let place = match blocks.last_mut() {
        Some(ContentBlock::Text(block)) => &mut block.cache_control,
        Some(ContentBlock::Image(block)) => &mut block.cache_control,
        Some(ContentBlock::Document(block)) => &mut block.cache_control,
        _ => return,
    };
    place.get_or_insert_with(|| cache_control.clone());
}

fn user_blocks(message: &Message) -> Vec<ContentBlock> {
    match message {
        Message::Tool(ToolMessage {
            tool_call_id,
            content,
            cache_control,
            ..
        }) => {
            let id = tool_call_id.as_deref().unwrap_or_default();
            let mut answer = tool_result(id, content.as_ref());
            if let ContentBlock::ToolResult(answer) = &mut answer {
                answer.cache_control.clone_from(cache_control);
            }
            vec![answer]
        }
        Message::Function(FunctionMessage {
            tool_call_id,
            name,
            content,
            ..
        }) => {
            let id = tool_call_id.as_ref().or(name.as_ref());
            vec![tool_result(id.map_or("", |it| it), content.as_ref())]
        }
        Message::User(message) => {
            user_content(message).map_or_else(Vec::new, OurContent::into_blocks)
        }
        _ => vec![],
    }
}

fn tool_result(id: &str, content: Option<&Content>) -> ContentBlock {
    match content {
        // Content is required, so empty content means that there is none.
        None => result_with(id, None),
        Some(TextOr::Text(text)) if text.is_empty() => result_with(id, None),
        Some(TextOr::Text(text)) => result_with(id, Some(text.as_str().into())),
        Some(content) => result_with(id, Some(blocks(content).into())),
    }
}

fn assistant(message: &AssistantMessage) -> Vec<ContentBlock> {
    let mut content = reasoning_blocks(message);
    match &message.content {
        // Messages with tool calls usually have no content.
        None => {}
        Some(TextOr::Text(text)) if text.is_empty() => {}
        Some(parts) => content.extend(blocks(parts)),
    }
    content.extend(message.refusal.as_deref().map(ContentBlock::text));
    if let Some(cache_control) = &message.cache_control {
        cached(&mut content, cache_control);
    }
    content.extend(message.tool_calls.iter().flatten().map(call));
    content.extend(message.function_call.as_ref().map(|function| {
        let name = function.name.as_deref().unwrap_or_default();
        ContentBlock::tool_use(name, name, arguments::input(&function.arguments()))
    }));
    content
}

fn reasoning_blocks(message: &AssistantMessage) -> Vec<ContentBlock> {
    let blocks = message.thinking_blocks.as_deref().unwrap_or_default();
    let items = message.reasoning_items.iter().flatten();
    let summary = items.flat_map(|item| item.summary.iter().flatten());
    let summary = summary.map(|it| &*it.text).collect();
    let read = blocks.iter().map(|block| match block {
        ThinkingBlock::Thinking(it) => Some(thinking_block(&it.thinking, it.signature.as_deref())),
        ThinkingBlock::Redacted(it) => Some(ContentBlock::redacted_thinking(&*it.data)),
        ThinkingBlock::Unknown(_) => None,
    });
    thinking(
        message.reasoning_content.as_deref(),
        summary,
        read.collect(),
    )
}

/// Creates a thinking block.
pub(crate) fn thinking_block(thinking: &str, signature: Option<&str>) -> ContentBlock {
    let mut block = ContentBlock::thinking(thinking);
    if let ContentBlock::Thinking(block) = &mut block {
        block.signature = signature.map(str::to_owned);
    }
    block
}

fn call(call: &ToolCall) -> ContentBlock {
    let (name, arguments) = match (&call.function, &call.custom) {
        (Some(function), _) => (function.name.as_deref(), function.arguments()),
        (None, Some(custom)) => (Some(&*custom.name), custom.input.clone()),
        (None, None) => (None, String::new()),
    };
    ContentBlock::tool_use(
        call.id.as_deref().unwrap_or_default(),
        name.unwrap_or_default(),
        arguments::input(&arguments),
    )
}

fn blocks(content: &Content) -> Vec<ContentBlock> {
    match content {
        TextOr::Text(text) => vec![ContentBlock::text(text)],
        TextOr::Other(parts) => parts.iter().filter_map(block).collect(),
    }
}

fn block(part: &Part) -> Option<ContentBlock> {
    let (mut block, cache_control) = match part {
        Part::Text(part) => (ContentBlock::text(&part.text), &part.cache_control),
        Part::Image(part) => (image(part.url()), &part.cache_control),
        Part::File(part) => {
            let file = &part.file;
            let block = document(file.file_data.as_deref()?, file.filename.as_deref());
            (block, &part.cache_control)
        }
        Part::Refusal(part) => (ContentBlock::text(&part.refusal), &None),
        Part::Document(part) => {
            let mut block = DocumentBlock::new(part.source.clone());
            block.title.clone_from(&part.title);
            block.context.clone_from(&part.context);
            block.citations.clone_from(&part.citations);
            (block.into(), &None)
        }
        Part::Thinking(it) => (thinking_block(&it.thinking, it.signature.as_deref()), &None),
        Part::RedactedThinking(it) => (ContentBlock::redacted_thinking(&*it.data), &None),
        Part::Audio(_) | Part::Video(_) | Part::ToolReference(_) | Part::Unknown(_) => return None,
    };
    if let Some(cache_control) = cache_control {
        cached(std::slice::from_mut(&mut block), cache_control);
    }
    Some(block)
}

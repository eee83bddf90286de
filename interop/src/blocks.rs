//! Sorts content blocks by the place that they have in other systems.

use crate::Message;
use agentwire_protocol::content::{
    Content, ContentBlock, TextBlock, ToolResultBlock, ToolUseBlock,
};

/// The separator of thinking blocks that become one text.
const SEPARATOR: &str = "\n\n";

/// The blocks of a message of the model.
#[derive(Debug, Default)]
pub(crate) struct ReplyBlocks<'a> {
    pub(crate) texts: Vec<&'a TextBlock>,
    pub(crate) calls: Vec<&'a ToolUseBlock>,
    /// Signed or redacted thinking.
    pub(crate) thinking: Vec<&'a ContentBlock>,
    /// Unsigned thinking, which comes from another model.
    pub(crate) reasoning: Option<String>,
}

impl<'a> ReplyBlocks<'a> {
    pub(crate) fn of(blocks: &'a [ContentBlock]) -> Self {
        let mut blocks_by_kind = Self::default();
        let mut unsigned: Vec<&str> = Vec::new();
        for block in blocks {
            match block {
                ContentBlock::Text(text) => blocks_by_kind.texts.push(text),
                ContentBlock::ToolUse(call) => blocks_by_kind.calls.push(call),
                ContentBlock::Thinking(it) if it.signature.is_none() => unsigned.push(&it.thinking),
                ContentBlock::Thinking(_) | ContentBlock::RedactedThinking(_) => {
                    blocks_by_kind.thinking.push(block);
                }
                _ => {}
            }
        }
        if !unsigned.is_empty() {
            let reasoning = unsigned.join(SEPARATOR);
            let signed = blocks_by_kind
                .thinking
                .iter()
                .filter_map(|block| match block {
                    ContentBlock::Thinking(it) => Some(&*it.thinking),
                    _ => None,
                });
            blocks_by_kind.reasoning = (!is_copy(&reasoning, signed)).then_some(reasoning);
        }
        blocks_by_kind
    }

    /// Returns whether none of the blocks has a place.
    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty()
            && self.calls.is_empty()
            && self.thinking.is_empty()
            && self.reasoning.is_none()
    }
}

/// Returns whether reasoning repeats the texts of the thinking blocks, as in `litellm`.
pub(crate) fn is_copy<'a>(reasoning: &str, thinking: impl Iterator<Item = &'a str>) -> bool {
    let thinking: Vec<&str> = thinking.collect();
    !thinking.is_empty() && thinking.concat() == reasoning
}

/// Joins several texts of reasoning.
pub(crate) fn joined<'a>(texts: impl Iterator<Item = &'a str>) -> Option<String> {
    let texts: Vec<&str> = texts.collect();
    (!texts.is_empty()).then(|| texts.join(SEPARATOR))
}

/// Reads the thinking of a message: `reasoning`, or without reasoning and blocks the texts of the
/// summary; then the blocks. Reasoning with the same text as the blocks is omitted. Unknown blocks
/// are ignored.
pub(crate) fn thinking(
    reasoning: Option<&str>,
    summary: Vec<&str>,
    blocks: Vec<Option<ContentBlock>>,
) -> Vec<ContentBlock> {
    let texts = blocks.iter().flatten().filter_map(|block| match block {
        ContentBlock::Thinking(block) => Some(&*block.thinking),
        _ => None,
    });
    let reasoning = match reasoning {
        Some(reasoning) => (!is_copy(reasoning, texts)).then(|| reasoning.to_owned()),
        None if blocks.is_empty() => joined(summary.into_iter()),
        None => None,
    };
    let reasoning = reasoning.map(ContentBlock::thinking);
    reasoning
        .into_iter()
        .chain(blocks.into_iter().flatten())
        .collect()
}

/// Creates a user message with optional content.
pub(crate) fn user(content: Option<Content>) -> Message {
    let mut message = Message::user("");
    if let Message::User(message) = &mut message {
        message.message.content = content;
    }
    message
}

/// Creates a result with optional content.
pub(crate) fn result_with(tool_use_id: &str, content: Option<Content>) -> ContentBlock {
    let mut answer = ContentBlock::tool_result(tool_use_id, "");
    if let ContentBlock::ToolResult(answer) = &mut answer {
        answer.content = content;
    }
    answer
}

/// The blocks of a user message, or of results of tools.
#[derive(Debug, Default)]
pub(crate) struct UserBlocks<'a> {
    pub(crate) results: Vec<&'a ToolResultBlock>,
    pub(crate) rest: Vec<&'a ContentBlock>,
}

impl<'a> UserBlocks<'a> {
    pub(crate) fn of(blocks: &'a [ContentBlock]) -> Self {
        let mut user = Self::default();
        for block in blocks {
            match block {
                ContentBlock::ToolResult(answer) => user.results.push(answer),
                block => user.rest.push(block),
            }
        }
        user
    }
}

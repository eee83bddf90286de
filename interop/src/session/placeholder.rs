//! Placeholders for missing results.
//!
//! APIs refuse a call without a result, so such a call gets a fixed text as its result, which is a
//! [`Lost::Placeholder`](crate::conversion::Lost). The conversion back removes results with that
//! text.

use crate::Message;
use agentwire_protocol::content::{Content, ContentBlock, ToolResultBlock};

/// The text of the placeholder. The conversion back removes a result with exactly this text.
pub const PLACEHOLDER: &str = "[agentwire: the source has no result for this tool call]";

/// Creates the placeholder for a call.
pub(super) fn placeholder(call: &str) -> ContentBlock {
    ToolResultBlock::new(call, Some(PLACEHOLDER.into()))
        .failed()
        .into()
}

/// Returns whether a block is a placeholder, as a text or as a list of one text.
pub(crate) fn is_placeholder(block: &ContentBlock) -> bool {
    let ContentBlock::ToolResult(result) = block else {
        return false;
    };
    match &result.content {
        Some(Content::Text(text)) => text == PLACEHOLDER,
        Some(Content::Blocks(blocks)) => {
            matches!(&blocks[..], [ContentBlock::Text(block)] if block.text == PLACEHOLDER)
        }
        None => false,
    }
}

/// Removes placeholders, and messages that contain nothing else.
pub(crate) fn without_placeholders(mut messages: Vec<Message>) -> Vec<Message> {
    messages.retain_mut(|message| {
        let Message::User(message) = message else {
            return true;
        };
        let Some(Content::Blocks(blocks)) = &mut message.message.content else {
            return true;
        };
        let before = blocks.len();
        blocks.retain(|block| !is_placeholder(block));
        blocks.len() == before || !blocks.is_empty()
    });
    messages
}

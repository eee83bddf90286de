//! Selects the blocks that Bridgic has a place for.

use crate::Message as Ours;
use agentwire_protocol::content::{Content, ContentBlock, ToolUseBlock};

/// The texts and results of a user message.
pub(super) struct UserContent<'a> {
    /// The results, each as the ID of the call and the text.
    pub(super) results: Vec<(&'a str, String)>,
    /// The texts.
    pub(super) texts: Vec<&'a str>,
}

/// Selects results and texts. Results come first, because a model must see them first.
pub(super) fn user(content: Option<&Content>) -> UserContent<'_> {
    let mut user = UserContent {
        results: vec![],
        texts: vec![],
    };
    match content {
        None => {}
        Some(Content::Text(text)) => user.texts.push(text),
        Some(Content::Blocks(blocks)) => {
            for block in blocks {
                match block {
                    ContentBlock::Text(block) => user.texts.push(&block.text),
                    ContentBlock::ToolResult(result) => {
                        let text = result.content.as_ref().map(Content::text);
                        user.results
                            .push((&result.tool_use_id, text.unwrap_or_default()));
                    }
                    _ => {}
                }
            }
        }
    }
    user
}

/// A text or a call of the model.
pub(super) enum ReplyBlock<'a> {
    Text(&'a str),
    Call(&'a ToolUseBlock),
}

/// Selects non-empty texts and calls, in order.
pub(super) fn assistant(blocks: &[ContentBlock]) -> impl Iterator<Item = ReplyBlock<'_>> {
    blocks.iter().filter_map(|block| match block {
        ContentBlock::Text(block) if block.text.is_empty() => None,
        ContentBlock::Text(block) => Some(ReplyBlock::Text(&block.text)),
        ContentBlock::ToolUse(call) => Some(ReplyBlock::Call(call)),
        _ => None,
    })
}

/// Creates a user message. If there are only texts, its content is a text.
pub(super) fn of_user(results: Vec<ContentBlock>, texts: Vec<&str>) -> Ours {
    if let ([], [text]) = (&*results, &*texts) {
        return Ours::user(*text);
    }
    let mut blocks = results;
    blocks.extend(texts.into_iter().map(ContentBlock::text));
    Ours::user(blocks)
}

/// Joins non-empty texts by an empty line, as the library does.
pub(super) fn one_text(texts: &[&str]) -> String {
    let texts = texts.iter().filter(|text| !text.is_empty()).copied();
    texts.collect::<Vec<_>>().join("\n\n")
}

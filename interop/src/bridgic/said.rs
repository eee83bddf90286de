//! What of messages of ours Bridgic has a place for, and the way back.

use crate::Message as Ours;
use agentwire_protocol::content::{Content, ContentBlock, ToolUseBlock};

/// What of a user's message there is a place for.
pub(super) struct UserSaid<'a> {
    /// What tools answered: the id of the call, and the text.
    pub(super) results: Vec<(&'a str, String)>,
    /// What the user said.
    pub(super) texts: Vec<&'a str>,
}

/// The answers of tools and the texts of a user's content. Answers come first:
/// a model has to see them before anything else is said.
pub(super) fn user(content: Option<&Content>) -> UserSaid<'_> {
    let mut said = UserSaid {
        results: vec![],
        texts: vec![],
    };
    match content {
        None => {}
        Some(Content::Text(text)) => said.texts.push(text),
        Some(Content::Blocks(blocks)) => {
            for block in blocks {
                match block {
                    ContentBlock::Text(block) => said.texts.push(&block.text),
                    ContentBlock::ToolResult(result) => {
                        let text = result.content.as_ref().map(Content::text);
                        said.results
                            .push((&result.tool_use_id, text.unwrap_or_default()));
                    }
                    _ => {}
                }
            }
        }
    }
    said
}

/// What of an assistant's message there is a place for.
pub(super) enum AssistantSaid<'a> {
    Text(&'a str),
    Call(&'a ToolUseBlock),
}

/// The texts and calls of an assistant's content, in order. Empty texts say
/// nothing.
pub(super) fn assistant(blocks: &[ContentBlock]) -> impl Iterator<Item = AssistantSaid<'_>> {
    blocks.iter().filter_map(|block| match block {
        ContentBlock::Text(block) if block.text.is_empty() => None,
        ContentBlock::Text(block) => Some(AssistantSaid::Text(&block.text)),
        ContentBlock::ToolUse(call) => Some(AssistantSaid::Call(call)),
        _ => None,
    })
}

/// A user's message of ours, without the empty texts that it has beside
/// others.
pub(super) fn of_user(results: Vec<ContentBlock>, texts: Vec<&str>) -> Ours {
    if let ([], [text]) = (&*results, &*texts) {
        return Ours::user(*text);
    }
    let mut blocks = results;
    blocks.extend(texts.into_iter().map(ContentBlock::text));
    Ours::user(blocks)
}

/// Several texts as one, an empty line between them: that is how the library
/// has its own blocks as one text. Empty texts say nothing.
pub(super) fn one_text(texts: &[&str]) -> String {
    let texts = texts.iter().filter(|text| !text.is_empty()).copied();
    texts.collect::<Vec<_>>().join("\n\n")
}

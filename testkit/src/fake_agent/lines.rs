//! What a script is told of the lines that go back and forth.

use agentwire_protocol::content::{Content, ContentBlock};
use agentwire_protocol::message::UserMessage;

/// The text of the prompts of a turn.
pub(super) fn prompt(prompts: &[UserMessage]) -> String {
    let contents = prompts.iter().filter_map(|it| it.message.content.as_ref());
    contents.map(Content::text).collect::<Vec<_>>().join("\n")
}

/// What tools answered, where a line of the agent's says that. The agent runs
/// some tools by itself, so that only its lines have the answers of all.
pub(super) fn results(line: &[u8]) -> Vec<String> {
    let Ok(message) = serde_json::from_slice::<UserMessage>(line) else {
        return Vec::new();
    };
    let Some(Content::Blocks(blocks)) = message.message.content else {
        return Vec::new();
    };
    let results = blocks.iter().filter_map(ContentBlock::as_tool_result);
    let contents = results.filter_map(|result| result.content.as_ref());
    contents.map(Content::text).collect()
}

//! The user's content in the body of a request.

use serde_json::{Value, json};

/// The fixed reply to a side request.
pub(super) const SIDE_REPLY: &str = "The scenario has no response to side requests.";

/// The prefixes of texts of agents to the model.
const REMINDERS: [&str; 4] = [
    // Of the Claude CLI and of Qwen Code. The position differs by model, feature
    // and attempt: in a user message or in a system message.
    "<system-reminder>",
    // A prompt that was folded into the running turn. Since 2.1.332 of the
    // Claude CLI it follows the tool results and is not a reminder.
    "The user sent a new message while you were working:",
    // Of Codex.
    "<environment_context>",
    // Of the Gemini CLI.
    "<session_context>",
];

/// The content blocks of the user's messages in a request, without reminders
/// and without the CLI's changes.
#[derive(Debug, Default, PartialEq)]
pub(super) struct UserContent {
    blocks: Vec<Value>,
    /// The number of blocks before each reply of the model.
    reply_starts: Vec<usize>,
}

impl UserContent {
    /// Reads the body of a request.
    pub(super) fn parse(body: &Value) -> Self {
        let mut user = Self::default();
        let messages = body.get("messages").and_then(Value::as_array);
        for message in messages.into_iter().flatten() {
            match message["role"].as_str() {
                Some("assistant") => user.reply_starts.push(user.blocks.len()),
                Some("user") => user.blocks.extend(blocks(&message["content"])),
                // The CLI's own messages have another role.
                _ => {}
            }
        }
        user
    }

    /// Returns the blocks after those of an earlier request, if this one begins
    /// with them. The CLI may have changed the rest (tools, features, cache
    /// marks).
    pub(super) fn since(&self, earlier: &Self) -> Option<&[Value]> {
        self.blocks.strip_prefix(&*earlier.blocks)
    }

    /// Returns whether a text of the last round begins with one of these.
    pub(super) fn asks(&self, prefixes: &[&str]) -> bool {
        let last = self.rounds().next().unwrap_or_default();
        let mut texts = last.iter().filter_map(|block| block["text"].as_str());
        texts.any(|text| prefixes.iter().any(|prefix| text.starts_with(prefix)))
    }

    /// Returns the blocks between replies of the model, the latest round first.
    pub(super) fn rounds(&self) -> impl Iterator<Item = &[Value]> {
        let mut rest = &*self.blocks;
        let begins = self.reply_starts.iter().rev().copied().chain([0]);
        begins.map(move |begin| {
            let (before, round) = rest.split_at(begin);
            rest = before;
            round
        })
    }
}

/// Returns the blocks of a message without cache marks. The CLI merges
/// messages, and appends `\n` to each text but the last.
fn blocks(content: &Value) -> Vec<Value> {
    let Value::Array(blocks) = content else {
        return vec![json!({ "type": "text", "text": content })];
    };
    let mut blocks = blocks.clone();
    for block in blocks.iter_mut().filter_map(Value::as_object_mut) {
        block.remove("cache_control");
    }
    let mut texts = blocks.iter_mut().filter_map(|block| block.get_mut("text"));
    texts.next_back();
    for text in texts {
        if let Some(shorter) = text.as_str().and_then(|it| it.strip_suffix('\n')) {
            *text = shorter.into();
        }
    }
    let is_reminder = |block: &Value| {
        let text = block["text"].as_str();
        text.is_some_and(|text| REMINDERS.iter().any(|it| text.starts_with(it)))
    };
    blocks.retain(|block| !is_reminder(block));
    blocks
}

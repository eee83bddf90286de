//! The user's side of a request's conversation.

use serde_json::{Value, json};

/// What a side request is told. It is not the script's business.
pub(super) const SIDE_ANSWER: &str = "The script does not answer side requests.";

/// How the CLI begins what it tells the model by the way. Models, features and
/// tries of one request differ in where it stands, in a message of the user's
/// or of the system.
const REMINDER: &str = "<system-reminder>";

/// How it begins a prompt that was folded into the running turn, since 2.1.332
/// beside the results of tools and not in a reminder.
const FOLDED: &str = "The user sent a new message while you were working:";

/// The content blocks of the user's messages in a request, as they were before
/// the CLI put them into it, without reminders.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Said {
    blocks: Vec<Value>,
    /// How many blocks there are up to each answer of the model.
    answered: Vec<usize>,
}

impl Said {
    /// Reads a request for a message.
    pub(super) fn of(body: &Value) -> Self {
        let mut said = Self::default();
        let messages = body.get("messages").and_then(Value::as_array);
        for message in messages.into_iter().flatten() {
            match message["role"].as_str() {
                Some("assistant") => said.answered.push(said.blocks.len()),
                Some("user") => said.blocks.extend(blocks(&message["content"])),
                // The CLI's own words have another role.
                _ => {}
            }
        }
        said
    }

    /// Returns the blocks after all those of an earlier request, if this one
    /// begins with them. The CLI may have changed all else (tools, features,
    /// marks for the cache).
    pub(super) fn since(&self, earlier: &Self) -> Option<&[Value]> {
        self.blocks.strip_prefix(&*earlier.blocks)
    }

    /// The blocks between two answers of the model, those after the last one
    /// first.
    pub(super) fn rounds(&self) -> impl Iterator<Item = &[Value]> {
        let mut rest = &*self.blocks;
        let begins = self.answered.iter().rev().copied().chain([0]);
        begins.map(move |begin| {
            let (before, round) = rest.split_at(begin);
            rest = before;
            round
        })
    }
}

/// The blocks of a message, without marks for the cache. The CLI makes one
/// message of several, and adds a line break to each text but the last.
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
        text.is_some_and(|text| text.starts_with(REMINDER) || text.starts_with(FOLDED))
    };
    blocks.retain(|block| !is_reminder(block));
    blocks
}

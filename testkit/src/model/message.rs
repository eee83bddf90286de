//! Converts a reply of the script to a message without the format of an API.

use super::format::Format;
use crate::script::TakenReply;
use crate::{Reply, Step, Streamed, Usage};
use serde_json::{Value, json};
use std::time::Duration;

/// The number of deltas of a tool's input.
const INPUT_PIECES: usize = 3;

/// A message of the model.
#[derive(Debug)]
pub(super) struct Message {
    /// The ID of the message, which begins with `msg_`.
    pub(super) id: String,
    pub(super) model: String,
    pub(super) blocks: Vec<Block>,
    /// The pauses after the last block.
    trailing: Vec<Pause>,
    pub(super) usage: Usage,
    /// The stop reason, in the words of the Messages API.
    pub(super) stop_reason: String,
    /// Whether the connection breaks before the end of the message.
    pub(super) is_cut: bool,
}

/// A pause of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pause {
    Time(Duration),
    /// Lasts until the gate of this name opens.
    Gate(String),
}

/// A part of a message, which is streamed in pieces.
#[derive(Debug)]
pub(super) struct Block {
    /// The pauses before the block.
    leading: Vec<Pause>,
    /// The delay before each piece.
    pace: Duration,
    pub(super) pieces: Vec<String>,
    pub(super) content: Content,
}

/// The kind of a block, and what its pieces do not contain.
#[derive(Debug)]
pub(super) enum Content {
    Text,
    Thinking {
        signature: Option<String>,
    },
    /// Redacted thinking with this data, which is not streamed in pieces.
    Redacted(String),
    /// A tool call. The pieces are the JSON text of its input.
    Tool {
        id: String,
        name: String,
        input: Value,
    },
}

/// An event of a streamed message.
#[derive(Debug, Clone, Copy)]
pub(super) enum Event<'a> {
    Start,
    /// The block at this index begins.
    Open(usize, &'a Block),
    Piece(usize, &'a Block, &'a str),
    Close(usize, &'a Block),
    End,
}

/// An event of a format, and the pauses before it.
#[derive(Debug)]
pub(super) struct Timed {
    pub(super) after: Vec<Pause>,
    /// The event. `None` breaks the connection.
    pub(super) event: Option<Value>,
}

impl Message {
    /// Creates the message of a taken reply.
    pub(super) fn from_reply(taken: &TakenReply, model: &str) -> Self {
        let mut tools = 0;
        let ids = || {
            tools += 1;
            taken.tool_id(tools - 1)
        };
        Self::new(taken.message_id(), model, &taken.reply, ids)
    }

    /// Creates a message with this content. `tool_ids` returns the IDs of its
    /// tool calls.
    pub(super) fn new(
        id: String,
        model: &str,
        reply: &Reply,
        mut tool_ids: impl FnMut() -> String,
    ) -> Self {
        let reason = match reply.tool_count() {
            0 => "end_turn",
            _ => "tool_use",
        };
        let mut message = Self {
            id,
            model: model.to_owned(),
            blocks: Vec::new(),
            trailing: Vec::new(),
            usage: reply.usage.unwrap_or_default(),
            stop_reason: reply.stop_reason.as_deref().unwrap_or(reason).to_owned(),
            is_cut: false,
        };
        for step in &reply.say {
            let mut block = match step {
                Step::Text(text) => Block::streamed(text, Content::Text),
                Step::Thinking(thinking) => {
                    let signature = thinking.signature.clone();
                    Block::streamed(&thinking.text, Content::Thinking { signature })
                }
                Step::RedactedThinking(data) => {
                    Block::new(Vec::new(), Content::Redacted(data.clone()))
                }
                Step::Tool(call) => {
                    let input = match &call.input {
                        Value::Null => json!({}),
                        input => input.clone(),
                    };
                    let pieces = pieces(&input.to_string());
                    let (id, name) = (tool_ids(), call.name.clone());
                    Block::new(pieces, Content::Tool { id, name, input })
                }
                Step::WaitMs(time) => {
                    let time = Duration::from_millis(*time);
                    message.trailing.push(Pause::Time(time));
                    continue;
                }
                Step::Gate(name) => {
                    message.trailing.push(Pause::Gate(name.clone()));
                    continue;
                }
                Step::Cut => {
                    message.is_cut = true;
                    continue;
                }
                // An error is not part of a message. The fake agent handles the
                // other steps.
                Step::Error(_)
                | Step::Fault(_)
                | Step::Load(_)
                | Step::Ask(_)
                | Step::Message(_) => continue,
            };
            block.leading = std::mem::take(&mut message.trailing);
            message.blocks.push(block);
        }
        message
    }

    /// Returns the message as a stream of events of a format.
    pub(super) fn events(&self, format: &Format) -> Vec<Timed> {
        let mut events: Vec<Timed> = Vec::new();
        let mut pauses = Vec::new();
        let mut say = |after: &[Pause], event| {
            pauses.extend_from_slice(after);
            for mut value in format.events(self, event) {
                format.set_number(&mut value, events.len());
                events.push(Timed {
                    after: std::mem::take(&mut pauses),
                    event: Some(value),
                });
            }
        };
        // A message that begins with `cut` sends nothing.
        let is_empty = self.blocks.is_empty() && self.trailing.is_empty();
        if !self.is_cut || !is_empty {
            say(&[], Event::Start);
        }
        for (index, block) in self.blocks.iter().enumerate() {
            say(&block.leading, Event::Open(index, block));
            for piece in &block.pieces {
                say(&block.pace(), Event::Piece(index, block, piece));
            }
            say(&[], Event::Close(index, block));
        }
        if !self.is_cut {
            say(&self.trailing, Event::End);
        } else {
            pauses.extend_from_slice(&self.trailing);
            events.push(Timed {
                after: pauses,
                event: None,
            });
        }
        events
    }

    /// Returns all pauses before the end of the message.
    pub(super) fn pauses(&self) -> Vec<Pause> {
        let blocks = self.blocks.iter().flat_map(Block::pauses);
        blocks.chain(self.trailing.iter().cloned()).collect()
    }

    /// Returns the ID of the message with this prefix.
    pub(super) fn id_as(&self, prefix: &str) -> String {
        self.id.replacen("msg_", prefix, 1)
    }

    /// Returns the number of input tokens, cached or not.
    pub(super) fn input_tokens(&self) -> u64 {
        self.uncached_tokens()
            + self.usage.cache_creation_input_tokens.unwrap_or(0)
            + self.cached_tokens()
    }

    pub(super) fn uncached_tokens(&self) -> u64 {
        self.usage.input_tokens.unwrap_or(10)
    }

    pub(super) fn cached_tokens(&self) -> u64 {
        self.usage.cache_read_input_tokens.unwrap_or(0)
    }

    /// Returns the scripted number of output tokens. The default is one for
    /// each piece and each signature.
    pub(super) fn output_tokens(&self) -> u64 {
        let signature = |block: &Block| matches!(block.content, Content::Thinking { .. });
        let tokens = |block: &Block| block.pieces.len() + usize::from(signature(block));
        let tokens: usize = self.blocks.iter().map(tokens).sum();
        let tokens = u64::try_from(tokens).unwrap_or(u64::MAX);
        self.usage.output_tokens.unwrap_or(tokens)
    }
}

impl Block {
    fn new(pieces: Vec<String>, content: Content) -> Self {
        Self {
            leading: Vec::new(),
            pace: Duration::ZERO,
            pieces,
            content,
        }
    }

    fn streamed(text: &Streamed, content: Content) -> Self {
        let pieces = text.chunks().into_iter().map(str::to_owned).collect();
        Self {
            pace: text.delay(),
            ..Self::new(pieces, content)
        }
    }

    /// Returns the whole text, or the JSON text of a tool's input.
    pub(super) fn text(&self) -> String {
        self.pieces.concat()
    }

    /// Returns the pauses before each piece.
    fn pace(&self) -> Vec<Pause> {
        let pauses = !self.pace.is_zero();
        pauses
            .then_some(Pause::Time(self.pace))
            .into_iter()
            .collect()
    }

    fn pauses(&self) -> Vec<Pause> {
        let paces = self.pieces.iter().flat_map(|_| self.pace());
        self.leading.iter().cloned().chain(paces).collect()
    }
}

/// Splits a text into a few pieces of about the same length.
fn pieces(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let length = letters.len().div_ceil(INPUT_PIECES).max(1);
    letters.chunks(length).map(String::from_iter).collect()
}

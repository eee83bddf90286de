//! Converts a reply of the script to a message of the Messages API, streamed or
//! whole.

use crate::script::Taken;
use crate::{Reply, Step, Streamed, Thinking, ToolCall, Usage};
use serde_json::{Value, json};
use std::time::Duration;

/// The number of deltas of a tool's input.
const INPUT_PIECES: usize = 3;

/// A message of the model.
#[derive(Debug)]
pub(super) struct Message {
    id: String,
    model: String,
    blocks: Vec<Block>,
    /// The pauses after the last block.
    trailing: Vec<Pause>,
    usage: Usage,
    stop_reason: Option<String>,
    /// Whether the connection breaks before the end of the message.
    is_cut: bool,
}

/// A pause of the model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pause {
    Time(Duration),
    /// Lasts until the gate of this name opens.
    Gate(String),
}

/// A content block: its start event, its deltas, and its complete form.
#[derive(Debug)]
struct Block {
    /// The pauses before the block.
    leading: Vec<Pause>,
    start: Value,
    /// The delay before each delta.
    pace: Duration,
    deltas: Vec<Value>,
    whole: Value,
}

/// A stream event, and the pauses before it.
#[derive(Debug)]
pub(super) struct Timed {
    pub(super) after: Vec<Pause>,
    /// The event. `None` breaks the connection.
    pub(super) event: Option<Value>,
}

impl Message {
    /// Creates the message of a taken reply.
    pub(super) fn from_reply(taken: &Taken, model: &str) -> Self {
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
        let mut message = Self {
            id,
            model: model.to_owned(),
            blocks: Vec::new(),
            trailing: Vec::new(),
            usage: reply.usage.unwrap_or_default(),
            stop_reason: reply.stop_reason.clone(),
            is_cut: false,
        };
        for step in &reply.say {
            let mut block = match step {
                Step::Text(text) => Block::text(text),
                Step::Thinking(thinking) => Block::thinking(thinking),
                Step::RedactedThinking(data) => Block::redacted(data),
                Step::Tool(call) => Block::tool(call, &tool_ids()),
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

    /// Returns the message as a stream of events.
    pub(super) fn events(&self) -> Vec<Timed> {
        let mut events = Vec::new();
        let mut say = |after: &[Pause], event| {
            let after = after.to_vec();
            events.push(Timed { after, event });
        };

        // A message that begins with `cut` sends nothing.
        if self.is_cut && self.blocks.is_empty() && self.trailing.is_empty() {
            say(&[], None);
            return events;
        }
        let mut empty = self.shell(0);
        empty["content"] = json!([]);
        empty["stop_reason"] = Value::Null;
        let start = json!({ "type": "message_start", "message": empty });
        say(&[], Some(start));
        for (index, block) in self.blocks.iter().enumerate() {
            let start = json!({ "type": "content_block_start", "index": index, "content_block": block.start });
            say(&block.leading, Some(start));
            for delta in &block.deltas {
                let delta =
                    json!({ "type": "content_block_delta", "index": index, "delta": delta });
                say(&block.pace(), Some(delta));
            }
            let stop = json!({ "type": "content_block_stop", "index": index });
            say(&[], Some(stop));
        }
        if self.is_cut {
            say(&self.trailing, None);
            return events;
        }
        let delta = json!({ "stop_reason": self.stop_reason(), "stop_sequence": null });
        let usage = json!({ "output_tokens": self.output_tokens() });
        let end = json!({ "type": "message_delta", "delta": delta, "usage": usage });
        say(&self.trailing, Some(end));
        say(&[], Some(json!({ "type": "message_stop" })));
        events
    }

    /// Returns the whole message.
    pub(super) fn whole(&self) -> Value {
        let mut whole = self.shell(self.output_tokens());
        whole["content"] = self
            .blocks
            .iter()
            .map(|block| block.whole.clone())
            .collect();
        whole["stop_reason"] = json!(self.stop_reason());
        whole
    }

    /// Returns all pauses before the end of the message.
    pub(super) fn pauses(&self) -> Vec<Pause> {
        let blocks = self.blocks.iter().flat_map(Block::pauses);
        blocks.chain(self.trailing.iter().cloned()).collect()
    }

    /// Returns whether the connection breaks before the end.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    fn shell(&self, output_tokens: u64) -> Value {
        let usage = self.usage;
        json!({
            "id": self.id,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [],
            "stop_reason": null,
            "stop_sequence": null,
            "usage": {
                "input_tokens": usage.input_tokens.unwrap_or(10),
                "cache_creation_input_tokens": usage.cache_creation_input_tokens.unwrap_or(0),
                "cache_read_input_tokens": usage.cache_read_input_tokens.unwrap_or(0),
                "output_tokens": output_tokens,
            },
        })
    }

    fn stop_reason(&self) -> &str {
        if let Some(reason) = &self.stop_reason {
            return reason;
        }
        let calls = |block: &Block| block.whole["type"] == "tool_use";
        if self.blocks.iter().any(calls) {
            "tool_use"
        } else {
            "end_turn"
        }
    }

    /// Returns the scripted number of output tokens. The default is one for
    /// each delta.
    fn output_tokens(&self) -> u64 {
        let deltas: usize = self.blocks.iter().map(|block| block.deltas.len()).sum();
        let deltas = u64::try_from(deltas).unwrap_or(u64::MAX);
        self.usage.output_tokens.unwrap_or(deltas)
    }
}

impl Block {
    fn text(text: &Streamed) -> Self {
        let delta = |piece| json!({ "type": "text_delta", "text": piece });
        Self {
            leading: Vec::new(),
            start: json!({ "type": "text", "text": "" }),
            pace: text.delay(),
            deltas: text.chunks().into_iter().map(delta).collect(),
            whole: json!({ "type": "text", "text": text.whole() }),
        }
    }

    fn thinking(thinking: &Thinking) -> Self {
        let thought = &thinking.text;
        let delta = |piece| json!({ "type": "thinking_delta", "thinking": piece });
        let signature = thinking.signature.as_deref().unwrap_or("c2NyaXB0ZWQ=");
        let mut deltas: Vec<_> = thought.chunks().into_iter().map(delta).collect();
        deltas.push(json!({ "type": "signature_delta", "signature": signature }));
        Self {
            leading: Vec::new(),
            start: json!({ "type": "thinking", "thinking": "", "signature": "" }),
            pace: thought.delay(),
            deltas,
            whole: json!({ "type": "thinking", "thinking": thought.whole(), "signature": signature }),
        }
    }

    fn redacted(data: &str) -> Self {
        let whole = json!({ "type": "redacted_thinking", "data": data });
        Self {
            leading: Vec::new(),
            start: whole.clone(),
            pace: Duration::ZERO,
            deltas: Vec::new(),
            whole,
        }
    }

    fn tool(call: &ToolCall, id: &str) -> Self {
        let input = match &call.input {
            Value::Null => json!({}),
            input => input.clone(),
        };
        let delta = |piece| json!({ "type": "input_json_delta", "partial_json": piece });
        let tool =
            |input| json!({ "type": "tool_use", "id": id, "name": call.name, "input": input });
        Self {
            leading: Vec::new(),
            start: tool(json!({})),
            pace: Duration::ZERO,
            deltas: pieces(&input.to_string()).into_iter().map(delta).collect(),
            whole: tool(input),
        }
    }

    /// Returns the pauses before each delta.
    fn pace(&self) -> Vec<Pause> {
        let pauses = !self.pace.is_zero();
        pauses
            .then_some(Pause::Time(self.pace))
            .into_iter()
            .collect()
    }

    fn pauses(&self) -> Vec<Pause> {
        let paces = self.deltas.iter().flat_map(|_| self.pace());
        self.leading.iter().cloned().chain(paces).collect()
    }
}

/// Splits a text into a few pieces of about the same length.
fn pieces(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let length = letters.len().div_ceil(INPUT_PIECES).max(1);
    letters.chunks(length).map(String::from_iter).collect()
}

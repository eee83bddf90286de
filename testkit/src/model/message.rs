//! A reply of the script as a message of the Messages API, in pieces or whole.

use crate::{Step, Streamed, ToolCall};
use serde_json::{Value, json};
use std::time::Duration;

/// How many pieces a tool's input comes in.
const INPUT_PIECES: usize = 3;

/// A message of the model.
#[derive(Debug)]
pub(super) struct Message {
    id: String,
    model: String,
    blocks: Vec<Block>,
    /// Silence after the last block.
    trailing: Duration,
}

/// A content block: how it begins, what is added to it, and what it comes to.
#[derive(Debug)]
struct Block {
    /// Silence before the block.
    leading: Duration,
    start: Value,
    /// Silence before each delta.
    pace: Duration,
    deltas: Vec<Value>,
    whole: Value,
}

/// An event of the stream and the silence before it.
#[derive(Debug)]
pub(super) struct Timed {
    pub(super) after: Duration,
    pub(super) event: Value,
}

impl Message {
    /// Reads a reply. The session had so many `earlier_tools`, which gives
    /// the next tool call its id.
    pub(super) fn new(id: String, model: &str, steps: &[Step], earlier_tools: usize) -> Self {
        let mut message = Self {
            id,
            model: model.to_owned(),
            blocks: Vec::new(),
            trailing: Duration::ZERO,
        };
        let mut tools = earlier_tools;
        for step in steps {
            let mut block = match step {
                Step::Text(text) => Block::text(text),
                Step::Thinking(thought) => Block::thinking(thought),
                Step::Tool(call) => {
                    tools += 1;
                    Block::tool(call, &format!("toolu_{tools}"))
                }
                Step::WaitMs(time) => {
                    message.trailing += Duration::from_millis(*time);
                    continue;
                }
                // An error is no message; a fault and a request are the fake
                // agent's.
                Step::Error(_) | Step::Fault(_) | Step::Ask(_) => continue,
            };
            block.leading = std::mem::take(&mut message.trailing);
            message.blocks.push(block);
        }
        message
    }

    /// The message as a stream of events.
    pub(super) fn events(&self) -> Vec<Timed> {
        let mut events = Vec::new();
        let mut say = |after, event| events.push(Timed { after, event });
        let now = Duration::ZERO;

        let mut empty = self.shell(0);
        empty["content"] = json!([]);
        empty["stop_reason"] = Value::Null;
        say(now, json!({ "type": "message_start", "message": empty }));
        for (index, block) in self.blocks.iter().enumerate() {
            say(
                block.leading,
                json!({ "type": "content_block_start", "index": index, "content_block": block.start }),
            );
            for delta in &block.deltas {
                say(
                    block.pace,
                    json!({ "type": "content_block_delta", "index": index, "delta": delta }),
                );
            }
            say(now, json!({ "type": "content_block_stop", "index": index }));
        }
        let delta = json!({ "stop_reason": self.stop_reason(), "stop_sequence": null });
        let usage = json!({ "output_tokens": self.output_tokens() });
        say(
            self.trailing,
            json!({ "type": "message_delta", "delta": delta, "usage": usage }),
        );
        say(now, json!({ "type": "message_stop" }));
        events
    }

    /// The message in one piece.
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

    /// All the silence in the message.
    pub(super) fn silence(&self) -> Duration {
        let blocks = self.blocks.iter().map(Block::silence);
        blocks.sum::<Duration>() + self.trailing
    }

    fn shell(&self, output_tokens: usize) -> Value {
        json!({
            "id": self.id,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [],
            "stop_reason": null,
            "stop_sequence": null,
            "usage": {
                "input_tokens": 10,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
                "output_tokens": output_tokens,
            },
        })
    }

    fn stop_reason(&self) -> &'static str {
        let calls = |block: &Block| block.whole["type"] == "tool_use";
        if self.blocks.iter().any(calls) {
            "tool_use"
        } else {
            "end_turn"
        }
    }

    /// One for each delta: a number, since the API has one.
    fn output_tokens(&self) -> usize {
        self.blocks.iter().map(|block| block.deltas.len()).sum()
    }
}

impl Block {
    fn text(text: &Streamed) -> Self {
        let delta = |piece| json!({ "type": "text_delta", "text": piece });
        Self {
            leading: Duration::ZERO,
            start: json!({ "type": "text", "text": "" }),
            pace: text.delay(),
            deltas: text.chunks().into_iter().map(delta).collect(),
            whole: json!({ "type": "text", "text": text.whole() }),
        }
    }

    fn thinking(thought: &Streamed) -> Self {
        let delta = |piece| json!({ "type": "thinking_delta", "thinking": piece });
        let signature = "c2NyaXB0ZWQ=";
        let mut deltas: Vec<_> = thought.chunks().into_iter().map(delta).collect();
        deltas.push(json!({ "type": "signature_delta", "signature": signature }));
        Self {
            leading: Duration::ZERO,
            start: json!({ "type": "thinking", "thinking": "", "signature": "" }),
            pace: thought.delay(),
            deltas,
            whole: json!({ "type": "thinking", "thinking": thought.whole(), "signature": signature }),
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
            leading: Duration::ZERO,
            start: tool(json!({})),
            pace: Duration::ZERO,
            deltas: pieces(&input.to_string()).into_iter().map(delta).collect(),
            whole: tool(input),
        }
    }

    fn silence(&self) -> Duration {
        let deltas = u32::try_from(self.deltas.len()).unwrap_or(u32::MAX);
        self.leading + self.pace.saturating_mul(deltas)
    }
}

/// Cuts a text into a few pieces of about the same length.
fn pieces(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    let length = letters.len().div_ceil(INPUT_PIECES).max(1);
    letters.chunks(length).map(String::from_iter).collect()
}

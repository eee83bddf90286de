//! The Anthropic Messages API.

use super::super::message::{Block, Content, Event, Message};
use serde_json::{Value, json};

pub(super) fn events(message: &Message, event: Event<'_>) -> Vec<Value> {
    let delta =
        |index, delta| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    match event {
        Event::Start => {
            vec![json!({ "type": "message_start", "message": shell(message, 0) })]
        }
        Event::Open(index, block) => vec![
            json!({ "type": "content_block_start", "index": index, "content_block": start(block) }),
        ],
        Event::Piece(index, block, piece) => {
            let piece = match block.content {
                Content::Text => json!({ "type": "text_delta", "text": piece }),
                Content::Tool { .. } => {
                    json!({ "type": "input_json_delta", "partial_json": piece })
                }
                _ => json!({ "type": "thinking_delta", "thinking": piece }),
            };
            vec![delta(index, piece)]
        }
        Event::Close(index, block) => {
            let stop = json!({ "type": "content_block_stop", "index": index });
            let signature = match &block.content {
                Content::Thinking { signature } => Some(signature_of(signature.as_deref())),
                _ => None,
            };
            let signed = |signature| {
                delta(
                    index,
                    json!({ "type": "signature_delta", "signature": signature }),
                )
            };
            signature.map(signed).into_iter().chain([stop]).collect()
        }
        Event::End => {
            let delta = json!({ "stop_reason": message.stop_reason, "stop_sequence": null });
            let usage = json!({ "output_tokens": message.output_tokens() });
            vec![
                json!({ "type": "message_delta", "delta": delta, "usage": usage }),
                json!({ "type": "message_stop" }),
            ]
        }
    }
}

pub(super) fn whole(message: &Message) -> Value {
    let mut whole = shell(message, message.output_tokens());
    whole["content"] = message.blocks.iter().map(complete).collect();
    whole["stop_reason"] = json!(message.stop_reason);
    whole
}

fn shell(message: &Message, output_tokens: u64) -> Value {
    json!({
        "id": message.id,
        "type": "message",
        "role": "assistant",
        "model": message.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": {
            "input_tokens": message.uncached_tokens(),
            "cache_creation_input_tokens": message.usage.cache_creation_input_tokens.unwrap_or(0),
            "cache_read_input_tokens": message.cached_tokens(),
            "output_tokens": output_tokens,
        },
    })
}

/// Returns a block without what its deltas contain.
fn start(block: &Block) -> Value {
    match &block.content {
        Content::Text => json!({ "type": "text", "text": "" }),
        Content::Thinking { .. } => json!({ "type": "thinking", "thinking": "", "signature": "" }),
        Content::Redacted(_) => complete(block),
        Content::Tool { id, name, .. } => {
            json!({ "type": "tool_use", "id": id, "name": name, "input": {} })
        }
    }
}

fn complete(block: &Block) -> Value {
    match &block.content {
        Content::Text => json!({ "type": "text", "text": block.text() }),
        Content::Thinking { signature } => {
            let signature = signature_of(signature.as_deref());
            json!({ "type": "thinking", "thinking": block.text(), "signature": signature })
        }
        Content::Redacted(data) => json!({ "type": "redacted_thinking", "data": data }),
        Content::Tool { id, name, input } => {
            json!({ "type": "tool_use", "id": id, "name": name, "input": input })
        }
    }
}

fn signature_of(signature: Option<&str>) -> &str {
    signature.unwrap_or("c2NyaXB0ZWQ=")
}

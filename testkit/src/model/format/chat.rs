//! OpenAI's Chat Completions API. Thinking is in `reasoning_content`, as with
//! the other servers of this API; redacted thinking is left out.

use super::super::message::{Block, Content, Event, Message};
use serde_json::{Value, json};

/// Returns the messages of a request in the form of the Messages API.
pub(super) fn messages(body: &Value) -> Vec<Value> {
    let messages = body["messages"].as_array().into_iter().flatten();
    let convert = |message: &Value| match message["role"].as_str() {
        Some("tool") => {
            let result = json!({ "type": "tool_result", "content": message["content"] });
            json!({ "role": "user", "content": [result] })
        }
        _ => json!({ "role": message["role"], "content": message["content"] }),
    };
    messages.map(convert).collect()
}

pub(super) fn events(message: &Message, event: Event<'_>, usage: bool) -> Vec<Value> {
    let chunk = |delta, reason| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
        shell(message, "chat.completion.chunk", json!([choice]))
    };
    let delta = |delta| vec![chunk(delta, Value::Null)];
    match event {
        Event::Start => delta(json!({ "role": "assistant", "content": "" })),
        Event::Open(index, block) => match &block.content {
            Content::Tool { .. } => {
                let mut call = call(block, "");
                call["index"] = json!(tools_before(message, index));
                delta(json!({ "tool_calls": [call] }))
            }
            _ => Vec::new(),
        },
        Event::Piece(index, block, piece) => delta(match block.content {
            Content::Text => json!({ "content": piece }),
            Content::Tool { .. } => {
                let index = tools_before(message, index);
                let function = json!({ "arguments": piece });
                json!({ "tool_calls": [{ "index": index, "function": function }] })
            }
            _ => json!({ "reasoning_content": piece }),
        }),
        Event::Close(..) => Vec::new(),
        Event::End => {
            let mut events = vec![chunk(json!({}), json!(finish_reason(message)))];
            if usage {
                let mut last = shell(message, "chat.completion.chunk", json!([]));
                last["usage"] = usage_of(message);
                events.push(last);
            }
            events.push(json!("[DONE]"));
            events
        }
    }
}

pub(super) fn whole(message: &Message) -> Value {
    let text = |wanted: fn(&Content) -> bool| {
        let blocks = message.blocks.iter().filter(|it| wanted(&it.content));
        let texts: Vec<_> = blocks.map(Block::text).collect();
        (!texts.is_empty()).then(|| texts.concat())
    };
    let mut said = json!({
        "role": "assistant",
        "content": text(|content| matches!(content, Content::Text)),
    });
    if let Some(thought) = text(|content| matches!(content, Content::Thinking { .. })) {
        said["reasoning_content"] = thought.into();
    }
    let is_call = |block: &&Block| matches!(block.content, Content::Tool { .. });
    let calls = message.blocks.iter().filter(is_call);
    let calls: Vec<_> = calls.map(|block| call(block, &block.text())).collect();
    if !calls.is_empty() {
        said["tool_calls"] = calls.into();
    }
    let choice = json!({ "index": 0, "message": said, "finish_reason": finish_reason(message) });
    let mut whole = shell(message, "chat.completion", json!([choice]));
    whole["usage"] = usage_of(message);
    whole
}

fn shell(message: &Message, object: &str, choices: Value) -> Value {
    let id = message.id_as("chatcmpl-");
    json!({ "id": id, "object": object, "created": 0, "model": message.model, "choices": choices })
}

fn call(block: &Block, arguments: &str) -> Value {
    let Content::Tool { id, name, .. } = &block.content else {
        return Value::Null;
    };
    let function = json!({ "name": name, "arguments": arguments });
    json!({ "id": id, "type": "function", "function": function })
}

fn tools_before(message: &Message, index: usize) -> usize {
    let blocks = message.blocks[..index].iter();
    blocks
        .filter(|block| matches!(block.content, Content::Tool { .. }))
        .count()
}

fn finish_reason(message: &Message) -> &str {
    match message.stop_reason.as_str() {
        "end_turn" | "stop_sequence" => "stop",
        "tool_use" => "tool_calls",
        "max_tokens" | "model_context_window_exceeded" => "length",
        "refusal" => "content_filter",
        other => other,
    }
}

fn usage_of(message: &Message) -> Value {
    let (input, output) = (message.input_tokens(), message.output_tokens());
    json!({
        "prompt_tokens": input,
        "completion_tokens": output,
        "total_tokens": input + output,
        "prompt_tokens_details": { "cached_tokens": message.cached_tokens() },
    })
}

//! Constructors of an agent's messages, and views of a conversation.

use agentwire_protocol::conversation::{Assembler, Conversation, Place, Reply};
use agentwire_protocol::message::Message;
use serde_json::{Value, json};

pub(crate) fn message(value: Value) -> Message {
    serde_json::from_value(value).unwrap()
}

pub(crate) fn event(event: Value) -> Message {
    message(json!({"type": "stream_event", "event": event, "session_id": "s"}))
}

pub(crate) fn start(id: &str) -> Message {
    event(json!({"type": "message_start", "message": {
        "id": id, "role": "assistant", "content": [], "usage": {"input_tokens": 3, "output_tokens": 1},
    }}))
}

pub(crate) fn block_start(index: u64, block: Value) -> Message {
    event(json!({"type": "content_block_start", "index": index, "content_block": block}))
}

pub(crate) fn text_start(index: u64) -> Message {
    block_start(index, json!({"type": "text", "text": ""}))
}

pub(crate) fn delta(index: u64, delta: Value) -> Message {
    event(json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

pub(crate) fn text(index: u64, text: &str) -> Message {
    delta(index, json!({"type": "text_delta", "text": text}))
}

pub(crate) fn input(index: u64, json: &str) -> Message {
    delta(
        index,
        json!({"type": "input_json_delta", "partial_json": json}),
    )
}

pub(crate) fn block_stop(index: u64) -> Message {
    event(json!({"type": "content_block_stop", "index": index}))
}

pub(crate) fn end(stop_reason: &str, output_tokens: u64) -> [Message; 2] {
    [
        event(
            json!({"type": "message_delta", "delta": {"stop_reason": stop_reason, "stop_sequence": null},
            "usage": {"output_tokens": output_tokens}}),
        ),
        event(json!({"type": "message_stop"})),
    ]
}

/// Returns the end of a stream that stopped at the block with this index.
pub(crate) fn abandoned(id: &str, from: u64) -> Message {
    message(
        json!({"type": "stream_event", "event": {"type": "message_stop"},
        "abandoned_blocks": {"api_message_id": id, "from_block_index": from}}),
    )
}

pub(crate) fn said(id: &str, uuid: &str, block: Value) -> Message {
    message(
        json!({"type": "assistant", "uuid": uuid, "session_id": "s", "parent_tool_use_id": null,
        "message": {"id": id, "role": "assistant", "content": [block], "stop_reason": null,
            "usage": {"input_tokens": 3, "output_tokens": 1}}}),
    )
}

pub(crate) fn said_text(id: &str, uuid: &str, text: &str) -> Message {
    said(id, uuid, json!({"type": "text", "text": text}))
}

pub(crate) fn tool_use(id: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": "Write", "input": input})
}

pub(crate) fn user(uuid: &str, content: Value) -> Message {
    message(json!({"type": "user", "uuid": uuid, "message": {"role": "user", "content": content}}))
}

pub(crate) fn result(uuid: &str) -> Message {
    message(json!({"type": "result", "subtype": "success", "is_error": false, "uuid": uuid}))
}

pub(crate) fn assembled<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Assembler {
    let mut assembler = Assembler::default();
    for message in messages {
        assembler.push(message);
    }
    assembler
}

pub(crate) fn conversation<'a>(messages: impl IntoIterator<Item = &'a Message>) -> Conversation {
    assembled(messages).into_conversation()
}

#[track_caller]
pub(crate) fn reply(conversation: &Conversation, entry: usize) -> &Reply {
    conversation.entries[entry].reply().unwrap()
}

pub(crate) fn states(reply: &Reply) -> Vec<&str> {
    reply
        .blocks
        .iter()
        .map(|block| block.state.as_str())
        .collect()
}

pub(crate) const MAIN: Option<&str> = None;

pub(crate) fn at(entry: usize) -> Place<'static> {
    Place {
        thread: MAIN,
        entry,
    }
}

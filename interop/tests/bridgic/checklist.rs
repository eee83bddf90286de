//! Every type of the library, and every field of it, is typed here.

use crate::bridgic::oracle::oracle;
use crate::bridgic::theirs::read;
use crate::support::tree;
use agentwire_interop::bridgic::{
    AssistantTextMessage, Block, ChatMessage, Function, FunctionToolCall, Message, MessageChunk,
    Response, SystemMessage, TextBlock, TokenUsage, Tool, ToolCall, ToolCallBlock, ToolMessage,
    ToolResultBlock, ToolSpec, UserTextMessage,
};
use agentwire_protocol::Untyped;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// A type of the library: its fields, and whether they are required; and one
/// value with all of them, as our type has it.
type Row = (
    &'static str,
    &'static [(&'static str, bool)],
    fn(&Value),
    Value,
);

/// Reads a value as a type of ours, which has to know all of it.
fn is<T: Untyped + Serialize + DeserializeOwned>(value: &Value) {
    let typed: T = read(value);
    assert_eq!(typed.untyped(), Vec::<String>::new());
    assert_eq!(tree(&typed), *value);
}

fn rows() -> Vec<Row> {
    let function = json!({"name": "f", "arguments": "{}"});
    let call = json!({"id": "1", "type": "function", "function": function});
    let text = json!({"block_type": "text", "text": "a"});
    let message = json!({"role": "user", "blocks": [text], "extras": {}});
    let usage = json!({
        "model": "m", "prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3,
        "timestamp": "2026-01-01T00:00:00",
    });
    vec![
        (
            "SystemMessage",
            &[("role", true), ("content", true)],
            is::<SystemMessage>,
            json!({"role": "system", "content": "a"}),
        ),
        (
            "UserTextMessage",
            &[("role", true), ("content", true)],
            is::<UserTextMessage>,
            json!({"role": "user", "content": "a"}),
        ),
        (
            "AssistantTextMessage",
            &[("role", true), ("content", false), ("tool_calls", false)],
            is::<AssistantTextMessage>,
            json!({"role": "assistant", "content": "a", "tool_calls": [call]}),
        ),
        (
            "ToolMessage",
            &[("role", true), ("content", true), ("tool_call_id", true)],
            is::<ToolMessage>,
            json!({"role": "tool", "content": "a", "tool_call_id": "1"}),
        ),
        (
            "FunctionToolCall",
            &[("id", true), ("function", true), ("type", true)],
            is::<FunctionToolCall>,
            call,
        ),
        (
            "Function",
            &[("arguments", true), ("name", true)],
            is::<Function>,
            function,
        ),
        (
            "Message",
            &[("role", false), ("blocks", false), ("extras", false)],
            is_message,
            message.clone(),
        ),
        (
            "TextBlock",
            &[("block_type", false), ("text", true)],
            is::<TextBlock>,
            text,
        ),
        (
            "ToolCallBlock",
            &[
                ("block_type", false),
                ("id", true),
                ("name", true),
                ("arguments", true),
            ],
            is::<ToolCallBlock>,
            json!({"block_type": "tool_call", "id": "1", "name": "f", "arguments": {}}),
        ),
        (
            "ToolResultBlock",
            &[("block_type", false), ("id", true), ("content", true)],
            is::<ToolResultBlock>,
            json!({"block_type": "tool_result", "id": "1", "content": "a"}),
        ),
        (
            "ToolCall",
            &[("id", true), ("name", true), ("arguments", false)],
            is::<ToolCall>,
            json!({"id": "1", "name": "f", "arguments": {}}),
        ),
        (
            "Tool",
            &[("name", true), ("description", true), ("parameters", true)],
            is::<Tool>,
            json!({"name": "f", "description": "a", "parameters": {}}),
        ),
        (
            "Response",
            &[("message", false), ("usage", false), ("raw", false)],
            is_response,
            json!({"message": message, "usage": usage, "raw": 1}),
        ),
        (
            "MessageChunk",
            &[("delta", false), ("raw", false)],
            is::<MessageChunk>,
            json!({"delta": "a", "raw": 1}),
        ),
        (
            "TokenUsage",
            &[
                ("model", true),
                ("prompt_tokens", false),
                ("completion_tokens", false),
                ("total_tokens", false),
                ("timestamp", false),
            ],
            is::<TokenUsage>,
            usage,
        ),
    ]
}

/// `extras` are members by nature, and of no type.
fn is_message(value: &Value) {
    let message: Message = read(value);
    assert_eq!(message.untyped(), ["/extras"]);
    assert_eq!(tree(&message), *value);
}

fn is_response(value: &Value) {
    let response: Response = read(value);
    assert_eq!(response.untyped(), ["/message/extras"]);
    assert_eq!(tree(&response), *value);
}

#[test]
fn every_field_is_typed() {
    for (name, fields, is, value) in rows() {
        let have = value.as_object().unwrap();
        for (field, _) in fields {
            assert!(have.contains_key(*field), "{name}.{field}");
        }
        assert_eq!(have.len(), fields.len(), "{name}");
        is(&value);
    }
}

#[test]
fn these_are_all_fields_that_the_library_has() {
    let known: Map<String, Value> = rows()
        .into_iter()
        .map(|(name, fields, _, _)| {
            let fields = fields
                .iter()
                .map(|&(field, required)| (field.to_owned(), required.into()));
            (name.to_owned(), Value::Object(fields.collect()))
        })
        .collect();
    oracle("fields").agrees(&[json!({"op": "fields"})], |_| Some(known.clone().into()));
}

/// What the library dumps of the two kinds of tools.
#[test]
fn a_dumped_tool_spec_is_typed() {
    let spec: ToolSpec = read(&json!({
        "tool_name": "f", "tool_description": "a", "tool_parameters": {}, "func": "json.dumps",
        "automa_cls": "a.B", "automa_init_kwargs": {},
    }));
    assert_eq!(spec.untyped(), ["/automa_init_kwargs"]);
}

#[test]
fn what_nobody_knows_is_kept() {
    for value in [
        json!({"role": "developer", "content": "a", "x": 1}),
        json!({"content": "a"}),
        json!({"role": "user", "content": "a", "name": null}),
        json!({"role": "assistant", "content": null, "tool_calls": null}),
        json!({"role": "assistant", "tool_calls": [
            {"id": "1", "type": "custom", "function": {"name": "f", "arguments": {"a": 1}}},
        ]}),
    ] {
        assert_eq!(tree(&read::<ChatMessage>(&value)), value);
    }
    for value in [
        json!({}),
        json!({"role": "critic", "blocks": [{"block_type": "image", "data": "x"}], "extras": {"a": null}}),
        json!({"blocks": [{"text": "a"}]}),
    ] {
        assert_eq!(tree(&read::<Message>(&value)), value);
    }
    assert!(matches!(
        read(&json!({"block_type": "image"})),
        Block::Unknown(_)
    ));
}

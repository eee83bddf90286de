//! Messages of theirs, of all kinds.

use crate::support::ours::text;
use agentwire_interop::bridgic::{ChatMessage, Message};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// A message from its JSON.
pub(crate) fn read<T: DeserializeOwned>(value: &Value) -> T {
    serde_json::from_str(&value.to_string()).unwrap()
}

/// A conversation of chat messages.
pub(crate) fn chat() -> impl Strategy<Value = Vec<ChatMessage>> {
    vec(chat_message(), 0..8).prop_map(|messages| messages.iter().map(read).collect())
}

/// A conversation of messages of blocks.
pub(crate) fn blocks() -> impl Strategy<Value = Vec<Message>> {
    vec(block_message(), 0..8).prop_map(|messages| messages.iter().map(read).collect())
}

/// A chat message that the library's types allow.
pub(crate) fn chat_message() -> impl Strategy<Value = Value> {
    prop_oneof![
        1 => text().prop_map(|text| json!({"role": "system", "content": text})),
        2 => text().prop_map(|text| json!({"role": "user", "content": text})),
        4 => assistant(),
        2 => (text(), id()).prop_map(|(text, id)| json!({
            "role": "tool", "content": text, "tool_call_id": id,
        })),
    ]
    .prop_flat_map(|message| {
        // The types know no name, but the library looks for one.
        let name = prop_oneof![4 => Just("Ann".into()), 1 => value()];
        weighted(0.3, name).prop_map(move |name| {
            let mut message = message.clone();
            if let Some(name) = name {
                message["name"] = name;
            }
            message
        })
    })
}

fn assistant() -> impl Strategy<Value = Value> {
    let content = prop_oneof![4 => text().prop_map(Value::from), 1 => Just(Value::Null)];
    let calls = prop_oneof![
        4 => vec(function_call(), 0..3).prop_map(Value::from),
        1 => Just(Value::Null),
    ];
    (weighted(0.7, content), weighted(0.5, calls)).prop_map(|(content, calls)| {
        let mut message = json!({"role": "assistant"});
        if let Some(content) = content {
            message["content"] = content;
        }
        if let Some(calls) = calls {
            message["tool_calls"] = calls;
        }
        message
    })
}

/// A call as OpenAI gives it.
pub(crate) fn function_call() -> impl Strategy<Value = Value> {
    (id(), tool(), arguments()).prop_map(|(id, name, arguments)| {
        json!({
            "id": id, "type": "function", "function": {"name": name, "arguments": arguments},
        })
    })
}

fn arguments() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => object().prop_map(|object| object.to_string()),
        1 => Just(r#" {"a" : 1.50, "b":[ ] }"#.to_owned()),
        1 => Just(r#"{"command": "l"#.to_owned()),
        1 => prop::sample::select(vec!["", " ", "null", "[1]", "3", r#""x""#]).prop_map(str::to_owned),
    ]
}

/// A chat message as the library's own conversion takes it: arguments may be
/// objects, which its types forbid.
pub(crate) fn loose_chat_message() -> impl Strategy<Value = Value> {
    (chat_message(), any::<bool>(), object()).prop_map(|(mut message, loose, arguments)| {
        if loose {
            for call in message["tool_calls"].as_array_mut().into_iter().flatten() {
                call["function"]["arguments"] = arguments.clone();
            }
        }
        if message["tool_calls"].is_null() && message["role"] != "assistant" {
            message.as_object_mut().unwrap().remove("tool_calls");
        }
        message
    })
}

/// A message of blocks that the library's types allow.
pub(crate) fn block_message() -> impl Strategy<Value = Value> {
    let role = weighted(
        0.95,
        prop::sample::select(vec!["system", "user", "assistant", "assistant", "tool"]),
    );
    (
        role,
        weighted(0.95, vec(block(), 0..4)),
        weighted(0.6, extras()),
    )
        .prop_map(|(role, blocks, extras)| {
            let mut message = json!({});
            if let Some(role) = role {
                message["role"] = role.into();
            }
            if let Some(blocks) = blocks {
                message["blocks"] = blocks.into();
            }
            if let Some(extras) = extras {
                message["extras"] = extras;
            }
            message
        })
}

fn block() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => text().prop_map(|text| json!({"block_type": "text", "text": text})),
        2 => (id(), tool(), object()).prop_map(|(id, name, arguments)| json!({
            "block_type": "tool_call", "id": id, "name": name, "arguments": arguments,
        })),
        2 => (id(), text()).prop_map(|(id, text)| json!({
            "block_type": "tool_result", "id": id, "content": text,
        })),
    ]
}

fn extras() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => Just(json!({})),
        2 => Just(json!({"name": "Ann"})),
        1 => Just(json!({"cache_control": {"type": "ephemeral"}, "x": null})),
        1 => prop::sample::select(vec!["role", "content", "tool_calls", "tool_call_id"])
            .prop_map(|name| json!({name: "x"})),
    ]
}

/// The id of a call.
pub(crate) fn id() -> impl Strategy<Value = String> {
    "call_[a-z0-9]{4}"
}

/// The name of a tool.
pub(crate) fn tool() -> impl Strategy<Value = String> {
    "get_weather|add|mcp__house__lamp"
}

/// A JSON object.
pub(crate) fn object() -> impl Strategy<Value = Value> {
    vec((text(), value()), 0..4).prop_map(|members| Value::Object(Map::from_iter(members)))
}

/// A JSON value.
pub(crate) fn value() -> impl Strategy<Value = Value> {
    let float = any::<f64>().prop_filter("finite", |number| number.is_finite());
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..3).prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e6..1e6).prop_map(Value::from),
        float.prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((text(), inner), 0..3).prop_map(|members| Value::Object(Map::from_iter(members))),
        ]
    })
}

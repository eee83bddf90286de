//! Generates values for Bridgic's library.

use super::generate::{any_of, arguments, is, list, maybe, object, of, sometimes, text};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Generates a chat message.
pub(crate) fn chat_message() -> BoxedStrategy<Value> {
    let name = || {
        sometimes(
            0.3,
            any_of([json!("Ann"), json!("Ann"), json!(""), json!(null), json!(3)]),
        )
    };
    let said = object([
        ("role", of(any_of(["system", "user", "user"]))),
        ("content", of(text())),
        ("name", name()),
    ]);
    let assistant = object([
        ("role", is("assistant")),
        ("content", maybe(text())),
        ("tool_calls", maybe(list(function_call(), 3))),
        ("name", name()),
    ]);
    let tool = object([
        ("role", is("tool")),
        ("content", of(text())),
        ("tool_call_id", of(id())),
        ("name", name()),
    ]);
    prop_oneof![3 => said, 4 => assistant, 2 => tool].boxed()
}

/// Generates a call of Chat Completions.
pub(crate) fn function_call() -> BoxedStrategy<Value> {
    let function = object([("name", of(tool())), ("arguments", of(arguments()))]);
    object([
        ("id", of(id())),
        ("type", is("function")),
        ("function", of(function)),
    ])
}

/// Generates a chat message for the library's conversion, which also accepts objects as
/// arguments.
pub(crate) fn loose_chat_message() -> BoxedStrategy<Value> {
    let message =
        (chat_message(), any::<bool>(), members()).prop_map(|(mut message, loose, arguments)| {
            if loose {
                for call in message["tool_calls"].as_array_mut().into_iter().flatten() {
                    call["function"]["arguments"] = arguments.clone();
                }
            }
            if message["tool_calls"].is_null() {
                message.as_object_mut().unwrap().remove("tool_calls");
            }
            message
        });
    message.boxed()
}

/// Generates a message of blocks.
pub(crate) fn block_message() -> BoxedStrategy<Value> {
    let block = prop_oneof![
        3 => object([("block_type", is("text")), ("text", of(text()))]),
        2 => object([
            ("block_type", is("tool_call")),
            ("id", of(id())),
            ("name", of(tool())),
            ("arguments", of(members())),
        ]),
        2 => object([("block_type", is("tool_result")), ("id", of(id())), ("content", of(text()))]),
    ];
    let extras = any_of([
        json!({}),
        json!({}),
        json!({"name": "Ann"}),
        json!({"cache_control": {"type": "ephemeral"}, "x": null}),
        json!({"role": "x"}),
        json!({"content": "x"}),
        json!({"tool_calls": "x"}),
        json!({"tool_call_id": "x"}),
    ]);
    let roles = ["system", "user", "assistant", "assistant", "tool"];
    object([
        ("role", sometimes(0.95, any_of(roles))),
        ("blocks", sometimes(0.95, list(block, 4))),
        ("extras", sometimes(0.6, extras)),
    ])
}

/// Generates the ID of a call.
pub(crate) fn id() -> BoxedStrategy<String> {
    "call_[a-z0-9]{4}".boxed()
}

/// Generates the name of a tool.
pub(crate) fn tool() -> BoxedStrategy<String> {
    "get_weather|add|mcp__house__lamp".boxed()
}

/// Generates an object.
pub(crate) fn members() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        any_of([
            json!(null),
            json!(true),
            json!(-3),
            json!(u64::MAX),
            json!(1.5e-7)
        ]),
        any::<f64>()
            .prop_filter("finite", |it| it.is_finite())
            .prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(2, 8, 3, |inner| {
        let object = vec((text(), inner.clone()), 0..3);
        prop_oneof![
            list(inner, 3),
            object.prop_map(|it| Value::Object(Map::from_iter(it)))
        ]
    });
    vec((text(), value), 0..4)
        .prop_map(|members| Value::Object(Map::from_iter(members)))
        .boxed()
}

fn schema() -> BoxedStrategy<Value> {
    let property = any_of([
        json!({"type": "string", "description": "a name"}),
        json!({"type": "integer", "minimum": 1}),
        json!({"$ref": "#/$defs/Point"}),
    ]);
    let properties = vec(("[a-c]", property), 0..3);
    let properties = properties.prop_map(|it| Value::Object(Map::from_iter(it)));
    object([
        ("type", sometimes(0.5, Just("object"))),
        ("properties", sometimes(0.5, properties)),
        ("required", sometimes(0.5, Just(json!(["a"])))),
        ("additionalProperties", sometimes(0.5, Just(false))),
        (
            "$defs",
            sometimes(0.5, Just(json!({"Point": {"type": "array"}}))),
        ),
    ])
}

/// Generates a `ToolSpec`.
pub(crate) fn spec() -> BoxedStrategy<Value> {
    object([
        ("func", is("json.dumps")),
        ("tool_name", sometimes(0.9, tool())),
        ("tool_description", sometimes(0.9, text())),
        ("tool_parameters", sometimes(0.9, schema())),
    ])
}

/// Generates a `Tool`.
pub(crate) fn model_tool() -> BoxedStrategy<Value> {
    object([
        ("name", of(tool())),
        ("description", of(text())),
        ("parameters", of(schema())),
    ])
}

/// Generates a tool definition.
pub(crate) fn definition() -> BoxedStrategy<Value> {
    let custom = object([
        ("name", of(tool())),
        ("input_schema", of(schema())),
        ("description", sometimes(0.8, text())),
        ("type", sometimes(0.5, Just("custom"))),
        (
            "cache_control",
            sometimes(0.5, Just(json!({"type": "ephemeral"}))),
        ),
    ]);
    let others = any_of([
        json!({"type": "bash_20250124", "name": "bash"}),
        json!({"type": "hammer_20300101", "weight": 3}),
    ]);
    prop_oneof![6 => custom, 2 => others].boxed()
}

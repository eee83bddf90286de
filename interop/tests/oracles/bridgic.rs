//! The comparison with Bridgic's library.

use super::{COUNT, Differences, Oracle, contains};
use crate::support::bridgic::{
    block_message, chat_message, definition, function_call, id, loose_chat_message, members,
    model_tool, spec, tool,
};
use crate::support::generate::{any_of, list, object, of, samples, sometimes, text};
use agentwire_interop::bridgic::{Blocks, Chat, export_tools};
use proptest::prelude::*;
use serde_json::{Value, json};

fn has(request: &Value, kind: &str) -> bool {
    contains(request, "/message/blocks", |block| {
        block["block_type"] == kind
    })
}

fn count(request: &Value, kind: &str) -> usize {
    let blocks = request["message"]["blocks"]
        .as_array()
        .into_iter()
        .flatten();
    blocks.filter(|block| block["block_type"] == kind).count()
}

pub(super) const DIFFERENCES: Differences = &[
    (
        "to_message",
        &[
            (
                "Arguments that are a text become an object; the library refuses every message with a call.",
                |request, _| {
                    contains(request, "/message/tool_calls", |call| {
                        call["function"]["arguments"].is_string()
                    })
                },
            ),
            (
                "The name of a message of the model is preserved; the library drops it.",
                |request, _| {
                    request["message"]["role"] == "assistant"
                        && request["message"]["name"].is_string()
                },
            ),
            (
                "A name that is not a text is omitted; the library copies it.",
                |request, _| request["message"]["name"].is_number(),
            ),
        ],
    ),
    (
        "to_chat",
        &[
            (
                "A call in a message that is not the model's is refused; the library drops it.",
                |request, _| request["message"]["role"] != "assistant" && has(request, "tool_call"),
            ),
            (
                "Each result of a tool is a message; the library joins several under the first ID.",
                |request, _| {
                    request["message"]["role"] == "tool" && count(request, "tool_result") > 1
                },
            ),
            (
                "A text next to a result is a user message; the library adds it to the result.",
                |request, _| request["message"]["role"] == "tool" && has(request, "text"),
            ),
            (
                "A result in a message of another role is a result; the library adds it to the text.",
                |request, _| request["message"]["role"] != "tool" && has(request, "tool_result"),
            ),
        ],
    ),
    (
        "from_tool_call",
        &[(
            "Arguments that are missing or `null` are an empty object; the library refuses them.",
            |request, theirs| {
                let is_null = |call: &Value| call["arguments"].is_null();
                theirs.is_null() && contains(request, "/tool_calls", is_null)
            },
        )],
    ),
    (
        "tool_calls_from_openai",
        &[
            (
                "Blank arguments are an empty object; the library refuses them.",
                |request, theirs| {
                    theirs.is_null()
                        && contains(request, "/tool_calls", |call| {
                            call["function"]["arguments"].as_str().map(str::trim) == Some("")
                        })
                },
            ),
            (
                "Calls keep their IDs; the library generates new ones.",
                |_, theirs| contains(theirs, "", |call| call["id"].is_string()),
            ),
        ],
    ),
    (
        "tool_to_openai",
        &[(
            "A tool keeps its whole schema; the library keeps `properties` and `required`.",
            |request, _| {
                let names = ["type", "properties", "required", "additionalProperties"];
                let schema = request["tool"]["parameters"].as_object();
                let is_other = |name: &String| !names.contains(&name.as_str());
                schema.is_none_or(|schema| schema.len() < 4 || schema.keys().any(is_other))
            },
        )],
    ),
];

#[test]
#[ignore = "scripts/real oracles runs it"]
fn bridgic_agrees() {
    let mut oracle = Oracle::new("bridgic", DIFFERENCES);
    oracle.ask("schema", [json!({})]);
    oracle.ask_each("chat", "message", &chat_message());
    oracle.ask_each("to_message", "message", &loose_chat_message());
    oracle.ask_each("to_chat", "message", &block_message());
    oracle.ask_each("content", "message", &block_message());
    oracle.ask_each(
        "tool_calls_from_openai",
        "tool_calls",
        &list(function_call(), 3),
    );
    let texts = object([
        ("text", of(text())),
        ("role", of(any_of(["system", "user", "assistant", "tool"]))),
    ]);
    oracle.ask("from_text", samples(&texts, 300));
    let results = object([("id", of(id())), ("content", of(text()))]);
    oracle.ask("from_tool_result", samples(&results, 300));
    let arguments =
        prop_oneof![6 => members(), 1 => any_of([json!(null), json!([1]), json!("{}")])];
    let call = object([
        ("id", sometimes(0.9, id())),
        ("name", of(tool())),
        ("arguments", of(arguments)),
    ]);
    let calls = object([
        ("tool_calls", of(list(call, 3))),
        ("text", sometimes(0.5, text())),
    ]);
    oracle.ask("from_tool_call", samples(&calls, COUNT));
    oracle.ask_each("tool_spec", "spec", &spec());
    oracle.ask_each("to_tool", "spec", &spec());
    oracle.ask_each("tool_to_openai", "tool", &model_tool());
    oracle.ask_exported("chat", "message", Chat);
    oracle.ask_exported("block", "message", Blocks);
    for definition in samples(&definition(), COUNT) {
        let tools = serde_json::from_value(json!([definition])).unwrap();
        let specs = export_tools(tools).made.into_iter();
        let tools = specs.filter_map(|spec| spec.to_tool().ok());
        oracle.ask("tool", tools.map(|tool| json!({"tool": tool})));
    }
    oracle.compare(&[]);
}

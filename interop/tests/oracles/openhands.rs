//! The comparison of Chat Completions, Responses and OpenHands with OpenHands' library, and
//! with the types of `litellm` and `openai` that the library requires.

use super::{COUNT, Differences, Oracle, contains};
use crate::support::generate::samples;
use crate::support::openhands::{
    call, chat_call, chat_reply, event, message, output_item, responses_call,
};
use agentwire_interop::{chat::Chat, openhands::OpenHands, responses::Responses};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

const NO_OUTPUT: super::Difference = (
    "The result of a tool without a text or a visible image becomes an empty output; the library writes none, and the API refuses a call without a result.",
    |request, _| request["message"]["role"] == "tool",
);

pub(super) const DIFFERENCES: Differences = &[
    ("to_responses", &[NO_OUTPUT]),
    ("to_responses_value", &[NO_OUTPUT]),
    (
        "from_chat",
        &[
            (
                "A chat message with a list of parts becomes texts and images; the library refuses it.",
                |request, _| request["message"]["content"].is_array(),
            ),
            (
                "The result of a tool keeps the ID of its call and the name of the tool; the library drops both.",
                |request, _| request["message"]["role"] == "tool",
            ),
        ],
    ),
    (
        "from_responses",
        &[
            (
                "A call without an ID or a name is refused; the library makes both empty, unless the items are objects of `openai`.",
                |request, _| {
                    let is_empty = |value: &Value| value.as_str().is_none_or(str::is_empty);
                    contains(request, "/output", |item| {
                        let has_no_id = is_empty(&item["call_id"]) && is_empty(&item["id"]);
                        item["type"] == "function_call" && (has_no_id || is_empty(&item["name"]))
                    })
                },
            ),
            (
                "A message whose content is a text is read; the library refuses it.",
                |request, _| contains(request, "/output", |item| item["content"].is_string()),
            ),
            (
                "Arguments that are `null` become an empty text; the library refuses them.",
                |request, _| {
                    contains(request, "/output", |item| {
                        item.get("arguments").is_some_and(Value::is_null)
                    })
                },
            ),
            (
                "An output that is not a list is refused; the library reads an object as an empty one.",
                |request, _| request["output"].is_object(),
            ),
        ],
    ),
    (
        "apply_caching",
        &[(
            "A last message without content gets no cache mark; the library fails.",
            |_, theirs| theirs.is_null(),
        )],
    ),
];

#[test]
#[ignore = "scripts/real oracles runs it"]
fn openhands_agrees() {
    let mut oracle = Oracle::new("openhands", DIFFERENCES);
    oracle.ask("schema", [json!({})]);
    for op in ["validate", "contains_image", "content_to_str", "contents"] {
        oracle.ask_each(op, "message", &message());
    }
    let messages = samples(&(message(), any::<[bool; 5]>()), COUNT).into_iter();
    let requests = messages.map(|(message, [cache, vision, fc, force, reasoning])| {
        json!({
            "message": message, "cache": cache, "vision": vision, "fc": fc,
            "force_string": force, "send_reasoning": reasoning,
        })
    });
    let requests: Vec<Value> = requests.collect();
    for op in ["to_chat", "to_responses", "to_responses_value"] {
        oracle.ask(op, requests.clone());
    }
    oracle.ask_each("call_to_chat", "call", &call());
    oracle.ask_each("call_to_responses", "call", &call());
    oracle.ask_each("call_from_chat", "call", &chat_call());
    oracle.ask_each("call_from_responses", "call", &responses_call());
    oracle.ask_each("from_chat", "message", &chat_reply());
    let list = |item: BoxedStrategy<Value>, end| vec(item, 0..end).prop_map(Value::from);
    oracle.ask_each("from_responses", "output", &list(output_item(false), 5));
    let typed = samples(&list(output_item(true), 5), COUNT).into_iter();
    oracle.ask(
        "from_responses",
        typed.map(|output| json!({"typed": true, "output": output})),
    );
    let values = [
        json!(null),
        json!("x"),
        json!(3),
        json!([]),
        json!({}),
        json!({"type": 3}),
    ];
    let odd = prop_oneof![2 => prop::sample::select(values.to_vec()), 3 => output_item(false)];
    oracle.ask_each("from_responses", "output", &list(odd.boxed(), 4));
    oracle.ask("from_responses", [json!({"output": null})]);
    oracle.ask_each("apply_caching", "messages", &list(message(), 4));
    oracle.ask_each("events_to_messages", "events", &list(event(), 7));
    oracle.ask_exported("validate", "message", OpenHands);
    oracle.ask_exported("validate_chat", "message", Chat);
    oracle.ask_exported("validate_responses", "item", Responses);
    oracle.compare(&["validate_chat", "validate_responses"]);
}

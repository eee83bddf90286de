//! OpenHands' messages, and what models answer, of all kinds.

use crate::support::ours::text;
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// The object with these members more, where they are there.
fn with<const N: usize>(object: Value, more: [(&str, Option<Value>); N]) -> Value {
    let Value::Object(mut members) = object else {
        return object;
    };
    let more = more.into_iter();
    members.extend(more.filter_map(|(name, value)| Some((name.to_owned(), value?))));
    Value::Object(members)
}

/// A member that may be missing, or `null`, or this.
fn maybe<S: Strategy<Value = Value> + 'static>(value: S) -> BoxedStrategy<Option<Value>> {
    prop_oneof![
        3 => Just(None),
        1 => Just(Some(Value::Null)),
        4 => value.prop_map(Some),
    ]
    .boxed()
}

/// A text: among others, what Python takes for space, and what is too long
/// for OpenHands.
fn long_text() -> impl Strategy<Value = Value> {
    prop_oneof![
        150 => text().prop_map(Value::from),
        15 => select(vec!["\u{1c}\u{1f}", "\u{85} \u{3000}", "\u{200b}", " x\u{1d}"]).prop_map(Value::from),
        1 => (49_990..50_010_usize, select(vec!["x", "é", "🦀"]))
            .prop_map(|(length, letter)| format!("{}end", letter.repeat(length - 3)).into()),
    ]
}

fn words() -> impl Strategy<Value = Value> {
    text().prop_map(Value::from)
}

fn url() -> impl Strategy<Value = Value> {
    select(vec![
        "https://example.com/a.png",
        "data:image/png;base64,iVBORw0KGgo=",
        "data:image/svg+xml,<svg/>",
        "",
    ])
    .prop_map(Value::from)
}

fn flag() -> BoxedStrategy<Option<Value>> {
    weighted(0.5, any::<bool>().prop_map(Value::from)).boxed()
}

fn content() -> impl Strategy<Value = Value> {
    let kind = |kind: &'static str| weighted(0.8, Just(Value::from(kind)));
    prop_oneof![
        3 => (long_text(), flag(), kind("text")).prop_map(|(text, cache, kind)| {
            with(json!({"text": text}), [("cache_prompt", cache), ("type", kind)])
        }),
        1 => (vec(url(), 0..3), flag(), kind("image")).prop_map(|(urls, cache, kind)| {
            with(json!({"image_urls": urls}), [("cache_prompt", cache), ("type", kind)])
        }),
    ]
}

fn contents() -> BoxedStrategy<Option<Value>> {
    prop_oneof![
        1 => Just(None),
        1 => Just(Some(Value::Null)),
        2 => long_text().prop_map(Some),
        8 => vec(content(), 0..4).prop_map(|it| Some(it.into())),
    ]
    .boxed()
}

pub(crate) fn arguments() -> impl Strategy<Value = Value> {
    prop_oneof![
        2 => words().prop_map(|text| json!({"command": text}).to_string().into()),
        1 => select(vec![
            "", "{}", "{ \"a\" : 1.0 }", "{\"a\":", "null", "[1]", "{\n\"x\": \"\\u00e9\"\n}", "rm -rf",
        ])
        .prop_map(Value::from),
    ]
}

/// A call, as OpenHands has it.
pub(crate) fn call() -> impl Strategy<Value = Value> {
    (
        select(vec!["call_1", "fc_2", "toolu_3", ""]),
        maybe(select(vec!["fc_9", "", "item"]).prop_map(Value::from)),
        select(vec!["bash", "think"]),
        arguments(),
        select(vec!["completion", "responses"]),
    )
        .prop_map(|(id, item, name, arguments, origin)| {
            with(
                json!({"id": id, "name": name, "arguments": arguments, "origin": origin}),
                [("responses_item_id", item)],
            )
        })
}

fn thinking() -> impl Strategy<Value = Value> {
    let signature = || maybe(Just("c2ln".into()));
    prop_oneof![
        3 => (words(), signature()).prop_map(|(text, signature)| with(
            json!({"type": "thinking", "thinking": text}), [("signature", signature)],
        )),
        1 => (words(), signature()).prop_map(|(text, signature)| with(
            json!({"thinking": text}), [("signature", signature)],
        )),
        1 => Just(json!({"type": "redacted_thinking", "data": "c2VjcmV0"})),
        1 => Just(json!({"data": "c2VjcmV0"})),
    ]
}

fn reasoning() -> impl Strategy<Value = Value> {
    let texts = || vec(words(), 0..3).prop_map(Value::from);
    (
        maybe(Just("rs_1".into())),
        weighted(0.8, texts()),
        maybe(texts()),
        maybe(select(vec!["Z0FB", ""]).prop_map(Value::from)),
        maybe(select(vec!["completed", ""]).prop_map(Value::from)),
    )
        .prop_map(|(id, summary, content, encrypted, status)| {
            with(
                json!({}),
                [
                    ("id", id),
                    ("summary", summary),
                    ("content", content),
                    ("encrypted_content", encrypted),
                    ("status", status),
                ],
            )
        })
}

/// A message, as OpenHands takes it.
pub(crate) fn message() -> impl Strategy<Value = Value> {
    (
        select(vec![
            "user",
            "system",
            "assistant",
            "assistant",
            "tool",
            "tool",
        ]),
        contents(),
        maybe(vec(call(), 0..3).prop_map(Value::from)),
        maybe(Just("call_1".into())),
        maybe(Just("bash".into())),
        maybe(words()),
        weighted(0.5, vec(thinking(), 0..3).prop_map(Value::from)),
        maybe(reasoning()),
        weighted(0.2, Just(Value::from(true))),
    )
        .prop_map(
            |(role, content, calls, call, name, thoughts, blocks, reasoning, old)| {
                with(
                    json!({"role": role}),
                    [
                        ("content", content),
                        ("tool_calls", calls),
                        ("tool_call_id", call),
                        ("name", name),
                        ("reasoning_content", thoughts),
                        ("thinking_blocks", blocks),
                        ("responses_reasoning_item", reasoning),
                        ("cache_enabled", old.clone()),
                        ("mood", old),
                    ],
                )
            },
        )
}

/// A message with all switches of `to_chat_dict`.
pub(crate) fn to_chat() -> impl Strategy<Value = Value> {
    (message(), any::<[bool; 5]>()).prop_map(
        |(message, [cache, vision, fc, force_string, send_reasoning])| {
            json!({
                "op": "to_chat", "message": message, "cache": cache, "vision": vision, "fc": fc,
                "force_string": force_string, "send_reasoning": send_reasoning,
            })
        },
    )
}

/// A call, as a model makes it over Chat Completions.
pub(crate) fn chat_call() -> impl Strategy<Value = Value> {
    let function = (
        prop_oneof![9 => Just(Value::from("bash")), 1 => Just(Value::Null)],
        weighted(0.9, arguments()),
    )
        .prop_map(|(name, arguments)| with(json!({"name": name}), [("arguments", arguments)]));
    prop_oneof![
        9 => (function, weighted(0.8, select(vec!["function", "function", "function", "other"]))).prop_map(|(function, kind)| with(
            json!({"id": "call_1", "function": function}), [("type", kind.map(Value::from))],
        )),
        1 => Just(json!({"id": "call_2", "type": "custom", "custom": {"name": "sh", "input": "ls"}})),
    ]
}

/// What a model answers over Chat Completions, and messages of other roles.
pub(crate) fn chat_answer() -> impl Strategy<Value = Value> {
    let blocks = vec(
        prop_oneof![
            4 => thinking(),
            1 => Just(json!({"type": "musing"})),
        ],
        0..3,
    );
    let assistant = (
        maybe(words()),
        maybe(vec(chat_call(), 0..3).prop_map(Value::from)),
        maybe(words()),
        maybe(blocks.prop_map(Value::from)),
    )
        .prop_map(|(content, calls, reasoning, blocks)| {
            with(
                json!({"role": "assistant", "annotations": []}),
                [
                    ("content", content),
                    ("tool_calls", calls),
                    ("reasoning_content", reasoning),
                    ("thinking_blocks", blocks),
                ],
            )
        });
    let content = prop_oneof![
        4 => maybe(words()),
        1 => vec(words().prop_map(|text| json!({"type": "text", "text": text})), 0..3)
            .prop_map(|parts| Some(parts.into())),
    ];
    prop_oneof![
        4 => assistant,
        1 => (select(vec!["user", "system", "tool", "function", "developer", "bird"]), content)
            .prop_map(|(role, content)| {
                let answers = |member: &str| (role == "tool").then(|| member.into());
                with(
                    json!({"role": role}),
                    [
                        ("content", content),
                        ("tool_call_id", answers("call_1")),
                        ("name", answers("bash")),
                    ],
                )
            }),
    ]
}

/// A message that goes into a model over Chat Completions.
pub(crate) fn chat_message() -> impl Strategy<Value = Value> {
    let cache = || weighted(0.2, Just(json!({"type": "ephemeral", "ttl": "1h"})));
    let part = (
        prop_oneof![
            4 => words().prop_map(|text| json!({"type": "text", "text": text})),
            2 => url().prop_map(|url| json!({"type": "image_url", "image_url": {"url": url, "detail": "high"}})),
            1 => url().prop_map(|url| json!({"type": "image_url", "image_url": url})),
            1 => Just(json!({"type": "file", "file": {
                "file_data": "data:application/pdf;base64,JVBERi0=", "filename": "a.pdf",
            }})),
            1 => Just(json!({"type": "file", "file": {"file_id": "file-1"}})),
            1 => Just(json!({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}})),
            1 => Just(json!({"type": "tool_reference", "tool_name": "Read"})),
            1 => Just(json!({"type": "refusal", "refusal": "no"})),
            1 => Just(json!({"type": "smell", "of": "roses"})),
        ],
        cache(),
    )
        .prop_map(|(part, cache)| with(part, [("cache_control", cache)]));
    let content = prop_oneof![
        1 => Just(None),
        4 => words().prop_map(Some),
        4 => vec(part, 0..4).prop_map(|parts| Some(parts.into())),
    ];
    let name = weighted(0.2, Just(Value::from("bash")));
    let id = weighted(0.8, Just(Value::from("call_1")));
    let role = select(vec![
        "user",
        "user",
        "tool",
        "tool",
        "system",
        "developer",
        "function",
        "bird",
    ]);
    (role, content, cache(), name, id).prop_map(|(role, content, cache, name, id)| {
        let id = id.filter(|_| ["tool", "function"].contains(&role));
        with(
            json!({"role": role}),
            [
                ("content", content),
                ("cache_control", cache),
                ("name", name),
                ("tool_call_id", id),
            ],
        )
    })
}

/// An item that goes into a model over Responses.
pub(crate) fn input_item() -> impl Strategy<Value = Value> {
    let part = || {
        prop_oneof![
            4 => words().prop_map(|text| json!({"type": "input_text", "text": text})),
            2 => url().prop_map(|url| json!({"type": "input_image", "image_url": url, "detail": "low"})),
            1 => Just(json!({"type": "input_image", "file_id": "file-1", "detail": "auto"})),
            1 => Just(json!({"type": "input_file", "file_url": "https://example.com/a.pdf"})),
            1 => Just(json!({"type": "input_file", "filename": "a.txt", "file_data": "data:text/plain;base64,eMOp"})),
            1 => Just(json!({"type": "computer_screenshot", "image_url": "data:image/png;base64,AAAA"})),
        ]
    };
    let content = move || prop_oneof![words(), vec(part(), 0..3).prop_map(Value::from),];
    let role = select(vec![
        "user",
        "user",
        "assistant",
        "system",
        "developer",
        "bird",
    ]);
    prop_oneof![
        4 => (role, maybe(content()), any::<bool>()).prop_map(|(role, content, typed)| with(
            json!({"role": role}),
            [("content", content), ("type", typed.then(|| "message".into()))],
        )),
        3 => maybe(content()).prop_map(|output| with(
            json!({"type": "function_call_output", "call_id": "call_1"}),
            [("output", output)],
        )),
        1 => Just(json!({"type": "computer_call", "call_id": "call_3", "status": "completed",
            "action": {"type": "screenshot"}})),
        1 => Just(json!({"id": "msg_1", "type": "item_reference"})),
    ]
}

/// An item that a model answers over Responses: `whole`, as `openai`'s own
/// types want it, or with members missing.
pub(crate) fn output_item(whole: bool) -> BoxedStrategy<Value> {
    let optional = move |value: BoxedStrategy<Value>| {
        if whole {
            value.prop_map(Some).boxed()
        } else {
            weighted(0.85, value).boxed()
        }
    };
    let part = prop_oneof![
        4 => words().prop_map(|text| json!({"type": "output_text", "text": text, "annotations": []})),
        1 => Just(json!({"type": "refusal", "refusal": "no"})),
    ];
    let odd_part = prop_oneof![
        6 => part.clone(),
        1 => Just(json!({"type": "output_text", "text": null})),
        1 => Just(json!({"type": "output_text"})),
        1 => Just(json!({"type": "output_song", "text": "la"})),
    ];
    let parts = if whole {
        vec(part, 0..3).boxed()
    } else {
        vec(odd_part, 0..3).boxed()
    };
    let texts = |kind: &'static str| {
        vec(
            words().prop_map(move |text| json!({"type": kind, "text": text})),
            0..3,
        )
        .prop_map(Value::from)
        .boxed()
    };
    let message = optional(parts.prop_map(Value::from).boxed()).prop_map(|content| {
        with(
            json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}),
            [("content", content)],
        )
    });
    let id = select(vec!["call_1", "fc_2", ""])
        .prop_map(Value::from)
        .boxed();
    let name = select(vec!["bash", "bash", ""])
        .prop_map(Value::from)
        .boxed();
    let call = (
        optional(id.clone()),
        optional(id),
        optional(name),
        optional(arguments().boxed()),
    )
        .prop_map(|(id, call_id, name, arguments)| {
            with(
                json!({"type": "function_call", "status": "completed"}),
                [
                    ("id", id),
                    ("call_id", call_id),
                    ("name", name),
                    ("arguments", arguments),
                ],
            )
        });
    let reasoning = (
        optional(Just(Value::from("rs_1")).boxed()),
        optional(texts("summary_text")),
        maybe(texts("reasoning_text")),
        maybe(Just(Value::from("Z0FB"))),
        maybe(Just(Value::from("completed"))),
    )
        .prop_map(|(id, summary, content, encrypted, status)| {
            with(
                json!({"type": "reasoning"}),
                [
                    ("id", id),
                    ("summary", summary),
                    ("content", content),
                    ("encrypted_content", encrypted),
                    ("status", status),
                ],
            )
        });
    let others: Vec<Value> = if whole {
        vec![json!({
            "type": "web_search_call", "id": "ws_1", "status": "completed",
            "action": {"type": "search", "query": "crabs"},
        })]
    } else {
        vec![
            json!({"type": "hologram"}),
            json!({"role": "assistant", "content": "no type"}),
            json!({"type": "message", "role": "assistant", "content": "just a text"}),
            json!({"type": "function_call", "call_id": "c", "name": null, "arguments": "{}"}),
            json!({"type": "function_call", "call_id": "c", "name": "n", "arguments": null}),
        ]
    };
    prop_oneof![6 => message, 4 => call, 2 => reasoning, 1 => select(others)].boxed()
}

/// What a model answers over Responses.
pub(crate) fn output(whole: bool) -> impl Strategy<Value = Value> {
    vec(output_item(whole), 0..5).prop_map(Value::from)
}

/// A call, as `openai` makes it of what Responses answers.
pub(crate) fn responses_call() -> impl Strategy<Value = Value> {
    let id = || select(vec!["call_1", "fc_2", ""]).prop_map(Value::from);
    (maybe(id()), id(), select(vec!["bash", ""]), arguments()).prop_map(
        |(item, id, name, arguments)| {
            with(
                json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments}),
                [("id", item)],
            )
        },
    )
}

/// An object of these members.
pub(crate) fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    let members = members
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value));
    Value::Object(Map::from_iter(members))
}

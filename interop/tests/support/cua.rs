//! Conversations of Cua's, of all kinds and in all dialects.

use super::ours::text;
use agentwire_interop::cua::Item;
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

/// Items, read.
pub(crate) fn items() -> impl Strategy<Value = Vec<Item>> {
    conversation().prop_map(|items| items.iter().map(item).collect())
}

/// An item from its JSON.
pub(crate) fn item(value: &Value) -> Item {
    serde_json::from_str(&value.to_string()).unwrap()
}

/// Items in the order in which they come, and sometimes in none. Calls have
/// ids that may come twice.
pub(crate) fn conversation() -> impl Strategy<Value = Vec<Value>> {
    vec(turn(), 0..6).prop_map(|turns| turns.into_iter().flatten().collect())
}

/// Items of one turn, read.
pub(crate) fn items_of_a_turn() -> impl Strategy<Value = Vec<Item>> {
    turn().prop_map(|items| items.iter().map(item).collect())
}

fn turn() -> impl Strategy<Value = Vec<Value>> {
    prop_oneof![
        3 => vec(user(), 1..3),
        3 => vec(assistant(), 1..3),
        2 => vec(reasoning(), 1..3),
        6 => call_and_outputs(),
        2 => vec(output(), 1..3),
        1 => vec(odd(), 1..2),
    ]
}

/// A call, and what came of it, if anything.
fn call_and_outputs() -> impl Strategy<Value = Vec<Value>> {
    (
        weighted(0.4, reasoning()),
        vec(call(), 1..3),
        vec(output(), 0..3),
    )
        .prop_map(|(reasoning, calls, mut outputs)| {
            for (output, call) in outputs.iter_mut().zip(&calls) {
                output["call_id"] = call["call_id"].clone();
            }
            reasoning.into_iter().chain(calls).chain(outputs).collect()
        })
}

fn user() -> impl Strategy<Value = Value> {
    let content = prop_oneof![
        2 => text().prop_map(Value::from),
        3 => vec(prop_oneof![
            3 => text().prop_map(|text| json!({"type": "input_text", "text": text})),
            2 => image_url().prop_map(|url| json!({"type": "input_image", "image_url": url})),
            1 => Just(json!({"type": "input_image", "file_id": "file-1", "detail": "auto"})),
            1 => text().prop_map(|text| json!({"type": "text", "text": text})),
            1 => Just(json!({"type": "input_file", "file_url": "https://example.com/a.pdf"})),
        ], 0..4).prop_map(Value::from),
    ];
    (
        content,
        weighted(0.7, Just("message")),
        select(vec!["user", "user", "user", "system", "developer"]),
    )
        .prop_map(|(content, kind, role)| {
            with(
                json!({"role": role, "content": content}),
                [("type", kind.map(Value::from))],
            )
        })
}

fn assistant() -> impl Strategy<Value = Value> {
    let part = prop_oneof![
        4 => text().prop_map(|text| json!({"type": "output_text", "text": text})),
        1 => text().prop_map(|text| json!({"type": "output_text", "text": text, "annotations": []})),
        1 => text().prop_map(|text| json!({"type": "text", "text": text})),
        1 => Just(json!({"type": "refusal", "refusal": "no"})),
    ];
    let content = prop_oneof![
        6 => vec(part, 0..3).prop_map(Value::from),
        1 => text().prop_map(Value::from),
    ];
    (content, weighted(0.3, "msg_[0-9]{2}")).prop_map(|(content, id)| {
        let status = id.is_some().then(|| "completed".into());
        with(
            json!({"type": "message", "role": "assistant", "content": content}),
            [("id", id.map(Value::from)), ("status", status)],
        )
    })
}

fn reasoning() -> impl Strategy<Value = Value> {
    let summary = vec(
        text().prop_map(|text| json!({"type": "summary_text", "text": text})),
        0..3,
    );
    (summary, weighted(0.3, "rs_[0-9]{2}")).prop_map(|(summary, id)| {
        with(
            json!({"type": "reasoning", "summary": summary}),
            [("id", id.map(Value::from))],
        )
    })
}

fn call_id() -> impl Strategy<Value = String> {
    "call_[0-9]{1,2}"
}

fn status() -> impl Strategy<Value = Option<Value>> {
    weighted(
        0.8,
        select(vec![
            "completed",
            "completed",
            "failed",
            "pending",
            "in_progress",
        ])
        .prop_map(Value::from),
    )
}

fn call() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => (action(), call_id(), status(), any::<bool>()).prop_map(|(action, id, status, emitted)| {
            let checks = emitted.then(|| json!([]));
            let item = emitted.then(|| json!("6f1"));
            with(
                json!({"type": "computer_call", "call_id": id, "action": action}),
                [("status", status), ("pending_safety_checks", checks), ("id", item)],
            )
        }),
        2 => (arguments(), call_id(), status(), select(vec!["search", "computer", "f"])).prop_map(
            |(arguments, id, status, name)| with(
                json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments}),
                [("status", status)],
            )
        ),
    ]
}

fn arguments() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => text().prop_map(|text| json!({"q": text}).to_string().into()),
        1 => Just(json!("{ \"n\" : [1, 2.50, 1e3, null] }")),
        1 => select(vec!["", "{", "[1]", "null"]).prop_map(Value::from),
        1 => text().prop_map(|text| json!({"q": text, "n": [1, true, null]})),
    ]
}

/// Actions: documented ones in all forms, and others.
pub(crate) fn action() -> impl Strategy<Value = Value> {
    let at = || (0..1920_u32, 0..1080_u32);
    let pointing = (
        select(vec![
            "click",
            "double_click",
            "triple_click",
            "move",
            "left_mouse_down",
            "left_mouse_up",
        ]),
        at(),
        weighted(
            0.5,
            select(vec!["left", "right", "wheel", "back", "forward"]),
        ),
    );
    prop_oneof![
        6 => pointing.prop_map(|(kind, (x, y), button)| {
            let button = button.filter(|_| kind.ends_with("click"));
            with(json!({"type": kind, "x": x, "y": y}), [("button", button.map(Value::from))])
        }),
        2 => (vec(at(), 0..4), any::<bool>()).prop_map(|(path, named)| {
            let path: Vec<Value> = path
                .into_iter()
                .map(|(x, y)| if named { json!({"x": x, "y": y}) } else { json!([x, y]) })
                .collect();
            json!({"type": "drag", "path": path})
        }),
        2 => (at(), -4..5_i32, -4..5_i32).prop_map(|((x, y), scroll_x, scroll_y)| json!({
            "type": "scroll", "x": x, "y": y, "scroll_x": scroll_x, "scroll_y": scroll_y,
        })),
        2 => select(vec![
            json!({"type": "keypress", "keys": ["ctrl", "c"]}),
            json!({"type": "keypress", "keys": ["ctrl", "+"]}),
            json!({"type": "keypress", "keys": ["-"]}),
            json!({"type": "keypress", "keys": []}),
        ]),
        2 => text().prop_map(|text| json!({"type": "type", "text": text})),
        3 => select(vec![
            json!({"type": "screenshot"}),
            json!({"type": "wait"}),
            json!({"type": "wait", "ms": 1500}),
            json!({"type": "left_mouse_down", "x": null, "y": null}),
            json!({"type": "click", "button": "left", "element_description": "the knob"}),
            json!({"type": "drag", "start_element_description": "the knob",
                   "end_element_description": "the door"}),
            json!({"type": "click", "button": "left", "x": 1, "y": 2, "keys": ["shift"]}),
            json!({"type": "terminate", "status": "success"}),
            json!({"type": "visit_url", "url": "https://example.com"}),
            json!({"type": "web_search", "query": "crabs"}),
            json!({"type": "zoom", "x": 1.5, "y": 2, "level": {"deep": [null]}}),
        ]),
    ]
}

pub(crate) fn image_url() -> impl Strategy<Value = String> {
    select(vec![
        "data:image/png;base64,iVBORw0KGgo=".to_owned(),
        "data:image/jpeg;base64,/9j/4AAQ".to_owned(),
        "https://example.com/a.png".to_owned(),
        "[omitted]".to_owned(),
    ])
}

fn output() -> impl Strategy<Value = Value> {
    let given = prop_oneof![
        3 => text().prop_map(Value::from),
        4 => image_url().prop_map(|url| json!({"type": "input_image", "image_url": url})),
        2 => image_url().prop_map(|url| json!({"type": "computer_screenshot", "image_url": url})),
        1 => Just(json!({"terminated": true, "why": "it's done"})),
        // Which characters Python prints as they are depends on its version.
        1 => "[a-z'\"\\\\ \n\u{7f}\u{a0}ä\u{301}\u{2028}🦀]{0,12}"
            .prop_map(|text| json!([{"type": "input_text", "text": text}])),
    ];
    (any::<bool>(), call_id(), given, any::<bool>()).prop_map(|(computer, id, given, emitted)| {
        let kind = if computer {
            "computer_call_output"
        } else {
            "function_call_output"
        };
        let checks = (computer && emitted).then(|| json!([]));
        with(
            json!({"type": kind, "call_id": id, "output": given}),
            [("acknowledged_safety_checks", checks)],
        )
    })
}

/// What hardly ever comes.
fn odd() -> impl Strategy<Value = Value> {
    select(vec![
        json!({"type": "hologram", "role": "stage", "depth": 3}),
        json!({"depth": null}),
        json!({"type": "user", "content": "who"}),
        json!({"type": "message", "role": "stage", "content": "what"}),
        json!({"type": "reasoning", "summary": [], "encrypted_content": "c2VjcmV0", "id": "rs_1"}),
        json!({"type": "reasoning", "reasoning": "by itself"}),
        json!({"type": "computer_call", "call_id": "c", "status": "completed", "actions": [
            {"type": "screenshot"}, {"type": "click", "x": 1, "y": 2, "button": "left"},
        ]}),
        json!({"type": "message", "role": "assistant", "content": null, "phase": "commentary"}),
    ])
}

fn with<const N: usize>(object: Value, members: [(&str, Option<Value>); N]) -> Value {
    let Value::Object(mut object) = object else {
        return object;
    };
    for (name, value) in members {
        object.extend(value.map(|value| (name.to_owned(), value)));
    }
    Value::Object(Map::from_iter(object))
}

/// Messages of Chat Completions.
pub(crate) fn chat() -> impl Strategy<Value = Vec<Value>> {
    vec(chat_message(), 0..8)
}

fn chat_message() -> impl Strategy<Value = Value> {
    let part = || {
        prop_oneof![
            2 => text().prop_map(|text| json!({"type": "text", "text": text})),
            2 => image_url().prop_map(|url| json!({"type": "image_url", "image_url": {"url": url}})),
            1 => Just(json!({"type": "input_audio"})),
        ]
    };
    let content = move || {
        prop_oneof![
            2 => text().prop_map(Value::from),
            2 => vec(part(), 0..3).prop_map(Value::from),
            1 => Just(Value::Null),
        ]
    };
    let answer = prop_oneof![
        4 => content(),
        2 => Just(json!("[Execution completed. See screenshot below]")),
        1 => select(vec!["{}", "{\"a\": 1}", "[1]", "7", "null", "\"x\"", " true "]).prop_map(Value::from),
        1 => image_url().prop_map(|url| {
            json!({"type": "input_image", "image_url": url}).to_string().into()
        }),
    ];
    prop_oneof![
        3 => content().prop_map(|content| json!({"role": "user", "content": content})),
        1 => content().prop_map(|content| json!({"role": "system", "content": content})),
        3 => (content(), vec(chat_call(), 0..3)).prop_map(|(content, calls)| {
            let calls = (!calls.is_empty()).then(|| calls.into());
            with(json!({"role": "assistant", "content": content}), [("tool_calls", calls)])
        }),
        4 => (answer, call_id()).prop_map(|(content, id)| {
            json!({"role": "tool", "tool_call_id": id, "content": content})
        }),
    ]
}

/// A call of a tool, of the computer mostly.
pub(crate) fn chat_call() -> impl Strategy<Value = Value> {
    let arguments = prop_oneof![
        4 => super::ours::computer().prop_map(|input| input.to_string()),
        2 => computer_of_library().prop_map(|input| input.to_string()),
        2 => action().prop_map(|action| action.to_string()),
        1 => select(vec!["", "{", "[]", "5", "null", "\"x\"", "{}"]).prop_map(str::to_owned),
        1 => text().prop_map(|text| format!("{{ \"q\" : {} }}", Value::from(text))),
    ];
    (
        arguments,
        call_id(),
        select(vec![
            "computer",
            "computer",
            "computer",
            "computer_use",
            "f",
        ]),
    )
        .prop_map(|(arguments, id, name)| {
            json!({
                "id": id, "type": "function", "function": {"name": name, "arguments": arguments},
            })
        })
}

/// What the library has its own way with.
fn computer_of_library() -> impl Strategy<Value = Value> {
    select(vec![
        json!({"action": "left_click_drag", "start_coordinate": [1, 2], "end_coordinate": [3, 4]}),
        json!({"action": "key", "text": "ctrl+-"}),
        json!({"action": "key", "text": "Return"}),
        json!({"action": "left_mouse_down"}),
        json!({"action": "left_mouse_up", "coordinate": [null, null]}),
        json!({"action": "left_click", "coordinate": [2.5, 3.5]}),
        json!({"action": "left_click", "coordinate": [7, 8], "text": "shift"}),
        json!({"action": "scroll", "coordinate": [7, 8], "scroll_direction": "down"}),
        json!({"action": "wait"}),
        json!({"action": "click"}),
        json!({"action": "type_text", "text": "x"}),
        json!({"action": "zoom", "region": [0, 0, 9, 9]}),
    ])
}

/// What a model answers: a text, and calls.
pub(crate) fn answer() -> impl Strategy<Value = Value> {
    (weighted(0.7, text()), vec(chat_call(), 0..4)).prop_map(|(content, calls)| {
        let calls = (!calls.is_empty()).then(|| calls.into());
        with(
            json!({"role": "assistant", "content": content}),
            [("tool_calls", calls)],
        )
    })
}

//! Generates conversations of Cua, in all dialects.

use super::generate::{
    any_of, arguments, image_url, is, list, maybe, object, of, sometimes, tagged, text,
};
use super::ours;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

/// Generates items. Calls have IDs that may occur twice.
pub(crate) fn conversation() -> BoxedStrategy<Vec<Value>> {
    let turns = vec(turn(), 0..6);
    turns.prop_map(|turns| turns.concat()).boxed()
}

/// Generates items of one turn.
pub(crate) fn turn() -> BoxedStrategy<Vec<Value>> {
    let calls = (
        prop::option::weighted(0.4, reasoning()),
        vec(call(), 1..3),
        vec(output(), 0..3),
    );
    let calls = calls.prop_map(|(reasoning, calls, mut outputs)| {
        for (output, call) in outputs.iter_mut().zip(&calls) {
            output["call_id"] = call["call_id"].clone();
        }
        reasoning.into_iter().chain(calls).chain(outputs).collect()
    });
    prop_oneof![
        3 => vec(user(), 1..3),
        3 => vec(assistant(), 1..3),
        2 => vec(reasoning(), 1..3),
        6 => calls,
        2 => vec(output(), 1..3),
        1 => vec(rare(), 1..2),
    ]
    .boxed()
}

fn image(kind: &'static str) -> BoxedStrategy<Value> {
    object([("type", is(kind)), ("image_url", of(image_url()))])
}

fn user() -> BoxedStrategy<Value> {
    let others = any_of([
        json!({"type": "input_image", "file_id": "file-1", "detail": "auto"}),
        json!({"type": "input_file", "file_url": "https://example.com/a.pdf"}),
    ]);
    let part = prop_oneof![
        3 => tagged("input_text", "text"), 2 => image("input_image"), 1 => tagged("text", "text"), 2 => others,
    ];
    let content = prop_oneof![2 => text().prop_map(Value::from), 3 => list(part, 4)];
    object([
        ("type", sometimes(0.7, Just("message"))),
        (
            "role",
            of(any_of(["user", "user", "user", "system", "developer"])),
        ),
        ("content", of(content)),
    ])
}

fn assistant() -> BoxedStrategy<Value> {
    let annotated = object([
        ("type", is("output_text")),
        ("text", of(text())),
        ("annotations", is(json!([]))),
    ]);
    let part = prop_oneof![
        4 => tagged("output_text", "text"), 1 => annotated, 1 => tagged("text", "text"), 1 => tagged("refusal", "refusal"),
    ];
    let content = prop_oneof![6 => list(part, 3), 1 => text().prop_map(Value::from)];
    let message = |more: [(&'static str, super::generate::Member); 2]| {
        let [id, status] = more;
        object([
            ("type", is("message")),
            ("role", is("assistant")),
            ("content", of(content.clone())),
            id,
            status,
        ])
    };
    let none = || Just(None).boxed();
    prop_oneof![
        2 => message([("id", none()), ("status", none())]),
        1 => message([("id", of("msg_[0-9]{2}")), ("status", is("completed"))]),
    ]
    .boxed()
}

fn reasoning() -> BoxedStrategy<Value> {
    object([
        ("type", is("reasoning")),
        ("summary", of(list(tagged("summary_text", "text"), 3))),
        ("id", sometimes(0.3, "rs_[0-9]{2}")),
    ])
}

fn call_id() -> BoxedStrategy<String> {
    "call_[0-9]{1,2}".boxed()
}

fn call() -> BoxedStrategy<Value> {
    let status = || {
        sometimes(
            0.8,
            any_of(["completed", "completed", "failed", "pending", "in_progress"]),
        )
    };
    let computer = object([
        ("type", is("computer_call")),
        ("call_id", of(call_id())),
        ("action", of(action())),
        ("status", status()),
        ("pending_safety_checks", sometimes(0.5, Just(json!([])))),
        ("id", sometimes(0.5, Just("6f1"))),
    ]);
    let object_arguments = text().prop_map(|text| json!({"q": text, "n": [1, true, null]}));
    let function = object([
        ("type", is("function_call")),
        ("call_id", of(call_id())),
        ("name", of(any_of(["search", "computer", "f"]))),
        (
            "arguments",
            of(prop_oneof![5 => arguments(), 1 => object_arguments]),
        ),
        ("status", status()),
    ]);
    prop_oneof![3 => computer, 2 => function].boxed()
}

/// Generates actions: documented ones in all forms, and others.
pub(crate) fn action() -> BoxedStrategy<Value> {
    let at = || (0..1920_u32, 0..1080_u32);
    let kinds = [
        "click",
        "double_click",
        "triple_click",
        "move",
        "left_mouse_down",
        "left_mouse_up",
    ];
    let buttons = ["left", "right", "wheel", "back", "forward"];
    let button = prop::option::of(select(buttons.to_vec()));
    let pointing = (select(kinds.to_vec()), at(), button).prop_map(|(kind, (x, y), button)| {
        let mut action = json!({"type": kind, "x": x, "y": y});
        if let Some(button) = button.filter(|_| kind.ends_with("click")) {
            action["button"] = button.into();
        }
        action
    });
    let drag = (vec(at(), 0..4), any::<bool>()).prop_map(|(path, named)| {
        let point = |(x, y)| {
            if named {
                json!({"x": x, "y": y})
            } else {
                json!([x, y])
            }
        };
        json!({"type": "drag", "path": path.into_iter().map(point).collect::<Vec<_>>()})
    });
    let scroll = (at(), -4..5_i32, -4..5_i32).prop_map(|((x, y), scroll_x, scroll_y)| {
        json!({"type": "scroll", "x": x, "y": y, "scroll_x": scroll_x, "scroll_y": scroll_y})
    });
    let others = any_of([
        json!({"type": "keypress", "keys": ["ctrl", "c"]}),
        json!({"type": "keypress", "keys": ["ctrl", "+"]}),
        json!({"type": "keypress", "keys": ["-"]}),
        json!({"type": "keypress", "keys": []}),
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
    ]);
    prop_oneof![6 => pointing, 2 => drag, 2 => scroll, 2 => tagged("type", "text"), 5 => others]
        .boxed()
}

fn output() -> BoxedStrategy<Value> {
    let other = any_of([
        json!({"terminated": true, "why": "it's done"}),
        json!([{"type": "input_text", "text": "it's\n\"done\""}]),
    ]);
    let given = || {
        prop_oneof![
            3 => text().prop_map(Value::from),
            4 => image("input_image"),
            2 => image("computer_screenshot"),
            1 => other.clone(),
        ]
    };
    let computer = object([
        ("type", is("computer_call_output")),
        ("call_id", of(call_id())),
        ("output", of(given())),
        (
            "acknowledged_safety_checks",
            sometimes(0.5, Just(json!([]))),
        ),
    ]);
    let function = object([
        ("type", is("function_call_output")),
        ("call_id", of(call_id())),
        ("output", of(given())),
    ]);
    prop_oneof![computer, function].boxed()
}

fn rare() -> BoxedStrategy<Value> {
    any_of([
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

/// Generates a message of Chat Completions.
pub(crate) fn chat_message() -> BoxedStrategy<Value> {
    let image = image_url().prop_map(|url| json!({"type": "image_url", "image_url": {"url": url}}));
    let part = prop_oneof![
        2 => tagged("text", "text"), 2 => image, 1 => Just(json!({"type": "input_audio", "input_audio": {"data": "AAAA"}})),
    ];
    let content = || {
        let text = text().prop_map(Value::from);
        prop_oneof![2 => text, 2 => list(part.clone(), 3), 1 => Just(Value::Null)]
    };
    let json_image = image_url()
        .prop_map(|url| Value::from(json!({"type": "input_image", "image_url": url}).to_string()));
    let result = prop_oneof![
        4 => content(),
        2 => Just(json!("[Execution completed. See screenshot below]")),
        1 => any_of(["{}", "{\"a\": 1}", "[1]", "7", "null", "\"x\"", " true "]),
        1 => json_image,
    ];
    let said = object([
        ("role", of(any_of(["user", "user", "user", "system"]))),
        ("content", of(content())),
    ]);
    let assistant = object([
        ("role", is("assistant")),
        ("content", of(content())),
        ("tool_calls", sometimes(0.7, vec(chat_call(), 1..3))),
    ]);
    let tool = object([
        ("role", is("tool")),
        ("tool_call_id", of(call_id())),
        ("content", of(result)),
    ]);
    prop_oneof![4 => said, 3 => assistant, 4 => tool].boxed()
}

/// Generates a call, mostly of the computer.
fn chat_call() -> BoxedStrategy<Value> {
    let library = any_of([
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
    ]);
    let input = prop_oneof![4 => ours::computer(), 2 => library, 2 => action()];
    let input = input.prop_map(|input| Value::from(input.to_string()));
    let names = ["computer", "computer", "computer", "computer_use", "f"];
    let function = object([
        ("name", of(any_of(names))),
        ("arguments", of(prop_oneof![4 => input, 1 => arguments()])),
    ]);
    object([
        ("id", of(call_id())),
        ("type", is("function")),
        ("function", of(function)),
    ])
}

/// Generates a reply of a model: a text, and calls.
pub(crate) fn reply() -> BoxedStrategy<Value> {
    object([
        ("role", is("assistant")),
        ("content", maybe(text())),
        ("tool_calls", sometimes(0.8, vec(chat_call(), 1..4))),
    ])
}

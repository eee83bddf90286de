//! Tests of responses of Cua's agents, of their usage, and of screenshots.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire_interop::cua::{Item, Response, Usage, redact_images};
use agentwire_protocol::message::{Message, ResultMessage};
use serde_json::{Value, json};
use support::tree;

fn result(value: Value) -> ResultMessage {
    let Message::Result(result) = serde_json::from_value(value).unwrap() else {
        panic!("no result");
    };
    *result
}

fn of(value: Value) -> Response {
    serde_json::from_value(value).unwrap()
}

#[test]
fn the_four_documented_members_of_usage_are_typed() {
    let text = r#"{"output":[],"usage":{"prompt_tokens":150,"completion_tokens":75,
        "total_tokens":225,"response_cost":0.0100000000000000001}}"#;
    let response: Response = serde_json::from_str(text).unwrap();
    let usage = response.usage.unwrap();
    assert_eq!(usage.prompt_tokens, Some(150));
    assert_eq!(usage.completion_tokens, Some(75));
    assert_eq!(usage.total_tokens, Some(225));
    assert_eq!(usage.response_cost.unwrap().get(), "0.0100000000000000001");
    assert!(usage.extra.is_empty());
}

#[test]
fn usage_round_trips_through_a_result() {
    let line = json!({
        "type": "result", "subtype": "success", "is_error": false, "total_cost_usd": 0.25,
        "usage": {
            "input_tokens": 10, "output_tokens": 20, "cache_creation_input_tokens": 30,
            "cache_read_input_tokens": 40, "output_tokens_details": {"thinking_tokens": 5},
        },
    });
    let result = result(line.clone());
    let response = Response::from_result(vec![], &result);
    let usage = response.usage.unwrap();
    assert_eq!(
        tree(&usage),
        json!({
            "prompt_tokens": 80, "completion_tokens": 20, "total_tokens": 100,
            "response_cost": 0.25,
            "prompt_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 30},
            "completion_tokens_details": {"reasoning_tokens": 5},
        })
    );
    let mut back = result.clone();
    back.usage = None;
    back.total_cost_usd = None;
    usage.set_result(&mut back);
    assert_eq!(tree(&back), tree(&result));
}

#[test]
fn usage_of_responses_is_read() {
    let usage: Usage = serde_json::from_value(json!({
        "input_tokens": 9, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 3,
        "output_tokens_details": {"reasoning_tokens": 1}, "total_tokens": 12,
        "response_cost": 0.5,
    }))
    .unwrap();
    let mut made = result(json!({"type": "result", "subtype": "success", "is_error": false}));
    usage.set_result(&mut made);
    assert_eq!(
        tree(&made.usage),
        json!({
            "input_tokens": 5, "cache_read_input_tokens": 4, "output_tokens": 3,
            "output_tokens_details": {"thinking_tokens": 1},
        })
    );
    assert_eq!(made.total_cost_usd.unwrap().get(), "0.5");
}

#[test]
fn the_responses_of_a_run_are_merged() {
    let step = |id: &str| {
        of(json!({
            "id": id,
            "output": [{"type": "computer_call", "call_id": id, "status": "completed",
                        "action": {"type": "screenshot"}}],
            "usage": {"input_tokens": 10, "input_tokens_details": {"cached_tokens": 4},
                      "output_tokens": 2, "total_tokens": 12, "response_cost": 0.5},
        }))
    };
    let screenshot = of(json!({
        "output": [{"type": "computer_call_output", "call_id": "a",
                    "output": {"type": "input_image", "image_url": "u"}}],
        "usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
    }));
    let run: Response = [step("a"), screenshot, step("b")].into_iter().collect();
    let ids: Vec<_> = run
        .output
        .iter()
        .map(|item| item.call_id().unwrap())
        .collect();
    assert_eq!(ids, ["a", "a", "b"]);
    assert_eq!(
        tree(&run.usage),
        json!({
            "prompt_tokens": 20, "completion_tokens": 4, "total_tokens": 24,
            "response_cost": 1.0, "prompt_tokens_details": {"cached_tokens": 8},
        })
    );
    assert_eq!(run.extra.get_str("id").unwrap(), "b");
}

#[test]
fn redacting_removes_all_images() {
    const SECRET: &str = "data:image/png;base64,U0VDUkVU";
    let values = [
        json!({"role": "user", "content": [
            {"type": "input_text", "text": "look"}, {"type": "input_image", "image_url": SECRET},
        ]}),
        json!({"type": "computer_call_output", "call_id": "c",
               "output": {"type": "computer_screenshot", "image_url": SECRET}}),
        json!({"type": "computer_call_output", "call_id": "c",
               "output": {"type": "input_image", "image_url": SECRET}}),
        json!({"type": "function_call_output", "call_id": "c", "output": [
            {"type": "input_image", "image_url": SECRET},
            {"type": "input_image", "image_url": "https://example.com/a.png"},
        ]}),
        json!({"type": "function_call_output", "call_id": "c",
               "output": format!("{{\"image_url\": \"{SECRET}\", \"more\": 1}}")}),
        json!({"type": "function_call", "call_id": "c", "name": "f",
               "arguments": {"deep": [{"image": SECRET}]}}),
        json!({"type": "hologram", "depth": 1.50, "layers": [SECRET, format!("see {SECRET}, too")]}),
    ];
    let mut items: Vec<Item> = serde_json::from_value(json!(values)).unwrap();
    assert_eq!(redact_images(&mut items), 8);
    let text = serde_json::to_string(&items).unwrap();
    assert!(!text.contains("U0VDUkVU"), "{text}");
    assert!(text.contains("https://example.com/a.png"));
    assert_eq!(
        tree(&items[4])["output"],
        "{\"image_url\": \"[omitted]\", \"more\": 1}"
    );
}

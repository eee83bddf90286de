//! The library's own conversions: ours give what they give, and what is right
//! where they do something that is plainly wrong.

#![allow(clippy::unwrap_used)]

mod anthropic;
mod chat;
mod loops;
use crate::support;

use agentwire_interop::Compat;
use agentwire_interop::cua::{
    Item, Make, OfAnthropic, Places, ToCompletion, elements, elements_of_places,
    failed_calls_as_functions, items_of_completion, messages_for_anthropic, places_of_elements,
    retain_images,
};
use agentwire_protocol::{Json, Number};
use serde_json::{Value, json};
use support::oracle::{Oracle, samples};
use support::{cua, tree};

const COUNT: usize = 2000;

/// A fault of the library's: what it is, and whether a request has what it is
/// about.
type Fault = (&'static str, fn(&Value) -> bool);

/// The library's answers are ours with [`Compat::Library`]; and what is right
/// is the same but for the faults, each of which explains something.
fn compare(
    record: &'static str,
    requests: &[Value],
    faults: &[Fault],
    ours: impl Fn(usize, Compat) -> Option<Value>,
) {
    let oracle = Oracle {
        library: "cua",
        record,
    };
    oracle.agrees(requests, |index| ours(index, Compat::Library));
    let mut explains = vec![0; faults.len()];
    for (index, request) in requests.iter().enumerate() {
        let [right, library] = [Compat::Right, Compat::Library].map(|compat| ours(index, compat));
        if right == library {
            continue;
        }
        let request = opened(request);
        let touched: Vec<usize> = (0..faults.len())
            .filter(|&fault| faults[fault].1(&request))
            .collect();
        assert!(
            !touched.is_empty(),
            "no fault explains {request}:\nright   {}\nlibrary {}",
            right.unwrap_or_default(),
            library.unwrap_or_default()
        );
        if let [fault] = *touched {
            explains[fault] += 1;
        }
    }
    for ((fault, _), explained) in faults.iter().zip(explains) {
        assert!(explained > 0, "explains nothing: {fault}");
    }
}

/// A request with its items as values.
fn opened(request: &Value) -> Value {
    let mut request = request.clone();
    if let Some(items) = request["items"].as_str() {
        request["items"] = serde_json::from_str(items).unwrap();
    }
    request
}

/// Conversations, and turns by themselves: in these a fault comes alone.
fn conversations() -> Vec<Vec<Item>> {
    let mut conversations = samples(&cua::items(), COUNT / 2);
    conversations.extend(samples(&cua::items_of_a_turn(), COUNT / 2));
    conversations
}

/// Items as text: the order of members shows in what the library writes.
fn text(items: &[Item]) -> String {
    serde_json::to_string(items).unwrap()
}

fn json_of(value: &Value) -> Json {
    value.clone().into()
}

// What the faults look for.

fn items(request: &Value) -> &[Value] {
    request["items"].as_array().unwrap()
}

fn any_item(request: &Value, is: impl Fn(&Value) -> bool) -> bool {
    items(request).iter().any(is)
}

fn any_action(request: &Value, is: impl Fn(&Value) -> bool) -> bool {
    any_item(request, |item| {
        item["type"] == "computer_call" && is(&item["action"])
    })
}

fn is_output(item: &Value) -> bool {
    item["type"]
        .as_str()
        .is_some_and(|kind| kind.ends_with("_output"))
}

fn is_of_system(item: &Value) -> bool {
    item["role"] == "system" || item["role"] == "developer"
}

fn has_screenshot(request: &Value) -> bool {
    any_item(request, |item| {
        item["output"]["type"] == "computer_screenshot"
    })
}

fn has_other_output(request: &Value) -> bool {
    any_item(request, |item| {
        item["output"].is_array() || item["output"]["terminated"] == true
    })
}

fn has_bare_thought(request: &Value) -> bool {
    any_item(request, |item| item["reasoning"].is_string())
}

fn has_refusal(request: &Value) -> bool {
    any_part(request, |part| part["type"] == "refusal")
}

fn any_part(request: &Value, is: impl Fn(&Value) -> bool) -> bool {
    any_item(request, |item| {
        item["content"]
            .as_array()
            .is_some_and(|it| it.iter().any(&is))
    })
}

fn has_system(request: &Value) -> bool {
    any_item(request, is_of_system)
}

fn has_batch(request: &Value) -> bool {
    any_item(request, |item| item["actions"].is_array())
}

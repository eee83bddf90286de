//! Where the library is wrong, and `Compat::Right` answers something else.

use agentwire_interop::Compat;
use serde_json::{Value, json};

/// A fault of the library's.
struct Fault {
    name: &'static str,
    /// Why it is one.
    why: &'static str,
    /// The record of the requests that show it.
    record: &'static str,
    /// Whether it is what makes the right answer (nothing, where that is to
    /// refuse) another one.
    explains: fn(&Value, Option<&Value>) -> bool,
}

const FAULTS: &[Fault] = &[
    Fault {
        name: "an answer vanishes",
        why: "the API refuses a call that stays without an answer",
        record: "to_responses",
        explains: |request, right| {
            let message = &request["message"];
            let output = json!([{
                "type": "function_call_output", "call_id": message["tool_call_id"], "output": "",
            }]);
            message["role"] == "tool" && right == Some(&output)
        },
    },
    Fault {
        name: "content is no list",
        why: "models that think or see give their content as a list",
        record: "from_chat",
        explains: |request, right| {
            let texts = |content: &Value| -> Option<Vec<Value>> {
                let parts = content.as_array()?;
                Some(parts.iter().map(|part| part["text"].clone()).collect())
            };
            let parts = texts(&request["message"]["content"]);
            parts.is_some() && parts == right.and_then(|right| texts(&right["content"]))
        },
    },
    Fault {
        name: "the call that is answered is forgotten",
        why: "no API takes an answer that does not say to which call",
        record: "from_chat",
        explains: |request, right| {
            let message = &request["message"];
            right.is_some_and(|right| {
                message["role"] == "tool"
                    && right["tool_call_id"] == message["tool_call_id"]
                    && right["name"] == message["name"]
            })
        },
    },
    Fault {
        name: "calls without id or name",
        why: "it refuses them as objects of openai's, and takes them as plain ones",
        record: "from_responses",
        explains: |request, right| {
            let is_empty = |value: &Value| value.as_str().is_none_or(str::is_empty);
            right.is_none()
                && has_item(request, |item| {
                    let no_id = is_empty(&item["call_id"]) && is_empty(&item["id"]);
                    item["type"] == "function_call" && (no_id || is_empty(&item["name"]))
                })
        },
    },
    Fault {
        name: "a message is no text",
        why: "the API itself takes messages that are just a text",
        record: "from_responses",
        explains: |request, right| {
            right.is_some() && has_item(request, |item| item["content"].is_string())
        },
    },
    Fault {
        name: "no arguments",
        why: "an answer is not lost for a call that has none",
        record: "from_responses",
        explains: |request, right| {
            let is_null = |item: &Value| item.get("arguments").is_some_and(Value::is_null);
            right.is_some() && has_item(request, is_null)
        },
    },
];

fn has_item(request: &Value, is_it: impl Fn(&Value) -> bool) -> bool {
    request["output"].as_array().unwrap().iter().any(is_it)
}

/// Every request to which the right answer is not the library's, which
/// `Compat::Library` has been held against, shows a fault of the list; and
/// every fault is shown.
pub(crate) fn explain<F: FnMut(usize) -> Option<Value>>(
    record: &str,
    requests: &[Value],
    ours: impl Fn(Compat) -> F,
) {
    let (mut right, mut library) = (ours(Compat::Right), ours(Compat::Library));
    let faults: Vec<&Fault> = FAULTS.iter().filter(|it| it.record == record).collect();
    let mut shown = vec![0; faults.len()];
    for (index, request) in requests.iter().enumerate() {
        let right = right(index);
        if right == library(index) {
            continue;
        }
        let mut is_explained = false;
        for (fault, shown) in faults.iter().zip(&mut shown) {
            if (fault.explains)(request, right.as_ref()) {
                *shown += 1;
                is_explained = true;
            }
        }
        assert!(is_explained, "no known fault: {request}: {right:?}");
    }
    for (fault, shown) in faults.iter().zip(shown) {
        assert!(shown > 0, "{}: gone ({})", fault.name, fault.why);
    }
}

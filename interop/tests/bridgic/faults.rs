//! Where the library is wrong, and what is right. Each fault has its reason,
//! and explains at least one answer that is not the library's.

use crate::bridgic::oracle::{
    of_openai, openai_requests, oracle, to_chat, to_chat_requests, to_message, to_message_requests,
};
use crate::bridgic::tools;
use agentwire_interop::Compat;
use serde_json::Value;

/// A fault of the library: what is wrong, and whether a request meets it.
struct Fault {
    what: &'static str,
    met: fn(&Value) -> bool,
}

/// Our answers have to be the library's where no fault is met, and each fault
/// has to make a difference.
fn explained(
    record: &'static str,
    requests: &[Value],
    ours: impl Fn(&Value) -> Option<Value>,
    faults: &[Fault],
) {
    let differences = oracle(record).differences(requests, |index| ours(&requests[index]));
    let mut explains = vec![0; faults.len()];
    for difference in differences {
        let met: Vec<usize> = (0..faults.len())
            .filter(|&fault| (faults[fault].met)(&difference.request))
            .collect();
        assert!(!met.is_empty(), "{difference:#?}");
        // One that is alone in meeting it is what explains it.
        if let [fault] = met[..] {
            explains[fault] += 1;
        }
    }
    for (fault, explains) in faults.iter().zip(explains) {
        assert!(explains > 0, "it explains nothing: {}", fault.what);
    }
}

fn calls(message: &Value) -> impl Iterator<Item = &Value> {
    message["tool_calls"].as_array().into_iter().flatten()
}

#[test]
fn of_chat_messages_become_messages_of_blocks() {
    let faults = [
        Fault {
            what: "arguments, a text, are put where an object has to be: every call is refused",
            met: |it| calls(&it["message"]).any(|call| call["function"]["arguments"].is_string()),
        },
        Fault {
            what: "the name of the model's messages is looked up, and then forgotten",
            met: |it| it["message"]["role"] == "assistant" && !it["message"]["name"].is_null(),
        },
    ];
    let requests = to_message_requests();
    let ours = |request: &Value| to_message(request, Compat::Right);
    explained("to_message", &requests, ours, &faults);
}

fn of_kind<'a>(message: &'a Value, kind: &'static str) -> impl Iterator<Item = &'a Value> {
    let blocks = message["blocks"].as_array().into_iter().flatten();
    blocks.filter(move |block| block["block_type"] == kind)
}

#[test]
fn of_messages_of_blocks_become_chat_completions() {
    let faults = [
        Fault {
            what: "arguments are read and written anew: digits and spelling are others",
            met: |it| {
                it["message"]["role"] == "assistant"
                    && of_kind(&it["message"], "tool_call").count() > 0
            },
        },
        Fault {
            what: "calls that are not in a message of the model are dropped without a word",
            met: |it| {
                it["message"]["role"] != "assistant"
                    && of_kind(&it["message"], "tool_call").count() > 0
            },
        },
        Fault {
            what: "several answers of tools are one, under the first id",
            met: |it| {
                it["message"]["role"] == "tool"
                    && of_kind(&it["message"], "tool_result").count() > 1
            },
        },
        Fault {
            what: "a text beside a tool's answer becomes a part of the answer",
            met: |it| {
                it["message"]["role"] == "tool" && of_kind(&it["message"], "text").count() > 0
            },
        },
        Fault {
            what: "a tool's answer in another message becomes a part of its text, without its id",
            met: |it| {
                it["message"]["role"] != "tool"
                    && of_kind(&it["message"], "tool_result").count() > 0
            },
        },
    ];
    let requests = to_chat_requests();
    let ours = |request: &Value| to_chat(request, Compat::Right);
    explained("to_chat", &requests, ours, &faults);
}

#[test]
fn of_calls_of_openai_become_calls() {
    let faults = [
        Fault {
            what: "a call without arguments is refused, where they are a blank text",
            met: |it| {
                let arguments = |call: &Value| {
                    call["function"]["arguments"].as_str().map(str::trim) == Some("")
                };
                calls(it).any(arguments)
            },
        },
        Fault {
            what: "the ids of calls are forgotten, and new ones made up",
            met: |it| calls(it).count() > 0,
        },
    ];
    let requests = openai_requests();
    let ours = |request: &Value| of_openai(request, Compat::Right);
    // The second is met wherever the first is, so they are told apart by hand.
    let differences =
        oracle("tool_calls_of_openai").differences(&requests, |index| ours(&requests[index]));
    let blank = |request: &Value| (faults[0].met)(request);
    assert!(differences.iter().any(|it| blank(&it.request)));
    assert!(differences.iter().any(|it| !blank(&it.request)));
    for difference in differences {
        assert!((faults[1].met)(&difference.request), "{difference:#?}");
    }
}

#[test]
fn of_tools_of_openai() {
    let faults = [Fault {
        what: "of a schema only `properties` and `required` are kept: references lead nowhere",
        met: |it| {
            let schema = it["tool"]["parameters"].as_object();
            schema.is_none_or(|schema| {
                schema.keys().any(|key| {
                    !["type", "properties", "required", "additionalProperties"].contains(&&**key)
                }) || schema.len() < 4
            })
        },
    }];
    let requests = tools::to_openai_requests();
    let ours = |request: &Value| Some(tools::to_openai(request, Compat::Right));
    explained("tool_to_openai", &requests, ours, &faults);
}

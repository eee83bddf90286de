//! To and from Chat Completions.

use super::*;

#[test]
fn items_become_messages_of_chat_completions() {
    let conversations = conversations();
    let switches = |index: usize| ToCompletion {
        images_in_tool_results: index % 4 < 2,
        every_image: index % 4 == 3,
        xml: index % 8 == 6,
        ..ToCompletion::default()
    };
    let requests: Vec<Value> = conversations
        .iter()
        .enumerate()
        .map(|(index, items)| {
            let switches = switches(index);
            json!({
                "op": "to_completion", "items": text(items), "xml": switches.xml,
                "allow_images": switches.images_in_tool_results,
                "multi_images": switches.every_image,
            })
        })
        .collect();
    let faults: &[Fault] = &[
        (
            "a screenshot under its documented name is Python's text for it",
            has_screenshot,
        ),
        (
            "an output that is a list or an object is Python's text for it",
            has_other_output,
        ),
        ("messages of the system are lost", has_system),
        ("an assistant's message that is a text is lost", |request| {
            any_item(request, |item| {
                !is_of_system(item) && item["role"] != "user" && item["content"].is_string()
            })
        }),
        ("refusals are lost", has_refusal),
        ("an image without a URL is sent", |request| {
            any_part(request, |part| {
                part["type"] == "input_image" && part["image_url"].is_null()
            })
        }),
        ("a thought without a summary is lost", has_bare_thought),
        ("all of several actions in one call are lost", has_batch),
        (
            "a screenshot is lost when the computer's next answer is none",
            |request| {
                request["allow_images"] == false
                    && items(request).windows(2).any(|pair| {
                        is_output(&pair[0])
                            && pair[0]["output"].is_object()
                            && pair[1]["type"] == "computer_call_output"
                            && !pair[1]["output"]["image_url"].is_string()
                    })
            },
        ),
    ];
    compare("to_completion", &requests, faults, |index, compat| {
        let switches = ToCompletion {
            compat,
            ..switches(index)
        };
        Some(tree(&switches.messages(&conversations[index])))
    });
}

#[test]
fn messages_of_chat_completions_become_items() {
    let chats = samples(&cua::chat(), COUNT);
    let requests: Vec<Value> = chats
        .iter()
        .map(|chat| json!({"op": "from_completion", "messages": chat}))
        .collect();
    fn messages(request: &Value) -> &[Value] {
        request["messages"].as_array().unwrap()
    }
    fn answers(request: &Value, is: impl Fn(&str) -> bool) -> bool {
        messages(request).iter().any(|message| {
            message["role"] == "tool" && message["content"].as_str().is_some_and(&is)
        })
    }
    fn arguments(request: &Value, is: impl Fn(&Value) -> bool) -> bool {
        messages(request)
            .iter()
            .flat_map(|message| message["tool_calls"].as_array().into_iter().flatten())
            .filter(|call| call["function"]["name"] != "f")
            .filter_map(|call| call["function"]["arguments"].as_str())
            .filter_map(|arguments| serde_json::from_str(arguments).ok())
            .any(|arguments| is(&arguments))
    }
    const BELOW: &str = "[Execution completed. See screenshot below]";
    let faults: &[Fault] = &[
        (
            "it fails where a tool answers with JSON that is no object",
            |request| {
                answers(request, |text| {
                    serde_json::from_str::<Value>(text).is_ok_and(|json| !json.is_object())
                })
            },
        ),
        ("a tool's JSON is an answer of the computer", |request| {
            answers(request, |text| {
                serde_json::from_str::<Value>(text)
                    .is_ok_and(|json| json.is_object() && json["type"] != "input_image")
            })
        }),
        ("an empty answer is lost", |request| {
            messages(request).iter().any(|message| {
                message["role"] == "tool"
                    && [json!(""), json!([]), Value::Null].contains(&message["content"])
            })
        }),
        (
            "a text that announces a screenshot is one, or is lost, where there is none",
            |request| {
                let all = messages(request);
                (0..all.len()).any(|index| {
                    let below = &all.get(index + 1).unwrap_or(&Value::Null)["content"];
                    let shown = below
                        .as_array()
                        .is_some_and(|parts| parts.iter().any(|part| part["type"] == "image_url"));
                    all[index]["content"] == BELOW && !shown
                })
            },
        ),
        ("what stands beside a screenshot is lost", |request| {
            messages(request).windows(2).any(|pair| {
                pair[0]["content"] == BELOW
                    && pair[1]["content"]
                        .as_array()
                        .is_some_and(|parts| parts.len() > 1)
            })
        }),
        ("an assistant's parts are lost", |request| {
            messages(request)
                .iter()
                .any(|message| message["role"] == "assistant" && message["content"].is_array())
        }),
        ("messages of the system are lost", |request| {
            messages(request)
                .iter()
                .any(|message| message["role"] == "system")
        }),
        ("actions of the computer tool stay as they are", |request| {
            arguments(request, |arguments| arguments["action"].is_string())
        }),
        ("it fails where arguments are no object", |request| {
            arguments(request, |arguments| !arguments.is_object())
        }),
    ];
    compare("from_completion", &requests, faults, |index, compat| {
        let messages: Vec<Json> = chats[index].iter().map(json_of).collect();
        items_of_completion(&messages, compat)
            .ok()
            .map(|items| tree(&items))
    });
}

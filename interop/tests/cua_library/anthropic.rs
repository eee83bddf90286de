//! To and from Anthropic's messages.

use super::*;

#[test]
fn items_become_messages_for_anthropic() {
    let conversations = conversations();
    let requests: Vec<Value> = conversations
        .iter()
        .map(|items| json!({"op": "anthropic_to_completion", "items": text(items)}))
        .collect();
    let faults: &[Fault] = &[
        ("clicks of the other buttons are left ones", |request| {
            any_action(request, |it| {
                it["button"] == "back" || it["button"] == "forward"
            })
        }),
        (
            "a drag has its end under another name, loses its middle, and fails for pairs",
            |request| any_action(request, |it| it["type"] == "drag"),
        ),
        (
            "a scroll goes one way, and by 3 where it is by nothing",
            |request| {
                any_action(request, |it| {
                    it["type"] == "scroll" && (it["scroll_x"] == 0) == (it["scroll_y"] == 0)
                })
            },
        ),
        ("actions that the tool does not know are lost", |request| {
            any_action(request, |it| {
                let others = [
                    "triple_click",
                    "terminate",
                    "visit_url",
                    "web_search",
                    "zoom",
                ];
                others.iter().any(|other| it["type"] == *other)
            })
        }),
        ("all of several actions in one call are lost", has_batch),
        ("a place that is not known is the corner", |request| {
            any_action(request, |it| {
                it["element_description"].is_string() || it.get("x").is_some_and(Value::is_null)
            })
        }),
        (
            "members are lost: keys that are held, a second button, how long to wait",
            |request| {
                any_action(request, |it| {
                    it["type"] == "click" && it["keys"].is_array()
                        || it["type"] == "wait" && it["ms"].is_number()
                        || it["type"] == "double_click" && it["button"].is_string()
                })
            },
        ),
        (
            "it fails where the computer was answered with a text or a list",
            |request| {
                any_item(request, |item| {
                    item["type"] == "computer_call_output" && !item["output"].is_object()
                })
            },
        ),
        (
            "a screenshot under its documented name is Python's text for it",
            has_screenshot,
        ),
        (
            "an output that is a list or an object is Python's text for it",
            has_other_output,
        ),
        (
            "a function's screenshot is Python's text for it",
            |request| {
                any_item(request, |item| {
                    item["type"] == "function_call_output"
                        && item["output"]["type"] == "input_image"
                })
            },
        ),
        ("messages of the system are lost", has_system),
        ("all thoughts but the first are lost", |request| {
            any_item(request, |item| {
                item["summary"].as_array().is_some_and(|it| it.len() > 1)
            })
        }),
        ("refusals are lost", has_refusal),
        ("it fails where an assistant says `null`", |request| {
            any_item(request, |item| {
                item["role"] == "assistant" && item.get("content").is_some_and(Value::is_null)
            })
        }),
        (
            "parts that are not of Chat Completions are sent",
            |request| {
                any_part(request, |part| {
                    part["type"] == "input_file" || part["type"] == "input_image"
                })
            },
        ),
        ("arguments that are an object are sent as one", |request| {
            any_item(request, |item| item["arguments"].is_object())
        }),
    ];
    compare(
        "anthropic_to_completion",
        &requests,
        faults,
        |index, compat| {
            let messages = messages_for_anthropic(&conversations[index], compat);
            messages.ok().map(|messages| tree(&messages))
        },
    );
}

#[test]
fn answers_of_anthropic_become_items() {
    let answers = samples(&cua::answer(), COUNT);
    let scale = |index: usize| [[1.0, 1.0], [1.25, 1.5], [1.0, 2.0]][index % 3];
    let requests: Vec<Value> = answers
        .iter()
        .enumerate()
        .map(|(index, message)| {
            json!({"op": "anthropic_from_completion", "message": message, "scale": scale(index)})
        })
        .collect();
    fn calls(request: &Value) -> Vec<(&str, Option<Value>)> {
        let calls = request["message"]["tool_calls"]
            .as_array()
            .into_iter()
            .flatten();
        calls
            .map(|call| {
                let arguments = call["function"]["arguments"].as_str().unwrap();
                let name = call["function"]["name"].as_str().unwrap();
                (name, serde_json::from_str(arguments).ok())
            })
            .collect()
    }
    fn any_input(request: &Value, is: impl Fn(&Value) -> bool) -> bool {
        calls(request)
            .iter()
            .any(|(name, input)| *name == "computer" && input.as_ref().is_some_and(&is))
    }
    const UNKNOWN: [&str; 4] = ["cursor_position", "dance", "zoom", "type_text"];
    let faults: &[Fault] = &[
        (
            "a scroll goes the other way, and by 3 where nobody says how far",
            |request| any_input(request, |it| it["action"] == "scroll"),
        ),
        ("the end of a drag is the corner", |request| {
            any_input(request, |it| {
                it["action"] == "left_click_drag" && it["coordinate"].is_array()
            })
        }),
        ("the key `-` is lost", |request| {
            any_input(request, |it| it["text"] == "ctrl+-")
        }),
        (
            "three clicks and a key that is held are failures",
            |request| {
                any_input(request, |it| {
                    it["action"] == "triple_click" || it["action"] == "hold_key"
                })
            },
        ),
        (
            "calls of actions that it does not know are lost",
            |request| {
                any_input(request, |it| {
                    it.is_object()
                        && it["action"]
                            .as_str()
                            .is_none_or(|action| UNKNOWN.contains(&action))
                })
            },
        ),
        (
            "a call whose arguments are broken is a failure of the one before, or fails",
            |request| calls(request).contains(&("computer", None)),
        ),
        (
            "arguments that are no object are a failure, or fail",
            |request| any_input(request, |it| !it.is_object()),
        ),
        (
            "arguments of functions are written anew, broken ones as empty",
            |request| calls(request).iter().any(|(name, _)| *name != "computer"),
        ),
        (
            "a place that is not known is the corner, or null",
            |request| {
                any_input(request, |it| {
                    let wants = ["click", "left_mouse_down", "left_mouse_up"];
                    let wants = wants.iter().any(|action| it["action"] == *action);
                    wants && !it["coordinate"][0].is_number()
                })
            },
        ),
        ("a fraction of a pixel is rounded", |request| {
            any_input(request, |it| it["coordinate"] == json!([2.5, 3.5]))
        }),
        (
            "members are lost: keys that are held, and how long to wait",
            |request| {
                any_input(request, |it| {
                    it["action"] == "wait" && it["duration"].is_number()
                        || it["action"] == "left_click" && it["text"].is_string()
                })
            },
        ),
    ];
    compare(
        "anthropic_from_completion",
        &requests,
        faults,
        |index, compat| {
            let mut make = Make::new(|| "ID".to_owned());
            let reader = OfAnthropic {
                scale: scale(index),
                compat,
            };
            let items = reader.items(&json_of(&answers[index]), &mut make);
            items.ok().map(|items| tree(&items))
        },
    );
}

//! The library's own conversions: ours give what they give, and what is right
//! where they do something that is plainly wrong.

#![allow(clippy::unwrap_used)]

mod support;

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

#[test]
fn failed_calls_of_the_computer_become_calls_of_a_function() {
    let mut conversations = conversations();
    // The library makes an id where there is none.
    for item in conversations.iter_mut().flatten() {
        if let Item::ComputerCall(call) = item {
            call.id.get_or_insert_with(|| "6f1".to_owned());
        }
    }
    let requests: Vec<Value> = conversations
        .iter()
        .map(|items| json!({"op": "replace_failed", "items": text(items)}))
        .collect();
    let faults: &[Fault] = &[(
        "how far the call has come is lost, and its arguments are written as Python does",
        |request| {
            any_item(request, |item| {
                item["type"] == "computer_call"
                    && any_item(request, |output| {
                        output["type"] == "function_call_output"
                            && output["call_id"] == item["call_id"]
                    })
            })
        },
    )];
    compare("replace_failed", &requests, faults, |index, compat| {
        let items = conversations[index].clone();
        Some(tree(&failed_calls_as_functions(items, compat)))
    });
}

#[test]
fn old_screenshots_are_left_out() {
    let conversations = conversations();
    let requests: Vec<Value> = conversations
        .iter()
        .enumerate()
        .map(
            |(index, items)| json!({"op": "image_retention", "items": text(items), "n": index % 3}),
        )
        .collect();
    let faults: &[Fault] = &[
        ("all are kept where none is to be kept", |request| {
            request["n"] == 0
        }),
        (
            "a call that is not right before its screenshot stays",
            |request| request["n"] != 0,
        ),
    ];
    compare("image_retention", &requests, faults, |index, compat| {
        Some(tree(&retain_images(
            conversations[index].clone(),
            index % 3,
            compat,
        )))
    });
}

#[test]
fn elements_are_found_and_described() {
    let conversations: Vec<Vec<Item>> = conversations()
        .into_iter()
        .map(|mut items| {
            items.push(cua::item(
                &json!({"type": "computer_call", "call_id": "e", "action": {
                    "type": "drag", "path": [{"x": 1, "y": 2}, {"x": 9, "y": 9}],
                }}),
            ));
            items
        })
        .collect();
    let places = json!({"the knob": [1, 2], "a knob": [1, 2], "the door": [9, 9]});
    let read: Places = places
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, at)| {
            let at: [u64; 2] = serde_json::from_value(at.clone()).unwrap();
            (name.clone(), at.map(Number::from))
        })
        .collect();
    for (op, change) in [
        ("desc2xy", places_of_elements as fn(&mut [Item], &Places)),
        ("xy2desc", elements_of_places),
    ] {
        let requests: Vec<Value> = conversations
            .iter()
            .map(|items| json!({"op": op, "items": text(items), "map": places}))
            .collect();
        let oracle = Oracle {
            library: "cua",
            record: op,
        };
        oracle.agrees(&requests, |index| {
            let mut items = conversations[index].clone();
            change(&mut items, &read);
            Some(tree(&items))
        });
    }
    let requests: Vec<Value> = conversations
        .iter()
        .map(|items| json!({"op": "descriptions", "items": text(items)}))
        .collect();
    let oracle = Oracle {
        library: "cua",
        record: "descriptions",
    };
    oracle.agrees(&requests, |index| {
        let mut found = elements(&conversations[index]);
        found.sort();
        Some(tree(&found))
    });
}

#[test]
fn items_are_made_as_the_library_makes_them() {
    let number = |value: &Value| -> Number { serde_json::from_value(value.clone()).unwrap() };
    let request = |name: &str, kwargs: Value| json!({"op": "make", "fn": name, "kwargs": kwargs});
    let mut requests = vec![
        request(
            "make_input_image_item",
            json!({"image_data": "iVBORw0KGgo="}),
        ),
        request("make_reasoning_item", json!({"reasoning": "hm"})),
        request("make_output_text_item", json!({"content": "so"})),
        request(
            "make_function_call_item",
            json!({
                "function_name": "f", "arguments": {"ä": [1, 2.50, null]}, "call_id": "c",
            }),
        ),
        request(
            "make_function_call_item",
            json!({"function_name": "f", "arguments": {}}),
        ),
        request(
            "make_click_item",
            json!({"x": 1, "y": 2, "button": "wheel", "call_id": "c"}),
        ),
        request("make_double_click_item", json!({"x": 1, "y": 2})),
        request(
            "make_drag_item",
            json!({"path": [{"x": 1, "y": 2}, {"x": 3, "y": 4}]}),
        ),
        request("make_keypress_item", json!({"keys": ["ctrl", "c"]})),
        request("make_move_item", json!({"x": 1, "y": 2, "call_id": ""})),
        request("make_screenshot_item", json!({})),
        request(
            "make_scroll_item",
            json!({"x": 1, "y": 2, "scroll_x": -3, "scroll_y": 4}),
        ),
        request("make_type_item", json!({"text": "zwölf"})),
        request("make_wait_item", json!({"call_id": "c"})),
        request("make_left_mouse_down_item", json!({"x": 1, "y": 2})),
        request("make_left_mouse_down_item", json!({})),
        request("make_left_mouse_up_item", json!({"x": 1, "y": null})),
        request(
            "make_failed_tool_call_items",
            json!({
                "tool_name": "computer", "tool_kwargs": {"action": "dance"}, "error_message": "no \"ä\"",
            }),
        ),
        request(
            "make_tool_error_item",
            json!({"error_message": "no", "call_id": "c"}),
        ),
    ];
    requests.push(requests[0].clone());
    let oracle = Oracle {
        library: "cua",
        record: "make",
    };
    oracle.agrees(&requests, |index| {
        let mut make = Make::new(|| "ID".to_owned());
        let with = &requests[index]["kwargs"];
        let text = |name: &str| with[name].as_str().unwrap();
        let id = with["call_id"].as_str().map(str::to_owned);
        let at = |name: &str| number(&with[name]);
        let maybe = |name: &str| (!with[name].is_null()).then(|| number(&with[name]));
        let made = match requests[index]["fn"].as_str().unwrap() {
            "make_input_image_item" => make.input_image(text("image_data")),
            "make_reasoning_item" => make.reasoning(text("reasoning")),
            "make_output_text_item" => make.output_text(text("content")),
            "make_function_call_item" => {
                make.function_call(id, text("function_name"), &json_of(&with["arguments"]))
            }
            "make_click_item" => make.click(id, at("x"), at("y"), text("button").into()),
            "make_double_click_item" => make.double_click(id, at("x"), at("y")),
            "make_drag_item" => {
                let path = with["path"].as_array().unwrap().iter();
                let path = path.map(|point| [number(&point["x"]), number(&point["y"])]);
                make.drag(id, path.collect())
            }
            "make_keypress_item" => {
                make.keypress(id, serde_json::from_value(with["keys"].clone()).unwrap())
            }
            "make_move_item" => make.move_to(id, at("x"), at("y")),
            "make_screenshot_item" => make.screenshot(id),
            "make_scroll_item" => {
                make.scroll(id, [at("x"), at("y")], [at("scroll_x"), at("scroll_y")])
            }
            "make_type_item" => make.typed(id, text("text")),
            "make_wait_item" => make.wait(id),
            "make_left_mouse_down_item" => make.left_mouse_down(id, maybe("x"), maybe("y")),
            "make_left_mouse_up_item" => make.left_mouse_up(id, maybe("x"), maybe("y")),
            "make_tool_error_item" => make.tool_error(id, text("error_message")),
            "make_failed_tool_call_items" => {
                let kwargs = json_of(&with["tool_kwargs"]);
                let error = text("error_message");
                return Some(tree(&make.failed_tool_call(
                    id,
                    text("tool_name"),
                    &kwargs,
                    error,
                )));
            }
            other => panic!("no {other}"),
        };
        Some(tree(&made))
    });
}

//! What the library's loops do between two requests of the model: calls that
//! failed, old screenshots, elements of the screen, items made anew.

use super::*;

#[test]
fn failed_calls_of_the_computer_become_calls_of_a_function() {
    let conversations = conversations();
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
        Some(tree(&failed_calls_as_functions(
            items,
            || "ID".to_owned(),
            compat,
        )))
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

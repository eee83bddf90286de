//! Conversations of ours as Cua's items and back, and the library's own types.

#![allow(clippy::unwrap_used)]

use crate::support;

use agentwire_interop::conversion::{export, import, undo_import};
use agentwire_interop::cua::{
    Action, ComputerInput, Cua, Dialect, Item, ToCompletion, of_computer_input, to_computer_input,
};
use agentwire_interop::{Compat, Message};
use agentwire_protocol::content::ContentBlock;
use proptest::prelude::*;
use serde_json::{Value, json};
use support::oracle::{Oracle, samples};
use support::{cua, ours, properties, tree};

const DIALECTS: [Dialect; 3] = [Dialect::Documented, Dialect::Library, Dialect::OpenAi];

fn dialect() -> impl Strategy<Value = Dialect> {
    prop::sample::select(DIALECTS.to_vec())
}

proptest! {
    #[test]
    fn there_and_back_is_the_original(
        messages in ours::conversation(), dialect in dialect(),
    ) {
        properties::there_and_back(Cua::new(dialect), &messages)?;
    }

    #[test]
    fn back_and_there_is_the_original(items in cua::items(), dialect in dialect()) {
        properties::back_and_there(Cua::new(dialect), &items)?;
    }

    #[test]
    fn an_edit_costs_only_what_was_edited(
        messages in ours::conversation(),
        at in any::<usize>(),
        by in proptest::option::of(cua::items()),
    ) {
        let by = by.and_then(|items| items.into_iter().next());
        properties::edits_cost_only_what_was_edited(Cua::default(), &messages, at, by)?;
    }

    #[test]
    fn items_are_written_as_they_were_read(items in cua::conversation()) {
        for value in items {
            prop_assert_eq!(tree(&cua::item(&value)), value);
        }
    }

    /// What the `computer` tool is given says as much as the action.
    #[test]
    fn an_action_as_input_of_the_computer_tool_is_that_action_again(value in cua::action()) {
        let action: Action = serde_json::from_value(value.clone()).unwrap();
        let input = to_computer_input(&action);
        let mut again = tree(&of_computer_input(&input).unwrap());
        // A click without a button is one with the left button.
        if value["type"] == "click" && value.get("button").is_none() {
            again.as_object_mut().unwrap().remove("button");
        }
        // Points are pairs, as documented.
        let pairs = tree(&Dialect::Documented.write(Item::computer_call("", action)));
        prop_assert_eq!(again, pairs["action"].clone());
    }

    #[test]
    fn input_of_the_computer_tool_as_an_action_is_that_input_again(value in ours::computer()) {
        let input: ComputerInput = serde_json::from_value(value.clone()).unwrap();
        let action = of_computer_input(&input).unwrap();
        prop_assert_eq!(tree(&to_computer_input(&action)), value);
    }
}

#[test]
fn a_double_click_comes_back_without_the_keys_that_openai_wants() {
    let call = json!([
        {"type": "user", "message": {"role": "user", "content": "A"}},
        {"type": "assistant", "message": {"role": "assistant", "content": [
            {"type": "tool_use", "id": "toolu_1", "name": "computer",
             "input": {"action": "double_click", "coordinate": [0, 0]}},
        ]}},
    ]);
    let messages: Vec<agentwire_interop::Message> = serde_json::from_value(call).unwrap();
    for dialect in DIALECTS {
        let there_and_back = properties::there_and_back(Cua::new(dialect), &messages);
        there_and_back.unwrap();
    }
}

/// What ours become in a dialect is what that dialect's types take.
fn accepted(dialect: Dialect, operation: &str, record: &'static str) {
    let requests: Vec<Value> = samples(&ours::conversation(), 2000)
        .into_iter()
        .map(|messages| {
            let made = export(Cua::new(dialect), messages).made;
            json!({"op": operation, "items": made})
        })
        .collect();
    Oracle {
        library: "cua",
        record,
    }
    .accepts(&requests);
}

#[test]
fn the_documented_types_take_what_is_written() {
    accepted(Dialect::Documented, "validate_docs", "documented");
}

#[test]
fn openai_takes_what_is_written_for_it() {
    accepted(Dialect::OpenAi, "validate_openai", "openai");
}

#[test]
fn every_member_that_is_declared_is_typed() {
    let samples: Value = serde_json::from_str(include_str!("cua_members.json")).unwrap();
    let members = |value: &Value| -> Vec<String> {
        let mut names: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        names.sort();
        names
    };
    let mut declared = json!({});
    for group in ["documented", "openai"] {
        for (name, items) in samples[group].as_object().unwrap() {
            let mut names = Vec::new();
            for value in items.as_array().unwrap() {
                let item = cua::item(value);
                assert_eq!(&tree(&item), value);
                assert_all_typed(&item);
                names.extend(members(value));
                // The library's schema has the members of the parts as well.
                if group == "documented" {
                    for part in ["content", "summary"] {
                        let parts = value[part].as_array().into_iter().flatten();
                        names.extend(parts.flat_map(&members));
                    }
                    for part in ["action", "output"] {
                        names.extend(
                            value[part]
                                .as_object()
                                .map(|_| members(&value[part]))
                                .unwrap_or_default(),
                        );
                    }
                }
            }
            names.sort();
            names.dedup();
            declared[group][name] = names.into();
        }
    }
    for (name, value) in samples["openai_actions"].as_object().unwrap() {
        if name == "ActionDragPath" {
            assert_all_typed(
                &serde_json::from_value::<agentwire_interop::cua::Point>(value.clone()).unwrap(),
            );
        } else {
            assert_all_typed(&serde_json::from_value::<Action>(value.clone()).unwrap());
        }
        declared["openai_actions"][name] = members(value).into();
    }
    let oracle = Oracle {
        library: "cua",
        record: "schema",
    };
    oracle.agrees(&[json!({"op": "schema"})], |_| Some(declared.clone()));
}

fn assert_all_typed<T: std::fmt::Debug>(value: &T) {
    let shown = format!("{value:?}");
    let untyped = shown.replace("extra: {}", "");
    assert!(
        !untyped.contains("extra: {"),
        "not all of it is typed: {shown}"
    );
    assert!(!untyped.contains("Unknown("), "of an unknown kind: {shown}");
}

fn documented(message: Message) -> Value {
    tree(&export(Cua::default(), vec![message]).made)
}

#[test]
fn an_output_that_is_null_is_no_content_and_comes_back() {
    let items = json!([
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": null},
    ]);
    let read: Vec<Item> = serde_json::from_str(&items.to_string()).unwrap();
    // What the library tells a model is Python's word for it.
    for (compat, told) in [(Compat::Right, ""), (Compat::Library, "None")] {
        let options = ToCompletion {
            compat,
            ..ToCompletion::default()
        };
        assert_eq!(tree(&options.messages(&read))[1]["content"], told);
    }
    let carried = import(Cua::default(), read);
    let answer = &tree(&carried.made)[1]["message"]["content"][0];
    assert_eq!(*answer, json!({"type": "tool_result", "tool_use_id": "c"}));
    let back = undo_import(Cua::default(), carried.made, carried.residue);
    assert_eq!(tree(&back.pieces), items);
}

#[test]
fn a_scroll_down_is_positive() {
    for (direction, x, y) in [
        ("down", 0, 3),
        ("up", 0, -3),
        ("right", 3, 0),
        ("left", -3, 0),
    ] {
        let input = json!({
            "action": "scroll", "coordinate": [10, 20], "scroll_direction": direction,
            "scroll_amount": 3,
        });
        let call = ContentBlock::tool_use("toolu_1", "computer", input);
        assert_eq!(
            documented(Message::assistant(vec![call])),
            json!([{
                "type": "computer_call", "call_id": "toolu_1", "status": "completed",
                "action": {"type": "scroll", "x": 10, "y": 20, "scroll_x": x, "scroll_y": y},
            }])
        );
    }
}

#[test]
fn what_the_computer_tool_has_no_word_for_goes_along() {
    for (action, input) in [
        (
            json!({"type": "click", "x": 1, "y": 2, "button": "back"}),
            json!({"action": "click", "coordinate": [1, 2], "button": "back"}),
        ),
        (
            json!({"type": "drag", "path": [[1, 2], [3, 4], [5, 6]]}),
            json!({
                "action": "left_click_drag", "start_coordinate": [1, 2], "coordinate": [5, 6],
                "path": [[1, 2], [3, 4], [5, 6]],
            }),
        ),
        (
            json!({"type": "scroll", "x": 1, "y": 2, "scroll_x": -1, "scroll_y": 5}),
            json!({
                "action": "scroll", "coordinate": [1, 2], "scroll_direction": "down",
                "scroll_amount": 5, "scroll_x": -1, "scroll_y": 5,
            }),
        ),
        (
            json!({"type": "keypress", "keys": ["ctrl", "+"]}),
            json!({"action": "key", "text": "ctrl++"}),
        ),
        (
            json!({"type": "web_search", "query": "crabs"}),
            json!({"action": "web_search", "query": "crabs"}),
        ),
    ] {
        let typed: Action = serde_json::from_value(action.clone()).unwrap();
        let made = to_computer_input(&typed);
        assert_eq!(tree(&made), input);
        assert_eq!(tree(&of_computer_input(&made)), action);
    }
}

#[test]
fn what_says_too_little_is_no_action() {
    for input in [
        json!({"action": "scroll", "coordinate": [1, 2]}),
        json!({"action": "left_click", "coordinate": [1]}),
        json!({"action": "left_click_drag", "coordinate": [1, 2]}),
        json!({"action": "key"}),
        json!({"action": "left_click", "coordinate": [1, 2], "x": 7}),
    ] {
        let call = ContentBlock::tool_use("toolu_1", "computer", input.clone());
        let read: ComputerInput = serde_json::from_value(input.clone()).unwrap();
        assert_eq!(of_computer_input(&read), None);
        let made = documented(Message::assistant(vec![call]));
        assert_eq!(made[0]["type"], "function_call");
        let arguments: Value =
            serde_json::from_str(made[0]["arguments"].as_str().unwrap()).unwrap();
        assert_eq!(arguments, input);
    }
}

#[test]
fn text_and_screenshot_of_one_call_are_one_answer() {
    let items = [
        json!({"type": "function_call_output", "call_id": "c", "output": "done"}),
        json!({"type": "computer_call_output", "call_id": "c", "output": {
            "type": "computer_screenshot", "image_url": "data:image/png;base64,iVBORw0KGgo=",
        }}),
    ];
    let made = agentwire_interop::conversion::import(
        Cua::default(),
        items.iter().map(cua::item).collect(),
    )
    .made;
    assert_eq!(
        tree(&made)[0]["message"]["content"],
        json!([{"type": "tool_result", "tool_use_id": "c", "content": [
            {"type": "text", "text": "done"},
            {"type": "image", "source": {
                "type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo=",
            }},
        ]}])
    );
}

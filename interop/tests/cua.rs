//! Tests of Cua's actions as input of the `computer` tool.

use crate::support::{cua, ours, tree};
use agentwire_interop::cua::{
    Action, ComputerInput, Dialect, Item, from_computer_input, to_computer_input,
};
use proptest::prelude::*;
use serde_json::json;

proptest! {
    #[test]
    fn an_action_as_input_of_the_computer_tool_is_that_action_again(value in cua::action()) {
        let action: Action = serde_json::from_value(value.clone()).unwrap();
        let input = to_computer_input(&action);
        let mut again = tree(&from_computer_input(&input).unwrap());
        // A click without a button is a click with the left button.
        if value["type"] == "click" && value.get("button").is_none() {
            again.as_object_mut().unwrap().remove("button");
        }
        // The documented dialect writes points as pairs.
        let pairs = tree(&Dialect::Documented.write(Item::computer_call("", action)));
        prop_assert_eq!(again, pairs["action"].clone());
    }

    #[test]
    fn input_of_the_computer_tool_as_an_action_is_that_input_again(value in ours::computer()) {
        let input: ComputerInput = serde_json::from_value(value.clone()).unwrap();
        let action = from_computer_input(&input).unwrap();
        prop_assert_eq!(tree(&to_computer_input(&action)), value);
    }
}

#[test]
fn a_double_click_with_null_keys_is_input_without_them() {
    let action = json!({"type": "double_click", "x": 1, "y": 2, "keys": null});
    let input = to_computer_input(&serde_json::from_value(action).unwrap());
    let expected = json!({"action": "double_click", "coordinate": [1, 2]});
    assert_eq!(tree(&input), expected);
}

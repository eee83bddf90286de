//! Replaces failed calls of the computer.

use super::computer::{COMPUTER, to_json};
use super::{Item, Status};
use agentwire_protocol::Members;
use std::collections::HashSet;

/// Replaces failed calls of the computer by calls of the function `computer`. The result of a
/// failed call is a text, but the output of a computer is an image.
///
/// A call without an ID gets the next ID of `ids`.
#[must_use]
pub fn failed_calls_as_functions(items: Vec<Item>, mut ids: impl FnMut() -> String) -> Vec<Item> {
    let failed: HashSet<String> = items
        .iter()
        .filter_map(|item| match item {
            Item::FunctionCallOutput(output) if !output.call_id.is_empty() => {
                Some(output.call_id.clone())
            }
            _ => None,
        })
        .collect();
    let replaced = items.into_iter().map(|item| match item {
        Item::ComputerCall(call) if failed.contains(&call.call_id) => {
            let action = match &call.action {
                Some(action) => to_json(action),
                None => to_json(&Members::default()),
            };
            let mut replaced = Item::function_call(call.call_id, COMPUTER, action.get());
            if let Item::FunctionCall(function) = &mut replaced {
                function.id = call.id.or_else(|| Some(ids()));
                function.status = Some(Status::Failed);
            }
            replaced
        }
        item => item,
    });
    replaced.collect()
}

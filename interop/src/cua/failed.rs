//! Calls of the computer that failed.

use super::computer::{COMPUTER, written};
use super::{Item, Status};
use crate::Compat;
use crate::python;
use agentwire_protocol::Members;
use std::collections::HashSet;

/// Makes calls of the computer that were answered with a text, which is an
/// error, calls of the function `computer`: an output of a computer is an
/// image, and an API that wants a partner for each call finds none otherwise.
///
/// A call without an ID gets one of `ids`, as in the library.
///
/// The library leaves out the status of the call, and writes the arguments as Python
/// does.
#[must_use]
pub fn failed_calls_as_functions(
    items: Vec<Item>,
    mut ids: impl FnMut() -> String,
    compat: Compat,
) -> Vec<Item> {
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
                Some(action) => written(action),
                None => written(&Members::default()),
            };
            let (arguments, status) = match compat {
                Compat::Right => (action.get().to_owned(), Some(Status::Failed)),
                Compat::Library => (python::dumps(&action), None),
            };
            let mut replaced = Item::function_call(call.call_id, COMPUTER, arguments);
            if let Item::FunctionCall(function) = &mut replaced {
                function.id = call.id.or_else(|| Some(ids()));
                function.status = status;
            }
            replaced
        }
        item => item,
    });
    replaced.collect()
}

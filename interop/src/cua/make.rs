//! Creates items like the library.

use super::computer::to_json;
use super::{Action, Item, Part, ReasoningItem, Role, Status};
use agentwire_protocol::{Json, Members};

/// Creates items like the `make_…_item` functions of the library's `responses` module. A function
/// of the caller provides the IDs.
///
/// ```
/// use agentwire_interop::cua::{Action, Make};
///
/// let mut number = 0;
/// let mut make = Make::new(|| {
///     number += 1;
///     format!("id-{number}")
/// });
/// let action = r#"{"type": "click", "button": "left", "x": 10, "y": 20}"#;
/// let item = make.computer_call(Some("call_1".into()), serde_json::from_str::<Action>(action)?);
/// assert_eq!(
///     serde_json::to_value(&item)?,
///     serde_json::json!({
///         "type": "computer_call", "id": "id-1", "call_id": "call_1", "status": "completed",
///         "action": {"type": "click", "button": "left", "x": 10, "y": 20},
///         "pending_safety_checks": [],
///     })
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug)]
pub struct Make<F> {
    ids: F,
}

impl<F: FnMut() -> String> Make<F> {
    /// Creates a maker whose items get their IDs from this function.
    pub fn new(ids: F) -> Self {
        Self { ids }
    }

    fn id(&mut self) -> String {
        (self.ids)()
    }

    /// Returns the ID of a call. If the call has none, returns a new one.
    fn call_id(&mut self, call_id: Option<String>) -> String {
        let call_id = call_id.filter(|id| !id.is_empty());
        call_id.unwrap_or_else(|| self.id())
    }

    /// Creates a user message with a PNG in base64.
    pub fn input_image(&mut self, base64: &str) -> Item {
        let url = format!("data:image/png;base64,{base64}");
        Item::message(Role::User, vec![Part::input_image(url)])
    }

    /// Creates a reasoning item.
    pub fn reasoning(&mut self, text: &str) -> Item {
        Item::Reasoning(ReasoningItem {
            id: Some(self.id()),
            summary: Some(vec![Part::summary_text(text)]),
            ..ReasoningItem::default()
        })
    }

    /// Creates a message of the model.
    pub fn output_text(&mut self, text: &str) -> Item {
        let mut part = Part::output_text(text);
        if let Part::OutputText(text) = &mut part {
            text.annotations = Some(vec![]);
        }
        let mut item = Item::message(Role::Assistant, vec![part]);
        if let Item::Message(message) = &mut item {
            message.id = Some(self.id());
            message.status = Some(Status::Completed);
        }
        item
    }

    /// Creates a call of a function.
    pub fn function_call(&mut self, call_id: Option<String>, name: &str, arguments: &Json) -> Item {
        let (id, call_id) = (self.id(), self.call_id(call_id));
        let mut item = Item::function_call(call_id, name, arguments.get());
        if let Item::FunctionCall(call) = &mut item {
            call.id = Some(id);
        }
        item
    }

    /// Creates a call of the computer.
    pub fn computer_call(&mut self, call_id: Option<String>, action: impl Into<Action>) -> Item {
        let (id, call_id) = (self.id(), self.call_id(call_id));
        let mut item = Item::computer_call(call_id, action.into());
        if let Item::ComputerCall(call) = &mut item {
            call.id = Some(id);
            call.pending_safety_checks = Some(vec![]);
        }
        item
    }

    /// Creates a call of a tool that failed, and its result with the error.
    pub fn failed_tool_call(
        &mut self,
        call_id: Option<String>,
        tool: &str,
        arguments: &Json,
        error: &str,
    ) -> [Item; 2] {
        let call_id = self.call_id(call_id);
        let mut call = self.function_call(Some(call_id.clone()), tool, arguments);
        if let Item::FunctionCall(call) = &mut call {
            call.status = None;
        }
        [call, self.tool_error(Some(call_id), error)]
    }

    /// Creates the result of a call that failed.
    pub fn tool_error(&mut self, call_id: Option<String>, error: &str) -> Item {
        let mut output = Members::default();
        output.set("error", error);
        Item::function_call_output(self.call_id(call_id), to_json(&output).get().to_owned())
    }
}

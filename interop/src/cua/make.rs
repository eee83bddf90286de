//! Items as the library makes them: the `make_…_item` functions of its
//! `responses` module.

use super::{
    Action, Button, Click, DoubleClick, Drag, Item, KeyPress, Keys, LeftMouseDown, LeftMouseUp,
    Move, Part, Point, Role, Screenshot, Scroll, Status, Type, Wait,
};
use crate::python;
use agentwire_protocol::{Json, Number};

/// Makes items as the library does. It wants ids, which the caller has to
/// supply: a function that gives another one each time.
///
/// ```
/// use agentwire_interop::cua::Make;
///
/// let mut number = 0;
/// let mut make = Make::new(|| {
///     number += 1;
///     format!("id-{number}")
/// });
/// let item = make.click(Some("call_1".into()), 10.into(), 20.into(), "left".into());
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
    /// Makes items with these ids.
    pub fn new(ids: F) -> Self {
        Self { ids }
    }

    fn id(&mut self) -> String {
        (self.ids)()
    }

    /// An image that a user shows: the base64 of a PNG.
    pub fn input_image(&mut self, base64: &str) -> Item {
        let url = format!("data:image/png;base64,{base64}");
        Item::message(Role::User, vec![Part::input_image(url)])
    }

    /// What the model thought.
    pub fn reasoning(&mut self, text: &str) -> Item {
        let reasoning = super::ReasoningItem {
            id: Some(self.id()),
            summary: Some(vec![Part::summary_text(text)]),
            ..super::ReasoningItem::default()
        };
        Item::Reasoning(reasoning)
    }

    /// What the model said.
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

    /// A call of a function with these arguments, written as Python does.
    pub fn function_call(&mut self, call_id: Option<String>, name: &str, arguments: &Json) -> Item {
        let (id, call_id) = self.ids(call_id);
        let mut item = Item::function_call(call_id, name, python::dumps(arguments));
        if let Item::FunctionCall(call) = &mut item {
            call.id = Some(id);
        }
        item
    }

    /// A call of the computer.
    pub fn computer_call(&mut self, call_id: Option<String>, action: impl Into<Action>) -> Item {
        let (id, call_id) = self.ids(call_id);
        let mut item = Item::computer_call(call_id, action.into());
        if let Item::ComputerCall(call) = &mut item {
            call.id = Some(id);
            call.pending_safety_checks = Some(vec![]);
        }
        item
    }

    /// Without an id for the call it gets one of its own.
    fn ids(&mut self, call_id: Option<String>) -> (String, String) {
        let id = self.id();
        let call_id = call_id.filter(|id| !id.is_empty());
        (id, call_id.unwrap_or_else(|| self.id()))
    }

    /// A click.
    pub fn click(&mut self, call_id: Option<String>, x: Number, y: Number, button: Button) -> Item {
        let click = Click {
            button: Some(button),
            x: Some(x),
            y: Some(y),
            ..Click::default()
        };
        self.computer_call(call_id, click)
    }

    /// A double click.
    pub fn double_click(&mut self, call_id: Option<String>, x: Number, y: Number) -> Item {
        let click = DoubleClick {
            x: Some(x),
            y: Some(y),
            ..DoubleClick::default()
        };
        self.computer_call(call_id, click)
    }

    /// A drag along a path.
    pub fn drag(&mut self, call_id: Option<String>, path: Vec<[Number; 2]>) -> Item {
        let mut drag = Drag::default();
        let points = path.into_iter().map(|[x, y]| Point::named(x, y));
        drag.path = Some(points.collect());
        self.computer_call(call_id, drag)
    }

    /// Keys that are pressed together.
    pub fn keypress(&mut self, call_id: Option<String>, keys: Vec<String>) -> Item {
        let press = KeyPress {
            keys: Some(Keys::List(keys)),
            ..KeyPress::default()
        };
        self.computer_call(call_id, press)
    }

    /// The pointer moves.
    pub fn move_to(&mut self, call_id: Option<String>, x: Number, y: Number) -> Item {
        let to = Move {
            x: Some(x),
            y: Some(y),
            ..Move::default()
        };
        self.computer_call(call_id, to)
    }

    /// A look at the screen.
    pub fn screenshot(&mut self, call_id: Option<String>) -> Item {
        self.computer_call(call_id, Screenshot::default())
    }

    /// A scroll by so much to the right, and down.
    pub fn scroll(&mut self, call_id: Option<String>, at: [Number; 2], by: [Number; 2]) -> Item {
        let ([x, y], [scroll_x, scroll_y]) = (at, by);
        let scroll = Scroll {
            x: Some(x),
            y: Some(y),
            scroll_x: Some(scroll_x),
            scroll_y: Some(scroll_y),
            ..Scroll::default()
        };
        self.computer_call(call_id, scroll)
    }

    /// A text that is typed.
    pub fn typed(&mut self, call_id: Option<String>, text: &str) -> Item {
        let typed = Type {
            text: Some(text.to_owned()),
            ..Type::default()
        };
        self.computer_call(call_id, typed)
    }

    /// A pause.
    pub fn wait(&mut self, call_id: Option<String>) -> Item {
        self.computer_call(call_id, Wait::default())
    }

    /// The left button goes down, here or where the pointer is.
    pub fn left_mouse_down(
        &mut self,
        call_id: Option<String>,
        x: Option<Number>,
        y: Option<Number>,
    ) -> Item {
        let mut down = LeftMouseDown::default();
        note_null(&mut down.extra, "x", x.as_ref());
        note_null(&mut down.extra, "y", y.as_ref());
        (down.x, down.y) = (x, y);
        self.computer_call(call_id, down)
    }

    /// The left button goes up, here or where the pointer is.
    pub fn left_mouse_up(
        &mut self,
        call_id: Option<String>,
        x: Option<Number>,
        y: Option<Number>,
    ) -> Item {
        let mut up = LeftMouseUp::default();
        note_null(&mut up.extra, "x", x.as_ref());
        note_null(&mut up.extra, "y", y.as_ref());
        (up.x, up.y) = (x, y);
        self.computer_call(call_id, up)
    }

    /// A call of a tool that failed, and why.
    pub fn failed_tool_call(
        &mut self,
        call_id: Option<String>,
        tool: &str,
        arguments: &Json,
        error: &str,
    ) -> [Item; 2] {
        let call_id = call_id.filter(|id| !id.is_empty());
        let call_id = call_id.unwrap_or_else(|| self.id());
        let mut call = self.function_call(Some(call_id.clone()), tool, arguments);
        if let Item::FunctionCall(call) = &mut call {
            call.status = None;
        }
        [call, self.tool_error(Some(call_id), error)]
    }

    /// Why a tool failed.
    pub fn tool_error(&mut self, call_id: Option<String>, error: &str) -> Item {
        let call_id = call_id.filter(|id| !id.is_empty());
        let call_id = call_id.unwrap_or_else(|| self.id());
        let error = super::chat::object([("error", error.into())]);
        Item::function_call_output(call_id, python::dumps(&error))
    }
}

/// The library writes that it does not know a place.
fn note_null(extra: &mut agentwire_protocol::Members, name: &'static str, at: Option<&Number>) {
    if at.is_none() {
        extra.push(name, Json::null());
    }
}

//! A call of Anthropic's `computer` tool as the library's loop reads it, with
//! its mistakes.

use super::computer::{COMPUTER, negative, scaled};
use super::of_completion::ChatCall;
use super::{Item, Make};
use agentwire_protocol::{Json, Members, Number};

/// The call before, which one whose arguments are broken takes for its own.
#[derive(Debug, Default)]
pub(super) struct Last {
    id: Option<String>,
    arguments: Option<Json>,
}

/// The items that a call is; nothing, where the library fails.
pub(super) fn items<F: FnMut() -> String>(
    call: &ChatCall,
    scale: [f64; 2],
    last: &mut Last,
    make: &mut Make<F>,
) -> Option<Vec<Item>> {
    let function = call.function.clone().unwrap_or_default();
    let name = function.name.unwrap_or_default();
    let text = function.arguments.unwrap_or_default();
    let arguments = serde_json::from_str::<Json>(&text).ok();
    if name != COMPUTER {
        let empty = || super::chat::object([]);
        let arguments = arguments.unwrap_or_else(empty);
        return Some(vec![make.function_call(call.id.clone(), &name, &arguments)]);
    }
    let input = match &arguments {
        Some(arguments) => {
            last.arguments = Some(arguments.clone());
            arguments.read::<Members>().map_err(|_| {
                let kind = kind(arguments);
                format!("AttributeError(\"'{kind}' object has no attribute 'get'\")")
            })
        }
        None => Err(broken(&text)),
    };
    let input = match input {
        Ok(input) => input,
        Err(error) => {
            let (id, arguments) = (last.id.clone()?, last.arguments.clone()?);
            let failed = make.failed_tool_call(Some(id), COMPUTER, &arguments, &error);
            return Some(failed.into());
        }
    };
    last.id.clone_from(&call.id);
    let arguments = arguments.unwrap_or_default();
    let failed = |make: &mut Make<F>, error: &str| {
        let failed = make.failed_tool_call(call.id.clone(), COMPUTER, &arguments, error);
        Some(failed.into())
    };
    let tool = Tool { input, scale };
    let id = call.id.clone();
    let action = tool.input.get_str("action").unwrap_or_default();
    Some(vec![match &*action {
        "screenshot" => make.screenshot(id),
        "click" | "left_click" | "right_click" | "middle_click" => {
            let [x, y] = tool.place("coordinate");
            let button = match &*action {
                "right_click" => "right",
                "middle_click" => "wheel",
                _ => "left",
            };
            make.click(id, x, y, button.into())
        }
        "double_click" => {
            let [x, y] = tool.place("coordinate");
            make.double_click(id, x, y)
        }
        "type" | "type_text" => make.typed(id, &tool.text()),
        "key" | "keypress" | "hotkey" => {
            let keys = tool.text().replace('+', "-");
            make.keypress(id, keys.split('-').map(str::to_owned).collect())
        }
        "mouse_move" | "move_cursor" | "move" => {
            let [x, y] = tool.place("coordinate");
            make.move_to(id, x, y)
        }
        "scroll" => make.scroll(id, tool.place("coordinate"), tool.scrolled()),
        "left_click_drag" | "drag" => {
            let ends = ["start_coordinate", "end_coordinate"];
            make.drag(id, ends.map(|end| tool.place(end)).into())
        }
        "left_mouse_down" => {
            let [x, y] = tool.known_place();
            make.left_mouse_down(id, x, y)
        }
        "left_mouse_up" => {
            let [x, y] = tool.known_place();
            make.left_mouse_up(id, x, y)
        }
        "wait" => make.wait(id),
        "triple_click" | "hold_key" => {
            return failed(make, &format!("NotImplementedError('{action}')"));
        }
        _ => return Some(vec![]),
    }])
}

/// What Python calls a value that is no object.
fn kind(value: &Json) -> &'static str {
    match value.get().as_bytes().first() {
        Some(b'[') => "list",
        Some(b'"') => "str",
        Some(b't' | b'f') => "bool",
        Some(b'n') => "NoneType",
        _ if value.get().contains(['.', 'e', 'E']) => "float",
        _ => "int",
    }
}

/// Python's error for what is no JSON. Of its words only those are here for a
/// text that ends too soon, which is how calls break.
fn broken(text: &str) -> String {
    let at = text.chars().count();
    let line = text.matches('\n').count() + 1;
    let column = text.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    let expected = if text.trim_end().ends_with('{') {
        "Expecting property name enclosed in double quotes"
    } else {
        "Expecting value"
    };
    format!("JSONDecodeError('{expected}: line {line} column {column} (char {at})')")
}

/// What the tool was given, and how much smaller the screen was.
struct Tool {
    input: Members,
    scale: [f64; 2],
}

impl Tool {
    fn text(&self) -> String {
        self.input.get_str("text").unwrap_or_default()
    }

    /// A place; the corner, where there is none.
    fn place(&self, name: &str) -> [Number; 2] {
        self.scaled(name).map(|at| at.unwrap_or_else(|| 0.into()))
    }

    /// A place, as far as it is known.
    fn known_place(&self) -> [Option<Number>; 2] {
        self.scaled("coordinate")
    }

    fn scaled(&self, name: &str) -> [Option<Number>; 2] {
        let place = self.input.get(name);
        let place: Vec<Option<Number>> = place
            .and_then(|place| place.read().ok())
            .unwrap_or_default();
        let at = |index: usize| {
            let coordinate = place.get(index)?.as_ref()?;
            Some(scaled(coordinate, self.scale[index]))
        };
        [at(0), at(1)]
    }

    /// Left and up are positive.
    fn scrolled(&self) -> [Number; 2] {
        let amount = self.input.get("scroll_amount");
        let amount: Option<Number> = amount.and_then(|amount| amount.read().ok());
        let amount = amount.unwrap_or_else(|| 3.into());
        let direction = self.input.get_str("scroll_direction");
        let zero = || Number::from(0);
        match direction.as_deref().unwrap_or("down") {
            "left" => [amount, zero()],
            "right" => [negative(&amount), zero()],
            "up" => [zero(), amount],
            "down" => [zero(), negative(&amount)],
            _ => [zero(), zero()],
        }
    }
}

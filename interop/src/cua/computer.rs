//! Converts actions to and from the input of Anthropic's `computer` tool.

use super::{Action, Keys, Point};
use agentwire_protocol::open::{object, open_enum};
use agentwire_protocol::{Json, Members, Number};
use serde::de::DeserializeOwned;

/// The name of Anthropic's `computer` tool.
pub const COMPUTER: &str = "computer";

object! {
    /// The input of Anthropic's `computer` tool.
    pub struct ComputerInput {
        /// The action.
        pub action: ComputerAction,
        /// The distances from the left and from the top in pixels.
        pub coordinate: Option<Vec<Number>>,
        /// The position where a drag starts.
        pub start_coordinate: Option<Vec<Number>>,
        /// The text to type, the keys of `key` and `hold_key`, or the keys that are held during
        /// clicks and `scroll`.
        pub text: Option<String>,
        /// The duration of `wait` and `hold_key` in seconds.
        pub duration: Option<Number>,
        /// The direction of a scroll.
        pub scroll_direction: Option<ScrollDirection>,
        /// The distance of a scroll.
        pub scroll_amount: Option<Number>,
        /// The region of `zoom`, as left, top, right and bottom.
        pub region: Option<Vec<Number>>,
    }
}

open_enum! {
    /// An action of Anthropic's `computer` tool.
    pub enum ComputerAction {
        /// Returns the position of the pointer.
        CursorPosition = "cursor_position",
        /// Clicks twice.
        DoubleClick = "double_click",
        /// Holds a key for a while.
        HoldKey = "hold_key",
        /// Presses keys together.
        Key = "key",
        /// Clicks.
        LeftClick = "left_click",
        /// Drags.
        LeftClickDrag = "left_click_drag",
        /// Presses the left button.
        LeftMouseDown = "left_mouse_down",
        /// Releases the left button.
        LeftMouseUp = "left_mouse_up",
        /// Clicks with the wheel.
        MiddleClick = "middle_click",
        /// Moves the pointer.
        MouseMove = "mouse_move",
        /// Clicks with the right button.
        RightClick = "right_click",
        /// Takes a screenshot.
        Screenshot = "screenshot",
        /// Scrolls.
        Scroll = "scroll",
        /// Clicks three times.
        TripleClick = "triple_click",
        /// Types a text.
        Type = "type",
        /// Waits.
        Wait = "wait",
        /// Zooms into a region.
        Zoom = "zoom",
    }
}

open_enum! {
    /// The direction of a scroll.
    pub enum ScrollDirection {
        /// Up.
        Up = "up",
        /// Down.
        Down = "down",
        /// To the left.
        Left = "left",
        /// To the right.
        Right = "right",
    }
}

/// The clicks, during which keys may be held.
const CLICKS: [&str; 5] = [
    "left_click",
    "right_click",
    "middle_click",
    "double_click",
    "triple_click",
];

/// Converts an action to input of the `computer` tool. The name of an action that the tool does not
/// have is preserved.
#[must_use]
pub fn to_computer_input(action: &Action) -> ComputerInput {
    let mut from = Bag::of(action);
    let kind: String = from.take("type").unwrap_or_default();
    let mut to = Members::default();
    let name = match &*kind {
        "click" => match from.take::<String>("button").as_deref() {
            None | Some("left") => "left_click",
            Some("right") => "right_click",
            Some("wheel") => "middle_click",
            Some(button) => {
                to.set("button", button);
                "click"
            }
        },
        "move" => "mouse_move",
        "keypress" => "key",
        "drag" => "left_click_drag",
        kind => kind,
    };
    to.set("action", name);
    if let Some(at) = from.take_both::<Number>("x", "y") {
        to.set("coordinate", to_json(&at));
    }
    match name {
        "key" if kind == "keypress" => {
            from.rename("keys", "text", &mut to, |keys: Keys| {
                Some(match keys {
                    Keys::List(keys) => keys.join("+"),
                    Keys::Text(keys) => keys,
                })
            });
        }
        "left_click_drag" => drag_ends(&mut from, &mut to),
        "scroll" => {
            held_keys(&mut from, &mut to);
            if let Some([x, y]) = from.take_both::<Number>("scroll_x", "scroll_y") {
                scroll_direction(x, y, &mut to);
            }
        }
        "wait" => from.rename("ms", "duration", &mut to, |ms: Number| seconds(&ms)),
        name if CLICKS.contains(&name) => {
            held_keys(&mut from, &mut to);
            // OpenAI requires the member in a double click.
            if from.0.get("keys").is_some_and(|it| it.get() == "null") {
                from.0.remove("keys");
            }
        }
        _ => {}
    }
    for (key, value) in from.0.iter() {
        to.set(key.to_owned(), value.clone());
    }
    // Members of other types were not taken.
    read_input(&to).unwrap_or_else(|| ComputerInput {
        action: name.into(),
        coordinate: None,
        start_coordinate: None,
        text: None,
        duration: None,
        scroll_direction: None,
        scroll_amount: None,
        region: None,
        extra: from.0,
    })
}

/// Converts input of the `computer` tool to an action. Returns `None` if members are missing or
/// contradict each other.
#[must_use]
pub fn from_computer_input(input: &ComputerInput) -> Option<Action> {
    let mut from = Bag::of(input);
    let name: String = from.take("action")?;
    let mut to = Members::default();
    let kind = match &*name {
        "left_click" | "right_click" | "middle_click" | "click" => "click",
        "mouse_move" => "move",
        "key" => "keypress",
        "left_click_drag" => "drag",
        name => name,
    };
    to.set("type", kind);
    match &*name {
        "left_click" => to.set("button", "left"),
        "right_click" => to.set("button", "right"),
        "middle_click" => to.set("button", "wheel"),
        "click" => {
            let button: Option<String> = from.take("button");
            to.set("button", button.as_deref().unwrap_or("left"));
        }
        "key" => {
            let keys: String = from.take("text")?;
            to.set("keys", to_json(&keys_of(&keys)));
        }
        "left_click_drag" => {
            if let Some(path) = path(&mut from)? {
                to.set("path", path);
            }
        }
        "scroll" => {
            let [x, y] = scrolled(&mut from)?;
            to.set("scroll_x", to_json(&x));
            to.set("scroll_y", to_json(&y));
        }
        "wait" => from.rename("duration", "ms", &mut to, |duration| {
            milliseconds(&duration)
        }),
        _ => {}
    }
    if (CLICKS.contains(&&*name) || name == "scroll")
        && let Some(keys) = from.take::<String>("text")
    {
        to.set("keys", to_json(&keys_of(&keys)));
    }
    if from.0.get("coordinate").is_some() {
        let at: Vec<Number> = from.take("coordinate")?;
        let [x, y] = <[Number; 2]>::try_from(at).ok()?;
        to.set("x", to_json(&x));
        to.set("y", to_json(&y));
    }
    for (key, value) in from.0.iter() {
        if to.get(key).is_some() {
            return None;
        }
        to.set(key.to_owned(), value.clone());
    }
    to_json(&to).read().ok()
}

/// Splits a text such as `ctrl+c` into keys. The last key of `ctrl++` is `+`.
pub(super) fn keys_of(text: &str) -> Vec<String> {
    let mut keys = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = match rest.char_indices().skip(1).find(|&(_, key)| key == '+') {
            Some((end, _)) => end,
            None => rest.len(),
        };
        let (key, after) = rest.split_at(end);
        keys.push(key.to_owned());
        rest = match after.strip_prefix('+') {
            // The last key is `+`.
            Some("") => {
                keys.push("+".to_owned());
                ""
            }
            Some(rest) => rest,
            None => after,
        };
    }
    keys
}

fn held_keys(from: &mut Bag, to: &mut Members) {
    from.rename("keys", "text", to, |keys: Vec<String>| Some(keys.join("+")));
}

fn drag_ends(from: &mut Bag, to: &mut Members) {
    let Some(path) = from.peek::<Vec<Point>>("path") else {
        return;
    };
    let points: Option<Vec<_>> = path.iter().map(Point::coordinates).collect();
    let Some(points) = points else { return };
    if let [first, .., last] = &*points {
        to.set("start_coordinate", to_json(first));
        to.set("coordinate", to_json(last));
        from.0.remove("path");
        if points.len() > 2 {
            to.set("path", to_json(&points));
        }
    }
}

/// Reads the path of a drag. The library names the end `end_coordinate`. A start or an end with a
/// description instead of coordinates may be missing.
fn path(from: &mut Bag) -> Option<Option<Json>> {
    let end: Option<Vec<Number>> = from.take("coordinate");
    let end = end.or_else(|| from.take("end_coordinate"));
    let start: Option<Vec<Number>> = from.take("start_coordinate");
    let path = match (from.take("path"), start, end) {
        (Some(path), ..) => path,
        (None, Some(start), Some(end)) => vec![Point::Pair(start), Point::Pair(end)],
        (None, None, None) => return Some(None),
        _ => return None,
    };
    let path: Option<Vec<_>> = path.iter().map(Point::coordinates).collect();
    path.map(|path| Some(to_json(&path)))
}

fn scroll_direction(x: Number, y: Number, to: &mut Members) {
    let (across, down) = (x.as_f64(), y.as_f64());
    let (direction, amount) = if across != 0.0 && across.abs() >= down.abs() {
        (if across > 0.0 { "right" } else { "left" }, &x)
    } else {
        (if down < 0.0 { "up" } else { "down" }, &y)
    };
    to.set("scroll_direction", direction);
    to.set("scroll_amount", to_json(&absolute_value(amount)));
    if across != 0.0 && down != 0.0 {
        to.set("scroll_x", to_json(&x));
        to.set("scroll_y", to_json(&y));
    }
}

/// Reads the distances to the right and down.
fn scrolled(from: &mut Bag) -> Option<[Number; 2]> {
    let direction: String = from.take("scroll_direction")?;
    let amount: Number = from.take("scroll_amount")?;
    if let Some(both) = from.take_both("scroll_x", "scroll_y") {
        return Some(both);
    }
    let zero = || Number::from(0);
    match &*direction {
        "up" => Some([zero(), negative(&amount)]),
        "down" => Some([zero(), amount]),
        "left" => Some([negative(&amount), zero()]),
        "right" => Some([amount, zero()]),
        _ => None,
    }
}

pub(super) fn absolute_value(number: &Number) -> Number {
    match number.get().strip_prefix('-') {
        Some(digits) => number_of(digits).unwrap_or_else(|| number.clone()),
        None => number.clone(),
    }
}

pub(super) fn negative(number: &Number) -> Number {
    if number.as_f64() == 0.0 {
        return number.clone();
    }
    let opposite = match number.get().strip_prefix('-') {
        Some(digits) => number_of(digits),
        None => number_of(&format!("-{number}")),
    };
    opposite.unwrap_or_else(|| number.clone())
}

pub(super) fn number_of(digits: &str) -> Option<Number> {
    serde_json::from_str(digits).ok()
}

/// Scales a coordinate and rounds it, half to even.
pub(super) fn scaled(coordinate: &Number, scale: f64) -> Number {
    let pixels = (coordinate.as_f64() * scale).round_ties_even();
    let digits = if pixels == 0.0 {
        "0".to_owned()
    } else {
        format!("{pixels:.0}")
    };
    number_of(&digits).unwrap_or_else(|| coordinate.clone())
}

fn seconds(ms: &Number) -> Option<Number> {
    Some(match ms.get().parse::<u64>() {
        Ok(ms) if ms % 1000 == 0 => (ms / 1000).into(),
        _ => (ms.as_f64() / 1000.0).into(),
    })
}

fn milliseconds(seconds: &Number) -> Option<Number> {
    let whole = seconds.get().parse::<u64>().ok();
    Some(match whole.and_then(|seconds| seconds.checked_mul(1000)) {
        Some(ms) => ms.into(),
        None => {
            let ms = seconds.as_f64() * 1000.0;
            match number_of(&format!("{ms:.0}")) {
                Some(whole) if (ms - ms.round()).abs() < 1e-6 => whole,
                _ => ms.into(),
            }
        }
    })
}

/// The members of a value, which are taken one by one.
struct Bag(Members);

impl Bag {
    fn of<T: serde::Serialize>(value: &T) -> Self {
        Self(to_json(value).read().unwrap_or_default())
    }

    fn peek<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        self.0.get(key)?.read().ok()
    }

    /// Takes a member, if it has this type.
    fn take<T: DeserializeOwned>(&mut self, key: &str) -> Option<T> {
        let value = self.peek(key)?;
        self.0.remove(key);
        Some(value)
    }

    /// Takes two members, if both have this type.
    fn take_both<T: DeserializeOwned>(&mut self, one: &str, other: &str) -> Option<[T; 2]> {
        let both = [self.peek(one)?, self.peek(other)?];
        self.0.remove(one);
        self.0.remove(other);
        Some(both)
    }

    /// Renames a member, unless there is already a member with the new name.
    fn rename<T: DeserializeOwned, U: serde::Serialize>(
        &mut self,
        key: &str,
        name: &'static str,
        to: &mut Members,
        change: impl FnOnce(T) -> Option<U>,
    ) {
        if self.0.get(name).is_none()
            && let Some(changed) = self.peek(key).and_then(change)
        {
            self.0.remove(key);
            to.set(name, to_json(&changed));
        }
    }
}

/// Serializes a value of a type whose serialization cannot fail.
pub(super) fn to_json<T: serde::Serialize + ?Sized>(value: &T) -> Json {
    Json::from_value(value).unwrap_or_default()
}

fn read_input(members: &Members) -> Option<ComputerInput> {
    to_json(members).read().ok()
}

//! The actions of a computer.

use super::shapes::shapes;
use agentwire_protocol::Number;
use agentwire_protocol::open::{object, open_enum, union};

union! {
    /// An action of a computer.
    pub enum Action by "type" {
        /// Clicks.
        "click" => Click(Click),
        /// Clicks twice.
        "double_click" => DoubleClick(DoubleClick),
        /// Clicks three times. Undocumented.
        "triple_click" => TripleClick(TripleClick),
        /// Drags along a path.
        "drag" => Drag(Drag),
        /// Presses keys together.
        "keypress" => KeyPress(KeyPress),
        /// Moves the pointer.
        "move" => Move(Move),
        /// Takes a screenshot.
        "screenshot" => Screenshot(Screenshot),
        /// Scrolls.
        "scroll" => Scroll(Scroll),
        /// Types a text.
        "type" => Type(Type),
        /// Waits.
        "wait" => Wait(Wait),
        /// Presses the left button.
        "left_mouse_down" => LeftMouseDown(LeftMouseDown),
        /// Releases the left button.
        "left_mouse_up" => LeftMouseUp(LeftMouseUp),
        /// Ends the task. Undocumented.
        "terminate" => Terminate(Terminate),
    }
}

open_enum! {
    /// A mouse button.
    pub enum Button {
        /// Left.
        Left = "left",
        /// Right.
        Right = "right",
        /// The wheel.
        Wheel = "wheel",
        /// Back.
        Back = "back",
        /// Forward.
        Forward = "forward",
    }
}

/// Declares actions that have coordinates, or the description of an element whose coordinates
/// another model finds.
macro_rules! pointing {
    ($(
        $(#[$meta:meta])*
        $name:ident = $tag:literal { $( $(#[$field_meta:meta])* $field:ident : $type:ty, )* }
    )*) => {$(
        object! {
            $(#[$meta])*
            #[derive(Default)]
            pub struct $name tags("type" = $tag) {
                $( $(#[$field_meta])* pub $field: $type, )*
                /// The distance from the left in pixels.
                pub x: Option<Number>,
                /// The distance from the top in pixels.
                pub y: Option<Number>,
                /// The description of the element, in place of coordinates.
                pub element_description: Option<String>,
                /// The keys that are held during the action. OpenAI only.
                pub keys: Option<Vec<String>>,
            }
        }
    )*};
}

pointing! {
    /// Clicks.
    Click = "click" {
        /// The button.
        button: Option<Button>,
    }
    /// Clicks twice.
    DoubleClick = "double_click" {
        /// The button.
        button: Option<Button>,
    }
    /// Clicks three times.
    TripleClick = "triple_click" {
        /// The button.
        button: Option<Button>,
    }
    /// Moves the pointer.
    Move = "move" {}
    /// Scrolls.
    Scroll = "scroll" {
        /// The distance to the right.
        scroll_x: Option<Number>,
        /// The distance down.
        scroll_y: Option<Number>,
    }
    /// Presses the left button.
    LeftMouseDown = "left_mouse_down" {}
    /// Releases the left button.
    LeftMouseUp = "left_mouse_up" {}
}

object! {
    /// Drags along a path.
    #[derive(Default)]
    pub struct Drag tags("type" = "drag") {
        /// The button.
        pub button: Option<Button>,
        /// The path.
        pub path: Option<Vec<Point>>,
        /// The description of the first element, in place of a path.
        pub start_element_description: Option<String>,
        /// The description of the last element, in place of a path.
        pub end_element_description: Option<String>,
        /// The keys that are held during the drag. OpenAI only.
        pub keys: Option<Vec<String>>,
    }
}

shapes! {
    /// A point, which is a pair, or an object as in the library and at OpenAI.
    pub enum Point ("a point") {
        /// A pair: the distances from the left and from the top in pixels.
        list => Pair(Vec<Number>),
        /// An object.
        object => Named(NamedPoint),
    }
}

object! {
    /// A point as an object.
    pub struct NamedPoint {
        /// The distance from the left in pixels.
        pub x: Number,
        /// The distance from the top in pixels.
        pub y: Number,
    }
}

object! {
    /// Presses keys together.
    #[derive(Default)]
    pub struct KeyPress tags("type" = "keypress") {
        /// The keys, such as `ctrl` and `c`.
        pub keys: Option<Keys>,
    }
}

shapes! {
    /// Keys that are pressed together.
    pub enum Keys ("keys") {
        /// A list.
        list => List(Vec<String>),
        /// One text, with `+` or `-` between keys.
        text => Text(String),
    }
}

object! {
    /// Takes a screenshot.
    #[derive(Default)]
    pub struct Screenshot tags("type" = "screenshot") {}
}

object! {
    /// Types a text.
    #[derive(Default)]
    pub struct Type tags("type" = "type") {
        /// The text.
        pub text: Option<String>,
    }
}

object! {
    /// Waits.
    #[derive(Default)]
    pub struct Wait tags("type" = "wait") {
        /// The time in milliseconds. Default: 1000.
        pub ms: Option<Number>,
    }
}

object! {
    /// Ends the task.
    #[derive(Default)]
    pub struct Terminate tags("type" = "terminate") {
        /// The outcome, `success` or `failure`.
        pub status: Option<String>,
    }
}

impl Point {
    /// Returns the coordinates. Returns `None` if the list is not a pair.
    #[must_use]
    pub fn coordinates(&self) -> Option<[&Number; 2]> {
        match self {
            Self::Pair(pair) => match &**pair {
                [x, y] => Some([x, y]),
                _ => None,
            },
            Self::Named(point) => Some([&point.x, &point.y]),
        }
    }

    /// Creates a point as a pair.
    #[must_use]
    pub fn pair(x: Number, y: Number) -> Self {
        Self::Pair(vec![x, y])
    }

    /// Creates a point as an object.
    #[must_use]
    pub fn named(x: Number, y: Number) -> Self {
        Self::Named(NamedPoint {
            x,
            y,
            extra: Default::default(),
        })
    }
}

//! What a model does with a computer, as Cua says it.

use super::shapes::shapes;
use agentwire_protocol::Number;
use agentwire_protocol::open::{object, open_enum, union};

union! {
    /// One thing that a model does with a computer.
    ///
    /// The set is open: a computer of the library's takes every action that it
    /// has a method for, such as `visit_url` or `web_search`.
    pub enum Action by "type" {
        /// Clicks.
        "click" => Click(Click),
        /// Clicks twice.
        "double_click" => DoubleClick(DoubleClick),
        /// Clicks three times. Not documented.
        "triple_click" => TripleClick(TripleClick),
        /// Drags from the first point of a path to the last.
        "drag" => Drag(Drag),
        /// Presses keys together.
        "keypress" => KeyPress(KeyPress),
        /// Moves the pointer.
        "move" => Move(Move),
        /// Looks at the screen.
        "screenshot" => Screenshot(Screenshot),
        /// Scrolls.
        "scroll" => Scroll(Scroll),
        /// Types a text.
        "type" => Type(Type),
        /// Waits.
        "wait" => Wait(Wait),
        /// Presses the left button, and holds it.
        "left_mouse_down" => LeftMouseDown(LeftMouseDown),
        /// Lets the left button go.
        "left_mouse_up" => LeftMouseUp(LeftMouseUp),
        /// Is done. Not documented.
        "terminate" => Terminate(Terminate),
    }
}

open_enum! {
    /// A button of a mouse.
    pub enum Button {
        /// The left one.
        Left = "left",
        /// The right one.
        Right = "right",
        /// The wheel, pressed.
        Wheel = "wheel",
        /// The one that goes back.
        Back = "back",
        /// The one that goes forward.
        Forward = "forward",
    }
}

/// Actions at a place on the screen. Where a model names the place, and
/// another one finds it, there is a description in place of the coordinates.
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
                /// Pixels from the left.
                pub x: Option<Number>,
                /// Pixels from the top.
                pub y: Option<Number>,
                /// What is there, where the coordinates are to be found yet.
                pub element_description: Option<String>,
                /// Keys that are held meanwhile. OpenAI's.
                pub keys: Option<Vec<String>>,
            }
        }
    )*};
}

pointing! {
    /// Clicks.
    Click = "click" {
        /// With which button.
        button: Option<Button>,
    }
    /// Clicks twice.
    DoubleClick = "double_click" {
        /// With which button.
        button: Option<Button>,
    }
    /// Clicks three times.
    TripleClick = "triple_click" {
        /// With which button.
        button: Option<Button>,
    }
    /// Moves the pointer.
    Move = "move" {}
    /// Scrolls.
    Scroll = "scroll" {
        /// How far to the right; to the left where it is negative.
        scroll_x: Option<Number>,
        /// How far down; up where it is negative.
        scroll_y: Option<Number>,
    }
    /// Presses the left button, and holds it.
    LeftMouseDown = "left_mouse_down" {}
    /// Lets the left button go.
    LeftMouseUp = "left_mouse_up" {}
}

object! {
    /// Drags from the first point of a path to the last.
    #[derive(Default)]
    pub struct Drag tags("type" = "drag") {
        /// With which button.
        pub button: Option<Button>,
        /// The path.
        pub path: Option<Vec<Point>>,
        /// What is where it begins, where that is to be found yet.
        pub start_element_description: Option<String>,
        /// What is where it ends, where that is to be found yet.
        pub end_element_description: Option<String>,
        /// Keys that are held meanwhile. OpenAI's.
        pub keys: Option<Vec<String>>,
    }
}

shapes! {
    /// A point: a pair, as documented, or an object, as the library and OpenAI
    /// write it.
    pub enum Point ("a point") {
        /// Pixels from the left, and from the top.
        list => Pair(Vec<Number>),
        /// The same with names.
        object => Named(NamedPoint),
    }
}

object! {
    /// A point whose coordinates have names.
    pub struct NamedPoint {
        /// Pixels from the left.
        pub x: Number,
        /// Pixels from the top.
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
        /// Each for itself.
        list => List(Vec<String>),
        /// One, or several with `+` or `-` between them.
        text => Text(String),
    }
}

object! {
    /// Looks at the screen.
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
        /// Milliseconds; a second, where it does not say.
        pub ms: Option<Number>,
    }
}

object! {
    /// Is done.
    #[derive(Default)]
    pub struct Terminate tags("type" = "terminate") {
        /// `success` or `failure`.
        pub status: Option<String>,
    }
}

impl Point {
    /// Its coordinates; nothing, for a list that is no pair.
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

    /// A pair.
    #[must_use]
    pub fn pair(x: Number, y: Number) -> Self {
        Self::Pair(vec![x, y])
    }

    /// A point whose coordinates have names.
    #[must_use]
    pub fn named(x: Number, y: Number) -> Self {
        Self::Named(NamedPoint {
            x,
            y,
            extra: Default::default(),
        })
    }
}

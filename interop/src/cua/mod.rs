#![doc = include_str!("../../docs/cua.md")]

mod action;
mod computer;
mod dialect;
mod elements;
mod failed;
mod file;
mod from_completion;
mod images;
mod item;
mod make;
mod part;
mod response;
mod shapes;
mod system;
mod to_completion;

pub use action::{
    Action, Button, Click, DoubleClick, Drag, KeyPress, Keys, LeftMouseDown, LeftMouseUp, Move,
    NamedPoint, Point, Screenshot, Scroll, Terminate, TripleClick, Type, Wait,
};
pub use computer::{
    COMPUTER, ComputerAction, ComputerInput, ScrollDirection, from_computer_input,
    to_computer_input,
};
pub use dialect::Dialect;
pub use elements::{Places, elements, elements_of_places, places_of_elements};
pub use failed::failed_calls_as_functions;
pub use from_completion::{FromAnthropic, items_from_completion};
pub use images::{OMITTED, redact_images, retain_images};
pub use item::{
    ComputerCall, ComputerCallOutput, FunctionCall, FunctionCallOutput, Item, MessageItem,
    ReasoningItem, Role, SafetyCheck, Status,
};
pub use make::Make;
pub use part::{
    Arguments, ComputerScreenshot, MessageContent, Output, Part, ReasoningText, SummaryText,
};
pub use response::{InputTokens, OutputTokens, Response, Usage};
pub use system::Cua;
pub use to_completion::{ToCompletion, messages_for_anthropic};

//! Cua.

mod action;
mod computer;
mod dialect;
mod file;
mod item;
mod part;
mod shapes;
mod system;

pub use action::{
    Action, Button, Click, DoubleClick, Drag, KeyPress, Keys, LeftMouseDown, LeftMouseUp, Move,
    NamedPoint, Point, Screenshot, Scroll, Terminate, TripleClick, Type, Wait,
};
pub use computer::{
    COMPUTER, ComputerAction, ComputerInput, ScrollDirection, of_computer_input, to_computer_input,
};
pub use dialect::Dialect;
pub use item::{
    ComputerCall, ComputerCallOutput, FunctionCall, FunctionCallOutput, Item, MessageItem,
    ReasoningItem, Role, SafetyCheck, Status,
};
pub use part::{
    Arguments, ComputerScreenshot, InputFile, InputImage, InputText, MessageContent, Output,
    OutputText, Part, PlainText, ReasoningText, Refusal, SummaryText,
};
pub use system::Cua;

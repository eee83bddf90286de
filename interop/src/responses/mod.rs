#![doc = include_str!("../../docs/responses.md")]

mod item;
mod part;
mod read;
mod system;
mod write;

pub use item::{
    Content, FunctionCall, FunctionCallOutput, Item, Message, Phase, Reasoning, ReasoningText,
    Role, Status, SummaryText,
};
pub use part::{InputFile, InputImage, InputText, OutputText, Part, Refusal};
pub use system::Responses;

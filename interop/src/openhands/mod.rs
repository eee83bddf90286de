#![doc = include_str!("../../docs/openhands.md")]

mod content;
mod from_model;
mod message;
mod python;
mod read;
mod system;
mod to_chat;
mod to_responses;
mod tool_call;
mod write;

pub use content::{Content, ImageContent, TextContent, content_to_str};
pub use from_model::FromModelError;
pub use message::{Message, ReasoningItem, RedactedThinking, Role, Thinking, ThinkingBlock};
pub use system::OpenHands;
pub use to_chat::{ChatOptions, ToChatError};
pub use to_responses::ResponsesValue;
pub use tool_call::{MessageToolCall, Origin, ToolCallError};

#![doc = include_str!("../../docs/bridgic.md")]

mod block;
mod block_system;
mod chat;
mod chat_system;
mod content;
mod failure;
mod library;
mod openai;
mod response;
mod tool;

pub use block::{Block, Message, Role, TextBlock, ToolCallBlock, ToolResultBlock};
pub use block_system::Blocks;
pub use chat::{
    Arguments, AssistantTextMessage, ChatMessage, Function, FunctionToolCall, SystemMessage,
    ToolCallKind, ToolMessage, UserTextMessage,
};
pub use chat_system::Chat;
pub use failure::CannotConvert;
pub use openai::tool_calls_from_openai;
pub use response::{MessageChunk, Response, TokenUsage};
pub use tool::{
    ExportTools, ImportTools, Tool, ToolCall, ToolSpec, export_tools, import_tools,
    undo_export_tools, undo_import_tools,
};

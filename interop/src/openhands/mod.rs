#![doc = include_str!("../../docs/openhands.md")]

mod caching;
mod content;
mod event;
mod from_model;
mod message;
mod read;
mod system;
mod text;
mod to_chat;
mod to_responses;
mod tool_call;
mod write;

pub use caching::apply_caching;
pub use content::{Content, ImageContent, TextContent, content_to_str};
pub use event::{
    ActionEvent, AgentErrorEvent, CondensationSummaryEvent, Event, MessageEvent, MixedThought,
    Observation, ObservationEvent, SystemPromptEvent, UserRejectObservation, events_to_messages,
};
pub use from_model::FromModelError;
pub use message::{Message, ReasoningItem, RedactedThinking, Role, Thinking, ThinkingBlock};
pub use system::OpenHands;
pub use to_chat::{ChatOptions, ToChatError};
pub use to_responses::ResponsesValue;
pub use tool_call::{MessageToolCall, Origin, ToolCallError};

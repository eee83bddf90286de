#![doc = include_str!("../../docs/chat.md")]

mod message;
mod part;
mod read;
mod system;
mod thinking;
mod write;

pub use message::{
    Annotation, AssistantMessage, Content, CustomCall, DeveloperMessage, FunctionCall,
    FunctionMessage, Message, ReasoningItem, SummaryText, SystemMessage, ToolCall, ToolMessage,
    UrlCitation, UserMessage,
};
pub use part::{
    AudioPart, Detail, DocumentPart, File, FilePart, ImagePart, ImageUrl, InputAudio, Part,
    RefusalPart, TextPart, ToolReferencePart, VideoPart, VideoUrl,
};
pub(crate) use read::thinking_block;
pub use system::Chat;
pub use thinking::{RedactedThinking, Thinking, ThinkingBlock};

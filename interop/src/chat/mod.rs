#![doc = include_str!("../../docs/chat.md")]

mod message;
mod part;

pub use message::{
    Annotation, AssistantMessage, Content, CustomCall, DeveloperMessage, FunctionCall,
    FunctionMessage, Message, ReasoningItem, RedactedThinking, SummaryText, SystemMessage,
    Thinking, ThinkingBlock, ToolCall, ToolMessage, UrlCitation, UserMessage,
};
pub use part::{
    AudioPart, Detail, DocumentPart, File, FilePart, ImagePart, ImageUrl, InputAudio, Part,
    RefusalPart, TextPart, ToolReferencePart, VideoPart, VideoUrl,
};

//! Converts messages to Chat Completions.

use super::content::ephemeral;
use super::text::{is_blank, shortened};
use super::{Content, Message, MessageToolCall, Role, ThinkingBlock};
use crate::chat::{self, Part};
use agentwire_protocol::Json;
use agentwire_protocol::content::CacheControl;

/// The options of `to_chat_dict`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ChatOptions {
    /// Whether prompts are cached.
    pub cache_enabled: bool,
    /// Whether the model sees images.
    pub vision_enabled: bool,
    /// Whether the model calls functions.
    pub function_calling_enabled: bool,
    /// Whether content is a text, unless it has visible images.
    pub force_string_serializer: bool,
    /// Whether reasoning is sent back.
    pub send_reasoning_content: bool,
}

/// The error of a conversion to Chat Completions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToChatError {
    /// A result has no name of the tool.
    #[error("the result of the call `{0}` has no tool name")]
    NoToolName(String),
    /// The role is unknown.
    #[error("unknown role `{0}`")]
    UnknownRole(String),
}

impl Message {
    /// Converts the message to Chat Completions.
    ///
    /// Content is a list of parts if the model has any of the options or sees an image. Otherwise
    /// it is a text without images, cache marks and thinking. The middle of results above 50,000
    /// characters is removed.
    ///
    /// # Errors
    ///
    /// [`ToChatError`] if a tool's result has no name of the tool, or if the role is unknown.
    pub fn to_chat_dict(&self, options: ChatOptions) -> Result<chat::Message, ToChatError> {
        let can_more =
            options.cache_enabled || options.vision_enabled || options.function_calling_enabled;
        let is_list = (!options.force_string_serializer && can_more)
            || (options.vision_enabled && self.contains_image());
        let content = if is_list {
            chat::Content::Other(self.parts(options.vision_enabled))
        } else {
            chat::Content::Text(self.joined_text())
        };
        let reasoning_content = self
            .reasoning_content
            .clone()
            .filter(|it| options.send_reasoning_content && !it.is_empty());
        let mut message = match &self.role {
            Role::System => chat::SystemMessage {
                content: Some(content),
                ..Default::default()
            }
            .into(),
            Role::User => chat::UserMessage {
                content: Some(content),
                ..Default::default()
            }
            .into(),
            Role::Tool => self.tool_message(content, is_list)?.into(),
            Role::Assistant => {
                return Ok(chat::AssistantMessage {
                    reasoning_content,
                    ..self.assistant_message(content, is_list)
                }
                .into());
            }
            Role::Unknown(role) => return Err(ToChatError::UnknownRole(role.to_string())),
        };
        if let Some(reasoning) = reasoning_content {
            set_reasoning(&mut message, &reasoning);
        }
        Ok(message)
    }

    fn tool_message(
        &self,
        content: chat::Content,
        is_list: bool,
    ) -> Result<chat::ToolMessage, ToChatError> {
        let mut message = chat::ToolMessage {
            content: Some(content),
            ..Default::default()
        };
        // The message has the cache mark, because parts of a result have none.
        if is_list && self.contents().iter().any(Content::cache_prompt) {
            message.cache_control = cache_control();
        }
        if let Some(id) = &self.tool_call_id {
            if self.name.is_none() {
                return Err(ToChatError::NoToolName(id.clone()));
            }
            message.tool_call_id = Some(id.clone());
            message.name.clone_from(&self.name);
        }
        Ok(message)
    }

    fn assistant_message(&self, content: chat::Content, is_list: bool) -> chat::AssistantMessage {
        let mut message = chat::AssistantMessage::default();
        let blocks = self.thinking_blocks.as_deref().unwrap_or_default();
        if is_list && !blocks.is_empty() {
            message.thinking_blocks = Some(blocks.iter().filter_map(to_chat_block).collect());
        }
        let calls = self.tool_calls.as_deref().unwrap_or_default();
        if calls.is_empty() {
            message.content = Some(match content {
                chat::Content::Other(parts) if parts.is_empty() => "".into(),
                content => content,
            });
        } else {
            message.tool_calls = Some(calls.iter().map(MessageToolCall::to_chat_dict).collect());
            message.content = without_blanks(content);
        }
        message
    }

    fn joined_text(&self) -> String {
        let contents = self.contents();
        let texts: Vec<&str> = contents
            .iter()
            .filter_map(|it| it.as_text().map(|text| &*text.text))
            .collect();
        let text = texts.join("\n");
        if self.role == Role::Tool {
            shortened(text)
        } else {
            text
        }
    }

    fn parts(&self, vision_enabled: bool) -> Vec<Part> {
        let mut all = Vec::new();
        for content in self.contents().iter() {
            if content.as_image().is_some() && !vision_enabled {
                continue;
            }
            for mut part in content.to_llm_dict() {
                if self.role == Role::Tool {
                    match &mut part {
                        Part::Text(part) => {
                            part.text = shortened(std::mem::take(&mut part.text));
                            part.cache_control = None;
                        }
                        Part::Image(part) => part.cache_control = None,
                        _ => {}
                    }
                }
                all.push(part);
            }
        }
        all
    }
}

/// Sets the reasoning of a message of any role, like the library.
fn set_reasoning(message: &mut chat::Message, reasoning: &str) {
    let extra = match message {
        chat::Message::System(message) => &mut message.extra,
        chat::Message::User(message) => &mut message.extra,
        chat::Message::Tool(message) => &mut message.extra,
        _ => return,
    };
    extra.set("reasoning_content", reasoning);
}

fn cache_control() -> Option<CacheControl> {
    ephemeral(Some(true))
}

/// Removes blank texts. Returns `None` if nothing remains.
fn without_blanks(content: chat::Content) -> Option<chat::Content> {
    match content {
        chat::Content::Text(text) => (!is_blank(&text)).then_some(chat::Content::Text(text)),
        chat::Content::Other(mut parts) => {
            parts.retain(|part| !matches!(part, Part::Text(part) if is_blank(&part.text)));
            (!parts.is_empty()).then_some(chat::Content::Other(parts))
        }
    }
}

fn to_chat_block(block: &ThinkingBlock) -> Option<chat::ThinkingBlock> {
    match block {
        ThinkingBlock::Thinking(block) => {
            let mut thinking = chat::Thinking {
                thinking: block.thinking.clone(),
                signature: block.signature.clone(),
                cache_control: None,
                extra: Default::default(),
            };
            if thinking.signature.is_none() {
                // The library writes `null`.
                thinking.extra.push("signature", Json::null());
            }
            Some(thinking.into())
        }
        ThinkingBlock::Redacted(block) => Some(
            chat::RedactedThinking {
                data: block.data.clone(),
                cache_control: None,
                extra: Default::default(),
            }
            .into(),
        ),
        ThinkingBlock::Unknown(_) => None,
    }
}

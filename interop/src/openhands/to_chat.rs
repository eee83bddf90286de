//! OpenHands' message as a message of Chat Completions.

use super::content::ephemeral;
use super::text::{is_blank, shortened};
use super::{Content, Message, MessageToolCall, Role, ThinkingBlock};
use crate::chat::{self, Part};
use agentwire_protocol::Json;
use agentwire_protocol::content::CacheControl;

/// What a model can do, and how it is sent to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ChatOptions {
    /// Prompts are cached.
    pub cache_enabled: bool,
    /// The model sees images.
    pub vision_enabled: bool,
    /// The model calls functions.
    pub function_calling_enabled: bool,
    /// The content is a text, whatever the model can do; but images that the
    /// model sees are kept.
    pub force_string_serializer: bool,
    /// What the model thought is sent back to it.
    pub send_reasoning_content: bool,
}

/// A message that has no form in Chat Completions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToChatError {
    /// A tool answers a call, and its name is missing.
    #[error("the answer to the call `{0}` does not name the tool")]
    NoToolName(String),
    /// Chat Completions does not know who says it.
    #[error("there is no role `{0}`")]
    UnknownRole(String),
}

impl Message {
    /// The message as Chat Completions has it.
    ///
    /// The content is a list of parts when the model can do anything special,
    /// or sees an image that is there; else a text, without images, places to
    /// cache and thinking. Texts of tools above 50,000 characters are cut in
    /// the middle.
    ///
    /// # Errors
    ///
    /// [`ToChatError`] when a tool answers a call and its name is missing, or
    /// when nobody knows the role.
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
        // The place to cache is that of the message, for parts of a tool's
        // answer have none.
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

/// Only an assistant's message has a typed place for what was thought; the
/// library puts it into any.
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

/// Content without texts in which there is nothing; none, when nothing is
/// left.
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
                // The library writes that there is none.
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

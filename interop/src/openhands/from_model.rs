//! Reads replies of models.

use super::text::stripped;
use super::{
    Content, ImageContent, Message, MessageToolCall, ReasoningItem, Role, TextContent,
    ThinkingBlock, ToolCallError,
};
use crate::TextOr;
use crate::chat::{self, Part};
use crate::responses::{Item, Part as ResponsesPart, Reasoning};
use agentwire_protocol::Json;

/// The error of a conversion to a message of OpenHands.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FromModelError {
    /// The role is unknown.
    #[error("unknown role `{0}`")]
    UnknownRole(String),
    /// None of the calls is a function call.
    #[error("none of the calls is a function call")]
    NoFunctions,
    /// A call is invalid.
    #[error(transparent)]
    ToolCall(#[from] ToolCallError),
    /// The kind of thinking is unknown.
    #[error("thinking of an unknown kind")]
    UnknownThinking,
    /// An item of Responses is invalid.
    #[error("an invalid item")]
    Item,
    /// The output of Responses is neither a list nor `null`.
    #[error("the output is not a list")]
    NoList,
}

impl Message {
    /// Reads a reply of Chat Completions. Calls of other types than `function` are skipped. A list
    /// of parts becomes texts and images.
    ///
    /// # Errors
    ///
    /// [`FromModelError`] if OpenHands does not know the role, if none of the calls is a function
    /// call, if such a call has no ID or no name, or if the kind of thinking is unknown.
    pub fn from_llm_chat_message(message: &chat::Message) -> Result<Self, FromModelError> {
        let (role, content) = match message {
            chat::Message::System(it) => (Role::System, &it.content),
            chat::Message::User(it) => (Role::User, &it.content),
            chat::Message::Assistant(it) => (Role::Assistant, &it.content),
            chat::Message::Tool(it) => (Role::Tool, &it.content),
            other => {
                let role = match other {
                    chat::Message::Unknown(members) => members.get_str("role"),
                    other => other.tag(),
                };
                return Err(FromModelError::UnknownRole(role.unwrap_or_default()));
            }
        };
        let mut made = Self::new(role);
        made.content = match content {
            None => None,
            Some(chat::Content::Text(text)) => Some(vec![Content::text(text)].into()),
            Some(chat::Content::Other(parts)) => {
                Some(TextOr::Other(parts.iter().filter_map(content_of).collect()))
            }
        };
        if let chat::Message::Tool(message) = message {
            made.tool_call_id.clone_from(&message.tool_call_id);
            made.name.clone_from(&message.name);
        }
        if let chat::Message::Assistant(message) = message {
            made.tool_calls = tool_calls(message)?;
            made.reasoning_content
                .clone_from(&message.reasoning_content);
            made.thinking_blocks = message
                .thinking_blocks
                .as_ref()
                .map(|blocks| blocks.iter().map(thinking_block).collect())
                .transpose()?;
        }
        Ok(made)
    }

    /// Reads the output of Responses as one message. Texts are joined by newlines and trimmed, the
    /// last reasoning item is used, and refusals and unknown items are skipped.
    ///
    /// # Errors
    ///
    /// [`ToolCallError`] if a call has no ID or no name.
    pub fn from_llm_responses_output(output: &[Item]) -> Result<Self, FromModelError> {
        let mut made = Self::new(Role::Assistant);
        let mut texts: Vec<&str> = Vec::new();
        let mut calls = Vec::new();
        for item in output {
            match item {
                // A message without a type is input.
                Item::Message(message) if message.kind.is_some() => match &message.content {
                    None => {}
                    Some(TextOr::Other(parts)) => {
                        texts.extend(parts.iter().filter_map(output_text));
                    }
                    Some(TextOr::Text(text)) => texts.push(text),
                },
                Item::FunctionCall(call) => {
                    calls.push(MessageToolCall::from_responses_function_call(call)?);
                }
                Item::Reasoning(item) => {
                    made.responses_reasoning_item = Some(reasoning_item(item));
                }
                _ => {}
            }
        }
        let text = texts.join("\n");
        let text = stripped(&text);
        if !text.is_empty() {
            made.content = Some(vec![Content::text(text)].into());
        }
        made.tool_calls = (!calls.is_empty()).then_some(calls);
        Ok(made)
    }
}

impl Message {
    /// Reads the output of Responses from JSON, which is a list of items, or `null`. Unknown items
    /// and values that are not objects are skipped.
    ///
    /// # Errors
    ///
    /// The errors of [`Message::from_llm_responses_output`], [`FromModelError::Item`] if an item
    /// does not match its type, and [`FromModelError::NoList`] if the output is not a list.
    pub fn from_llm_responses_value(output: &Json) -> Result<Self, FromModelError> {
        if output.is_null() {
            return Self::from_llm_responses_output(&[]);
        }
        let values: Vec<Json> = output.read().map_err(|_| FromModelError::NoList)?;
        let objects = values.iter().filter(|value| value.get().starts_with('{'));
        let items = objects.map(|value| value.read().map_err(|_| FromModelError::Item));
        let items: Vec<Item> = items.collect::<Result<_, _>>()?;
        Self::from_llm_responses_output(&items)
    }
}

fn content_of(part: &Part) -> Option<Content> {
    Some(match part {
        Part::Text(part) => {
            let mut content = TextContent::new(&*part.text);
            content.cache_prompt = part.cache_control.is_some().then_some(true);
            content.into()
        }
        Part::Image(part) => {
            let mut content = ImageContent::new(vec![part.url().to_owned()]);
            content.cache_prompt = part.cache_control.is_some().then_some(true);
            content.into()
        }
        _ => return None,
    })
}

fn tool_calls(
    message: &chat::AssistantMessage,
) -> Result<Option<Vec<MessageToolCall>>, FromModelError> {
    let calls = message.tool_calls.as_deref().unwrap_or_default();
    if calls.is_empty() {
        return Ok(None);
    }
    let functions: Vec<_> = calls.iter().filter(|it| it.kind() == "function").collect();
    if functions.is_empty() {
        return Err(FromModelError::NoFunctions);
    }
    let calls = functions
        .into_iter()
        .map(MessageToolCall::from_chat_tool_call)
        .collect::<Result<_, _>>()?;
    Ok(Some(calls))
}

fn thinking_block(block: &chat::ThinkingBlock) -> Result<ThinkingBlock, FromModelError> {
    match block {
        chat::ThinkingBlock::Thinking(block) => Ok(ThinkingBlock::thinking(
            &*block.thinking,
            block.signature.clone(),
        )),
        chat::ThinkingBlock::Redacted(block) => Ok(ThinkingBlock::redacted(&*block.data)),
        chat::ThinkingBlock::Unknown(_) => Err(FromModelError::UnknownThinking),
    }
}

fn output_text(part: &ResponsesPart) -> Option<&str> {
    match part {
        ResponsesPart::OutputText(part) => part.text.as_deref().filter(|text| !text.is_empty()),
        _ => None,
    }
}

fn reasoning_item(item: &Reasoning) -> ReasoningItem {
    let content: Vec<String> = item
        .content
        .iter()
        .flatten()
        .map(|part| part.text.clone().unwrap_or_default())
        .collect();
    let summary = item.summary.iter().flatten();
    ReasoningItem {
        id: item.id.clone(),
        summary: Some(
            summary
                .map(|part| part.text.clone().unwrap_or_default())
                .collect(),
        ),
        content: (!content.is_empty()).then_some(content),
        encrypted_content: item.encrypted_content.clone(),
        status: item
            .status
            .as_ref()
            .map(|status| status.as_str().to_owned()),
        extra: Default::default(),
    }
}

//! Converts messages to Responses.

use super::text::shortened;
use super::{Content, Message, MessageToolCall, ReasoningItem, Role};
use crate::Encrypted;
use crate::responses::{
    self, FunctionCallOutput, InputImage, InputText, Item, OutputText, Part, Reasoning,
    ReasoningText,
};

/// A message in a request of Responses.
#[derive(Debug, Clone, PartialEq)]
pub enum ResponsesValue {
    /// The instructions, for a system prompt.
    Instructions(String),
    /// The items, for any other message.
    Items(Vec<Item>),
}

impl Message {
    /// Converts the message to instructions or items.
    #[must_use]
    pub fn to_responses_value(&self, vision_enabled: bool) -> ResponsesValue {
        if self.role != Role::System {
            return ResponsesValue::Items(self.to_responses_dict(vision_enabled));
        }
        let contents = self.contents();
        let texts: Vec<&str> = contents
            .iter()
            .filter_map(|it| it.as_text().map(|text| &*text.text))
            .filter(|text| !text.is_empty())
            .collect();
        ResponsesValue::Instructions(texts.join("\n"))
    }

    /// Converts the message to items of Responses. A system prompt has no items, because it becomes
    /// the instructions.
    ///
    /// The result of a tool becomes an empty text if it has neither a text nor an image that the
    /// model sees, because the API refuses a call without a result.
    #[must_use]
    pub fn to_responses_dict(&self, vision_enabled: bool) -> Vec<Item> {
        match &self.role {
            Role::User => vec![self.user_item(vision_enabled)],
            Role::Assistant => self.assistant_items(),
            Role::Tool => self.tool_items(vision_enabled),
            Role::System | Role::Unknown(_) => vec![],
        }
    }

    fn user_item(&self, vision_enabled: bool) -> Item {
        let mut parts: Vec<Part> = Vec::new();
        for content in self.contents().iter() {
            match content {
                Content::Text(text) => parts.push(InputText::new(&*text.text).into()),
                Content::Image(image) if vision_enabled => {
                    parts.extend(
                        image
                            .image_urls
                            .iter()
                            .map(|url| InputImage::new(url).into()),
                    );
                }
                _ => {}
            }
        }
        if parts.is_empty() {
            parts.push(InputText::new("").into());
        }
        responses::Message::new(responses::Role::User, parts).into()
    }

    fn assistant_items(&self) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        let reasoning = self.responses_reasoning_item.as_ref();
        items.extend(reasoning.and_then(reasoning_item).map(Item::from));
        let texts: Vec<Part> = self
            .contents()
            .iter()
            .filter_map(|content| content.as_text())
            .filter(|text| !text.text.is_empty())
            .map(|text| OutputText::new(&*text.text).into())
            .collect();
        if !texts.is_empty() {
            items.push(responses::Message::new(responses::Role::Assistant, texts).into());
        }
        let calls = self.tool_calls.iter().flatten();
        items.extend(
            calls
                .map(MessageToolCall::to_responses_dict)
                .map(Item::from),
        );
        items
    }

    fn tool_items(&self, vision_enabled: bool) -> Vec<Item> {
        let Some(call) = &self.tool_call_id else {
            return vec![];
        };
        let mut items: Vec<Item> = Vec::new();
        for content in self.contents().iter() {
            match content {
                Content::Text(text) => {
                    let output = shortened(text.text.clone());
                    items.push(FunctionCallOutput::new(call, output).into());
                }
                Content::Image(image) if vision_enabled => {
                    items.extend(image.image_urls.iter().map(|url| {
                        let part = Part::from(InputImage::new(url));
                        Item::from(FunctionCallOutput::new(call, vec![part]))
                    }));
                }
                _ => {}
            }
        }
        if items.is_empty() {
            items.push(FunctionCallOutput::new(call, "").into());
        }
        items
    }
}

/// Converts reasoning that has an ID. The API does not know other reasoning.
fn reasoning_item(reasoning: &ReasoningItem) -> Option<Reasoning> {
    let id = reasoning.id.clone()?;
    let mut item = Reasoning::new(reasoning.summary.iter().flatten().cloned());
    item.id = Some(id);
    item.content = reasoning
        .content
        .as_ref()
        .filter(|texts| !texts.is_empty())
        .map(|texts| texts.iter().map(ReasoningText::new).collect());
    item.encrypted_content = reasoning
        .encrypted_content
        .clone()
        .filter(|it: &Encrypted| !it.reveal().is_empty());
    item.status = reasoning
        .status
        .as_deref()
        .filter(|it| !it.is_empty())
        .map(Into::into);
    Some(item)
}

//! Writes items as messages of Chat Completions, like functions of the library.

use super::computer::{COMPUTER, to_json};
use super::{
    ComputerCall, Item, MessageItem, OMITTED, Output, Part, ReasoningItem, Role, to_computer_input,
};
use crate::TextOr;
use crate::chat::{
    AssistantMessage, Content, DeveloperMessage, FunctionMessage, ImagePart, Message,
    Part as ChatPart, SystemMessage, TextPart, ToolCall, ToolMessage, UserMessage,
};
use agentwire_protocol::{Json, Members};
use std::collections::HashMap;

/// The text in place of a screenshot that the next message contains.
pub(super) const SEE_BELOW: &str = "[Execution completed. See screenshot below]";

/// The options of the library's `convert_responses_items_to_completion_messages`.
#[derive(Debug, Clone, Copy)]
pub struct ToCompletion {
    /// Whether images are written into the results of tools. Otherwise a user message after the
    /// result has the image. Default: true.
    pub images_in_tool_results: bool,
    /// Whether each image gets a user message. Otherwise only the last of several images in a row
    /// is sent.
    pub every_image: bool,
    /// Whether calls are written as tags in the text, and results as user messages.
    pub xml: bool,
}

impl Default for ToCompletion {
    fn default() -> Self {
        Self {
            images_in_tool_results: true,
            every_image: false,
            xml: false,
        }
    }
}

impl ToCompletion {
    /// Converts items to messages.
    #[must_use]
    pub fn messages(&self, items: &[Item]) -> Vec<Message> {
        Writer::write(*self, false, items)
    }
}

/// Converts items to the messages that the library sends to Anthropic's models. In these the
/// computer is Anthropic's `computer` tool, and results have the role `function`.
///
/// Screenshots keep their size, although the library scales large ones down.
#[must_use]
pub fn messages_for_anthropic(items: &[Item]) -> Vec<Message> {
    Writer::write(ToCompletion::default(), true, items)
}

struct Writer<'a> {
    options: ToCompletion,
    is_anthropic: bool,
    messages: Vec<Message>,
    /// The called functions, by call ID.
    tools: HashMap<&'a str, &'a str>,
}

impl<'a> Writer<'a> {
    fn write(options: ToCompletion, is_anthropic: bool, items: &'a [Item]) -> Vec<Message> {
        let mut writer = Self {
            options,
            is_anthropic,
            messages: Vec::new(),
            tools: HashMap::new(),
        };
        for (index, item) in items.iter().enumerate() {
            writer.item(item, items.get(index + 1));
        }
        writer.messages
    }

    fn item(&mut self, item: &'a Item, next: Option<&Item>) {
        match item {
            Item::Message(message) => {
                let message = self.message(message);
                self.messages.extend(message);
            }
            Item::Reasoning(reasoning) => {
                let text = reasoning_text(reasoning);
                self.messages
                    .extend(text.map(|text| assistant(Some(text.into()))));
            }
            Item::FunctionCall(call) => {
                self.tools.insert(&call.call_id, &call.name);
                self.call(
                    &call.call_id,
                    &call.name,
                    &super::part::arguments_text(&call.arguments),
                );
            }
            Item::ComputerCall(call) => {
                let input = self.computer_input(call);
                self.call(&call.call_id, COMPUTER, input.get());
            }
            Item::ComputerCallOutput(output) => {
                self.output(&output.call_id, COMPUTER, &output.output, next);
            }
            Item::FunctionCallOutput(output) => {
                let tool = self.tools.get(&*output.call_id).copied();
                let tool = tool.unwrap_or(COMPUTER);
                self.output(&output.call_id, tool, &output.output, next);
            }
            Item::Unknown(_) => {}
        }
    }

    fn message(&self, message: &MessageItem) -> Option<Message> {
        let is_user = message.role == Some(Role::User) || message.kind.as_deref() == Some("user");
        if is_user {
            let content = match &message.content {
                Some(TextOr::Text(text)) => text.as_str().into(),
                Some(TextOr::Other(parts)) => self.parts(parts),
                None if message.extra.get("content").is_some() => return None,
                None => "".into(),
            };
            return Some(user(content));
        }
        let text = message.content.as_ref().map(super::part::content_text);
        match &message.role {
            Some(Role::System) => Some(
                SystemMessage {
                    content: Some(text?.into()),
                    ..SystemMessage::default()
                }
                .into(),
            ),
            Some(Role::Developer) => Some(
                DeveloperMessage {
                    content: Some(text?.into()),
                    ..DeveloperMessage::default()
                }
                .into(),
            ),
            Some(Role::Assistant) if self.is_anthropic => {
                Some(assistant(Some(text.unwrap_or_default().into())))
            }
            role if *role == Some(Role::Assistant)
                || message.kind.as_deref() == Some("message") && !self.is_anthropic =>
            {
                match message.content.as_ref()? {
                    TextOr::Other(parts) if parts.is_empty() => None,
                    _ => Some(assistant(Some(text?.into()))),
                }
            }
            _ => None,
        }
    }

    fn parts(&self, parts: &[Part]) -> Content {
        TextOr::Other(parts.iter().filter_map(|part| self.part(part)).collect())
    }

    fn part(&self, part: &Part) -> Option<ChatPart> {
        match part {
            Part::InputImage(image) => {
                let url = image.image_url.as_deref()?;
                let is_sent = !self.is_anthropic || !url.is_empty() && url != OMITTED;
                is_sent.then(|| ImagePart::new(url).into())
            }
            Part::InputText(_) | Part::Text(_) => {
                Some(TextPart::new(part.text().unwrap_or_default()).into())
            }
            _ => None,
        }
    }

    /// Adds a call to the last message of the model.
    fn call(&mut self, id: &str, name: &str, arguments: &str) {
        if !matches!(self.messages.last(), Some(Message::Assistant(_))) {
            let content = (!self.is_anthropic).then(|| "".into());
            self.messages.push(assistant(content));
        }
        let Some(Message::Assistant(last)) = self.messages.last_mut() else {
            return;
        };
        if !self.options.xml {
            let calls = last.tool_calls.get_or_insert_default();
            calls.push(ToolCall::function(id, name, arguments));
            return;
        }
        let name = Json::from(name);
        let tag =
            format!("<tool_call>{{\"name\": {name}, \"arguments\": {arguments}}}</tool_call>");
        let text = last.content.as_ref().and_then(Content::as_text);
        last.content = Some(match text.filter(|text| !text.is_empty()) {
            Some(text) => format!("{text}\n{tag}").into(),
            None => tag.into(),
        });
    }

    fn computer_input(&self, call: &ComputerCall) -> Json {
        let input = |action| match self.is_anthropic {
            true => to_json(&to_computer_input(action)),
            false => to_json(action),
        };
        match (&call.action, &call.actions) {
            (Some(action), _) => input(action),
            (None, Some(actions)) => {
                let actions: Vec<Json> = actions.iter().map(input).collect();
                let mut input = Members::default();
                input.set("actions", to_json(&actions));
                to_json(&input)
            }
            (None, None) => to_json(&Members::default()),
        }
    }

    fn output(&mut self, id: &str, tool: &str, output: &Output, next: Option<&Item>) {
        let url = image_url(output);
        let content = match (url, output) {
            (Some(url), _) => image(url),
            (None, Output::Text(text)) => text.as_str().into(),
            (None, Output::Parts(parts)) => self.parts(parts),
            (None, Output::Part(part)) => to_json(part).get().into(),
            (None, Output::Null(_)) => "".into(),
        };
        if self.is_anthropic {
            self.messages.push(
                FunctionMessage {
                    content: Some(content),
                    name: Some(tool.to_owned()),
                    tool_call_id: Some(id.to_owned()),
                    ..FunctionMessage::default()
                }
                .into(),
            );
            return;
        }
        if self.options.xml {
            self.messages.push(user(content));
            return;
        }
        let is_below = url.is_some() && !self.options.images_in_tool_results;
        let (content, below) = match is_below {
            true => (SEE_BELOW.into(), Some(content)),
            false => (content, None),
        };
        let result = ToolMessage {
            content: Some(content),
            tool_call_id: Some(id.to_owned()),
            ..ToolMessage::default()
        };
        self.messages.push(result.into());
        let is_followed = matches!(next, Some(Item::ComputerCallOutput(next)) if image_url(&next.output).is_some());
        if let Some(image) = below.filter(|_| self.options.every_image || !is_followed) {
            self.messages.push(user(image));
        }
    }
}

fn user(content: Content) -> Message {
    UserMessage {
        content: Some(content),
        ..UserMessage::default()
    }
    .into()
}

fn assistant(content: Option<Content>) -> Message {
    AssistantMessage {
        content,
        ..AssistantMessage::default()
    }
    .into()
}

fn image(url: &str) -> Content {
    TextOr::Other(vec![ImagePart::new(url).into()])
}

fn image_url(output: &Output) -> Option<&str> {
    match output {
        Output::Part(part) => part.image_url(),
        _ => None,
    }
}

/// Returns the summary, or else the reasoning itself. Returns `None` if there is no text.
fn reasoning_text(reasoning: &ReasoningItem) -> Option<String> {
    let parts = [&reasoning.summary, &reasoning.content];
    let texts = parts.into_iter().flatten();
    let mut texts = texts.map(|parts| super::part::joined(parts));
    let text = texts.find(|text| !text.is_empty());
    text.or_else(|| reasoning.reasoning.clone())
        .filter(|text| !text.is_empty())
}

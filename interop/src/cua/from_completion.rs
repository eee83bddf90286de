//! Reads messages of Chat Completions as items, like functions of the library.

use super::computer::{COMPUTER, scaled, to_json};
use super::to_completion::SEE_BELOW;
use super::{Action, ComputerInput, Item, Make, Output, Part, Point, Role, from_computer_input};
use crate::TextOr;
use crate::chat::{
    AssistantMessage, Content, FunctionCall, Message, Part as ChatPart, ToolCall, UserMessage,
};
use agentwire_protocol::{Json, Members, Number};

/// Converts messages of Chat Completions to items, like the library's
/// `convert_completion_messages_to_responses_items`.
#[must_use]
pub fn items_from_completion(messages: &[Message]) -> Vec<Item> {
    let mut items = Vec::new();
    let mut messages = messages.iter().peekable();
    while let Some(message) = messages.next() {
        match message {
            Message::System(message) => {
                items.push(Item::message(Role::System, text(&message.content)));
            }
            Message::Developer(message) => {
                items.push(Item::message(Role::Developer, text(&message.content)));
            }
            Message::User(message) => match &message.content {
                Some(TextOr::Text(text)) if !text.is_empty() => {
                    let mut item = Item::message(Role::User, text.clone());
                    if let Item::Message(item) = &mut item {
                        item.kind = None;
                    }
                    items.push(item);
                }
                Some(TextOr::Other(parts)) => items.extend(user_parts(parts.iter())),
                _ => {}
            },
            Message::Assistant(message) => items.extend(assistant_items(message)),
            Message::Tool(message) => {
                let id = message.tool_call_id.as_deref().unwrap_or_default();
                let screenshot = match (&message.content, messages.peek()) {
                    (Some(TextOr::Text(text)), Some(Message::User(next))) if text == SEE_BELOW => {
                        screenshot_in(id, next)
                    }
                    _ => None,
                };
                if screenshot.is_some() {
                    messages.next();
                }
                let result = || results(id, message.content.as_ref());
                items.extend(screenshot.unwrap_or_else(result));
            }
            Message::Function(_) | Message::Unknown(_) => {}
        }
    }
    items
}

fn texts(content: &Option<Content>) -> Vec<&str> {
    match content {
        None => vec![],
        Some(TextOr::Text(text)) => vec![text],
        Some(TextOr::Other(parts)) => parts.iter().filter_map(text_of).collect(),
    }
}

fn text(content: &Option<Content>) -> String {
    texts(content).join("\n")
}

fn text_of(part: &ChatPart) -> Option<&str> {
    match part {
        ChatPart::Text(part) => Some(&part.text),
        _ => None,
    }
}

fn user_parts<'p>(parts: impl Iterator<Item = &'p ChatPart>) -> Option<Item> {
    let parts = parts.filter_map(|part| match part {
        ChatPart::Image(image) => Some(Part::input_image(image.url())),
        part => text_of(part).map(Part::input_text),
    });
    let parts: Vec<Part> = parts.collect();
    (!parts.is_empty()).then(|| Item::message(Role::User, parts))
}

fn assistant_items(message: &AssistantMessage) -> Vec<Item> {
    let texts = texts(&message.content);
    let texts = match &texts[..] {
        [""] => vec![],
        texts => texts.iter().map(|text| Part::output_text(*text)).collect(),
    };
    let mut items = Vec::new();
    if !texts.is_empty() {
        items.push(Item::message(Role::Assistant, texts));
    }
    let calls = message.tool_calls.iter().flatten();
    items.extend(calls.filter(|call| call.kind() == "function").map(call));
    items
}

/// Returns the ID, the name and the arguments of a call.
fn parts_of(call: &ToolCall) -> (String, String, String) {
    let FunctionCall {
        name, arguments, ..
    } = call.function.clone().unwrap_or_default();
    let arguments = match arguments {
        None => "{}".to_owned(),
        Some(TextOr::Text(text)) => text,
        Some(TextOr::Other(object)) => to_json(&object).get().to_owned(),
    };
    (
        call.id.clone().unwrap_or_default(),
        name.unwrap_or_default(),
        arguments,
    )
}

fn call(call: &ToolCall) -> Item {
    let (id, name, arguments) = parts_of(call);
    let members = serde_json::from_str::<Members>(&arguments);
    match members {
        Ok(members) if matches!(&*name, "computer" | "computer_use") => {
            Item::computer_call(id, action(members))
        }
        _ => Item::function_call(id, name, arguments),
    }
}

/// Reads an action, which is input of Anthropic's tool or an action of Cua.
fn action(mut members: Members) -> Action {
    if let Some(name) = members.get_str("action").filter(|name| !name.is_empty()) {
        let input: Option<ComputerInput> = to_json(&members).read().ok();
        if let Some(action) = input.and_then(|input| from_computer_input(&input)) {
            return action;
        }
        members.set("type", &*name);
        members.remove("action");
    }
    let typed = to_json(&members).read();
    typed.unwrap_or(Action::Unknown(members))
}

fn results(id: &str, content: Option<&Content>) -> Vec<Item> {
    match content {
        Some(TextOr::Text(text)) => match image_of(text) {
            Some(image) => {
                let mut item = Item::screenshot(id, "");
                if let Item::ComputerCallOutput(item) = &mut item {
                    item.output = Output::Part(image);
                }
                vec![item]
            }
            None => vec![Item::function_call_output(id, text.clone())],
        },
        Some(TextOr::Other(parts)) if !parts.is_empty() => {
            let parts = parts.iter().filter_map(|part| match part {
                ChatPart::Image(image) => Some(Item::screenshot(id, image.url())),
                part => Some(Item::function_call_output(id, text_of(part)?.to_owned())),
            });
            parts.collect()
        }
        _ => vec![Item::function_call_output(id, String::new())],
    }
}

/// Reads an image from a text that contains JSON.
fn image_of(text: &str) -> Option<Part> {
    let part = serde_json::from_str(text).ok()?;
    matches!(part, Part::InputImage(_)).then_some(part)
}

/// Reads the screenshot in the user message after a result, and the other parts of this message.
fn screenshot_in(id: &str, next: &UserMessage) -> Option<Vec<Item>> {
    let Some(TextOr::Other(parts)) = &next.content else {
        return None;
    };
    let (index, url) = parts
        .iter()
        .enumerate()
        .find_map(|(index, part)| match part {
            ChatPart::Image(image) => Some((index, image.url())),
            _ => None,
        })?;
    let rest = parts.iter().enumerate();
    let rest = rest.filter_map(|(at, part)| (at != index).then_some(part));
    let mut items = vec![Item::screenshot(id, url)];
    items.extend(user_parts(rest));
    Some(items)
}

/// Reads replies of Anthropic's models, like the library's loop.
#[derive(Debug, Clone, Copy)]
pub struct FromAnthropic {
    /// The factors by which horizontal and vertical coordinates are multiplied, because the model
    /// received a screenshot that was scaled down by them.
    pub scale: [f64; 2],
}

impl Default for FromAnthropic {
    fn default() -> Self {
        Self { scale: [1.0, 1.0] }
    }
}

impl FromAnthropic {
    /// Converts a reply to items.
    pub fn items<F: FnMut() -> String>(
        &self,
        reply: &AssistantMessage,
        make: &mut Make<F>,
    ) -> Vec<Item> {
        let text = reply.content.as_ref().and_then(Content::as_text);
        let text = text.filter(|text| !text.is_empty());
        let mut items: Vec<Item> = text
            .map(|text| make.output_text(text))
            .into_iter()
            .collect();
        for call in reply.tool_calls.iter().flatten() {
            let (_, name, arguments) = parts_of(call);
            let input = serde_json::from_str::<ComputerInput>(&arguments).ok();
            let input = input.filter(|_| name == COMPUTER);
            items.push(match input.and_then(|input| from_computer_input(&input)) {
                Some(mut action) => {
                    self.scale(&mut action);
                    make.computer_call(call.id.clone(), action)
                }
                None => {
                    let mut item = make.function_call(call.id.clone(), &name, &Json::null());
                    if let Item::FunctionCall(function) = &mut item {
                        function.arguments = TextOr::Text(arguments);
                    }
                    item
                }
            });
        }
        items
    }

    /// Scales the coordinates of an action. The points of a drag become objects, as in the library.
    fn scale(&self, action: &mut Action) {
        let scale = |x: &mut Option<Number>, y: &mut Option<Number>| {
            for (at, scale) in [x, y].into_iter().zip(self.scale) {
                if let Some(at) = at.as_mut().filter(|_| scale != 1.0) {
                    *at = scaled(at, scale);
                }
            }
        };
        match action {
            Action::Click(at) => scale(&mut at.x, &mut at.y),
            Action::DoubleClick(at) => scale(&mut at.x, &mut at.y),
            Action::TripleClick(at) => scale(&mut at.x, &mut at.y),
            Action::Move(at) => scale(&mut at.x, &mut at.y),
            Action::Scroll(at) => scale(&mut at.x, &mut at.y),
            Action::LeftMouseDown(at) => scale(&mut at.x, &mut at.y),
            Action::LeftMouseUp(at) => scale(&mut at.x, &mut at.y),
            Action::Drag(drag) => {
                for point in drag.path.iter_mut().flatten() {
                    let at = point.coordinates();
                    let Some([mut x, mut y]) = at.map(|at| at.map(|at| Some(at.clone()))) else {
                        continue;
                    };
                    scale(&mut x, &mut y);
                    if let (Some(x), Some(y)) = (x, y) {
                        *point = Point::named(x, y);
                    }
                }
            }
            _ => {}
        }
    }
}

//! Converts messages to and from Cua's items.

use super::computer::COMPUTER;
use super::{Dialect, Item, Output, Part, Role, from_computer_input};
use super::{MessageItem, to_computer_input};
use crate::conversion::{Lost, System, Why};
use crate::{Calls, Message, TextOr, arguments, author, media};
use agentwire_protocol::content::{Content, ContentBlock, ToolResultBlock, ToolUseBlock};
use agentwire_protocol::{Json, Members};

/// The system of Cua.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
pub struct Cua {
    /// The dialect of exported items.
    pub dialect: Dialect,
}

/// The side to whose turn an item belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    User,
    Assistant,
    Instructions,
    Nobody,
}

impl Cua {
    /// Creates a system that writes items in this dialect.
    #[must_use]
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect }
    }

    fn user(&self, content: &Content, calls: &Calls) -> Vec<Item> {
        let blocks = match content {
            Content::Text(text) => return vec![Item::message(Role::User, text.clone())],
            Content::Blocks(blocks) => blocks,
        };
        let mut run = Run::new(Role::User);
        for block in blocks {
            match block {
                ContentBlock::Text(text) => run.parts.push(Part::input_text(&text.text)),
                ContentBlock::Image(image) => {
                    run.parts
                        .extend(media::url_of(&image.source).map(Part::input_image));
                }
                ContentBlock::Document(document) if self.dialect == Dialect::OpenAi => {
                    run.parts.extend(super::file::of_document(document));
                }
                ContentBlock::ToolResult(result) => {
                    run.end();
                    run.items.extend(self.outputs(result, calls));
                }
                _ => {}
            }
        }
        run.end();
        run.items
    }

    fn assistant(&self, blocks: &[ContentBlock]) -> Vec<Item> {
        let mut run = Run::new(Role::Assistant);
        for block in blocks {
            match block {
                ContentBlock::Text(text) => run.parts.push(Part::output_text(&text.text)),
                ContentBlock::Thinking(thinking) => {
                    run.end();
                    run.items.push(Item::reasoning(&thinking.thinking));
                }
                ContentBlock::ToolUse(call) => {
                    run.end();
                    run.items.push(self.call(call));
                }
                _ => {}
            }
        }
        run.end();
        run.items
    }

    fn call(&self, call: &ToolUseBlock) -> Item {
        let action = (call.name == COMPUTER)
            .then(|| call.input.read().ok())
            .flatten()
            .and_then(|input| from_computer_input(&input))
            .filter(|action| self.dialect.takes(action));
        match action {
            Some(action) => Item::computer_call(&call.id, action),
            None => Item::function_call(&call.id, &call.name, arguments::arguments(&call.input)),
        }
    }

    /// Writes the result of a tool. Its texts are one output, and each image is another one.
    fn outputs(&self, result: &ToolResultBlock, calls: &Calls) -> Vec<Item> {
        let id = &result.tool_use_id;
        let (text, images): (Option<String>, Vec<String>) = match &result.content {
            None => (None, vec![]),
            Some(Content::Text(text)) => (Some(text.clone()), vec![]),
            Some(Content::Blocks(blocks)) => {
                let texts: Vec<&str> = blocks.iter().filter_map(ContentBlock::as_text).collect();
                let images = blocks.iter().filter_map(|block| match block {
                    ContentBlock::Image(image) => media::url_of(&image.source),
                    _ => None,
                });
                (
                    (!texts.is_empty()).then(|| texts.join("\n")),
                    images.collect(),
                )
            }
        };
        if self.dialect == Dialect::OpenAi && calls.tool(id) != Some(COMPUTER) && !images.is_empty()
        {
            let text = text.map(Part::input_text);
            let images = images.into_iter().map(Part::input_image);
            let parts: Vec<Part> = text.into_iter().chain(images).collect();
            return vec![Item::function_call_output(id, parts)];
        }
        let text = match text {
            None if images.is_empty() => Some(String::new()),
            text => text,
        };
        let text = text.map(|text| Item::function_call_output(id, text));
        let images = images.into_iter().map(|url| Item::screenshot(id, url));
        text.into_iter().chain(images).collect()
    }
}

/// A run of consecutive parts, which become one item.
struct Run {
    role: Role,
    parts: Vec<Part>,
    items: Vec<Item>,
}

impl Run {
    fn new(role: Role) -> Self {
        Self {
            role,
            parts: vec![],
            items: vec![],
        }
    }

    fn end(&mut self) {
        if !self.parts.is_empty() {
            let parts = std::mem::take(&mut self.parts);
            self.items.push(Item::message(self.role.clone(), parts));
        }
    }
}

impl System for Cua {
    type Item = Item;

    fn write(&self, calls: &Calls, message: &Message) -> Vec<Item> {
        let items = match &*author::with_tag(message) {
            Message::Instructions(instructions) => {
                vec![Item::message(Role::System, instructions.text.clone())]
            }
            Message::User(user) => match &user.message.content {
                Some(content) => self.user(content, calls),
                None => vec![],
            },
            Message::Assistant(assistant) => self.assistant(&assistant.message.content),
            Message::Unknown(_) => vec![],
        };
        let items = items.into_iter();
        items.map(|item| self.dialect.write(item)).collect()
    }

    /// Returns whether an item belongs to the message before it. The items of a turn are one
    /// message. A `message` item that follows a message starts a new message. So does a user
    /// message with a text as its content.
    fn joins(&self, before: &[Item], item: &Item) -> bool {
        let Some(last) = before.last() else {
            return false;
        };
        let anew = match side(item) {
            Side::User => is_text(last) || is_text(item),
            Side::Assistant => false,
            Side::Instructions | Side::Nobody => return false,
        };
        let messages = matches!((last, item), (Item::Message(_), Item::Message(_)));
        // A message of another author stays separate.
        let is_authors = is_tagged(last) || is_tagged(item);
        side(last) == side(item) && !messages && !anew && !is_authors
    }

    fn read(&self, _: &Calls, items: &[Item]) -> Vec<Message> {
        match items.first().map(side) {
            Some(Side::Instructions) => items.iter().filter_map(instructions).collect(),
            Some(Side::Assistant) => {
                let blocks = items.iter().flat_map(assistant_blocks);
                vec![Message::assistant(blocks.collect())]
            }
            Some(Side::User) => vec![author::without_tag(Message::user(user_content(items)))],
            Some(Side::Nobody) | None => vec![],
        }
    }

    fn note_calls(&self, calls: &mut Calls, item: &Item) {
        match item {
            Item::ComputerCall(call) => calls.note(&call.call_id, COMPUTER),
            Item::FunctionCall(call) => calls.note(&call.call_id, &call.name),
            _ => {}
        }
    }

    fn why_of_theirs(&self, path: &str, _: &Lost) -> Why {
        if path.starts_with("/action") {
            Why::OtherForm
        } else {
            Why::NoPlace
        }
    }
}

fn is_text(item: &Item) -> bool {
    matches!(item, Item::Message(message) if matches!(message.content, Some(TextOr::Text(_))))
}

/// Returns whether a user message has the tag of an author.
fn is_tagged(item: &Item) -> bool {
    let Item::Message(message) = item else {
        return false;
    };
    let text = match &message.content {
        Some(TextOr::Text(text)) => Some(&**text),
        Some(TextOr::Other(parts)) => parts.iter().find_map(Part::text),
        None => None,
    };
    side(item) == Side::User && text.is_some_and(author::is_tagged)
}

fn side(item: &Item) -> Side {
    match item {
        Item::Message(message) => match (&message.role, message.kind.as_deref()) {
            (Some(Role::User), _) | (None, Some("user")) => Side::User,
            (Some(Role::System | Role::Developer), _) => Side::Instructions,
            (Some(Role::Assistant), _) => Side::Assistant,
            _ => Side::Nobody,
        },
        Item::Reasoning(_) | Item::ComputerCall(_) | Item::FunctionCall(_) => Side::Assistant,
        Item::ComputerCallOutput(_) | Item::FunctionCallOutput(_) => Side::User,
        Item::Unknown(_) => Side::Nobody,
    }
}

fn instructions(item: &Item) -> Option<Message> {
    match item {
        Item::Message(message) => {
            let content = message.content.as_ref()?;
            Some(Message::instructions(super::part::content_text(content)))
        }
        _ => None,
    }
}

/// Reads an item of the assistant.
fn assistant_blocks(item: &Item) -> Vec<ContentBlock> {
    match item {
        Item::Message(message) => match &message.content {
            Some(TextOr::Text(text)) => vec![ContentBlock::text(text)],
            Some(TextOr::Other(parts)) => {
                let texts = parts.iter().filter_map(Part::text);
                texts.map(ContentBlock::text).collect()
            }
            None => vec![],
        },
        Item::Reasoning(reasoning) => {
            let parts = [&reasoning.summary, &reasoning.content]
                .into_iter()
                .flatten();
            let text = parts
                .map(|parts| super::part::joined(parts))
                .find(|text| !text.is_empty());
            let text = text.or_else(|| reasoning.reasoning.clone());
            vec![ContentBlock::thinking(text.unwrap_or_default())]
        }
        Item::ComputerCall(call) => {
            let input = match (&call.action, call.actions.as_deref()) {
                (Some(action), _) | (None, Some([action])) => json(&to_computer_input(action)),
                (None, Some(actions)) => {
                    let actions: Vec<_> = actions.iter().map(to_computer_input).collect();
                    let mut input = Members::default();
                    input.push("actions", json(&actions));
                    json(&input)
                }
                (None, None) => json(&Members::default()),
            };
            vec![ContentBlock::tool_use(&call.call_id, COMPUTER, input)]
        }
        Item::FunctionCall(call) => {
            let input = arguments::input(&super::part::arguments_text(&call.arguments));
            vec![ContentBlock::tool_use(&call.call_id, &call.name, input)]
        }
        _ => vec![],
    }
}

/// Reads the items of a user. The outputs of one call are one result.
fn user_content(items: &[Item]) -> Content {
    if let [Item::Message(MessageItem { content, .. })] = items
        && let Some(TextOr::Text(text)) = content
    {
        return text.clone().into();
    }
    let mut blocks = Vec::new();
    let mut items = items.iter().peekable();
    while let Some(item) = items.next() {
        match (item, item.call_id(), item.output()) {
            (Item::Message(message), ..) => blocks.extend(message_blocks(message)),
            (_, Some(id), Some(output)) => {
                let mut outputs = vec![output];
                while let Some(more) = items.peek().filter(|next| next.call_id() == Some(id)) {
                    outputs.extend(more.output());
                    items.next();
                }
                blocks.push(tool_result(id, &outputs));
            }
            _ => {}
        }
    }
    blocks.into()
}

/// Reads the content of a user message.
fn message_blocks(message: &MessageItem) -> Vec<ContentBlock> {
    match &message.content {
        Some(TextOr::Text(text)) => vec![ContentBlock::text(text)],
        Some(TextOr::Other(parts)) => parts.iter().filter_map(block).collect(),
        None => vec![],
    }
}

/// Reads a part.
fn block(part: &Part) -> Option<ContentBlock> {
    if let Part::InputFile(file) = part {
        return super::file::to_document(file);
    }
    let text = part.text().map(ContentBlock::text);
    text.or_else(|| part.image_url().map(media::image))
}

fn tool_result(id: &str, outputs: &[&Output]) -> ContentBlock {
    let content = match outputs {
        [Output::Null(_)] => None,
        [Output::Text(text)] if text.is_empty() => None,
        [Output::Text(text)] => Some(Content::Text(text.clone())),
        outputs => {
            let blocks = outputs.iter().flat_map(|output| match output {
                Output::Text(text) => vec![ContentBlock::text(text)],
                Output::Part(Part::Unknown(members)) => {
                    vec![ContentBlock::text(json(members).get())]
                }
                Output::Part(part) => block(part).into_iter().collect(),
                Output::Parts(parts) => parts.iter().filter_map(block).collect(),
                Output::Null(_) => vec![],
            });
            Some(Content::Blocks(blocks.collect()))
        }
    };
    ToolResultBlock::new(id, content).into()
}

/// Serializes a value of a type whose serialization cannot fail.
fn json<T: serde::Serialize>(value: &T) -> Json {
    Json::from_value(value).unwrap_or_default()
}

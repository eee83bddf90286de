//! Items as messages of Chat Completions, as the library's `responses` module
//! has them, and back.

use super::chat::{Chat, SEE_BELOW, call, image_part, list, text_part};
use super::computer::{COMPUTER, written};
use super::{ComputerCall, Item, MessageContent, Output, Part, ReasoningItem, Role};
use crate::{Compat, python};
use agentwire_protocol::{Json, Members};

/// How items become messages of Chat Completions: the switches of the
/// library's `convert_responses_items_to_completion_messages`.
///
/// With [`Compat::Library`] it makes the library's mistakes: a
/// `computer_screenshot` and a list become Python's text for them, a message
/// of the system or with a text of the assistant is lost, and so is a
/// screenshot before an answer that is a text.
#[derive(Debug, Clone, Copy)]
pub struct ToCompletion {
    /// Images stay in the answers of tools. Otherwise they come in a user's
    /// message after them.
    pub images_in_tool_results: bool,
    /// Each image has a message of its own there. Otherwise only the last one
    /// of several in a row is sent.
    pub every_image: bool,
    /// Calls are tags in the text, and answers are users' messages, images
    /// among them.
    pub xml: bool,
    /// Whose way is taken.
    pub compat: Compat,
}

impl Default for ToCompletion {
    fn default() -> Self {
        Self {
            images_in_tool_results: true,
            every_image: false,
            xml: false,
            compat: Compat::Right,
        }
    }
}

impl ToCompletion {
    /// The messages that items are.
    #[must_use]
    pub fn messages(&self, items: &[Item]) -> Vec<Json> {
        let mut chat = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match item {
                Item::Message(message) => chat.extend(self.message(message)),
                Item::Reasoning(reasoning) => {
                    let text = self.thought(reasoning);
                    chat.extend(text.map(|text| Chat::new("assistant", &*text)));
                }
                Item::FunctionCall(function) => {
                    let arguments = match &function.arguments {
                        super::Arguments::Text(text) => text.clone(),
                        super::Arguments::Object(object) => python::dumps(&written(object)),
                    };
                    self.call(&mut chat, &function.call_id, &function.name, &arguments);
                }
                Item::ComputerCall(computer) => {
                    let action = python::dumps(&self.action(computer));
                    self.call(&mut chat, &computer.call_id, COMPUTER, &action);
                }
                Item::ComputerCallOutput(_) | Item::FunctionCallOutput(_) => {
                    if let (Some(id), Some(output)) = (item.call_id(), item.output()) {
                        chat.extend(self.output(id, output, items.get(index + 1)));
                    }
                }
                Item::Unknown(_) => {}
            }
        }
        chat.into_iter().map(Chat::into_json).collect()
    }

    fn is_right(&self) -> bool {
        self.compat == Compat::Right
    }

    fn message(&self, message: &super::MessageItem) -> Option<Chat> {
        let is_user = message.role == Some(Role::User) || message.kind.as_deref() == Some("user");
        if is_user {
            return match &message.content {
                Some(MessageContent::Text(text)) => Some(Chat::new("user", &**text)),
                Some(MessageContent::Parts(parts)) => {
                    let parts: Vec<Json> = parts.iter().filter_map(|it| self.part(it)).collect();
                    Some(Chat::new("user", list(&parts)))
                }
                // A `null` is not the empty text that nothing is.
                None if message.extra.get("content").is_some() => None,
                None => Some(Chat::new("user", "")),
            };
        }
        match (&message.role, &message.content) {
            (Some(role @ (Role::System | Role::Developer)), Some(content)) if self.is_right() => {
                let role = if *role == Role::System {
                    "system"
                } else {
                    "developer"
                };
                Some(Chat::new(role, &*content.text()))
            }
            (role, Some(content))
                if *role == Some(Role::Assistant) || message.kind.as_deref() == Some("message") =>
            {
                let texts: Vec<&str> = match content {
                    MessageContent::Text(text) if self.is_right() => vec![text],
                    MessageContent::Text(_) => vec![],
                    MessageContent::Parts(parts) => {
                        let said = parts.iter().filter(|part| match part {
                            Part::OutputText(_) | Part::Text(_) => true,
                            Part::Refusal(_) => self.is_right(),
                            _ => false,
                        });
                        said.map(|part| part.text().unwrap_or_default()).collect()
                    }
                };
                (!texts.is_empty()).then(|| Chat::new("assistant", &*texts.join("\n")))
            }
            _ => None,
        }
    }

    /// A part of a user's message.
    fn part(&self, part: &Part) -> Option<Json> {
        match part {
            Part::InputImage(image) if image.image_url.is_none() && self.is_right() => None,
            Part::InputImage(image) => Some(image_part(image.image_url.as_deref())),
            Part::InputText(_) | Part::Text(_) => Some(text_part(part.text())),
            _ => None,
        }
    }

    fn thought(&self, reasoning: &ReasoningItem) -> Option<String> {
        let texts: Vec<&str> = reasoning
            .summary
            .iter()
            .flatten()
            .filter(|part| matches!(part, Part::SummaryText(_)))
            .map(|part| part.text().unwrap_or_default())
            .collect();
        if !texts.is_empty() {
            return Some(texts.join("\n"));
        }
        let beside = reasoning.content.as_deref().map(super::part::joined);
        let beside = beside.or_else(|| reasoning.reasoning.clone());
        beside.filter(|text| self.is_right() && !text.is_empty())
    }

    fn action(&self, call: &ComputerCall) -> Json {
        match (&call.action, &call.actions) {
            (Some(action), _) => written(action),
            (None, Some(actions)) if self.is_right() => {
                super::chat::object([("actions", written(actions))])
            }
            _ => written(&Members::default()),
        }
    }

    /// A call belongs to what the assistant said last.
    fn call(&self, chat: &mut Vec<Chat>, id: &str, name: &str, arguments: &str) {
        if chat.last().is_none_or(|last| last.role != "assistant") {
            chat.push(Chat::new("assistant", ""));
        }
        let Some(last) = chat.last_mut() else { return };
        if !self.xml {
            let calls = last.tool_calls.get_or_insert_default();
            calls.push(call(id, name, arguments));
            return;
        }
        let name = match self.compat {
            Compat::Right => Json::from(name).get().to_owned(),
            Compat::Library => format!("\"{name}\""),
        };
        let tag =
            format!("<tool_call>{{\"name\": {name}, \"arguments\": {arguments}}}</tool_call>");
        let said: String = last.content.read().unwrap_or_default();
        last.content = if said.is_empty() {
            (&*tag).into()
        } else {
            (&*format!("{said}\n{tag}")).into()
        };
    }

    fn output(&self, id: &str, output: &Output, next: Option<&Item>) -> Vec<Chat> {
        let tool = |content: Json| {
            let mut answer = Chat::new("tool", content);
            answer.tool_call_id = Some(id.to_owned());
            answer
        };
        let Some(url) = self.image(output) else {
            let content = self.text(output);
            return vec![if self.xml {
                Chat::new("user", content)
            } else {
                tool(content)
            }];
        };
        let image = list(&[image_part(url)]);
        if self.xml {
            return vec![Chat::new("user", image)];
        }
        if self.images_in_tool_results {
            return vec![tool(image)];
        }
        let another = match next {
            Some(Item::ComputerCallOutput(next)) if self.is_right() => {
                self.image(&next.output).is_some()
            }
            Some(Item::ComputerCallOutput(_)) => true,
            _ => false,
        };
        let below = (self.every_image || !another).then(|| Chat::new("user", image));
        std::iter::once(tool(SEE_BELOW.into()))
            .chain(below)
            .collect()
    }

    /// The image that an output is.
    fn image<'a>(&self, output: &'a Output) -> Option<Option<&'a str>> {
        match output {
            Output::Part(Part::InputImage(image)) => Some(image.image_url.as_deref()),
            Output::Part(Part::Screenshot(image)) if self.is_right() => {
                image.image_url.as_deref().map(Some)
            }
            _ => None,
        }
    }

    /// An output that is no image.
    fn text(&self, output: &Output) -> Json {
        match (output, self.compat) {
            (Output::Text(text), _) => (&**text).into(),
            (Output::Parts(parts), Compat::Right) => {
                let parts: Vec<Json> = parts.iter().filter_map(|it| self.part(it)).collect();
                list(&parts)
            }
            (Output::Part(part), Compat::Right) => written(part).get().into(),
            (Output::Null(_), Compat::Right) => "".into(),
            (output, Compat::Library) => (&*python::str_of(&written(output))).into(),
        }
    }
}

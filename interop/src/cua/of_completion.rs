//! Messages of Chat Completions as items, as the library's `responses` module
//! reads them.

use super::chat::SEE_BELOW;
use super::computer::written;
use super::{Action, Item, MessageContent, Output, Part, Role, of_computer_input};
use crate::Compat;
use agentwire_protocol::open::object;
use agentwire_protocol::{Json, Members};

/// Messages of Chat Completions cannot be made into items.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotItems {
    /// It is no message.
    #[error("message {index}: {error}")]
    NoMessage {
        /// Which one.
        index: usize,
        /// Why.
        error: String,
    },
    /// The library fails, where it takes for an object what is none. Only with
    /// [`Compat::Library`].
    #[error("message {index}: the library expects an object")]
    NoObject {
        /// Which message.
        index: usize,
    },
}

object! {
    /// What is read of a message.
    #[derive(Default)]
    pub struct ChatMessage {
        /// Who says it.
        pub role: Option<String>,
        /// What is said: a text or parts.
        pub content: Option<Json>,
        /// Calls of tools.
        pub tool_calls: Option<Vec<ChatCall>>,
        /// The call that it answers.
        pub tool_call_id: Option<String>,
    }
}

object! {
    /// A call of a tool.
    #[derive(Default)]
    pub struct ChatCall {
        /// Its id.
        pub id: Option<String>,
        /// Its kind: `function`.
        pub kind: Option<String> = "type",
        /// What is called.
        pub function: Option<ChatFunction>,
    }
}

object! {
    /// What is called.
    #[derive(Default)]
    pub struct ChatFunction {
        /// Its name.
        pub name: Option<String>,
        /// Its arguments.
        pub arguments: Option<String>,
    }
}

object! {
    /// A part of a message.
    #[derive(Default)]
    pub struct ChatPart {
        /// Its kind.
        pub kind: Option<String> = "type",
        /// The text.
        pub text: Option<String>,
        /// The image.
        pub image_url: Option<ChatImage>,
    }
}

object! {
    /// An image.
    #[derive(Default)]
    pub struct ChatImage {
        /// Where it is.
        pub url: Option<String>,
    }
}

/// What a message says.
enum Said {
    Nothing,
    Text(String),
    Parts(Vec<ChatPart>),
}

impl ChatMessage {
    fn said(&self, index: usize) -> Result<Said, NotItems> {
        let Some(content) = &self.content else {
            return Ok(Said::Nothing);
        };
        match content.get().as_bytes().first() {
            Some(b'"') => content.read().map(Said::Text),
            Some(b'[') => content.read().map(Said::Parts),
            _ => return Ok(Said::Nothing),
        }
        .map_err(|error| NotItems::NoMessage {
            index,
            error: error.to_string(),
        })
    }
}

impl ChatPart {
    fn is(&self, kind: &str) -> bool {
        self.kind.as_deref() == Some(kind)
    }

    fn url(&self) -> String {
        let url = self.image_url.as_ref().and_then(|image| image.url.clone());
        url.unwrap_or_default()
    }

    /// The same for a user's message.
    fn to_input(&self) -> Option<Part> {
        if self.is("image_url") {
            Some(Part::input_image(self.url()))
        } else if self.is("text") {
            Some(Part::input_text(self.text.clone().unwrap_or_default()))
        } else {
            None
        }
    }
}

/// The items that messages of Chat Completions are: what the library's
/// `convert_completion_messages_to_responses_items` makes of them.
///
/// With [`Compat::Library`] it makes the library's mistakes: it loses messages
/// of the system, an assistant's parts, empty answers, and what stands beside
/// a screenshot; takes an answer that is JSON for the computer's; leaves
/// actions of Anthropic's tool as they are; and fails where JSON is no object.
///
/// # Errors
///
/// When something is no message of Chat Completions; with
/// [`Compat::Library`], also where the library fails.
pub fn items_of_completion(messages: &[Json], compat: Compat) -> Result<Vec<Item>, NotItems> {
    let mut read = messages
        .iter()
        .enumerate()
        .map(|(index, message)| {
            message.read().map_err(|error| NotItems::NoMessage {
                index,
                error: error.to_string(),
            })
        })
        .collect::<Result<Vec<ChatMessage>, _>>()?;
    let mut reader = Reader {
        compat,
        items: Vec::new(),
    };
    let mut index = 0;
    while index < read.len() {
        let (message, rest) = read[index..].split_first_mut().unzip();
        let (Some(message), Some(rest)) = (message, rest) else {
            break;
        };
        let skipped = reader.message(index, message, rest.first_mut())?;
        index += 1 + usize::from(skipped);
    }
    Ok(reader.items)
}

struct Reader {
    compat: Compat,
    items: Vec<Item>,
}

impl Reader {
    fn is_right(&self) -> bool {
        self.compat == Compat::Right
    }

    /// Reads a message, and says whether the next one is read with it.
    fn message(
        &mut self,
        index: usize,
        message: &ChatMessage,
        next: Option<&mut ChatMessage>,
    ) -> Result<bool, NotItems> {
        let said = message.said(index)?;
        let role = message.role.as_deref().unwrap_or_default();
        if role == "assistant" {
            self.assistant(&said);
        }
        let calls = message.tool_calls.as_deref().unwrap_or_default();
        if !calls.is_empty() {
            for call in calls
                .iter()
                .filter(|call| call.kind.as_deref() == Some("function"))
            {
                let call = self.call(index, call)?;
                self.items.push(call);
            }
            return Ok(false);
        }
        match role {
            "tool" => {
                let id = message.tool_call_id.clone().unwrap_or_default();
                self.answer(index, &id, said, next)
            }
            "user" => {
                self.user(said);
                Ok(false)
            }
            "system" | "developer" if self.is_right() => {
                let text = match said {
                    Said::Text(text) => text,
                    Said::Parts(parts) => texts(&parts).join("\n"),
                    Said::Nothing => String::new(),
                };
                self.items.push(Item::message(Role::from(role), text));
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    fn assistant(&mut self, said: &Said) {
        let parts: Vec<Part> = match said {
            Said::Text(text) if !text.is_empty() => vec![Part::output_text(&**text)],
            Said::Parts(parts) if self.is_right() => {
                texts(parts).into_iter().map(Part::output_text).collect()
            }
            _ => return,
        };
        if !parts.is_empty() {
            self.items.push(Item::message(Role::Assistant, parts));
        }
    }

    fn call(&mut self, index: usize, call: &ChatCall) -> Result<Item, NotItems> {
        let id = call.id.clone().unwrap_or_default();
        let function = call.function.clone().unwrap_or_default();
        let name = function.name.unwrap_or_default();
        let arguments = function.arguments.unwrap_or_else(|| "{}".to_owned());
        let is_computer = matches!(&*name, "computer" | "computer_use");
        if is_computer && let Ok(json) = serde_json::from_str::<Json>(&arguments) {
            match json.read::<Members>() {
                Ok(action) => return Ok(Item::computer_call(id, self.action(action))),
                Err(_) if self.is_right() => {}
                Err(_) => return Err(NotItems::NoObject { index }),
            }
        }
        Ok(Item::function_call(id, name, arguments))
    }

    fn action(&self, mut action: Members) -> Action {
        if let Some(name) = action.get("action").filter(|name| is_truthy(name)).cloned() {
            let input = written(&action).read().ok();
            if self.is_right()
                && let Some(action) = input.and_then(|input| of_computer_input(&input))
            {
                return action;
            }
            action.set("type", name);
            action.remove("action");
        }
        let typed = written(&action).read();
        typed.unwrap_or(Action::Unknown(action))
    }

    fn user(&mut self, said: Said) {
        match said {
            Said::Text(text) if !text.is_empty() => {
                let message = super::MessageItem {
                    role: Some(Role::User),
                    content: Some(MessageContent::Text(text)),
                    ..super::MessageItem::default()
                };
                self.items.push(Item::Message(message));
            }
            Said::Parts(parts) => {
                let parts: Vec<Part> = parts.iter().filter_map(ChatPart::to_input).collect();
                if !parts.is_empty() {
                    self.items.push(Item::message(Role::User, parts));
                }
            }
            _ => {}
        }
    }

    fn answer(
        &mut self,
        index: usize,
        id: &str,
        said: Said,
        next: Option<&mut ChatMessage>,
    ) -> Result<bool, NotItems> {
        match said {
            Said::Text(text) if text == SEE_BELOW => {
                return self.screenshot_below(index, id, next);
            }
            Said::Text(text) if !text.is_empty() => {
                let item = self.answer_of_text(index, id, text)?;
                self.items.push(item);
            }
            Said::Parts(parts) if !parts.is_empty() => {
                for part in &parts {
                    if part.is("image_url") {
                        self.items.push(Item::screenshot(id, part.url()));
                    } else if part.is("text") {
                        let text = part.text.clone().unwrap_or_default();
                        self.items.push(Item::function_call_output(id, text));
                    }
                }
            }
            _ if self.is_right() => {
                self.items
                    .push(Item::function_call_output(id, String::new()));
            }
            _ => {}
        }
        Ok(false)
    }

    /// The screenshot is in the user's message that comes next.
    fn screenshot_below(
        &mut self,
        index: usize,
        id: &str,
        next: Option<&mut ChatMessage>,
    ) -> Result<bool, NotItems> {
        let next = next.filter(|next| next.role.as_deref() == Some("user"));
        let below = match &next {
            Some(next) => next.said(index + 1)?,
            None => Said::Nothing,
        };
        let (Some(next), Said::Parts(mut parts)) = (next, below) else {
            let text = Output::Text(SEE_BELOW.to_owned());
            self.items.push(self.text_output(id, text));
            return Ok(false);
        };
        match parts.iter().position(|part| part.is("image_url")) {
            Some(image) => {
                self.items
                    .push(Item::screenshot(id, parts.remove(image).url()));
                if !self.is_right() || parts.is_empty() {
                    return Ok(true);
                }
                next.content = Some(written(&parts));
            }
            None if self.is_right() => {
                let text = Output::Text(SEE_BELOW.to_owned());
                self.items.push(self.text_output(id, text));
            }
            None => {}
        }
        Ok(false)
    }

    fn answer_of_text(&self, index: usize, id: &str, text: String) -> Result<Item, NotItems> {
        let Ok(json) = serde_json::from_str::<Json>(&text) else {
            return Ok(Item::function_call_output(id, text));
        };
        let Ok(object) = json.read::<Members>() else {
            return if self.is_right() {
                Ok(Item::function_call_output(id, text))
            } else {
                Err(NotItems::NoObject { index })
            };
        };
        if object.get_str("type").as_deref() == Some("input_image") {
            let image = json.read().unwrap_or(Part::Unknown(object));
            return Ok(computer_output(id, Output::Part(image)));
        }
        Ok(self.text_output(id, Output::Text(text)))
    }

    /// A text is the answer of a function, or says why the computer failed;
    /// the library takes it for the computer's own answer.
    fn text_output(&self, id: &str, output: Output) -> Item {
        match self.compat {
            Compat::Right => Item::function_call_output(id, output),
            Compat::Library => computer_output(id, output),
        }
    }
}

fn computer_output(id: &str, output: Output) -> Item {
    let mut item = Item::screenshot(id, "");
    if let Item::ComputerCallOutput(it) = &mut item {
        it.output = output;
    }
    item
}

fn texts(parts: &[ChatPart]) -> Vec<&str> {
    let texts = parts.iter().filter(|part| part.is("text"));
    texts.filter_map(|part| part.text.as_deref()).collect()
}

/// Whether Python takes a value for true.
fn is_truthy(value: &Json) -> bool {
    !matches!(value.get(), "null" | "false" | "0" | "\"\"" | "[]" | "{}")
}

//! What the library's loop for Anthropic's models sends and reads: messages of
//! Chat Completions whose computer is Anthropic's `computer` tool.

use super::chat::{Chat, call, image_part, list, object, text_part};
use super::computer::{COMPUTER, scaled, written};
use super::of_completion::{ChatCall, ChatMessage, NotItems};
use super::{Action, ComputerInput, Item, Make, MessageContent, Output, Part, Point};
use super::{ReasoningItem, Role, images::OMITTED, of_computer_input, to_computer_input};
use crate::{Compat, python};
use agentwire_protocol::{Json, Members, Number};
use std::collections::HashMap;

/// Items as the messages that the library sends to Anthropic's models.
///
/// It makes large screenshots smaller first, which wants the pixels of an
/// image: here they stay as they are.
///
/// With [`Compat::Library`] it makes the library's mistakes: clicks of other
/// buttons are left ones, the middle of a drag is lost and its end has another
/// name than the tool's, a scroll goes one way only, and by 3 where it is by
/// nothing; calls that the tool does not know are lost and their answers are
/// not; and so are messages of the system, all thoughts but the first, and
/// screenshots under the name of `computer_screenshot`.
///
/// # Errors
///
/// With [`Compat::Library`], where the library fails: when a call of the
/// computer was answered with a text or a list, the points of a drag have no
/// names, or the content of an assistant's message is `null`.
pub fn messages_for_anthropic(items: &[Item], compat: Compat) -> Result<Vec<Json>, NotItems> {
    let mut sender = Sender {
        is_right: compat == Compat::Right,
        chat: Vec::new(),
        tools: HashMap::new(),
    };
    for (index, item) in items.iter().enumerate() {
        sender.item(index, item)?;
    }
    Ok(sender.chat.into_iter().map(Chat::into_json).collect())
}

struct Sender<'a> {
    is_right: bool,
    chat: Vec<Chat>,
    /// The functions that were called, by the calls' ids.
    tools: HashMap<&'a str, &'a str>,
}

impl<'a> Sender<'a> {
    fn item(&mut self, index: usize, item: &'a Item) -> Result<(), NotItems> {
        match item {
            Item::Message(message) => {
                let is_null = message.content.is_none() && message.extra.get("content").is_some();
                if is_null && message.role == Some(Role::Assistant) && !self.is_right {
                    return Err(NotItems::NoObject { index });
                }
                let chat = self.message(message);
                self.chat.extend(chat);
            }
            Item::Reasoning(reasoning) => {
                let thought = self.thought(reasoning);
                let thought = thought.filter(|thought| !thought.is_empty());
                let chat = thought.map(|thought| Chat::new("assistant", &*thought));
                self.chat.extend(chat);
            }
            Item::FunctionCall(function) => {
                self.tools.insert(&function.call_id, &function.name);
                let arguments = match &function.arguments {
                    super::Arguments::Text(text) => (&**text).into(),
                    super::Arguments::Object(object) if self.is_right => {
                        (&*python::dumps(&written(object))).into()
                    }
                    super::Arguments::Object(object) => written(object),
                };
                let called = [("name", (&*function.name).into()), ("arguments", arguments)];
                self.call(Some(object([
                    ("id", (&*function.call_id).into()),
                    ("type", "function".into()),
                    ("function", object(called)),
                ])));
            }
            Item::ComputerCall(computer) => {
                let input = match (&computer.action, &computer.actions) {
                    (Some(action), _) if self.is_right => Some(written(&to_computer_input(action))),
                    (None, Some(actions)) if self.is_right => {
                        let inputs: Vec<_> = actions.iter().map(to_computer_input).collect();
                        Some(object([("actions", written(&inputs))]))
                    }
                    (Some(action), _) => {
                        input_of_library(action).map_err(|NoPath| NotItems::NoObject { index })?
                    }
                    (None, _) => None,
                };
                let call =
                    input.map(|input| call(&computer.call_id, COMPUTER, &python::dumps(&input)));
                self.call(call);
            }
            Item::FunctionCallOutput(output) => {
                let tool = self.tools.get(&*output.call_id).copied();
                let content = self.output(&output.output);
                self.answer(tool.unwrap_or(COMPUTER), &output.call_id, content);
            }
            Item::ComputerCallOutput(output) => {
                let content = match &output.output {
                    Output::Part(Part::InputImage(image)) => {
                        let url = image.image_url.as_deref().unwrap_or_default();
                        list(&[image_part(Some(url))])
                    }
                    Output::Part(_) => self.output(&output.output),
                    _ if self.is_right => self.output(&output.output),
                    _ => return Err(NotItems::NoObject { index }),
                };
                self.answer(COMPUTER, &output.call_id, content);
            }
            Item::Unknown(_) => {}
        }
        Ok(())
    }

    fn message(&self, message: &super::MessageItem) -> Option<Chat> {
        let is_user = message.role == Some(Role::User) || message.kind.as_deref() == Some("user");
        match (&message.role, &message.content) {
            (_, Some(MessageContent::Text(text))) if is_user => Some(Chat::new("user", &**text)),
            (_, Some(MessageContent::Parts(parts))) if is_user => {
                let shown: Vec<Json> = parts.iter().filter_map(|it| self.part(it)).collect();
                let shown = match self.is_right || !shown.is_empty() {
                    true => list(&shown),
                    false => written(parts),
                };
                Some(Chat::new("user", shown))
            }
            (_, None) if is_user => {
                let null = message.extra.get("content").is_some();
                let content = if null { Json::null() } else { "".into() };
                Some(Chat::new("user", content))
            }
            (Some(Role::Assistant), content) => {
                let text = content.as_ref().map(|content| match content {
                    MessageContent::Text(text) => text.clone(),
                    MessageContent::Parts(parts) => {
                        let texts = parts.iter().map(|part| match part {
                            Part::Refusal(_) if !self.is_right => "",
                            part => part.text().unwrap_or_default(),
                        });
                        texts.collect::<Vec<_>>().join("\n")
                    }
                });
                Some(Chat::new("assistant", &*text.unwrap_or_default()))
            }
            (Some(role @ (Role::System | Role::Developer)), Some(content)) if self.is_right => {
                let role = if *role == Role::System {
                    "system"
                } else {
                    "developer"
                };
                Some(Chat::new(role, &*content.text()))
            }
            _ => None,
        }
    }

    /// A part of a user's message.
    fn part(&self, part: &Part) -> Option<Json> {
        match part {
            Part::InputImage(image) => {
                let url = image.image_url.as_deref();
                let url = url.filter(|url| !url.is_empty() && *url != OMITTED);
                url.map(|url| image_part(Some(url)))
            }
            Part::InputText(text) => {
                Some(text_part(Some(text.text.as_deref().unwrap_or_default())))
            }
            Part::Text(_) => Some(written(part)),
            part if self.is_right => part.text().map(|text| text_part(Some(text))),
            part => Some(written(part)),
        }
    }

    fn thought(&self, reasoning: &ReasoningItem) -> Option<String> {
        let summary = reasoning.summary.as_deref().unwrap_or_default();
        if self.is_right {
            let content = reasoning.content.as_deref().unwrap_or_default();
            let texts = [summary, content].map(super::part::joined);
            let text = texts.into_iter().find(|text| !text.is_empty());
            return text.or_else(|| reasoning.reasoning.clone());
        }
        let first = summary
            .iter()
            .find(|part| matches!(part, Part::SummaryText(_)));
        match summary.is_empty() {
            true => reasoning.reasoning.clone(),
            false => first.map(|part| part.text().unwrap_or_default().to_owned()),
        }
    }

    /// A call belongs to what the assistant said last. The library adds to it
    /// even where there is none.
    fn call(&mut self, call: Option<Json>) {
        if self.chat.last().is_none_or(|last| last.role != "assistant") {
            self.chat.push(Chat::new("assistant", Json::null()));
        }
        if let Some(last) = self.chat.last_mut() {
            last.tool_calls.get_or_insert_default().extend(call);
        }
    }

    fn answer(&mut self, tool: &str, id: &str, content: Json) {
        let mut answer = Chat::new("function", content);
        answer.name = Some(tool.to_owned());
        answer.tool_call_id = Some(id.to_owned());
        self.chat.push(answer);
    }

    fn output(&self, output: &Output) -> Json {
        match output {
            Output::Text(text) => (&**text).into(),
            output if !self.is_right => (&*python::str_of(&written(output))).into(),
            Output::Part(part) => match part.image_url() {
                Some(url) => list(&[image_part(Some(url))]),
                None => written(part).get().into(),
            },
            Output::Parts(parts) => {
                let parts = parts.iter().filter_map(|part| match part.image_url() {
                    Some(url) => Some(image_part(Some(url))),
                    None => self.part(part),
                });
                list(&parts.collect::<Vec<_>>())
            }
            Output::Null(_) => "".into(),
        }
    }
}

/// The library fails where points have no names.
struct NoPath;

/// What the library gives the `computer` tool for an action: nothing, where it
/// does not know the action.
fn input_of_library(action: &Action) -> Result<Option<Json>, NoPath> {
    let place = |x: &Option<Number>, y: &Option<Number>, other: fn() -> Json| {
        let at = |at: &Option<Number>| at.as_ref().map_or_else(other, written);
        list(&[at(x), at(y)])
    };
    let zeros: fn() -> Json = || Json::from_value(&0).unwrap_or_default();
    let input = |name: &str, members: Vec<(&'static str, Json)>| {
        let mut input = Members::default();
        input.push("action", name.into());
        for (name, value) in members {
            input.push(name, value);
        }
        Ok(Some(written(&input)))
    };
    match action {
        Action::Click(click) => {
            let name = match click.button.as_ref().map(AsRef::as_ref) {
                Some("right") => "right_click",
                Some("wheel") => "middle_click",
                _ => "left_click",
            };
            input(name, vec![("coordinate", place(&click.x, &click.y, zeros))])
        }
        Action::DoubleClick(click) => {
            let at = place(&click.x, &click.y, zeros);
            input("double_click", vec![("coordinate", at)])
        }
        Action::Move(to) => input(
            "mouse_move",
            vec![("coordinate", place(&to.x, &to.y, zeros))],
        ),
        Action::Type(typed) => {
            let text = typed.text.as_deref().unwrap_or_default();
            input("type", vec![("text", text.into())])
        }
        Action::KeyPress(press) => {
            let keys = match &press.keys {
                Some(super::Keys::List(keys)) => keys.join("+"),
                // Python takes a text for its characters.
                Some(super::Keys::Text(keys)) => {
                    let keys: Vec<String> = keys.chars().map(String::from).collect();
                    keys.join("+")
                }
                None => String::new(),
            };
            input("key", vec![("text", (&*keys).into())])
        }
        Action::Scroll(scroll) => {
            let by = |by: &Option<Number>| by.clone().unwrap_or_else(|| 0.into());
            let (x, y) = (by(&scroll.scroll_x), by(&scroll.scroll_y));
            let (direction, amount) = match (x.as_f64(), y.as_f64()) {
                (right, _) if right > 0.0 => ("right", x),
                (left, _) if left < 0.0 => ("left", super::computer::without_sign(&x)),
                (_, down) if down > 0.0 => ("down", y),
                (_, up) if up < 0.0 => ("up", super::computer::without_sign(&y)),
                _ => ("down", 3.into()),
            };
            input(
                "scroll",
                vec![
                    ("coordinate", place(&scroll.x, &scroll.y, zeros)),
                    ("scroll_direction", direction.into()),
                    ("scroll_amount", written(&amount)),
                ],
            )
        }
        Action::Drag(drag) => {
            let ends = match drag.path.as_deref() {
                Some([Point::Named(start), .., Point::Named(end)]) => {
                    [start, end].map(|point| written(&[&point.x, &point.y]))
                }
                Some([_, .., _]) => return Err(NoPath),
                _ => [(); 2].map(|()| list(&[zeros(), zeros()])),
            };
            let [start, end] = ends;
            let ends = vec![("start_coordinate", start), ("end_coordinate", end)];
            input("left_click_drag", ends)
        }
        Action::Wait(_) => input("wait", vec![]),
        Action::Screenshot(_) => input("screenshot", vec![]),
        Action::LeftMouseDown(down) => {
            let at = place(&down.x, &down.y, Json::null);
            input("left_mouse_down", vec![("coordinate", at)])
        }
        Action::LeftMouseUp(up) => {
            let at = place(&up.x, &up.y, Json::null);
            input("left_mouse_up", vec![("coordinate", at)])
        }
        _ => Ok(None),
    }
}

/// How the library reads what Anthropic's models answer.
#[derive(Debug, Clone, Copy)]
pub struct OfAnthropic {
    /// By how much the screenshot was made smaller that the model saw, across
    /// and down: coordinates are multiplied by it.
    pub scale: [f64; 2],
    /// Whose way is taken. The library's mistakes: scrolls go the other way,
    /// the end of a drag is looked for under another name than the tool's, a
    /// key `-` is lost, three clicks and a key that is held are failures,
    /// actions that it does not know are nothing at all, and a call whose
    /// arguments are broken is a failure of the one before it.
    pub compat: Compat,
}

impl Default for OfAnthropic {
    fn default() -> Self {
        Self {
            scale: [1.0, 1.0],
            compat: Compat::Right,
        }
    }
}

impl OfAnthropic {
    /// The items that a model's answer is: a message of Chat Completions, with
    /// a text or calls of tools.
    ///
    /// # Errors
    ///
    /// When it is no message; with [`Compat::Library`], also where the library
    /// fails.
    pub fn items<F: FnMut() -> String>(
        &self,
        message: &Json,
        make: &mut Make<F>,
    ) -> Result<Vec<Item>, NotItems> {
        let message: ChatMessage = message.read().map_err(|error| NotItems::NoMessage {
            index: 0,
            error: error.to_string(),
        })?;
        let mut items = Vec::new();
        let text = message
            .content
            .as_ref()
            .and_then(|content| content.read::<String>().ok());
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            items.push(make.output_text(&text));
        }
        let mut last = super::library_loop::Last::default();
        for call in message.tool_calls.iter().flatten() {
            match self.compat {
                Compat::Right => items.push(self.call(call, make)),
                Compat::Library => {
                    let called = super::library_loop::items(call, self.scale, &mut last, make);
                    items.extend(called.ok_or(NotItems::NoObject { index: 0 })?);
                }
            }
        }
        Ok(items)
    }

    fn call<F: FnMut() -> String>(&self, call: &ChatCall, make: &mut Make<F>) -> Item {
        let function = call.function.clone().unwrap_or_default();
        let name = function.name.unwrap_or_default();
        let arguments = function.arguments.unwrap_or_else(|| "{}".to_owned());
        if name == COMPUTER
            && let Ok(input) = serde_json::from_str::<ComputerInput>(&arguments)
            && let Some(mut action) = of_computer_input(&input)
        {
            self.place(&mut action);
            return make.computer_call(call.id.clone(), action);
        }
        let mut item = make.function_call(call.id.clone(), &name, &Json::null());
        if let Item::FunctionCall(function) = &mut item {
            function.arguments = super::Arguments::Text(arguments);
        }
        item
    }

    /// Puts an action where it is on the screen. The library writes points
    /// with names.
    fn place(&self, action: &mut Action) {
        let [x, y] = self.scale;
        let scale = |at: &mut Option<Number>, scale: f64| {
            if let Some(at) = at.as_mut().filter(|_| scale != 1.0) {
                *at = scaled(at, scale);
            }
        };
        macro_rules! place {
            ($at:ident) => {{
                scale(&mut $at.x, x);
                scale(&mut $at.y, y);
            }};
        }
        match action {
            Action::Click(at) => place!(at),
            Action::DoubleClick(at) => place!(at),
            Action::TripleClick(at) => place!(at),
            Action::Move(at) => place!(at),
            Action::Scroll(at) => place!(at),
            Action::LeftMouseDown(at) => place!(at),
            Action::LeftMouseUp(at) => place!(at),
            Action::Drag(drag) => {
                for point in drag.path.iter_mut().flatten() {
                    if let Some(at) = point.coordinates() {
                        let [mut to_x, mut to_y] = at.map(|at| Some(at.clone()));
                        scale(&mut to_x, x);
                        scale(&mut to_y, y);
                        if let (Some(x), Some(y)) = (to_x, to_y) {
                            *point = Point::named(x, y);
                        }
                    }
                }
            }
            _ => {}
        }
    }
}

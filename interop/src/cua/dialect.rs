//! The dialects in which items are written.

use super::{Action, Button, ComputerScreenshot, Item, Output, Part};
use super::{Keys, Point, Role, Status};
use crate::TextOr;
use crate::chat::Detail;
use crate::conversion::Fingerprint;
use crate::responses::InputImage;
use agentwire_protocol::{Json, Number};

/// The dialect in which items are written. All dialects are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Dialect {
    /// The documented format. Paths are pairs, items have no IDs, and only documented actions are
    /// calls of the computer.
    #[default]
    Documented,
    /// The format of the library. Points are objects, calls have `pending_safety_checks`, and every
    /// action is a call of the computer.
    Library,
    /// The types of OpenAI. They are like [`Dialect::Library`], but items have IDs, screenshots are
    /// `computer_screenshot`s, and only OpenAI's actions are calls of the computer.
    OpenAi,
}

impl Dialect {
    /// Returns whether the dialect has an action. Other actions are written as calls of a function.
    #[must_use]
    pub fn takes(self, action: &Action) -> bool {
        let only_openai = self == Self::OpenAi;
        if self == Self::Library {
            return true;
        }
        match action {
            Action::Click(click) => {
                at(&click.x, &click.y) && click.button.as_ref().is_some_and(is_known)
            }
            Action::DoubleClick(click) => {
                at(&click.x, &click.y) && click.button.as_ref().is_none_or(is_known)
            }
            Action::Move(to) => at(&to.x, &to.y),
            Action::Drag(drag) => {
                let points = drag.path.as_deref().unwrap_or_default();
                let pairs = points.iter().all(|point| {
                    let point = point.coordinates();
                    point.is_some_and(|at| at.into_iter().all(is_whole))
                });
                drag.path.is_some() && pairs && drag.button.as_ref().is_none_or(is_known)
            }
            Action::KeyPress(press) => matches!(press.keys, Some(Keys::List(_))),
            Action::Scroll(scroll) => {
                at(&scroll.x, &scroll.y) && at(&scroll.scroll_x, &scroll.scroll_y)
            }
            Action::Type(typed) => typed.text.is_some(),
            Action::Screenshot(_) | Action::Wait(_) => true,
            Action::LeftMouseDown(down) => !only_openai && at(&down.x, &down.y),
            Action::LeftMouseUp(up) => !only_openai && at(&up.x, &up.y),
            Action::TripleClick(_) | Action::Terminate(_) | Action::Unknown(_) => false,
        }
    }

    /// Writes an item in this dialect. Existing members are preserved.
    #[must_use]
    pub fn write(self, mut item: Item) -> Item {
        match &mut item {
            Item::Message(message) => {
                let assistant = message.role == Some(Role::Assistant);
                if self == Self::OpenAi && assistant {
                    set_status(&mut message.status, self);
                }
                if let Some(TextOr::Other(parts)) = &mut message.content {
                    parts.iter_mut().for_each(|part| self.part(part));
                }
            }
            Item::ComputerCall(call) => {
                set_status(&mut call.status, self);
                let actions = call.actions.iter_mut().flatten();
                for action in call.action.iter_mut().chain(actions) {
                    self.action(action);
                }
                if self != Self::Documented {
                    call.pending_safety_checks.get_or_insert_with(Vec::new);
                }
            }
            Item::FunctionCall(call) => set_status(&mut call.status, self),
            Item::ComputerCallOutput(output) => {
                if let Output::Part(part) = &mut output.output {
                    self.screenshot(part);
                }
            }
            Item::FunctionCallOutput(output) => {
                if let Output::Parts(parts) = &mut output.output {
                    parts.iter_mut().for_each(|part| self.part(part));
                }
            }
            Item::Reasoning(_) | Item::Unknown(_) => {}
        }
        if self == Self::OpenAi {
            give_id(&mut item);
        }
        item
    }

    fn action(self, action: &mut Action) {
        match action {
            Action::Drag(drag) => {
                for point in drag.path.iter_mut().flatten() {
                    if let Some([x, y]) = point.coordinates() {
                        let (x, y) = (x.clone(), y.clone());
                        *point = match self {
                            Self::Documented => Point::pair(x, y),
                            _ => Point::named(x, y),
                        };
                    }
                }
            }
            Action::DoubleClick(click)
                if self == Self::OpenAi
                    && click.keys.is_none()
                    && click.extra.get("keys").is_none() =>
            {
                click.extra.set("keys", Json::null());
            }
            _ => {}
        }
    }

    fn part(self, part: &mut Part) {
        match part {
            Part::OutputText(text) if self != Self::Documented => {
                text.annotations.get_or_insert_with(Vec::new);
            }
            Part::InputImage(image) if self == Self::OpenAi => {
                image.detail.get_or_insert(Detail::Auto);
            }
            _ => {}
        }
    }

    /// Writes a screenshot as `input_image` for the library, and as `computer_screenshot` for
    /// OpenAI, because each reads only that form.
    fn screenshot(self, part: &mut Part) {
        match (self, &mut *part) {
            (Self::OpenAi, Part::InputImage(image)) => {
                let screenshot = ComputerScreenshot {
                    image_url: image.image_url.take(),
                    file_id: image.file_id.take(),
                    ..ComputerScreenshot::default()
                };
                *part = screenshot.into();
            }
            (Self::Library, Part::Screenshot(screenshot)) => {
                let image = InputImage {
                    image_url: screenshot.image_url.take(),
                    file_id: screenshot.file_id.take(),
                    ..InputImage::default()
                };
                *part = image.into();
            }
            _ => {}
        }
    }
}

/// Translates a status. Default: `completed`.
fn set_status(status: &mut Option<Status>, dialect: Dialect) {
    let written = status.take().unwrap_or(Status::Completed);
    *status = Some(match (dialect, written) {
        (Dialect::Documented, Status::InProgress) => Status::Pending,
        (Dialect::Documented, Status::Incomplete) => Status::Failed,
        (Dialect::OpenAi, Status::Pending) => Status::InProgress,
        (Dialect::OpenAi, Status::Failed) => Status::Incomplete,
        (_, written) => written,
    });
}

/// Sets the IDs that OpenAI requires. They are derived from the content.
fn give_id(item: &mut Item) {
    let fingerprint = Fingerprint::of(&Json::from_value(item).unwrap_or_default());
    let (id, made) = match item {
        Item::ComputerCall(call) => (&mut call.id, format!("cu_{}", call.call_id)),
        Item::Reasoning(reasoning) => (&mut reasoning.id, format!("rs_{fingerprint}")),
        Item::Message(message) if message.role == Some(Role::Assistant) => {
            (&mut message.id, format!("msg_{fingerprint}"))
        }
        _ => return,
    };
    id.get_or_insert(made);
}

/// Returns whether coordinates are whole pixels.
fn at(x: &Option<Number>, y: &Option<Number>) -> bool {
    [x, y]
        .into_iter()
        .all(|it| it.as_ref().is_some_and(is_whole))
}

fn is_whole(number: &Number) -> bool {
    // Floats are exact up to 2^53.
    let value = number.as_f64();
    value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0
}

fn is_known(button: &Button) -> bool {
    !matches!(button, Button::Unknown(_))
}

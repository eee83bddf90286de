//! Screenshots: taken out of a conversation, or left out of it.

use super::{Item, MessageContent, Output, Part};
use crate::Compat;

/// What stands where an image was taken out. The library knows it, and does
/// not send it to Anthropic's models.
pub const OMITTED: &str = "[omitted]";

impl Item {
    /// Shows every image in it, by its URL, to be changed.
    pub fn each_image(&mut self, mut look: impl FnMut(&mut String)) {
        let parts: &mut [Part] = match self {
            Self::Message(message) => match &mut message.content {
                Some(MessageContent::Parts(parts)) => parts,
                _ => &mut [],
            },
            Self::ComputerCallOutput(output) => shown(&mut output.output),
            Self::FunctionCallOutput(output) => shown(&mut output.output),
            _ => &mut [],
        };
        for part in parts {
            if let Some(url) = part.image_url_mut() {
                look(url);
            }
        }
    }
}

fn shown(output: &mut Output) -> &mut [Part] {
    match output {
        Output::Text(_) => &mut [],
        Output::Part(part) => std::slice::from_mut(part),
        Output::Parts(parts) => parts,
    }
}

/// Takes the data of all images out of items, for a log or a record that must
/// not show what was on a screen. URLs that only say where an image is stay.
///
/// ```
/// use agentwire_interop::cua::{Item, redact_images};
///
/// let mut items = [Item::screenshot("call_1", "data:image/png;base64,iVBORw0KGgo=")];
/// assert_eq!(redact_images(&mut items), 1);
/// assert_eq!(items, [Item::screenshot("call_1", "[omitted]")]);
/// ```
pub fn redact_images(items: &mut [Item]) -> usize {
    let mut redacted = 0;
    for item in items {
        item.each_image(|url| {
            if url.starts_with("data:") {
                OMITTED.clone_into(url);
                redacted += 1;
            }
        });
    }
    redacted
}

/// Leaves out all but the last screenshots, with the calls that they were
/// taken after, and the thoughts right before these: what the library's image
/// retention does.
///
/// The library keeps all where none is to be kept, and leaves the call of a
/// screenshot where it does not stand right before it, which no model takes.
#[must_use]
pub fn retain_images(items: Vec<Item>, last: usize, compat: Compat) -> Vec<Item> {
    let screenshots: Vec<usize> = (0..items.len())
        .filter(|&index| matches!(&items[index], Item::ComputerCallOutput(output) if has_image(&output.output)))
        .collect();
    let gone = screenshots.len().saturating_sub(last);
    if gone == 0 || (compat == Compat::Library && last == 0) {
        return items;
    }
    let mut kept = vec![true; items.len()];
    for &index in &screenshots[..gone] {
        kept[index] = false;
        let id = items[index].call_id();
        let is_call = |&index: &usize| matches!(&items[index], Item::ComputerCall(call) if Some(&*call.call_id) == id);
        let call = match compat {
            Compat::Right => (0..index).rev().find(is_call),
            Compat::Library => index.checked_sub(1).filter(is_call),
        };
        let Some(call) = call else { continue };
        kept[call] = false;
        if let Some(before) = call.checked_sub(1)
            && matches!(items[before], Item::Reasoning(_))
        {
            kept[before] = false;
        }
    }
    let items = items.into_iter().zip(kept);
    items
        .filter_map(|(item, kept)| kept.then_some(item))
        .collect()
}

/// Whether there is an image in an output, as the library looks for it.
fn has_image(output: &Output) -> bool {
    match output {
        Output::Part(Part::InputImage(image)) => {
            image.image_url.is_some() || image.extra.get("image_url").is_some()
        }
        Output::Part(Part::Screenshot(image)) => {
            image.image_url.is_some() || image.extra.get("image_url").is_some()
        }
        Output::Part(Part::Unknown(members)) => members.get("image_url").is_some(),
        _ => false,
    }
}

//! Removes images and screenshots.

use super::computer::to_json;
use super::{Item, Output, Part};
use agentwire_protocol::{Json, Members};

/// The replacement for the data of a removed image. The library does not send it to Anthropic's
/// models.
pub const OMITTED: &str = "[omitted]";

/// Removes the data of all images, for example before logging. Returns the number of images.
/// `data:` URLs are found in texts, arguments and unknown members. Other URLs are preserved, and so
/// is base64 without a media type.
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
        if let Some(json) = without_images(&to_json(item), &mut redacted)
            && let Ok(read) = json.read()
        {
            *item = read;
        }
    }
    redacted
}

/// The prefix of an image in a text.
const IMAGE: &str = "data:image/";

/// Removes the images from a value. Returns `None` if it has none.
fn without_images(json: &Json, redacted: &mut usize) -> Option<Json> {
    let before = *redacted;
    let changed = match json.get().as_bytes().first()? {
        b'{' => {
            let mut object: Members = json.read().ok()?;
            let members: Vec<(String, Json)> = object
                .iter()
                .filter_map(|(key, value)| Some((key.to_owned(), without_images(value, redacted)?)))
                .collect();
            for (key, value) in members {
                object.set(key, value);
            }
            to_json(&object)
        }
        b'[' => {
            let list: Vec<Json> = json.read().ok()?;
            let items = list
                .into_iter()
                .map(|item| match without_images(&item, redacted) {
                    Some(changed) => changed,
                    None => item,
                });
            to_json(&items.collect::<Vec<_>>())
        }
        b'"' => (&*text_without_images(&json.read::<String>().ok()?, redacted)).into(),
        _ => return None,
    };
    (*redacted > before).then_some(changed)
}

fn text_without_images(text: &str, redacted: &mut usize) -> String {
    if text.starts_with(IMAGE) && !text.contains(char::is_whitespace) {
        *redacted += 1;
        return OMITTED.to_owned();
    }
    let mut text_without = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(IMAGE) {
        let (before, image) = rest.split_at(start);
        // The data ends with the media type and the base64.
        let is_data = |c: char| c.is_ascii_alphanumeric() || ":/;,+-_=.%\\".contains(c);
        let end = image.find(|c| !is_data(c)).unwrap_or(image.len());
        *redacted += 1;
        text_without.push_str(before);
        text_without.push_str(OMITTED);
        rest = &image[end..];
    }
    text_without.push_str(rest);
    text_without
}

/// Removes all screenshots except for the last ones, with their calls and the reasoning directly
/// before these, like the library's image retention.
#[must_use]
pub fn retain_images(items: Vec<Item>, last: usize) -> Vec<Item> {
    let screenshots: Vec<usize> = (0..items.len())
        .filter(|&index| matches!(&items[index], Item::ComputerCallOutput(output) if has_image(&output.output)))
        .collect();
    let gone = screenshots.len().saturating_sub(last);
    if gone == 0 {
        return items;
    }
    let mut retained = vec![true; items.len()];
    for &index in &screenshots[..gone] {
        retained[index] = false;
        let id = items[index].call_id();
        let is_call = |&index: &usize| matches!(&items[index], Item::ComputerCall(call) if Some(&*call.call_id) == id);
        let Some(call) = (0..index).rev().find(is_call) else {
            continue;
        };
        retained[call] = false;
        if let Some(before) = call.checked_sub(1)
            && matches!(items[before], Item::Reasoning(_))
        {
            retained[before] = false;
        }
    }
    let items = items.into_iter().zip(retained);
    items
        .filter_map(|(item, retained)| retained.then_some(item))
        .collect()
}

/// Returns whether the library finds an image in an output.
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

//! Reads items of Responses.

use super::{Content, FunctionCall, FunctionCallOutput, Item, Message, Part, Reasoning, Role};
use crate::blocks::{joined, result_with, user};
use crate::media::{document, image};
use crate::message::Message as Ours;
use crate::{TextOr, arguments};
use agentwire_protocol::content::{Content as OurContent, ContentBlock};

/// Reads items of the model, or outputs of tools and the user message after them.
pub(super) fn read(items: &[Item]) -> Vec<Ours> {
    match items {
        [] | [Item::Unknown(_)] => vec![],
        [Item::Message(message)] => read_message(message),
        [Item::FunctionCallOutput(_), ..] => {
            vec![Ours::user(
                items.iter().flat_map(user_blocks).collect::<Vec<_>>(),
            )]
        }
        items => {
            let blocks: Vec<_> = items.iter().filter_map(model_blocks).flatten().collect();
            if blocks.is_empty() {
                return vec![];
            }
            vec![Ours::assistant(blocks)]
        }
    }
}

fn read_message(message: &Message) -> Vec<Ours> {
    match message.role {
        Role::User => vec![user(content(message.content.as_ref()))],
        Role::Assistant => vec![Ours::assistant(blocks(message.content.as_ref()))],
        Role::System | Role::Developer => {
            let blocks = blocks(message.content.as_ref());
            vec![Ours::instructions(OurContent::from(blocks).text())]
        }
        Role::Unknown(_) => vec![],
    }
}

fn user_blocks(item: &Item) -> Vec<ContentBlock> {
    match item {
        Item::FunctionCallOutput(FunctionCallOutput {
            call_id, output, ..
        }) => {
            let id = call_id.as_deref().unwrap_or_default();
            // An output is required, so an empty one means that there is none.
            let output = output.as_ref().filter(|it| it.as_text() != Some(""));
            vec![result_with(id, content(output))]
        }
        Item::Message(message) => blocks(message.content.as_ref()),
        _ => vec![],
    }
}

fn model_blocks(item: &Item) -> Option<Vec<ContentBlock>> {
    Some(match item {
        Item::Message(message) => blocks(message.content.as_ref()),
        Item::FunctionCall(item) => vec![call(item)],
        Item::Reasoning(item) => vec![ContentBlock::thinking(reasoning_text(item)?)],
        _ => return None,
    })
}

fn call(item: &FunctionCall) -> ContentBlock {
    let id = item.call_id.as_ref().or(item.id.as_ref());
    ContentBlock::tool_use(
        id.map_or("", |it| it),
        item.name.as_deref().unwrap_or_default(),
        arguments::input(item.arguments.as_deref().unwrap_or_default()),
    )
}

/// Returns the summary, or else the reasoning. Returns `None` if the reasoning is encrypted.
fn reasoning_text(item: &Reasoning) -> Option<String> {
    let summary = item.summary.iter().flatten();
    let content = item.content.iter().flatten();
    joined(summary.filter_map(|it| it.text.as_deref()))
        .or_else(|| joined(content.filter_map(|it| it.text.as_deref())))
}

fn content(content: Option<&Content>) -> Option<OurContent> {
    Some(match content? {
        TextOr::Text(text) => text.as_str().into(),
        TextOr::Other(parts) => parts.iter().filter_map(block).collect::<Vec<_>>().into(),
    })
}

fn blocks(it: Option<&Content>) -> Vec<ContentBlock> {
    content(it).map_or_else(Vec::new, OurContent::into_blocks)
}

/// Returns the text of a part.
pub(super) fn text(part: &Part) -> Option<&str> {
    match part {
        Part::InputText(part) => Some(&part.text),
        Part::OutputText(part) => part.text.as_deref(),
        Part::Refusal(part) => Some(&part.refusal),
        _ => None,
    }
}

fn block(part: &Part) -> Option<ContentBlock> {
    match part {
        Part::InputText(_) | Part::OutputText(_) | Part::Refusal(_) => {
            text(part).map(ContentBlock::text)
        }
        Part::Image(part) => part.image_url.as_deref().map(image),
        Part::File(part) => {
            let url = part.file_data.as_deref().or(part.file_url.as_deref())?;
            Some(document(url, part.filename.as_deref()))
        }
        Part::Unknown(_) => None,
    }
}

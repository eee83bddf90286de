//! Writes items of Responses.

use super::{
    FunctionCall, FunctionCallOutput, InputFile, InputImage, InputText, Item, Message, OutputText,
    Part, Reasoning, Role,
};
use crate::blocks::UserBlocks;
use crate::media::url_of;
use crate::message::Message as Ours;
use crate::{TextOr, arguments};
use agentwire_protocol::content::{Content as OurContent, ContentBlock, Source, ToolResultBlock};

pub(super) fn write(message: &Ours) -> Vec<Item> {
    match message {
        Ours::Instructions(instructions) => {
            vec![Message::new(Role::System, instructions.text.as_str()).into()]
        }
        Ours::User(message) => match &message.message.content {
            None => vec![Message::of(Role::User).into()],
            Some(OurContent::Text(text)) => vec![Message::new(Role::User, text.as_str()).into()],
            Some(OurContent::Blocks(blocks)) => user_items(blocks),
        },
        Ours::Assistant(message) => assistant_items(&message.message.content),
        Ours::Unknown(_) => vec![],
    }
}

fn user_items(blocks: &[ContentBlock]) -> Vec<Item> {
    let sorted = UserBlocks::of(blocks);
    let mut items: Vec<Item> = sorted.results.iter().map(|it| output(it).into()).collect();
    let parts: Vec<Part> = sorted.rest.iter().filter_map(|block| part(block)).collect();
    if !parts.is_empty() || blocks.is_empty() {
        let message = match lone_text(&parts) {
            // After results, the original is always a list. Without results, a text stays a text.
            Some(text) if !sorted.results.is_empty() => Message::new(Role::User, text),
            _ => Message::new(Role::User, parts),
        };
        items.push(message.into());
    }
    items
}

/// Returns the text of a list that consists of one text.
pub(super) fn lone_text(parts: &[Part]) -> Option<&str> {
    match parts {
        [Part::InputText(part)] => Some(&part.text),
        _ => None,
    }
}

fn output(answer: &ToolResultBlock) -> FunctionCallOutput {
    let output = match &answer.content {
        None => "".into(),
        Some(OurContent::Text(text)) => text.as_str().into(),
        Some(OurContent::Blocks(blocks)) => TextOr::Other(blocks.iter().filter_map(part).collect()),
    };
    FunctionCallOutput::new(&*answer.tool_use_id, output)
}

/// Writes the items of a reply in order. Consecutive texts are one message.
fn assistant_items(blocks: &[ContentBlock]) -> Vec<Item> {
    if blocks.is_empty() {
        return vec![Message::new(Role::Assistant, vec![]).into()];
    }
    let mut items: Vec<Item> = Vec::new();
    for block in blocks {
        let item: Item = match block {
            ContentBlock::Text(block) => {
                let text = Part::from(OutputText::new(&*block.text));
                if let Some(Item::Message(message)) = items.last_mut()
                    && let Some(TextOr::Other(parts)) = &mut message.content
                {
                    parts.push(text);
                    continue;
                }
                Message::new(Role::Assistant, vec![text]).into()
            }
            ContentBlock::Thinking(block) => Reasoning::new([block.thinking.clone()]).into(),
            ContentBlock::ToolUse(block) => {
                FunctionCall::new(&*block.id, &*block.name, arguments::arguments(&block.input))
                    .into()
            }
            _ => continue,
        };
        items.push(item);
    }
    items
}

fn part(block: &ContentBlock) -> Option<Part> {
    Some(match block {
        ContentBlock::Text(block) => InputText::new(&*block.text).into(),
        ContentBlock::Image(block) => InputImage::new(url_of(&block.source)?).into(),
        ContentBlock::Document(block) => {
            let url = url_of(&block.source)?;
            let is_elsewhere = matches!(block.source, Source::Url(_));
            let (file_url, file_data) = if is_elsewhere {
                (Some(url), None)
            } else {
                (None, Some(url))
            };
            InputFile {
                file_url,
                file_data,
                filename: block.title.clone(),
                ..Default::default()
            }
            .into()
        }
        _ => return None,
    })
}

//! A system that has hardly a place for anything: one line for a text.

use agentwire_interop::conversion::System;
use agentwire_interop::{Calls, Message};
use agentwire_protocol::content::ContentBlock;
use serde::{Deserialize, Serialize};

/// Says who spoke and what the texts are, a line for each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lines;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Line {
    pub(crate) who: String,
    pub(crate) text: String,
}

impl System for Lines {
    type Item = Line;

    fn write(&self, _: &Calls, message: &Message) -> Vec<Line> {
        let who = message.tag().unwrap_or_default();
        let blocks = message.blocks();
        let texts = blocks.iter().filter_map(ContentBlock::as_text);
        texts
            .map(|text| Line {
                who: who.clone(),
                text: text.to_owned(),
            })
            .collect()
    }

    fn joins(&self, before: &[Line], item: &Line) -> bool {
        before.last().is_some_and(|last| last.who == item.who)
    }

    fn read(&self, _: &Calls, items: &[Line]) -> Vec<Message> {
        let blocks: Vec<_> = items
            .iter()
            .map(|line| ContentBlock::text(line.text.clone()))
            .collect();
        match items.first().map(|line| &*line.who) {
            Some("assistant") => vec![Message::assistant(blocks)],
            Some(_) => vec![Message::user(blocks)],
            None => vec![],
        }
    }

    fn note_calls(&self, _: &mut Calls, _: &Line) {}
}

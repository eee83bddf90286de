//! Where the blocks of a reply are, and which of them the agent has not said.

use super::numbers::{Numbers, take_at};
use super::{BlockState, Reply};
use crate::content::ContentBlock;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap, HashSet};

/// What there is to know of a reply's blocks.
#[derive(Debug, Clone, Default)]
pub(super) struct ReplyPlaces {
    pub(super) blocks: Numbers,
    /// The blocks that the agent has not said.
    unsaid: HashMap<Kind, Unsaid>,
    pub(super) superseded: EachOnce,
    pub(super) tool_use_meta: EachOnce,
}

/// What a list holds to which message after message adds.
#[derive(Debug, Clone, Default)]
pub(super) struct EachOnce(Option<HashSet<String>>);

impl EachOnce {
    /// Adds to the list what is not in it.
    pub(super) fn add<T: Serialize>(&mut self, list: &mut Option<Vec<T>>, new: Option<Vec<T>>) {
        let Some(new) = new else { return };
        let list = list.get_or_insert_default();
        let text = |it: &T| serde_json::to_string(it).unwrap_or_default();
        let seen = (self.0).get_or_insert_with(|| list.iter().map(text).collect());
        list.extend(new.into_iter().filter(|it| seen.insert(text(it))));
    }
}

/// What a block that came whole is recognised by: its tag, and the id of the
/// tool call that it is.
type Kind = (Option<String>, Option<String>);

/// Numbers of blocks that the agent has not said.
#[derive(Debug, Clone, Default)]
struct Unsaid {
    streaming: BTreeSet<u64>,
    written: BTreeSet<u64>,
}

impl ReplyPlaces {
    /// Of the blocks of a reply that was kept.
    pub(super) fn of(reply: &Reply) -> Self {
        let mut places = Self::default();
        for (block, content) in reply.blocks.iter().zip(reply.content()) {
            let number = places.blocks.push();
            match block.state {
                BlockState::Streaming => places.begun(number, content),
                BlockState::Written => {
                    places.begun(number, content);
                    places.written(number, content);
                }
                _ => {}
            }
        }
        places
    }

    /// The model began to write a block.
    pub(super) fn begun(&mut self, number: u64, block: &ContentBlock) {
        let unsaid = self.unsaid.entry(kind(block)).or_default();
        unsaid.streaming.insert(number);
    }

    /// The model has written a block.
    pub(super) fn written(&mut self, number: u64, block: &ContentBlock) {
        if let Some(unsaid) = self.unsaid.get_mut(&kind(block))
            && unsaid.streaming.remove(&number)
        {
            unsaid.written.insert(number);
        }
    }

    /// The agent has said a block, or it was taken away.
    pub(super) fn settled(&mut self, number: u64, block: &ContentBlock) {
        let kind = kind(block);
        if let Some(unsaid) = self.unsaid.get_mut(&kind) {
            unsaid.streaming.remove(&number);
            unsaid.written.remove(&number);
            if unsaid.streaming.is_empty() && unsaid.written.is_empty() {
                self.unsaid.remove(&kind);
            }
        }
    }

    /// Where a block was streamed that now came whole. The agent says a block
    /// before it passes on that the model has written it, and never says a
    /// text of nothing but white space: the block that is being written goes
    /// before those that are written and were not said.
    pub(super) fn streamed(&self, block: &ContentBlock) -> Option<u64> {
        let unsaid = self.unsaid.get(&kind(block))?;
        let first = unsaid.streaming.first().or(unsaid.written.first());
        first.copied()
    }

    /// The blocks with these numbers are to go. Says where those are that were
    /// there.
    pub(super) fn take(&mut self, numbers: &[u64], content: &[ContentBlock]) -> Vec<usize> {
        let mut gone = vec![];
        for &number in numbers {
            let Some(at) = self.blocks.at(number) else {
                continue;
            };
            if let Some(block) = content.get(at) {
                self.settled(number, block);
            }
            self.blocks.remove(number);
            gone.push(at);
        }
        gone
    }

    /// Lets what is to go be gone.
    pub(super) fn sweep(&mut self, reply: &mut Reply) {
        let gone = self.blocks.sweep();
        take_at(&mut reply.blocks, &gone);
        take_at(&mut reply.message.message.content, &gone);
    }

    /// The blocks that the agent has not said.
    pub(super) fn unsaid(&self) -> impl Iterator<Item = u64> {
        (self.unsaid.values()).flat_map(|it| it.streaming.iter().chain(&it.written).copied())
    }
}

fn kind(block: &ContentBlock) -> Kind {
    let call_id = match block {
        ContentBlock::ToolUse(call) => Some(&call.id),
        ContentBlock::ServerToolUse(call) => Some(&call.id),
        ContentBlock::McpToolUse(call) => Some(&call.id),
        _ => None,
    };
    (block.tag(), call_id.cloned())
}

//! The positions of the blocks of a reply, and the blocks that have not arrived
//! complete.

use super::numbers::{Numbers, remove_at};
use super::{BlockState, Reply};
use crate::content::ContentBlock;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The state of a reply's blocks.
#[derive(Debug, Clone, Default)]
pub(super) struct ReplyPlaces {
    pub(super) blocks: Numbers,
    /// The blocks that have not arrived complete.
    incomplete: HashMap<Kind, Incomplete>,
    pub(super) superseded: UniqueItems,
    pub(super) tool_use_meta: UniqueItems,
}

/// The serialized items of a list, so that each item is appended only once.
#[derive(Debug, Clone, Default)]
pub(super) struct UniqueItems(Option<HashSet<String>>);

impl UniqueItems {
    /// Appends the items that the list does not contain yet.
    pub(super) fn add<T: Serialize>(&mut self, list: &mut Option<Vec<T>>, new: Option<Vec<T>>) {
        let Some(new) = new else { return };
        let list = list.get_or_insert_default();
        let text = |it: &T| serde_json::to_string(it).unwrap_or_default();
        let seen = (self.0).get_or_insert_with(|| list.iter().map(text).collect());
        list.extend(new.into_iter().filter(|it| seen.insert(text(it))));
    }
}

/// The key by which a complete block is matched with a streamed one. It
/// consists of the block's tag and its tool call ID.
type Kind = (Option<String>, Option<String>);

/// The numbers of blocks that have not arrived complete.
#[derive(Debug, Clone, Default)]
struct Incomplete {
    streaming: BTreeSet<u64>,
    written: BTreeSet<u64>,
}

impl ReplyPlaces {
    /// Creates the state for the blocks of a saved reply.
    pub(super) fn of(reply: &Reply) -> Self {
        let mut places = Self::default();
        for (block, content) in reply.blocks.iter().zip(reply.content()) {
            let number = places.blocks.push();
            match block.state {
                BlockState::Streaming => places.start(number, content),
                BlockState::Written => {
                    places.start(number, content);
                    places.finish(number, content);
                }
                _ => {}
            }
        }
        places
    }

    /// Records that the model has started a block.
    pub(super) fn start(&mut self, number: u64, block: &ContentBlock) {
        let incomplete = self.incomplete.entry(kind(block)).or_default();
        incomplete.streaming.insert(number);
    }

    /// Records that the model has finished a block.
    pub(super) fn finish(&mut self, number: u64, block: &ContentBlock) {
        if let Some(incomplete) = self.incomplete.get_mut(&kind(block))
            && incomplete.streaming.remove(&number)
        {
            incomplete.written.insert(number);
        }
    }

    /// Records that a block has arrived complete, or was removed.
    pub(super) fn settled(&mut self, number: u64, block: &ContentBlock) {
        let kind = kind(block);
        if let Some(incomplete) = self.incomplete.get_mut(&kind) {
            incomplete.streaming.remove(&number);
            incomplete.written.remove(&number);
            if incomplete.streaming.is_empty() && incomplete.written.is_empty() {
                self.incomplete.remove(&kind);
            }
        }
    }

    /// Returns the streamed block that this complete block replaces. The agent
    /// sends a complete block before the stream event that ends the block, and
    /// never sends a text of only white space. Therefore the block that is
    /// being streamed takes precedence over finished blocks that have not
    /// arrived complete.
    pub(super) fn streamed(&self, block: &ContentBlock) -> Option<u64> {
        let incomplete = self.incomplete.get(&kind(block))?;
        let first = incomplete.streaming.first().or(incomplete.written.first());
        first.copied()
    }

    /// Marks the blocks with these numbers for removal. Returns the positions
    /// of the existing ones.
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

    /// Applies pending removals to a reply.
    pub(super) fn sweep(&mut self, reply: &mut Reply) {
        let gone = self.blocks.sweep();
        remove_at(&mut reply.blocks, &gone);
        remove_at(&mut reply.message.message.content, &gone);
    }

    /// Returns the blocks that have not arrived complete.
    pub(super) fn incomplete(&self) -> impl Iterator<Item = u64> {
        (self.incomplete.values()).flat_map(|it| it.streaming.iter().chain(&it.written).copied())
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

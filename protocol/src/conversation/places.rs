//! Where things are in a conversation, however much of it is taken away.
//!
//! Entries and blocks are told by numbers that stay with them, so that neither
//! a reply of many blocks nor a long conversation is searched for each message.

use super::reply::Stream;
use super::{BlockState, Conversation, Entry, Reply, ReplyBlock, ReplyState};
use crate::content::ContentBlock;
use crate::message::SystemMessage;
use serde::Serialize;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// The tool call that started the sub-agent; none for the main agent.
pub(super) type Thread = Option<Arc<str>>;

/// The numbers of the elements of a list, in order: a number stays with its
/// element when others are taken away.
#[derive(Debug, Clone, Default)]
pub(super) struct Numbers {
    numbers: Vec<u64>,
    next: u64,
}

impl Numbers {
    /// Numbers one more element, behind the others.
    pub(super) fn push(&mut self) -> u64 {
        let number = self.next;
        self.next += 1;
        self.numbers.push(number);
        number
    }

    /// Where the element with this number is.
    pub(super) fn at(&self, number: u64) -> Option<usize> {
        self.numbers.binary_search(&number).ok()
    }

    /// The element at `at` was taken away.
    pub(super) fn remove(&mut self, at: usize) {
        self.numbers.remove(at);
    }
}

/// Where an id was seen.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    pub(super) thread: Thread,
    /// The entry's number.
    pub(super) entry: u64,
    /// The numbers of the blocks of a reply that came whole under this id,
    /// in order.
    pub(super) blocks: Vec<u64>,
}

/// What there is to know of a thread's entries.
#[derive(Debug, Clone, Default)]
pub(super) struct ThreadPlaces {
    pub(super) entries: Numbers,
    /// Of the entries that are replies, by number.
    pub(super) replies: HashMap<u64, ReplyPlaces>,
    /// What is being streamed.
    pub(super) stream: Option<Stream>,
}

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
    fn of(reply: &Reply) -> Self {
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

    /// Takes away the blocks with these numbers, which ascend. Says where they
    /// were.
    pub(super) fn take(&mut self, numbers: &[u64], content: &[ContentBlock]) -> Vec<usize> {
        let there = |&number: &u64| Some((number, self.blocks.at(number)?));
        let (numbers, gone): (Vec<_>, Vec<_>) = numbers.iter().filter_map(there).unzip();
        for (&number, &at) in numbers.iter().zip(&gone) {
            if let Some(block) = content.get(at) {
                self.settled(number, block);
            }
        }
        take_at(&mut self.blocks.numbers, &gone);
        gone
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

/// Where everything in a conversation is.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    /// Replies by `message.id`, and all that have one by `uuid`. Some may be
    /// of entries that were taken away.
    pub(super) ids: HashMap<String, Spot>,
    main: ThreadPlaces,
    subagents: HashMap<Arc<str>, ThreadPlaces>,
}

impl Places {
    /// Of a conversation that was kept. Each block of its replies has a place
    /// of its own afterwards, whatever was kept.
    pub(super) fn of(conversation: &mut Conversation) -> Self {
        let mut places = Self::default();
        for entry in &mut conversation.entries {
            places.note(None, entry);
        }
        for (call, subagent) in &mut conversation.subagents {
            for entry in &mut subagent.entries {
                places.note(Some(call), entry);
            }
        }
        places
    }

    pub(super) fn thread(&self, thread: Option<&str>) -> Option<&ThreadPlaces> {
        match thread {
            None => Some(&self.main),
            Some(call) => self.subagents.get(call),
        }
    }

    pub(super) fn thread_mut(&mut self, thread: Option<&str>) -> Option<&mut ThreadPlaces> {
        match thread {
            None => Some(&mut self.main),
            Some(call) => self.subagents.get_mut(call),
        }
    }

    /// What is being streamed in a thread.
    pub(super) fn stream(&mut self, thread: Option<&str>) -> Option<&mut Stream> {
        self.thread_mut(thread)?.stream.as_mut()
    }

    /// What there is to know of a reply's blocks.
    pub(super) fn reply(&mut self, thread: Option<&str>, entry: u64) -> Option<&mut ReplyPlaces> {
        self.thread_mut(thread)?.replies.get_mut(&entry)
    }

    /// Where an entry is in its thread.
    pub(super) fn at(&self, thread: Option<&str>, entry: u64) -> Option<usize> {
        self.thread(thread)?.entries.at(entry)
    }

    /// The entry with this id, where it is in this thread.
    pub(super) fn known(&self, thread: Option<&str>, id: &str) -> Option<u64> {
        let spot = self.ids.get(id)?;
        (spot.thread.as_deref() == thread).then_some(spot.entry)
    }

    /// There is one more entry in a thread, behind the others.
    pub(super) fn add(&mut self, thread: Option<&str>) -> u64 {
        self.named(thread).1.entries.push()
    }

    /// An entry has this id. What blocks had it in another one are forgotten.
    pub(super) fn has_id(&mut self, id: &str, thread: Option<&str>, entry: u64) -> &mut Spot {
        let thread = self.named(thread).0;
        let new = Spot {
            thread,
            entry,
            blocks: vec![],
        };
        let spot = self.ids.entry(id.to_owned()).or_insert_with(|| new.clone());
        if (&spot.thread, spot.entry) != (&new.thread, entry) {
            *spot = new;
        }
        spot
    }

    /// A thread, which is there from now on.
    fn named(&mut self, thread: Option<&str>) -> (Thread, &mut ThreadPlaces) {
        let Some(call) = thread else {
            return (None, &mut self.main);
        };
        let known = self.subagents.get_key_value(call);
        let name = known.map_or_else(|| Arc::from(call), |(name, _)| Arc::clone(name));
        let places = self.subagents.entry(Arc::clone(&name)).or_default();
        (Some(name), places)
    }

    fn note(&mut self, thread: Option<&str>, entry: &mut Entry) {
        let number = self.add(thread);
        if let Some(uuid) = uuid_of(entry) {
            self.has_id(uuid, thread, number);
        }
        let Entry::Reply(reply) = entry else { return };
        let whole = ReplyBlock {
            state: BlockState::Whole,
            uuid: None,
            extra: Default::default(),
        };
        let blocks = reply.content().len();
        reply.blocks.resize(blocks, whole);
        if let Some(id) = &reply.message.message.id {
            self.has_id(id, thread, number);
        }
        for (block, at) in (0..).zip(&reply.blocks) {
            if let Some(uuid) = &at.uuid {
                self.has_id(uuid, thread, number).blocks.push(block);
            }
        }
        let of_thread = self.named(thread).1;
        if reply.state == ReplyState::Streaming {
            of_thread.stream = Some(Stream::resumed(number, reply));
        }
        of_thread.replies.insert(number, ReplyPlaces::of(reply));
    }
}

pub(super) fn uuid_of(entry: &Entry) -> Option<&str> {
    match entry {
        Entry::User(message) => message.uuid.as_deref(),
        Entry::Result(result) => result.uuid.as_deref(),
        Entry::Notice(notice) => match &**notice {
            SystemMessage::CompactBoundary(it) => it.uuid.as_deref(),
            SystemMessage::LocalCommandOutput(it) => it.uuid.as_deref(),
            SystemMessage::Informational(it) => it.uuid.as_deref(),
            SystemMessage::ModelRefusalFallback(it) => it.uuid.as_deref(),
            SystemMessage::ModelRefusalNoFallback(it) => it.uuid.as_deref(),
            _ => None,
        },
        _ => None,
    }
}

/// Takes away the elements at `gone`, which ascends.
pub(super) fn take_at<T>(list: &mut Vec<T>, gone: &[usize]) {
    let Some(&first) = gone.first() else { return };
    let tail = list.drain(first..).zip(first..);
    let kept: Vec<T> = tail
        .filter(|(_, at)| gone.binary_search(at).is_err())
        .map(|(it, _)| it)
        .collect();
    list.extend(kept);
}

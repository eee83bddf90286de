//! The positions of entries and blocks in a conversation.
//!
//! Stable numbers identify entries and blocks, so that no message requires a
//! search of a reply with many blocks, or of a long conversation.

use super::blocks::ReplyPlaces;
use super::numbers::Numbers;
use super::reply::Stream;
use super::{BlockState, Conversation, Entry, ReplyBlock, ReplyState};
use crate::message::SystemMessage;
use std::collections::HashMap;
use std::sync::Arc;

/// The ID of the tool call that started the sub-agent, or `None` for the main
/// agent.
pub(super) type Thread = Option<Arc<str>>;

/// The position of the entry or the blocks with an ID.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    pub(super) thread: Thread,
    /// The number of the entry.
    pub(super) entry: u64,
    /// The numbers of the blocks of a reply that arrived complete with this ID,
    /// in order.
    pub(super) blocks: Vec<u64>,
}

/// The state of a thread's entries.
#[derive(Debug, Clone, Default)]
pub(super) struct ThreadPlaces {
    pub(super) entries: Numbers,
    /// The state of the entries that are replies, by number.
    pub(super) replies: HashMap<u64, ReplyPlaces>,
    /// The reply that is being streamed.
    pub(super) stream: Option<Stream>,
}

/// The positions of all entries and blocks of a conversation.
#[derive(Debug, Clone, Default)]
pub(super) struct Places {
    /// Replies by `message.id`, and entries and blocks by `uuid`. Some may
    /// refer to removed entries.
    pub(super) ids: HashMap<String, Spot>,
    main: ThreadPlaces,
    subagents: HashMap<Arc<str>, ThreadPlaces>,
}

impl Places {
    /// Creates the positions for a saved conversation. Adds missing
    /// [`ReplyBlock`]s to its replies.
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

    /// Returns the reply that is being streamed in a thread.
    pub(super) fn stream(&mut self, thread: Option<&str>) -> Option<&mut Stream> {
        self.thread_mut(thread)?.stream.as_mut()
    }

    /// Returns the state of a reply's blocks.
    pub(super) fn reply(&mut self, thread: Option<&str>, entry: u64) -> Option<&mut ReplyPlaces> {
        self.thread_mut(thread)?.replies.get_mut(&entry)
    }

    /// Returns the index of an entry in its thread, not counting removed
    /// entries.
    pub(super) fn shown(&self, thread: Option<&str>, entry: u64) -> Option<usize> {
        let entries = &self.thread(thread)?.entries;
        Some(entries.shown(entries.at(entry)?))
    }

    /// Returns the index of an entry in the list of its thread.
    pub(super) fn at(&self, thread: Option<&str>, entry: u64) -> Option<usize> {
        self.thread(thread)?.entries.at(entry)
    }

    /// Returns the number of the entry with this ID, if the entry is in this
    /// thread.
    pub(super) fn known(&self, thread: Option<&str>, id: &str) -> Option<u64> {
        let spot = self.ids.get(id)?;
        (spot.thread.as_deref() == thread).then_some(spot.entry)
    }

    /// Adds an entry at the end of a thread. Returns its number.
    pub(super) fn add(&mut self, thread: Option<&str>) -> u64 {
        self.named(thread).1.entries.push()
    }

    /// Records that an entry has this ID. If the ID belonged to another entry,
    /// the blocks recorded there are dropped.
    pub(super) fn assign_id(&mut self, id: &str, thread: Option<&str>, entry: u64) -> &mut Spot {
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

    /// Returns a thread, which is created if it is missing.
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
            self.assign_id(uuid, thread, number);
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
            self.assign_id(id, thread, number);
        }
        for (block, at) in (0..).zip(&reply.blocks) {
            if let Some(uuid) = &at.uuid {
                self.assign_id(uuid, thread, number).blocks.push(block);
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

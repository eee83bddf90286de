//! Assembles complete messages from partial ones.

use super::blocks::ReplyPlaces;
use super::change::{Change, Place};
use super::numbers::remove_at;
use super::places::{Places, Thread, uuid_of};
use super::reply::{Stream, merge};
use super::{BlockState, Conversation, Entry, Reply, ReplyState, Subagent};
use crate::message::{
    AssistantBody, AssistantMessage, Message, StreamEvent, StreamEventMessage, SystemMessage,
    UserMessage,
};
use std::collections::BTreeSet;
use std::mem::discriminant;
use std::sync::Arc;

/// The maximum number of sub-agents in a conversation. The agent chooses the
/// number, so it must be limited.
const MOST_SUBAGENTS: usize = 4096;
const LONGEST_ID: usize = 4096;

/// Assembles a conversation from the messages of a session.
///
/// Push every message in order of arrival. Messages that the host sends can be
/// pushed, too; they then appear before the agent echoes them. Duplicates are
/// merged: replies by `message.id`, all other messages by `uuid`.
///
/// A conversation grows with the messages, and has at most 4,096 sub-agents.
/// Messages of further sub-agents are omitted: see [`Change::Omitted`] and
/// [`Conversation::omitted`].
///
/// ```
/// use agentwire_protocol::conversation::{Assembler, Change};
/// use agentwire_protocol::message::Message;
///
/// let mut assembler = Assembler::default();
/// let mut painted = String::new();
/// for line in [
///     r#"{"type":"stream_event","event":{"type":"message_start","message":{"id":"m","content":[]}}}"#,
///     r#"{"type":"stream_event","event":{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}}"#,
///     r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hel"}}}"#,
///     r#"{"type":"stream_event","event":{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"lo"}}}"#,
///     r#"{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"Hello"}]}}"#,
/// ] {
///     let message: Message = serde_json::from_str(line)?;
///     if let Some(Change::Text { text, .. }) = assembler.push(&message) {
///         painted += text;
///     }
/// }
/// assert_eq!(painted, "Hello");
/// let conversation = assembler.conversation();
/// assert_eq!(conversation.entries.len(), 1);
/// assert_eq!(conversation.entries[0].reply().unwrap().text(), "Hello");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Assembler {
    conversation: Conversation,
    places: Places,
    /// Tool inputs that have grown since the conversation was last read. Each
    /// is a thread, an entry number and a block number.
    grown: Vec<(Thread, u64, u64)>,
    /// Threads, or replies in them, with removals to apply before the
    /// conversation is next read.
    unswept: BTreeSet<(Thread, Option<u64>)>,
}

impl From<Conversation> for Assembler {
    /// Resumes a saved conversation.
    fn from(mut conversation: Conversation) -> Self {
        Self {
            places: Places::of(&mut conversation),
            conversation,
            grown: vec![],
            unswept: BTreeSet::new(),
        }
    }
}

impl Assembler {
    /// Adds a message and returns the change to the conversation. Returns
    /// `None` if the message is not part of the conversation.
    pub fn push<'a>(&mut self, message: &'a Message) -> Option<Change<'a>> {
        let thread = match message {
            Message::StreamEvent(it) => it.parent_tool_use_id.as_deref(),
            Message::Assistant(it) => it.parent_tool_use_id.as_deref(),
            Message::User(it) => it.parent_tool_use_id.as_deref(),
            _ => None,
        };
        if let Some(thread) = thread.filter(|it| !self.has_room_for(it)) {
            let omitted = self.conversation.omitted.get_or_insert_default();
            *omitted = omitted.saturating_add(1);
            return Some(Change::Omitted { thread });
        }
        match message {
            Message::StreamEvent(partial) => self.stream_event(partial),
            Message::Assistant(message) => Some(self.assistant(message)),
            Message::User(message) => Some(self.user(message)),
            Message::Result(result) => {
                let rebuilt = self.abort_stream(None);
                let change = self.put(None, Entry::Result(result.clone()));
                Some(change.or_rebuilt(rebuilt))
            }
            Message::System(message) => self.system(message),
            Message::ConversationReset(_) => {
                // The next `init` message has the new session ID.
                *self = Self::default();
                Some(Change::Rebuilt)
            }
            _ => None,
        }
    }

    /// Returns the conversation so far.
    ///
    /// Applies pending removals, and updates tool inputs that are being
    /// streamed. Tool inputs are updated here and not on every delta, and only
    /// if they have grown by at least 1/32.
    pub fn conversation(&mut self) -> &Conversation {
        for (thread, entry, block) in std::mem::take(&mut self.grown) {
            let at = (thread.as_deref(), entry);
            if let Some((stream, reply, places)) = self.streamed(at) {
                stream.show_input(block, reply, places);
            }
        }
        self.sweep();
        &self.conversation
    }

    /// Returns the conversation, with all tool inputs up to date.
    #[must_use]
    pub fn into_conversation(mut self) -> Conversation {
        for (thread, entry, _) in std::mem::take(&mut self.grown) {
            let at = (thread.as_deref(), entry);
            if let Some((stream, reply, places)) = self.streamed(at) {
                stream.show_inputs(reply, places);
            }
        }
        self.sweep();
        self.conversation
    }

    /// Removes messages by `uuid`, such as a withdrawn prompt. Removes whole
    /// entries, or the blocks of a reply that arrived with this `uuid`. Returns
    /// whether any was found.
    pub fn remove(&mut self, uuids: &[impl AsRef<str>]) -> bool {
        let mut found = false;
        for uuid in uuids.iter().map(AsRef::as_ref) {
            let Some(spot) = self.places.ids.get(uuid).cloned() else {
                continue;
            };
            let (thread, entry) = (spot.thread.as_deref(), spot.entry);
            found |= match self.entry(thread, entry) {
                Some(Entry::Reply(_)) => self.remove_blocks(thread, entry, &spot.blocks),
                _ => self.remove_entry(thread, entry),
            };
        }
        found
    }

    /// Returns whether a sub-agent is known, or can be added.
    fn has_room_for(&self, thread: &str) -> bool {
        let subagents = &self.conversation.subagents;
        let is_new = thread.len() <= LONGEST_ID && subagents.len() < MOST_SUBAGENTS;
        is_new || subagents.contains_key(thread)
    }

    fn user<'a>(&mut self, message: &'a UserMessage) -> Change<'a> {
        let thread = message.parent_tool_use_id.as_deref();
        self.introduce(
            thread,
            &message.agent_id,
            &message.subagent_type,
            &message.task_description,
        );
        let entry = Entry::User(Box::new(message.clone()));
        self.put(thread, entry)
    }

    fn system<'a>(&mut self, message: &'a SystemMessage) -> Option<Change<'a>> {
        let rebuilt = match message {
            SystemMessage::Init(init) => {
                self.conversation.session_id.clone_from(&init.session_id);
                return None;
            }
            SystemMessage::CompactBoundary(_)
            | SystemMessage::LocalCommandOutput(_)
            | SystemMessage::Informational(_)
            | SystemMessage::ModelRefusalNoFallback(_) => false,
            SystemMessage::ModelRefusalFallback(it) => {
                self.remove(it.retracted_message_uuids.as_deref().unwrap_or_default())
            }
            _ => return None,
        };
        let change = self.put(None, Entry::Notice(Box::new(message.clone())));
        Some(change.or_rebuilt(rebuilt))
    }

    fn assistant<'a>(&mut self, message: &'a AssistantMessage) -> Change<'a> {
        let thread = message.parent_tool_use_id.as_deref();
        self.introduce(
            thread,
            &message.agent_id,
            &message.subagent_type,
            &message.task_description,
        );
        let rebuilt = self.remove(message.supersedes.as_deref().unwrap_or_default());
        let id = message.message.id.as_deref().or(message.uuid.as_deref());
        let (entry, change) = self.reply(thread, id);
        let mut again = match &message.uuid {
            Some(uuid) => std::mem::take(&mut self.places.assign_id(uuid, thread, entry).blocks),
            None => vec![],
        };
        if let Some((reply, places)) = self.reply_at(thread, entry) {
            merge(reply, places, &mut again, message);
        }
        if let Some(uuid) = &message.uuid {
            self.places.assign_id(uuid, thread, entry).blocks = again;
        }
        change.or_rebuilt(rebuilt)
    }

    fn stream_event<'a>(&mut self, partial: &'a StreamEventMessage) -> Option<Change<'a>> {
        let thread = partial.parent_tool_use_id.as_deref();
        if let StreamEvent::MessageStart(start) = &partial.event {
            return Some(self.start(thread, &start.message, partial));
        }
        let entry = self.places.stream(thread)?.entry;
        let at = Place {
            thread,
            entry: self.places.shown(thread, entry)?,
        };
        let (stream, reply, places) = self.streamed((thread, entry))?;
        let (change, grown) = stream.take(reply, places, &partial.event, at);
        let abandoned = partial.abandoned_blocks.as_ref();
        let void = abandoned.and_then(|blocks| stream.abandon(reply, blocks));
        if let Some(block) = grown {
            let thread = thread.map(Arc::from);
            self.grown.push((thread, entry, block));
        }
        if let StreamEvent::MessageStop(_) = partial.event {
            self.end_stream(thread);
        }
        match void {
            Some(void) if self.remove_incomplete(thread, entry, &void) => Some(Change::Rebuilt),
            _ => change,
        }
    }

    fn start<'a>(
        &mut self,
        thread: Option<&'a str>,
        body: &AssistantBody,
        partial: &StreamEventMessage,
    ) -> Change<'a> {
        let rebuilt = self.abort_stream(thread);
        self.introduce(thread, &None, &None, &None);
        let (entry, change) = self.reply(thread, body.id.as_deref());
        if let Some((reply, _)) = self.reply_at(thread, entry) {
            if let Change::Added(_) = change {
                let content = std::mem::take(&mut reply.message.message.content);
                (*reply.message.message).clone_from(body);
                reply.message.message.content = content;
                reply.message.session_id.clone_from(&partial.session_id);
                reply.message.parent_tool_use_id = thread.map(str::to_owned);
            }
            reply.message.message.stop_reason = None;
            reply.state = ReplyState::Streaming;
        }
        if let Some(places) = self.places.thread_mut(thread) {
            places.stream = Some(Stream::new(entry));
        }
        change.or_rebuilt(rebuilt)
    }

    /// Ends the stream of a thread, and updates the tool inputs of its reply.
    /// Returns the reply's entry.
    fn end_stream(&mut self, thread: Option<&str>) -> Option<u64> {
        let entry = self.places.stream(thread)?.entry;
        if let Some((stream, reply, places)) = self.streamed((thread, entry)) {
            stream.show_inputs(reply, places);
        }
        self.places.thread_mut(thread)?.stream = None;
        Some(entry)
    }

    /// Aborts an unfinished stream, and removes the blocks that the agent never
    /// sent complete. Returns whether there was an unfinished stream.
    fn abort_stream(&mut self, thread: Option<&str>) -> bool {
        let Some(entry) = self.end_stream(thread) else {
            return false;
        };
        let Some((reply, places)) = self.reply_at(thread, entry) else {
            return true;
        };
        // The model has finished. Only the end of its stream is missing.
        if reply.message.message.stop_reason.is_some() {
            reply.state = ReplyState::Done;
            return true;
        }
        reply.state = ReplyState::Aborted;
        let incomplete: Vec<_> = places.incomplete().collect();
        self.remove_incomplete(thread, entry, &incomplete);
        true
    }

    /// Removes the blocks of a reply whose numbers are in `void` and that have
    /// not arrived complete. Returns whether any was removed.
    fn remove_incomplete(&mut self, thread: Option<&str>, entry: u64, void: &[u64]) -> bool {
        let Some((reply, places)) = self.reply_at(thread, entry) else {
            return false;
        };
        let is_incomplete = |&number: &u64| {
            let block = places.blocks.at(number).and_then(|at| reply.blocks.get(at));
            block.is_some_and(|block| block.state != BlockState::Whole)
        };
        let mut incomplete: Vec<_> = void.iter().copied().filter(is_incomplete).collect();
        incomplete.sort_unstable();
        self.remove_blocks(thread, entry, &incomplete)
    }

    /// Removes blocks of a reply, and the reply itself if no block remains and
    /// none is being streamed. Returns whether anything was removed.
    fn remove_blocks(&mut self, thread: Option<&str>, entry: u64, numbers: &[u64]) -> bool {
        let Some((reply, places)) = self.reply_at(thread, entry) else {
            return false;
        };
        let gone = places.take(numbers, &reply.message.message.content);
        let uuids = gone.iter().filter_map(|&at| reply.blocks[at].uuid.take());
        let uuids: Vec<_> = uuids.collect();
        let is_empty = places.blocks.is_empty();
        if places.blocks.needs_sweep() {
            places.sweep(reply);
        } else if !gone.is_empty() {
            self.unswept.insert((thread.map(Arc::from), Some(entry)));
        }
        for uuid in uuids {
            self.places.ids.remove(&uuid);
        }
        let stream = self.places.stream(thread);
        if is_empty && stream.is_none_or(|stream| stream.entry != entry) {
            return self.remove_entry(thread, entry);
        }
        !gone.is_empty()
    }

    /// Removes an entry. Later entries move up. Returns whether the entry
    /// existed.
    fn remove_entry(&mut self, thread: Option<&str>, entry: u64) -> bool {
        let Some(places) = self.places.thread_mut(thread) else {
            return false;
        };
        let Some(at) = places.entries.at(entry) else {
            return false;
        };
        places.entries.remove(entry);
        places.replies.remove(&entry);
        let needs_sweep = places.entries.needs_sweep();
        let id = match &self.entries(thread)[at] {
            Entry::Reply(reply) => reply.message.message.id.clone(),
            entry => uuid_of(entry).map(str::to_owned),
        };
        if let Some(id) = id
            && self.places.known(thread, &id) == Some(entry)
        {
            self.places.ids.remove(&id);
        }
        let thread: Thread = thread.map(Arc::from);
        match needs_sweep {
            true => self.sweep_thread(thread.as_deref()),
            false => drop(self.unswept.insert((thread, None))),
        }
        true
    }

    /// Applies pending removals.
    fn sweep(&mut self) {
        for (thread, entry) in std::mem::take(&mut self.unswept) {
            let thread = thread.as_deref();
            match entry {
                None => self.sweep_thread(thread),
                Some(entry) => {
                    if let Some((reply, places)) = self.reply_at(thread, entry) {
                        places.sweep(reply);
                    }
                }
            }
        }
    }

    fn sweep_thread(&mut self, thread: Option<&str>) {
        if let Some(places) = self.places.thread_mut(thread) {
            let gone = places.entries.sweep();
            remove_at(entries(&mut self.conversation, thread), &gone);
        }
    }

    /// Replaces the entry with the same `uuid`, or appends this one.
    fn put<'a>(&mut self, thread: Option<&'a str>, entry: Entry) -> Change<'a> {
        let uuid = uuid_of(&entry).map(str::to_owned);
        let known = uuid.as_deref().and_then(|id| self.known(thread, id));
        let entries = self.entries(thread);
        if let Some((_, known, shown)) = known
            && let Some(old) = entries.get_mut(known)
            && discriminant(old) == discriminant(&entry)
        {
            *old = entry;
            return Change::Changed(Place {
                thread,
                entry: shown,
            });
        }
        self.add(thread, uuid.as_deref(), entry).1
    }

    /// Returns the reply with this ID, which is created if it is missing.
    fn reply<'a>(&mut self, thread: Option<&'a str>, id: Option<&str>) -> (u64, Change<'a>) {
        if let Some((number, _, entry)) = id.and_then(|id| self.known(thread, id))
            && self.reply_at(thread, number).is_some()
        {
            return (number, Change::Changed(Place { thread, entry }));
        }
        let reply = Reply {
            message: AssistantMessage::default(),
            blocks: vec![],
            state: ReplyState::Done,
            extra: Default::default(),
        };
        let (number, change) = self.add(thread, id, reply.into());
        if let Some(places) = self.places.thread_mut(thread) {
            places.replies.insert(number, ReplyPlaces::default());
        }
        (number, change)
    }

    /// Returns the number of the entry with this ID in a thread, its index in the
    /// list, and its index without removed entries.
    fn known(&self, thread: Option<&str>, id: &str) -> Option<(u64, usize, usize)> {
        let number = self.places.known(thread, id)?;
        let at = self.places.at(thread, number)?;
        Some((number, at, self.places.shown(thread, number)?))
    }

    /// Appends an entry.
    fn add<'a>(
        &mut self,
        thread: Option<&'a str>,
        id: Option<&str>,
        new: Entry,
    ) -> (u64, Change<'a>) {
        let number = self.places.add(thread);
        if let Some(id) = id {
            self.places.assign_id(id, thread, number);
        }
        self.entries(thread).push(new);
        let entry = self.places.shown(thread, number).unwrap_or_default();
        (number, Change::Added(Place { thread, entry }))
    }

    /// Returns the entry with this number, unless it was removed.
    fn entry(&mut self, thread: Option<&str>, number: u64) -> Option<&mut Entry> {
        let at = self.places.at(thread, number)?;
        self.entries(thread).get_mut(at)
    }

    /// Returns the entries of a thread, which is created if it is missing.
    fn entries(&mut self, thread: Option<&str>) -> &mut Vec<Entry> {
        entries(&mut self.conversation, thread)
    }

    /// Returns a reply, with the state of its blocks.
    fn reply_at(
        &mut self,
        thread: Option<&str>,
        number: u64,
    ) -> Option<(&mut Reply, &mut ReplyPlaces)> {
        let at = self.places.at(thread, number)?;
        let places = self.places.reply(thread, number)?;
        match entries(&mut self.conversation, thread).get_mut(at)? {
            Entry::Reply(reply) => Some((reply, places)),
            _ => None,
        }
    }

    /// Returns the reply that is being streamed, and its stream.
    fn streamed(
        &mut self,
        (thread, number): (Option<&str>, u64),
    ) -> Option<(&mut Stream, &mut Reply, &mut ReplyPlaces)> {
        let places = self.places.thread_mut(thread)?;
        let stream = places.stream.as_mut().filter(|it| it.entry == number)?;
        let at = places.entries.at(number)?;
        let places = places.replies.get_mut(&number)?;
        match entries(&mut self.conversation, thread).get_mut(at)? {
            Entry::Reply(reply) => Some((stream, reply, places)),
            _ => None,
        }
    }

    /// Updates the data of a sub-agent from one of its messages.
    fn introduce(
        &mut self,
        thread: Option<&str>,
        agent_id: &Option<String>,
        subagent_type: &Option<String>,
        task_description: &Option<String>,
    ) {
        let Some(thread) = thread else { return };
        let subagent: &mut Subagent = self
            .conversation
            .subagents
            .entry(thread.to_owned())
            .or_default();
        for (known, said) in [
            (&mut subagent.agent_id, agent_id),
            (&mut subagent.subagent_type, subagent_type),
            (&mut subagent.task_description, task_description),
        ] {
            if said.is_some() {
                known.clone_from(said);
            }
        }
    }
}

/// Returns the entries of a thread, which is created if it is missing.
fn entries<'c>(conversation: &'c mut Conversation, thread: Option<&str>) -> &'c mut Vec<Entry> {
    let Some(thread) = thread else {
        return &mut conversation.entries;
    };
    let subagents = &mut conversation.subagents;
    &mut subagents.entry(thread.to_owned()).or_default().entries
}

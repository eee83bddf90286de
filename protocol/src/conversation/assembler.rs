//! Whole messages of partial ones.

use super::change::{Change, Place};
use super::reply::{Stream, merge};
use super::{BlockState, Conversation, Entry, Reply, ReplyBlock, ReplyState, Subagent};
use crate::message::{
    AssistantBody, AssistantMessage, Message, StreamEvent, StreamEventMessage, SystemMessage,
    UserMessage,
};
use std::collections::HashMap;
use std::mem::discriminant;

/// Puts a conversation together from the messages of a session.
///
/// Every message goes in as it comes; with the ones that the host sends it
/// shows them before the agent echoes them. What comes twice is there once:
/// replies are told by `message.id`, everything else by `uuid`.
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
    /// Where things are: replies by `message.id`, and all that have one by
    /// `uuid`.
    places: HashMap<String, (Thread, usize)>,
    /// What is being streamed, by thread.
    streams: HashMap<Thread, Stream>,
}

/// The tool call that started the sub-agent; none for the main agent.
type Thread = Option<String>;

impl From<Conversation> for Assembler {
    /// Goes on with a conversation that was kept.
    fn from(conversation: Conversation) -> Self {
        Self {
            places: places(&conversation),
            streams: streams(&conversation),
            conversation,
        }
    }
}

impl Assembler {
    /// Adds a message, and says what that changed; nothing, when the message
    /// is not part of the conversation.
    pub fn push<'a>(&mut self, message: &'a Message) -> Option<Change<'a>> {
        match message {
            Message::StreamEvent(partial) => self.stream_event(partial),
            Message::Assistant(message) => Some(self.assistant(message)),
            Message::User(message) => Some(self.user(message)),
            Message::Result(result) => {
                let rebuilt = self.break_off(&None);
                let change = self.put(None, Entry::Result(result.clone()));
                Some(change.or_rebuilt(rebuilt))
            }
            Message::System(message) => self.system(message),
            Message::ConversationReset(_) => {
                // The session's next id comes with its next `init`.
                *self = Self::default();
                Some(Change::Rebuilt)
            }
            _ => None,
        }
    }

    /// The conversation so far. What has come of a tool's input is brought up
    /// to date here, not with every piece of it; that takes as long as reading
    /// all of the input that there is.
    pub fn conversation(&mut self) -> &Conversation {
        for (thread, stream) in &mut self.streams {
            let reply = reply_at(&mut self.conversation, thread.as_deref(), stream.entry);
            if let Some(reply) = reply {
                stream.show_inputs(reply);
            }
        }
        &self.conversation
    }

    /// Takes the conversation.
    #[must_use]
    pub fn into_conversation(mut self) -> Conversation {
        self.conversation();
        self.conversation
    }

    /// Takes messages away, such as a prompt that was withdrawn: entries, or
    /// blocks of a reply that came with this `uuid`. Says whether there was
    /// one.
    pub fn remove(&mut self, uuids: &[impl AsRef<str>]) -> bool {
        let mut found = false;
        for uuid in uuids.iter().map(AsRef::as_ref) {
            let Some((thread, entry)) = self.places.get(uuid).cloned() else {
                continue;
            };
            found |= match self.entries(thread.as_deref()).get(entry) {
                Some(Entry::Reply(_)) => self.take_blocks(&thread, entry, |_, block| {
                    block.uuid.as_deref() == Some(uuid)
                }),
                _ => self.take_entry(&thread, entry),
            };
        }
        found
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
        if let Some(uuid) = &message.uuid {
            self.places
                .insert(uuid.clone(), (thread.map(str::to_owned), entry));
        }
        if let Some(reply) = reply_at(&mut self.conversation, thread, entry) {
            merge(reply, message);
        }
        change.or_rebuilt(rebuilt)
    }

    fn stream_event<'a>(&mut self, partial: &'a StreamEventMessage) -> Option<Change<'a>> {
        let thread = partial.parent_tool_use_id.as_deref();
        if let StreamEvent::MessageStart(start) = &partial.event {
            return Some(self.start(thread, &start.message, partial));
        }
        let key = thread.map(str::to_owned);
        let stream = self.streams.get_mut(&key)?;
        let at = Place {
            thread,
            entry: stream.entry,
        };
        let reply = reply_at(&mut self.conversation, thread, stream.entry)?;
        let change = stream.take(reply, &partial.event, at);
        let abandoned = partial.abandoned_blocks.as_ref();
        let void = abandoned.and_then(|blocks| stream.abandon(reply, blocks));
        let entry = stream.entry;
        if let StreamEvent::MessageStop(_) = partial.event {
            self.streams.remove(&key);
        }
        match void {
            Some(void) if self.take_unsaid(&key, entry, |block| void.contains(&block)) => {
                Some(Change::Rebuilt)
            }
            _ => change,
        }
    }

    fn start<'a>(
        &mut self,
        thread: Option<&'a str>,
        body: &AssistantBody,
        partial: &StreamEventMessage,
    ) -> Change<'a> {
        let key = thread.map(str::to_owned);
        let rebuilt = self.break_off(&key);
        self.introduce(thread, &None, &None, &None);
        let (entry, change) = self.reply(thread, body.id.as_deref());
        if let Some(reply) = reply_at(&mut self.conversation, thread, entry) {
            if let Change::Added(_) = change {
                let content = std::mem::take(&mut reply.message.message.content);
                reply.message.message = body.clone();
                reply.message.message.content = content;
                reply.message.session_id.clone_from(&partial.session_id);
                reply.message.parent_tool_use_id = key.clone();
            }
            reply.message.message.stop_reason = None;
            reply.state = ReplyState::Streaming;
        }
        self.streams.insert(key, Stream::new(entry));
        change.or_rebuilt(rebuilt)
    }

    /// Ends a stream that did not end itself: what the agent never said was
    /// not said. Says whether there was one.
    fn break_off(&mut self, thread: &Thread) -> bool {
        let Some(stream) = self.streams.remove(thread) else {
            return false;
        };
        let reply = reply_at(&mut self.conversation, thread.as_deref(), stream.entry);
        if let Some(reply) = reply {
            // The model was done, and only the end of its stream is missing.
            if reply.message.message.stop_reason.is_some() {
                reply.state = ReplyState::Done;
                return true;
            }
            reply.state = ReplyState::Aborted;
        }
        self.take_unsaid(thread, stream.entry, |_| true);
        true
    }

    /// Takes away those blocks of a reply that are void and that the agent has
    /// not said. Says whether something went.
    fn take_unsaid(
        &mut self,
        thread: &Thread,
        entry: usize,
        is_void: impl Fn(usize) -> bool,
    ) -> bool {
        self.take_blocks(thread, entry, |index, block| {
            block.state != BlockState::Whole && is_void(index)
        })
    }

    /// Takes blocks of a reply away, and the reply when it has none left and
    /// none will come. Says whether something went.
    fn take_blocks(
        &mut self,
        thread: &Thread,
        entry: usize,
        is_gone: impl Fn(usize, &ReplyBlock) -> bool,
    ) -> bool {
        let Some(reply) = reply_at(&mut self.conversation, thread.as_deref(), entry) else {
            return false;
        };
        let mut kept = Vec::with_capacity(reply.blocks.len());
        for (index, block) in reply.blocks.iter().enumerate() {
            kept.push(!is_gone(index, block));
            if let (Some(false), Some(uuid)) = (kept.last(), &block.uuid) {
                self.places.remove(uuid);
            }
        }
        let mut keeps = kept.iter();
        reply.blocks.retain(|_| keeps.next() == Some(&true));
        let mut keeps = kept.iter();
        let content = &mut reply.message.message.content;
        content.retain(|_| keeps.next() == Some(&true));
        match self.streams.get_mut(thread) {
            Some(stream) if stream.entry == entry => stream.follow(&kept),
            _ if reply.blocks.is_empty() => return self.take_entry(thread, entry),
            _ => {}
        }
        kept.contains(&false)
    }

    /// Takes an entry away; what is behind it moves up. Says whether it was
    /// there.
    fn take_entry(&mut self, thread: &Thread, entry: usize) -> bool {
        let entries = self.entries(thread.as_deref());
        if entry >= entries.len() {
            return false;
        }
        entries.remove(entry);
        self.places.retain(|_, (of, at)| {
            let is_there = of != thread || *at != entry;
            if of == thread && *at > entry {
                *at -= 1;
            }
            is_there
        });
        if let Some(stream) = self.streams.get_mut(thread)
            && stream.entry > entry
        {
            stream.entry -= 1;
        }
        true
    }

    /// Puts an entry where the one with its `uuid` is, or behind all others.
    fn put<'a>(&mut self, thread: Option<&'a str>, entry: Entry) -> Change<'a> {
        let uuid = uuid_of(&entry).map(str::to_owned);
        let known = uuid.as_deref().and_then(|uuid| self.known(thread, uuid));
        let entries = self.entries(thread);
        if let Some(known) = known
            && let Some(old) = entries.get_mut(known)
            && discriminant(old) == discriminant(&entry)
        {
            *old = entry;
            return Change::Changed(Place {
                thread,
                entry: known,
            });
        }
        self.add(thread, uuid, entry)
    }

    /// The reply with this id, which is there from now on.
    fn reply<'a>(&mut self, thread: Option<&'a str>, id: Option<&str>) -> (usize, Change<'a>) {
        if let Some(entry) = id.and_then(|id| self.known(thread, id))
            && reply_at(&mut self.conversation, thread, entry).is_some()
        {
            return (entry, Change::Changed(Place { thread, entry }));
        }
        let reply = Reply {
            message: AssistantMessage::default(),
            blocks: vec![],
            state: ReplyState::Done,
            extra: Default::default(),
        };
        let change = self.add(thread, id.map(str::to_owned), reply.into());
        (self.entries(thread).len() - 1, change)
    }

    /// Where the entry with this id is in a thread.
    fn known(&self, thread: Option<&str>, id: &str) -> Option<usize> {
        let (of, entry) = self.places.get(id)?;
        (of.as_deref() == thread).then_some(*entry)
    }

    /// Puts an entry behind all others.
    fn add<'a>(&mut self, thread: Option<&'a str>, id: Option<String>, new: Entry) -> Change<'a> {
        let entries = self.entries(thread);
        entries.push(new);
        let entry = entries.len() - 1;
        if let Some(id) = id {
            self.places.insert(id, (thread.map(str::to_owned), entry));
        }
        Change::Added(Place { thread, entry })
    }

    /// The entries of a thread, which is there from now on.
    fn entries(&mut self, thread: Option<&str>) -> &mut Vec<Entry> {
        match thread {
            None => &mut self.conversation.entries,
            Some(thread) => {
                &mut self
                    .conversation
                    .subagents
                    .entry(thread.to_owned())
                    .or_default()
                    .entries
            }
        }
    }

    /// Says of a sub-agent what its messages say of it.
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

fn reply_at<'c>(
    conversation: &'c mut Conversation,
    thread: Option<&str>,
    entry: usize,
) -> Option<&'c mut Reply> {
    let entries = match thread {
        None => &mut conversation.entries,
        Some(thread) => &mut conversation.subagents.get_mut(thread)?.entries,
    };
    match entries.get_mut(entry)? {
        Entry::Reply(reply) => Some(reply),
        _ => None,
    }
}

fn uuid_of(entry: &Entry) -> Option<&str> {
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

/// Where everything is.
fn places(conversation: &Conversation) -> HashMap<String, (Thread, usize)> {
    let mut places = HashMap::new();
    for (thread, entries) in conversation.threads() {
        for (index, entry) in entries.iter().enumerate() {
            let mut at = |id: &str| {
                places.insert(id.to_owned(), (thread.map(str::to_owned), index));
            };
            if let Entry::Reply(reply) = entry {
                reply.message.message.id.as_deref().map(&mut at);
                reply
                    .blocks
                    .iter()
                    .filter_map(|it| it.uuid.as_deref())
                    .for_each(&mut at);
            }
            uuid_of(entry).map(&mut at);
        }
    }
    places
}

/// What was being streamed when the conversation was kept.
fn streams(conversation: &Conversation) -> HashMap<Thread, Stream> {
    let streaming = |(thread, entries): (Option<&str>, &[Entry])| {
        let mut replies = entries.iter().map(Entry::reply).enumerate().rev();
        let (entry, reply) = replies.find_map(|(entry, reply)| {
            let reply = reply.filter(|it| it.state == ReplyState::Streaming)?;
            Some((entry, reply))
        })?;
        Some((thread.map(str::to_owned), Stream::resumed(entry, reply)))
    };
    conversation.threads().filter_map(streaming).collect()
}

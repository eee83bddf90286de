//! Whole messages of partial ones.

use super::{
    BlockState, Conversation, Entry, PartialJson, Reply, ReplyBlock, ReplyState, Subagent,
};
use crate::content::{CompactionBlock, ContentBlock};
use crate::json::Json;
use crate::message::{
    AbandonedBlocks, AssistantBody, AssistantMessage, BlockDelta, ContentBlockDelta, Message,
    MessageDelta, StreamEvent, StreamEventMessage, SystemMessage, Usage, UserMessage,
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

/// A reply that is being streamed.
#[derive(Debug, Clone, Default)]
struct Stream {
    /// The API's id of the message.
    id: String,
    /// The reply's place in its thread.
    entry: usize,
    /// How many blocks the reply has.
    seen: usize,
    /// The API's indexes of the blocks, and where they are in the reply.
    blocks: Vec<(u64, usize)>,
    /// The inputs of tools, by place in the reply.
    inputs: HashMap<usize, PartialJson>,
}

/// Where an entry of a conversation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    /// The tool call that started the sub-agent; `None` for the main agent.
    pub thread: Option<&'a str>,
    /// The entry's index in [`Conversation::thread`].
    pub entry: usize,
}

/// What a message changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change<'a> {
    /// There is a new entry.
    Added(Place<'a>),
    /// Something in an entry is different: a block came whole, the state
    /// changed.
    Changed(Place<'a>),
    /// A text grew.
    Text {
        /// The reply.
        at: Place<'a>,
        /// The block's index in the reply.
        block: usize,
        /// What was added.
        text: &'a str,
    },
    /// Thinking grew.
    Thinking {
        /// The reply.
        at: Place<'a>,
        /// The block's index in the reply.
        block: usize,
        /// What was added.
        thinking: &'a str,
    },
    /// A tool's input grew. [`Assembler::conversation`] has it as it can be
    /// read so far.
    ToolInput {
        /// The reply.
        at: Place<'a>,
        /// The block's index in the reply.
        block: usize,
        /// What was added to its text.
        json: &'a str,
    },
    /// Entries or blocks are gone, and those behind them are in other places.
    Rebuilt,
}

impl From<Conversation> for Assembler {
    /// Goes on with a conversation that was kept.
    fn from(conversation: Conversation) -> Self {
        Self {
            places: places(&conversation),
            conversation,
            streams: HashMap::new(),
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
                self.break_off(&None);
                let uuid = result.uuid.as_deref();
                Some(self.put(None, uuid, Entry::Result(result.clone())))
            }
            Message::System(message) => self.system(message),
            Message::ConversationReset(reset) => {
                *self = Self::default();
                self.conversation.session_id = Some(reset.new_conversation_id.clone());
                Some(Change::Rebuilt)
            }
            _ => None,
        }
    }

    /// The conversation so far. What has come of a tool's input is brought up
    /// to date here, not with every piece of it.
    pub fn conversation(&mut self) -> &Conversation {
        for (thread, stream) in &mut self.streams {
            let Some(reply) = reply_at(&mut self.conversation, thread.as_deref(), stream.entry)
            else {
                continue;
            };
            for (&block, text) in &stream.inputs {
                if reply.blocks.get(block).map(|it| &it.state) == Some(&BlockState::Streaming)
                    && let (Some(input), Some(value)) = (input_of(reply, block), text.value())
                {
                    *input = value;
                }
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
        let found = uuids
            .iter()
            .any(|uuid| self.places.contains_key(uuid.as_ref()));
        if found {
            self.retain(|_, entry| {
                let gone = |uuid: &str| uuids.iter().any(|it| it.as_ref() == uuid);
                match entry {
                    Entry::Reply(reply) => {
                        keep_blocks(reply, |_, block| !block.uuid.as_deref().is_some_and(gone));
                        !reply.blocks.is_empty()
                    }
                    entry => !uuid_of(entry).is_some_and(gone),
                }
            });
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
        self.put(thread, message.uuid.as_deref(), entry)
    }

    fn system<'a>(&mut self, message: &'a SystemMessage) -> Option<Change<'a>> {
        let mut rebuilt = false;
        let uuid = match message {
            SystemMessage::Init(init) => {
                self.conversation.session_id.clone_from(&init.session_id);
                return None;
            }
            SystemMessage::CompactBoundary(it) => &it.uuid,
            SystemMessage::LocalCommandOutput(it) => &it.uuid,
            SystemMessage::Informational(it) => &it.uuid,
            SystemMessage::ModelRefusalNoFallback(it) => &it.uuid,
            SystemMessage::ModelRefusalFallback(it) => {
                rebuilt = self.remove(it.retracted_message_uuids.as_deref().unwrap_or_default());
                &it.uuid
            }
            _ => return None,
        };
        let change = self.put(
            None,
            uuid.as_deref(),
            Entry::Notice(Box::new(message.clone())),
        );
        Some(if rebuilt { Change::Rebuilt } else { change })
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
        let (place, is_new) = self.reply(thread, id);
        if let Some(uuid) = &message.uuid {
            self.places
                .insert(uuid.clone(), (thread.map(str::to_owned), place.entry));
        }
        if let Some(reply) = reply_at(&mut self.conversation, thread, place.entry) {
            merge(reply, message);
        }
        match (rebuilt, is_new) {
            (true, _) => Change::Rebuilt,
            (_, true) => Change::Added(place),
            (_, false) => Change::Changed(place),
        }
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
        let abandoned =
            (partial.abandoned_blocks.as_ref()).is_some_and(|blocks| self.abandon(&key, blocks));
        if let StreamEvent::MessageStop(_) = partial.event {
            self.streams.remove(&key);
        }
        if abandoned {
            Some(Change::Rebuilt)
        } else {
            change
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
        let (place, is_new) = self.reply(thread, body.id.as_deref());
        if let Some(reply) = reply_at(&mut self.conversation, thread, place.entry) {
            if is_new {
                let content = std::mem::take(&mut reply.message.message.content);
                reply.message.message = body.clone();
                reply.message.message.content = content;
                reply.message.session_id.clone_from(&partial.session_id);
                reply.message.parent_tool_use_id = key.clone();
            }
            reply.state = ReplyState::Streaming;
        }
        self.streams.insert(
            key,
            Stream {
                id: body.id.clone().unwrap_or_default(),
                entry: place.entry,
                ..Stream::default()
            },
        );
        match (rebuilt, is_new) {
            (true, _) => Change::Rebuilt,
            (_, true) => Change::Added(place),
            (_, false) => Change::Changed(place),
        }
    }

    /// Ends a stream that did not end itself: what the agent never said was
    /// not said. Says whether something went away.
    fn break_off(&mut self, thread: &Thread) -> bool {
        let Some(stream) = self.streams.remove(thread) else {
            return false;
        };
        let Some(reply) = reply_at(&mut self.conversation, thread.as_deref(), stream.entry) else {
            return false;
        };
        reply.state = ReplyState::Aborted;
        self.drop_unsaid(thread, stream.entry, |_| true)
    }

    /// Blocks of a reply that was cut off and does not go on are void.
    fn abandon(&mut self, thread: &Thread, blocks: &AbandonedBlocks) -> bool {
        let Some(stream) = self.streams.get(thread) else {
            return false;
        };
        let of_this =
            self.places.get(&blocks.api_message_id) == Some(&(thread.clone(), stream.entry));
        let from = blocks.from_block_index.unwrap_or_default();
        let void: Vec<usize> = stream
            .blocks
            .iter()
            .filter(|(index, _)| of_this && *index >= from)
            .map(|&(_, block)| block)
            .collect();
        let entry = stream.entry;
        self.drop_unsaid(thread, entry, |block| void.contains(&block))
    }

    /// Takes away those blocks of a reply that the agent has not said, and the
    /// reply when it was cut off before anything was. Says whether something
    /// went away.
    fn drop_unsaid(
        &mut self,
        thread: &Thread,
        entry: usize,
        is_void: impl Fn(usize) -> bool,
    ) -> bool {
        let mut dropped = false;
        self.retain(|at, it| match it {
            Entry::Reply(reply) if at == (thread.as_deref(), entry) => {
                let before = reply.blocks.len();
                keep_blocks(reply, |index, block| {
                    block.state == BlockState::Whole || !is_void(index)
                });
                let keep = !reply.blocks.is_empty() || reply.state != ReplyState::Aborted;
                dropped = !keep || reply.blocks.len() < before;
                keep
            }
            _ => true,
        });
        dropped
    }

    /// Keeps the entries that `keep` says, and finds everything again.
    fn retain(&mut self, mut keep: impl FnMut((Option<&str>, usize), &mut Entry) -> bool) {
        let mut retain = |thread: Option<&str>, entries: &mut Vec<Entry>| {
            let mut index = 0..;
            entries.retain_mut(|entry| keep((thread, index.next().unwrap_or(usize::MAX)), entry));
        };
        retain(None, &mut self.conversation.entries);
        for (thread, subagent) in &mut self.conversation.subagents {
            retain(Some(thread), &mut subagent.entries);
        }
        self.places = places(&self.conversation);
        // A block that moved is not written to any more: it comes whole.
        let (places, conversation) = (&self.places, &mut self.conversation);
        self.streams.retain(|thread, stream| {
            let Some(&(_, entry)) = places.get(&stream.id) else {
                return false;
            };
            stream.entry = entry;
            reply_at(conversation, thread.as_deref(), entry)
                .is_some_and(|reply| reply.blocks.len() == stream.seen)
        });
    }

    /// Puts an entry where the one with its `uuid` is, or behind all others.
    fn put<'a>(&mut self, thread: Option<&'a str>, uuid: Option<&str>, entry: Entry) -> Change<'a> {
        let key = thread.map(str::to_owned);
        let known = uuid
            .and_then(|uuid| self.places.get(uuid))
            .filter(|(of, _)| *of == key)
            .map(|&(_, entry)| entry);
        let entries = self.entries(thread);
        if let Some(index) = known
            && let Some(old) = entries.get_mut(index)
        {
            *old = entry;
            return Change::Changed(Place {
                thread,
                entry: index,
            });
        }
        entries.push(entry);
        let index = entries.len() - 1;
        if let Some(uuid) = uuid {
            self.places.insert(uuid.to_owned(), (key, index));
        }
        Change::Added(Place {
            thread,
            entry: index,
        })
    }

    /// The place of the reply with this id, and whether it is new.
    fn reply<'a>(&mut self, thread: Option<&'a str>, id: Option<&str>) -> (Place<'a>, bool) {
        let key = thread.map(str::to_owned);
        if let Some((of, entry)) = id.and_then(|id| self.places.get(id))
            && *of == key
        {
            return (
                Place {
                    thread,
                    entry: *entry,
                },
                false,
            );
        }
        let reply = Reply {
            message: AssistantMessage::default(),
            blocks: vec![],
            state: ReplyState::Done,
            extra: Default::default(),
        };
        let entries = self.entries(thread);
        entries.push(reply.into());
        let entry = entries.len() - 1;
        if let Some(id) = id {
            self.places.insert(id.to_owned(), (key, entry));
        }
        (Place { thread, entry }, true)
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

impl Stream {
    /// Takes an event of the stream.
    fn take<'a>(
        &mut self,
        reply: &mut Reply,
        event: &'a StreamEvent,
        at: Place<'a>,
    ) -> Option<Change<'a>> {
        match event {
            StreamEvent::ContentBlockStart(start) => {
                self.blocks.push((start.index, reply.blocks.len()));
                reply
                    .message
                    .message
                    .content
                    .push(start.content_block.clone());
                reply.blocks.push(ReplyBlock {
                    state: BlockState::Streaming,
                    uuid: None,
                    extra: Default::default(),
                });
                self.seen = reply.blocks.len();
                Some(Change::Changed(at))
            }
            StreamEvent::ContentBlockDelta(delta) => self.grow(reply, delta, at),
            StreamEvent::ContentBlockStop(stop) => {
                let block = self.block(stop.index)?;
                let state = &mut reply.blocks.get_mut(block)?.state;
                let input = self.inputs.remove(&block);
                if *state == BlockState::Streaming {
                    *state = BlockState::Written;
                    if let Some(whole) = input.and_then(|input| input.whole()) {
                        *input_of(reply, block)? = whole;
                    }
                }
                Some(Change::Changed(at))
            }
            StreamEvent::MessageDelta(delta) => {
                change(&mut reply.message.message, delta);
                Some(Change::Changed(at))
            }
            StreamEvent::MessageStop(_) => {
                if reply.state == ReplyState::Streaming {
                    reply.state = ReplyState::Done;
                }
                Some(Change::Changed(at))
            }
            _ => None,
        }
    }

    fn grow<'a>(
        &mut self,
        reply: &mut Reply,
        ContentBlockDelta { index, delta, .. }: &'a ContentBlockDelta,
        at: Place<'a>,
    ) -> Option<Change<'a>> {
        let block = self.block(*index)?;
        if reply.blocks.get(block)?.state != BlockState::Streaming {
            return None;
        }
        match (reply.message.message.content.get_mut(block)?, delta) {
            (ContentBlock::Text(it), BlockDelta::Text(delta)) => {
                it.text.push_str(&delta.text);
                let text = &delta.text;
                Some(Change::Text { at, block, text })
            }
            (ContentBlock::Text(it), BlockDelta::Citations(delta)) => {
                let citations = it.citations.get_or_insert_default();
                citations.push(delta.citation.clone());
                Some(Change::Changed(at))
            }
            (ContentBlock::Thinking(it), BlockDelta::Thinking(delta)) => {
                it.thinking.push_str(&delta.thinking);
                let thinking = &delta.thinking;
                Some(Change::Thinking {
                    at,
                    block,
                    thinking,
                })
            }
            (ContentBlock::Thinking(it), BlockDelta::Signature(delta)) => {
                it.signature = Some(delta.signature.clone());
                Some(Change::Changed(at))
            }
            (ContentBlock::Compaction(it), BlockDelta::Compaction(delta)) => {
                let CompactionBlock {
                    content,
                    encrypted_content,
                    ..
                } = it;
                if let Some(piece) = &delta.content {
                    content.get_or_insert_default().push_str(piece);
                }
                if delta.encrypted_content.is_some() {
                    encrypted_content.clone_from(&delta.encrypted_content);
                }
                Some(Change::Changed(at))
            }
            (_, BlockDelta::InputJson(delta)) => {
                input_of(reply, block)?;
                let json = &delta.partial_json;
                self.inputs.entry(block).or_default().push(json);
                Some(Change::ToolInput { at, block, json })
            }
            _ => None,
        }
    }

    /// Where the block with the API's `index` is in the reply.
    fn block(&self, index: u64) -> Option<usize> {
        let found = self.blocks.iter().rev().find(|(it, _)| *it == index);
        found.map(|&(_, block)| block)
    }
}

/// Adds what came whole to a reply. Blocks take the places of those that were
/// streamed.
fn merge(reply: &mut Reply, message: &AssistantMessage) {
    let mut new = message.clone();
    let blocks = std::mem::take(&mut new.message.content);
    let old = &mut reply.message;
    new.message.content = std::mem::take(&mut old.message.content);
    // What only the first message says holds for all of them.
    macro_rules! keep {
        ($($field:ident),*) => { $(
            if new.$field.is_none() {
                new.$field = old.$field.take();
            }
        )* };
    }
    keep!(
        parent_tool_use_id,
        error,
        session_id,
        user_message_uuid,
        user_message_uuids,
        resumed_from_incomplete_thinking,
        resume_reason,
        aborted,
        request_id,
        thinking_duration_ms,
        thinking_display,
        context_usage,
        usage_report,
        timestamp,
        agent_id,
        subagent_type,
        task_description
    );
    prepend(&mut new.supersedes, old.supersedes.take());
    prepend(&mut new.tool_use_meta, old.tool_use_meta.take());
    // The stream has said the last word on these before the last block came.
    if old.message.stop_reason.is_some() {
        let (new, old) = (&mut new.message, &mut old.message);
        new.stop_reason = old.stop_reason.take();
        new.stop_sequence = old.stop_sequence.take();
        new.stop_details = old.stop_details.take();
        new.usage = old.usage.take();
        new.container = old.container.take();
        new.context_management = old.context_management.take();
    }
    reply.message = new;

    let mut again: Vec<usize> = (0..reply.blocks.len())
        .filter(|&index| message.uuid.is_some() && reply.blocks[index].uuid == message.uuid)
        .collect();
    again.reverse();
    for block in blocks {
        let index = again.pop().unwrap_or_else(|| place_of(reply, &block));
        let said = ReplyBlock {
            state: BlockState::Whole,
            uuid: message.uuid.clone(),
            extra: Default::default(),
        };
        let content = &mut reply.message.message.content;
        match (content.get_mut(index), reply.blocks.get_mut(index)) {
            (Some(old), Some(old_state)) => (*old, *old_state) = (block, said),
            _ => {
                content.push(block);
                reply.blocks.push(said);
            }
        }
    }
    if message.aborted == Some(true) {
        reply.state = ReplyState::Aborted;
    }
}

/// Puts what came earlier before what is there, each once.
fn prepend<T: PartialEq>(list: &mut Option<Vec<T>>, earlier: Option<Vec<T>>) {
    if let Some(mut all) = earlier {
        let new = list.take().unwrap_or_default();
        all.retain(|it| !new.contains(it));
        all.extend(new);
        *list = Some(all);
    }
}

/// Where a block goes that came whole: where the first block of its kind is
/// that was streamed and has not come whole yet, or behind all others.
fn place_of(reply: &Reply, block: &ContentBlock) -> usize {
    let content = &reply.message.message.content;
    content
        .iter()
        .zip(&reply.blocks)
        .position(|(streamed, at)| {
            at.state != BlockState::Whole
                && discriminant(streamed) == discriminant(block)
                && call_id(streamed) == call_id(block)
        })
        .unwrap_or(content.len())
}

/// The id of a tool call.
fn call_id(block: &ContentBlock) -> Option<&str> {
    match block {
        ContentBlock::ToolUse(call) => Some(&call.id),
        ContentBlock::ServerToolUse(call) => Some(&call.id),
        ContentBlock::McpToolUse(call) => Some(&call.id),
        _ => None,
    }
}

/// The input of a tool call.
fn input_of(reply: &mut Reply, block: usize) -> Option<&mut Json> {
    match reply.message.message.content.get_mut(block)? {
        ContentBlock::ToolUse(call) => Some(&mut call.input),
        ContentBlock::ServerToolUse(call) => Some(&mut call.input),
        ContentBlock::McpToolUse(call) => Some(&mut call.input),
        _ => None,
    }
}

/// What changes in a message as a whole.
fn change(
    body: &mut AssistantBody,
    MessageDelta {
        delta,
        usage,
        context_management,
        ..
    }: &MessageDelta,
) {
    macro_rules! set {
        ($($to:expr => $from:expr),* $(,)?) => { $(
            if $from.is_some() {
                $to.clone_from(&$from);
            }
        )* };
    }
    set!(
        body.stop_reason => delta.stop_reason,
        body.stop_sequence => delta.stop_sequence,
        body.stop_details => delta.stop_details,
        body.container => delta.container,
        body.context_management => *context_management,
    );
    let Some(usage) = usage else { return };
    let old: &mut Usage = body.usage.get_or_insert_default();
    set!(
        old.input_tokens => usage.input_tokens,
        old.output_tokens => usage.output_tokens,
        old.output_tokens_details => usage.output_tokens_details,
        old.cache_creation_input_tokens => usage.cache_creation_input_tokens,
        old.cache_read_input_tokens => usage.cache_read_input_tokens,
        old.cache_creation => usage.cache_creation,
        old.server_tool_use => usage.server_tool_use,
        old.service_tier => usage.service_tier,
        old.speed => usage.speed,
        old.inference_geo => usage.inference_geo,
        old.iterations => usage.iterations,
        old.fallback_credit => usage.fallback_credit,
    );
}

/// Keeps the blocks that `keep` says.
fn keep_blocks(reply: &mut Reply, keep: impl Fn(usize, &ReplyBlock) -> bool) {
    let kept: Vec<bool> = (reply.blocks.iter().enumerate())
        .map(|(index, block)| keep(index, block))
        .collect();
    let mut keeps = kept.iter();
    reply.blocks.retain(|_| keeps.next() == Some(&true));
    let mut keeps = kept.iter();
    reply
        .message
        .message
        .content
        .retain(|_| keeps.next() == Some(&true));
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
    let subagents = conversation.subagents.iter();
    let threads = std::iter::once((None, &conversation.entries))
        .chain(subagents.map(|(thread, it)| (Some(thread), &it.entries)));
    for (thread, entries) in threads {
        for (index, entry) in entries.iter().enumerate() {
            let mut at = |id: &str| {
                places.insert(id.to_owned(), (thread.cloned(), index));
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

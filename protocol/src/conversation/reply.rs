//! Assembles one reply, from stream events and from complete blocks.

use super::blocks::ReplyPlaces;
use super::change::{Change, Place};
use super::{BlockState, PartialJson, Reply, ReplyBlock, ReplyState};
use crate::content::{CompactionBlock, ContentBlock};
use crate::json::{Json, Members};
use crate::message::{
    AbandonedBlocks, AssistantBody, AssistantMessage, BlockDelta, ContentBlockDelta, MessageDelta,
    StreamEvent, Usage,
};
use crate::open::wire_name;
use std::collections::{BTreeSet, HashMap};

/// A reply that is being streamed.
#[derive(Debug, Clone)]
pub(super) struct Stream {
    /// The reply's number in its thread.
    pub(super) entry: u64,
    /// The API's block indexes, each with the block's number in the reply.
    blocks: BTreeSet<(u64, u64)>,
    /// The tool inputs, by block number.
    inputs: HashMap<u64, Input>,
}

/// A tool's input that is being streamed.
#[derive(Debug, Clone, Default)]
struct Input {
    text: PartialJson,
    /// The length of the text that the reply already shows.
    shown: usize,
    /// Whether the input has grown since the conversation was last read.
    has_grown: bool,
}

/// The inverse of the fraction by which a tool's input must grow before it is
/// parsed again. Parsing a megabyte again for each of its bytes would take
/// hours.
const PART: usize = 32;

impl Stream {
    pub(super) fn new(entry: u64) -> Self {
        Self {
            entry,
            blocks: BTreeSet::new(),
            inputs: HashMap::new(),
        }
    }

    /// Resumes a reply that was saved while being streamed. Its tool inputs do
    /// not grow any further, because their text was not saved. Only the
    /// complete block replaces them.
    pub(super) fn resumed(entry: u64, reply: &Reply) -> Self {
        let blocks = 0..u64::try_from(reply.blocks.len()).unwrap_or_default();
        Self {
            blocks: blocks.map(|number| (number, number)).collect(),
            ..Self::new(entry)
        }
    }

    /// Applies a stream event. The second result is the block whose tool input
    /// has grown for the first time since the conversation was last read.
    pub(super) fn take<'a>(
        &mut self,
        reply: &mut Reply,
        places: &mut ReplyPlaces,
        event: &'a StreamEvent,
        at: Place<'a>,
    ) -> (Option<Change<'a>>, Option<u64>) {
        if let StreamEvent::ContentBlockDelta(delta) = event {
            return self.grow(reply, places, delta, at);
        }
        (self.change(reply, places, event, at), None)
    }

    fn change<'a>(
        &mut self,
        reply: &mut Reply,
        places: &mut ReplyPlaces,
        event: &StreamEvent,
        at: Place<'a>,
    ) -> Option<Change<'a>> {
        match event {
            StreamEvent::ContentBlockStart(start) => {
                let mut content = start.content_block.clone();
                let number = places.blocks.push();
                places.start(number, &content);
                self.blocks.insert((start.index, number));
                if input_of(&mut content).is_some() {
                    self.inputs.insert(number, Input::default());
                }
                reply.message.message.content.push(content);
                reply.blocks.push(ReplyBlock {
                    state: BlockState::Streaming,
                    uuid: None,
                    extra: Default::default(),
                });
            }
            StreamEvent::ContentBlockStop(stop) => {
                let (number, block) = self.block(stop.index, places)?;
                let state = &mut reply.blocks.get_mut(block)?.state;
                let content = reply.message.message.content.get_mut(block)?;
                let input = self.inputs.remove(&number);
                if *state == BlockState::Streaming {
                    *state = BlockState::Written;
                    places.finish(number, content);
                    // A truncated input remains, even if the reply has not
                    // shown it before.
                    let value = input.and_then(|Input { text, .. }| text.whole().or(text.value()));
                    if let Some(value) = value {
                        *input_of(content)? = value;
                    }
                }
            }
            StreamEvent::MessageDelta(delta) => {
                change(&mut reply.message.message, (**delta).clone());
            }
            StreamEvent::MessageStop(_) => {
                if reply.state == ReplyState::Streaming {
                    reply.state = ReplyState::Done;
                }
            }
            _ => return None,
        }
        Some(Change::Changed(at))
    }

    fn grow<'a>(
        &mut self,
        reply: &mut Reply,
        places: &ReplyPlaces,
        ContentBlockDelta { index, delta, .. }: &'a ContentBlockDelta,
        at: Place<'a>,
    ) -> (Option<Change<'a>>, Option<u64>) {
        let is_growing = |&(_, block): &(u64, usize)| {
            let block = reply.blocks.get(block);
            block.is_some_and(|block| block.state == BlockState::Streaming)
        };
        let Some((number, block)) = self.block(*index, places).filter(is_growing) else {
            return (None, None);
        };
        if let BlockDelta::InputJson(delta) = delta {
            let json = &delta.partial_json;
            let Some(input) = self.inputs.get_mut(&number) else {
                return (None, None);
            };
            input.text.push(json);
            let is_first = !std::mem::replace(&mut input.has_grown, true);
            let block = places.blocks.shown(block);
            let change = Change::ToolInput { at, block, json };
            return (Some(change), is_first.then_some(number));
        }
        let content = reply.message.message.content.get_mut(block);
        let shown = places.blocks.shown(block);
        let change = content.and_then(|content| grow(content, shown, delta, at));
        (change, None)
    }

    /// Returns the number and the position of the block with the API's `index`.
    /// If several blocks had this index, returns the last one that still
    /// exists.
    fn block(&mut self, index: u64, places: &ReplyPlaces) -> Option<(u64, usize)> {
        loop {
            let mut blocks = self.blocks.range((index, 0)..=(index, u64::MAX));
            let last = *blocks.next_back()?;
            if let Some(at) = places.blocks.at(last.1) {
                return Some((last.1, at));
            }
            self.blocks.remove(&last);
        }
    }

    /// Updates a tool's input in the reply.
    pub(super) fn show_input(&mut self, number: u64, reply: &mut Reply, places: &ReplyPlaces) {
        let Some(input) = self.inputs.get_mut(&number) else {
            return;
        };
        input.has_grown = false;
        let len = input.text.text().len();
        if len - input.shown >= len / PART {
            input.show(number, reply, places);
        }
    }

    /// Updates all tool inputs in the reply.
    pub(super) fn show_inputs(&mut self, reply: &mut Reply, places: &ReplyPlaces) {
        for (&number, input) in &mut self.inputs {
            input.show(number, reply, places);
        }
    }

    /// Marks the reply as aborted. Returns the abandoned blocks, or `None` if
    /// `abandoned` refers to another reply.
    pub(super) fn abandon(
        &mut self,
        reply: &mut Reply,
        abandoned: &AbandonedBlocks,
    ) -> Option<Vec<u64>> {
        if reply.message.message.id.as_ref() != Some(&abandoned.api_message_id) {
            return None;
        }
        reply.state = ReplyState::Aborted;
        let from = abandoned.from_block_index.unwrap_or_default();
        let void = self.blocks.split_off(&(from, 0)).into_iter();
        Some(void.map(|(_, number)| number).collect())
    }
}

impl Input {
    fn show(&mut self, number: u64, reply: &mut Reply, places: &ReplyPlaces) {
        let Some(block) = places.blocks.at(number) else {
            return;
        };
        let is_growing =
            (reply.blocks.get(block)).is_some_and(|block| block.state == BlockState::Streaming);
        if !is_growing || self.shown == self.text.text().len() {
            return;
        }
        self.shown = self.text.text().len();
        let content = reply.message.message.content.get_mut(block);
        if let (Some(input), Some(value)) = (content.and_then(input_of), self.text.value()) {
            *input = value;
        }
    }
}

/// Applies a delta to a block.
fn grow<'a>(
    content: &mut ContentBlock,
    block: usize,
    delta: &'a BlockDelta,
    at: Place<'a>,
) -> Option<Change<'a>> {
    match (content, delta) {
        (ContentBlock::Text(it), BlockDelta::Text(delta)) => {
            it.text.push_str(&delta.text);
            let text = &delta.text;
            return Some(Change::Text { at, block, text });
        }
        (ContentBlock::Text(it), BlockDelta::Citations(delta)) => {
            let citations = it.citations.get_or_insert_default();
            citations.push(delta.citation.clone());
            it.extra.remove("citations");
        }
        (ContentBlock::Thinking(it), BlockDelta::Thinking(delta)) => {
            it.thinking.push_str(&delta.thinking);
            let thinking = &delta.thinking;
            return Some(Change::Thinking {
                at,
                block,
                thinking,
            });
        }
        (ContentBlock::Thinking(it), BlockDelta::Signature(delta)) => {
            it.signature = Some(delta.signature.clone());
            it.extra.remove("signature");
        }
        (ContentBlock::Compaction(it), BlockDelta::Compaction(delta)) => {
            let CompactionBlock {
                content,
                encrypted_content,
                extra,
                ..
            } = it;
            if let Some(piece) = &delta.content {
                content.get_or_insert_default().push_str(piece);
                extra.remove("content");
            }
            if delta.encrypted_content.is_some() {
                encrypted_content.clone_from(&delta.encrypted_content);
                extra.remove("encrypted_content");
            }
        }
        _ => return None,
    }
    Some(Change::Changed(at))
}

/// Copies the members that the newer object has. Removes members that are set
/// from the unknown members, which may contain an earlier `null`.
///
/// If a type and its remaining members are given, a member that is in neither
/// list is a compile error.
macro_rules! update {
    ($type:ident { $($other:ident),* }, $old:expr, $new:expr, [
        $($field:ident $(= $wire:literal)?),* $(,)?
    ]) => {
        let _ = |it: &$type| { let $type { $($field: _,)* $($other: _),* } = it; };
        update!($old, $new, [$($field $(= $wire)?),*]);
    };
    ($old:expr, $new:expr, [$($field:ident $(= $wire:literal)?),* $(,)?]) => { $(
        if $new.$field.is_some() {
            $old.$field = $new.$field;
        }
        if $old.$field.is_some() {
            $old.extra.remove(wire_name!($field $($wire)?));
        }
    )* };
}

/// Merges a complete message into a reply. The message's blocks replace the
/// streamed ones, or those that arrived earlier with this `uuid` (`again`).
pub(super) fn merge(
    reply: &mut Reply,
    places: &mut ReplyPlaces,
    again: &mut Vec<u64>,
    message: &AssistantMessage,
) {
    let (old, mut new) = (&mut reply.message, message.clone());
    (places.superseded).add(&mut old.supersedes, new.supersedes.take());
    (places.tool_use_meta).add(&mut old.tool_use_meta, new.tool_use_meta.take());
    add(&mut old.extra, new.extra);
    update!(
        AssistantMessage { message, extra },
        old,
        new,
        [
            parent_tool_use_id,
            error,
            uuid,
            session_id,
            user_message_uuid,
            user_message_uuids,
            supersedes,
            resumed_from_incomplete_thinking,
            resume_reason,
            aborted,
            request_id,
            tool_use_meta,
            thinking_duration_ms,
            thinking_display,
            context_usage,
            usage_report,
            timestamp,
            agent_id,
            subagent_type,
            task_description,
        ]
    );
    let (old, mut new) = (&mut old.message, new.message);
    // The stream contained the final values before the last block arrived.
    if old.stop_reason.is_some() && new.stop_reason.is_none() {
        new.usage = None;
        new.container = None;
        new.context_management = None;
    }
    add(&mut old.extra, new.extra);
    update!(
        AssistantBody { content, extra },
        old,
        new,
        [
            id,
            kind = "type",
            role,
            model,
            stop_reason,
            stop_sequence,
            stop_details,
            usage,
            container,
            context_management,
            diagnostics,
            input_transformations,
        ]
    );
    place(reply, places, again, new.content, message.uuid.as_ref());
    if message.aborted == Some(true) {
        reply.state = ReplyState::Aborted;
    }
}

/// Inserts complete blocks. Each replaces the block that arrived earlier with
/// this `uuid`, or else the streamed block. If there is neither, the block is
/// appended.
fn place(
    reply: &mut Reply,
    places: &mut ReplyPlaces,
    again: &mut Vec<u64>,
    blocks: Vec<ContentBlock>,
    uuid: Option<&String>,
) {
    let mut once_more = 0;
    for block in blocks {
        let said = ReplyBlock {
            state: BlockState::Whole,
            uuid: uuid.cloned(),
            extra: Default::default(),
        };
        let number = match again.get(once_more) {
            Some(&number) => number,
            None => {
                let number = places.streamed(&block);
                let number = number.unwrap_or_else(|| places.blocks.push());
                // A streamed block may precede other blocks.
                let before = again.partition_point(|it| *it < number);
                again.insert(before, number);
                once_more = again.len() - 1;
                number
            }
        };
        once_more += 1;
        let content = &mut reply.message.message.content;
        match places.blocks.at(number) {
            Some(index) if index < content.len() => {
                places.settled(number, &content[index]);
                (content[index], reply.blocks[index]) = (block, said);
            }
            _ => {
                content.push(block);
                reply.blocks.push(said);
            }
        }
    }
}

/// Adds members to the unknown members.
fn add(members: &mut Members, new: Members) {
    for (key, value) in new.into_entries() {
        members.set(key, value);
    }
}

/// Applies changes to a message as a whole.
fn change(body: &mut AssistantBody, new: MessageDelta) {
    add(&mut body.extra, new.delta.extra);
    update!(
        body,
        new.delta,
        [stop_reason, stop_sequence, stop_details, container]
    );
    update!(body, new, [context_management, input_transformations]);
    if let Some(new) = new.usage {
        let old: &mut Usage = body.usage.get_or_insert_default();
        add(&mut old.extra, new.extra);
        update!(
            Usage { extra },
            old,
            new,
            [
                input_tokens,
                output_tokens,
                output_tokens_details,
                cache_creation_input_tokens,
                cache_read_input_tokens,
                cache_creation,
                server_tool_use,
                service_tier,
                speed,
                inference_geo,
                iterations,
                fallback_credit,
            ]
        );
        body.extra.remove("usage");
    }
}

/// Returns the input of a tool call.
fn input_of(block: &mut ContentBlock) -> Option<&mut Json> {
    match block {
        ContentBlock::ToolUse(call) => Some(&mut call.input),
        ContentBlock::ServerToolUse(call) => Some(&mut call.input),
        ContentBlock::McpToolUse(call) => Some(&mut call.input),
        _ => None,
    }
}

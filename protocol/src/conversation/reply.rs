//! One reply, put together: of the events of its stream, and of the blocks
//! that the agent says whole.

use super::change::{Change, Place};
use super::{BlockState, PartialJson, Reply, ReplyBlock, ReplyState};
use crate::content::{CompactionBlock, ContentBlock};
use crate::json::{Json, Members};
use crate::message::{
    AbandonedBlocks, AssistantBody, AssistantMessage, BlockDelta, ContentBlockDelta, MessageDelta,
    StreamEvent, Usage,
};
use crate::open::wire_name;
use std::collections::HashMap;

/// A reply that is being streamed.
#[derive(Debug, Clone)]
pub(super) struct Stream {
    /// The reply's place in its thread.
    pub(super) entry: usize,
    /// The API's indexes of the blocks, and where they are in the reply.
    blocks: Vec<(u64, usize)>,
    /// The inputs of tools, by place in the reply.
    inputs: HashMap<usize, Input>,
}

/// A tool's input that is being streamed.
#[derive(Debug, Clone, Default)]
struct Input {
    text: PartialJson,
    /// How much of the text the reply shows.
    shown: usize,
}

impl Stream {
    pub(super) fn new(entry: usize) -> Self {
        Self {
            entry,
            blocks: vec![],
            inputs: HashMap::new(),
        }
    }

    /// Goes on with a reply that was kept while it was written. The inputs of
    /// its tools do not grow any more, since their text was not kept: they
    /// come whole.
    pub(super) fn resumed(entry: usize, reply: &Reply) -> Self {
        Self {
            blocks: (0..).zip(0..reply.blocks.len()).collect(),
            ..Self::new(entry)
        }
    }

    /// Takes an event of the stream.
    pub(super) fn take<'a>(
        &mut self,
        reply: &mut Reply,
        event: &'a StreamEvent,
        at: Place<'a>,
    ) -> Option<Change<'a>> {
        match event {
            StreamEvent::ContentBlockStart(start) => {
                let block = reply.blocks.len();
                self.blocks.push((start.index, block));
                let content = &mut reply.message.message.content;
                content.push(start.content_block.clone());
                reply.blocks.push(ReplyBlock {
                    state: BlockState::Streaming,
                    uuid: None,
                    extra: Default::default(),
                });
                if input_of(reply, block).is_some() {
                    self.inputs.insert(block, Input::default());
                }
                Some(Change::Changed(at))
            }
            StreamEvent::ContentBlockDelta(delta) => self.grow(reply, delta, at),
            StreamEvent::ContentBlockStop(stop) => {
                let block = self.block(stop.index)?;
                let state = &mut reply.blocks.get_mut(block)?.state;
                let input = self.inputs.remove(&block);
                if *state == BlockState::Streaming {
                    *state = BlockState::Written;
                    if let Some(whole) = input.and_then(|input| input.text.whole()) {
                        *input_of(reply, block)? = whole;
                    }
                }
                Some(Change::Changed(at))
            }
            StreamEvent::MessageDelta(delta) => {
                change(&mut reply.message.message, delta.clone());
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
                it.extra.remove("citations");
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
                it.extra.remove("signature");
                Some(Change::Changed(at))
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
                Some(Change::Changed(at))
            }
            (_, BlockDelta::InputJson(delta)) => {
                let json = &delta.partial_json;
                self.inputs.get_mut(&block)?.text.push(json);
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

    /// Brings the inputs of tools up to date with what has come of them.
    pub(super) fn show_inputs(&mut self, reply: &mut Reply) {
        for (&block, Input { text, shown }) in &mut self.inputs {
            let is_growing =
                (reply.blocks.get(block)).is_some_and(|block| block.state == BlockState::Streaming);
            if !is_growing || *shown == text.text().len() {
                continue;
            }
            *shown = text.text().len();
            if let (Some(input), Some(value)) = (input_of(reply, block), text.value()) {
                *input = value;
            }
        }
    }

    /// The reply was cut off and does not go on. Says which of its blocks are
    /// void, when it is about this reply.
    pub(super) fn abandon(
        &self,
        reply: &mut Reply,
        abandoned: &AbandonedBlocks,
    ) -> Option<Vec<usize>> {
        if reply.message.message.id.as_ref() != Some(&abandoned.api_message_id) {
            return None;
        }
        reply.state = ReplyState::Aborted;
        let from = abandoned.from_block_index.unwrap_or_default();
        let void = self.blocks.iter().filter(|(index, _)| *index >= from);
        Some(void.map(|&(_, block)| block).collect())
    }

    /// Follows the blocks of the reply that were kept to their new places.
    pub(super) fn follow(&mut self, kept: &[bool]) {
        let place = |block: usize| {
            let before = kept.get(..block)?.iter().filter(|&&it| it).count();
            (kept.get(block) == Some(&true)).then_some(before)
        };
        let blocks = self.blocks.iter();
        self.blocks = blocks
            .filter_map(|&(index, block)| Some((index, place(block)?)))
            .collect();
        let inputs = std::mem::take(&mut self.inputs).into_iter();
        self.inputs = inputs
            .filter_map(|(block, input)| Some((place(block)?, input)))
            .collect();
    }
}

/// Gives an object the members that a newer one has, and forgets of those that
/// it has that they were `null` once.
macro_rules! update {
    ($old:expr, $new:expr, [$($field:ident $(= $wire:literal)?),* $(,)?]) => { $(
        if $new.$field.is_some() {
            $old.$field = $new.$field;
        }
        if $old.$field.is_some() {
            $old.extra.remove(wire_name!($field $($wire)?));
        }
    )* };
}

/// Adds what came whole to a reply. Blocks take the places of those that were
/// streamed.
pub(super) fn merge(reply: &mut Reply, message: &AssistantMessage) {
    let (old, mut new) = (&mut reply.message, message.clone());
    prepend(&mut new.supersedes, old.supersedes.take());
    prepend(&mut new.tool_use_meta, old.tool_use_meta.take());
    add(&mut old.extra, new.extra);
    update!(
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
    // The stream has said the last word on these before the last block came.
    if old.stop_reason.is_some() && new.stop_reason.is_none() {
        new.usage = None;
        new.container = None;
        new.context_management = None;
    }
    add(&mut old.extra, new.extra);
    update!(
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
    place(reply, new.content, message.uuid.as_ref());
    if message.aborted == Some(true) {
        reply.state = ReplyState::Aborted;
    }
}

/// Puts blocks that came whole where they belong: where those are that came
/// with this `uuid` before, where those are that were streamed, or behind all
/// others.
fn place(reply: &mut Reply, blocks: Vec<ContentBlock>, uuid: Option<&String>) {
    let mut again: Vec<usize> = (0..reply.blocks.len())
        .filter(|&index| uuid.is_some() && reply.blocks[index].uuid.as_ref() == uuid)
        .collect();
    again.reverse();
    for block in blocks {
        let index = again.pop().or_else(|| streamed(reply, &block));
        let said = ReplyBlock {
            state: BlockState::Whole,
            uuid: uuid.cloned(),
            extra: Default::default(),
        };
        let content = &mut reply.message.message.content;
        match index {
            Some(index) => (content[index], reply.blocks[index]) = (block, said),
            None => {
                content.push(block);
                reply.blocks.push(said);
            }
        }
    }
}

/// Where a block was streamed that now came whole. The agent says a block
/// before it passes on that the model has written it, and never says a text of
/// nothing but white space: the block that is being written goes before those
/// that are written and were not said.
fn streamed(reply: &Reply, block: &ContentBlock) -> Option<usize> {
    let in_state = |state: BlockState| {
        let mut blocks = reply.message.message.content.iter().zip(&reply.blocks);
        blocks.position(|(streamed, at)| {
            at.state == state
                && streamed.tag() == block.tag()
                && call_id(streamed) == call_id(block)
        })
    };
    in_state(BlockState::Streaming).or_else(|| in_state(BlockState::Written))
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

/// Adds members that the types do not know.
fn add(members: &mut Members, new: Members) {
    for (key, value) in new.into_entries() {
        members.set(key, value);
    }
}

/// What changes in a message as a whole.
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

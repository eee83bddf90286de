//! Merges lines into messages.

use super::line::{Line, is_result};
use super::placeholder::placeholder;
use super::thread;
use crate::Message;
use crate::conversion::Unanswered;
use agentwire_protocol::Json;
use agentwire_protocol::content::{Content, ContentBlock};
use agentwire_protocol::message::{AssistantMessage, UserMessage};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// The lines that are read together: a message of the model, and all lines up to the next message
/// of the model or the end of the turn. Up to then, further blocks and results can arrive.
#[derive(Debug, Clone, Default)]
pub struct Chunk {
    /// The ID of the message.
    message: Option<Box<str>>,
    /// The place of the last block, if the message has no ID.
    last: Option<Place>,
    /// Whether the turn has ended.
    is_over: bool,
    /// The calls of the message, and whether each has a result.
    calls: HashMap<Box<str>, bool>,
}

/// The place of a block in a message of the model. Thinking precedes texts, which precede calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Thinking,
    Text,
    Call,
}

impl Place {
    /// Returns the place of a block. Returns `None` if the block can be anywhere.
    fn of(block: &ContentBlock) -> Option<Self> {
        match block {
            ContentBlock::Thinking(_) | ContentBlock::RedactedThinking(_) => Some(Self::Thinking),
            ContentBlock::Text(_) => Some(Self::Text),
            ContentBlock::ToolUse(_) => Some(Self::Call),
            _ => None,
        }
    }

    /// Returns whether a block can follow another block in the same message. Two texts are two
    /// messages.
    fn follows(self, last: Self) -> bool {
        self > last || self == last && self != Self::Text
    }
}

impl Chunk {
    /// Returns whether the message makes this call.
    pub(super) fn has_call(&self, call: &str) -> bool {
        self.calls.contains_key(call)
    }

    /// Ends the turn. Missing results may still arrive.
    pub(super) fn end_turn(&mut self) {
        self.is_over = true;
    }

    /// Returns whether a line belongs to the chunk. `is_in_conversation` says whether the line is
    /// part of the conversation.
    pub(super) fn takes(&mut self, line: &Line, is_in_conversation: bool) -> bool {
        let Some(message) = line.message().filter(|_| is_in_conversation) else {
            return true;
        };
        let is_over = self.is_over && self.calls.values().all(|has_result| *has_result);
        let Message::Assistant(assistant) = message else {
            self.last = None;
            if is_over {
                *self = Self::default();
            }
            for call in result_calls(message).flatten() {
                if let Some(has_result) = self.calls.get_mut(call) {
                    *has_result = true;
                }
            }
            return !is_over;
        };
        // Imported lines have no IDs, and one block each.
        let has_no_id = assistant.message.id.is_none();
        let mut places = assistant.message.content.iter().map(Place::of);
        let first = places.next().flatten();
        let last = match (has_no_id, places.next_back()) {
            (false, _) => None,
            (true, Some(last)) => last,
            (true, None) => first,
        };
        let id = assistant.message.id.as_deref().or(line.uuid());
        let is_same = id.is_some() && id == self.message.as_deref();
        let follows = match (self.last, first) {
            (Some(last), Some(first)) if has_no_id => first.follows(last),
            _ => false,
        };
        let continues = !self.is_over && (is_same || follows);
        if !continues {
            *self = Self {
                message: id.map(Box::from),
                ..Self::default()
            };
        }
        self.last = last;
        for call in thread::calls(line) {
            self.calls.entry(call.into()).or_insert(false);
        }
        continues
    }
}

/// Returns whether a message has only results of tools.
pub(super) fn is_results(message: &Message) -> bool {
    let mut results = result_calls(message).peekable();
    results.peek().is_some() && results.all(|call| call.is_some())
}

/// Returns the calls without a result in a chunk of indexed lines.
pub(crate) fn unanswered<'l>(
    lines: impl IntoIterator<Item = (usize, &'l Message)>,
) -> Vec<Unanswered> {
    let mut calls = Vec::new();
    let mut answered = HashSet::new();
    for (piece, line) in lines {
        for (index, block) in line.blocks().iter().enumerate() {
            match (line, block) {
                (Message::Assistant(_), ContentBlock::ToolUse(call)) => calls.push((
                    call.id.clone(),
                    Unanswered {
                        piece,
                        path: format!("/message/content/{index}"),
                        tool: call.name.clone(),
                    },
                )),
                (Message::User(_), ContentBlock::ToolResult(answer)) => {
                    answered.insert(answer.tool_use_id.clone());
                }
                _ => {}
            }
        }
    }
    // A call that occurs twice has one result.
    let calls = calls.into_iter();
    calls
        .filter_map(|(id, call)| answered.insert(id).then_some(call))
        .collect()
}

/// Merges the lines of a chunk to user messages, the message of the model, its results, and the
/// user messages that were sent before the results.
pub(crate) fn messages_of<'l>(
    lines: impl IntoIterator<Item = &'l Message>,
) -> Vec<Cow<'l, Message>> {
    let mut messages = Vec::new();
    let mut reply: Option<Cow<'l, Message>> = None;
    let mut results: Option<Cow<'l, Message>> = None;
    let mut meanwhile = Vec::new();
    for line in lines {
        match line {
            Message::Assistant(message) => match &mut reply {
                None => reply = Some(Cow::Borrowed(line)),
                Some(before) => merge(before, message),
            },
            Message::User(message) if result_calls(line).any(|call| call.is_some()) => {
                match &mut results {
                    None => results = Some(Cow::Borrowed(line)),
                    Some(before) => add(before, message),
                }
            }
            _ if reply.is_some() => meanwhile.push(Cow::Borrowed(line)),
            _ => messages.push(Cow::Borrowed(line)),
        }
    }
    let calls: Vec<&str> = reply.iter().flat_map(|reply| calls(reply)).collect();
    let results = paired(results, &calls);
    messages.extend(reply);
    messages.extend(results);
    messages.extend(meanwhile);
    messages
}

fn calls(message: &Message) -> impl Iterator<Item = &str> {
    let blocks = match message {
        Message::Assistant(message) => &message.message.content[..],
        _ => &[],
    };
    blocks
        .iter()
        .filter_map(|block| block.as_tool_use().map(|call| &*call.id))
}

/// Adds the blocks of a line. The envelope is that of the last line.
fn merge(before: &mut Cow<'_, Message>, line: &AssistantMessage) {
    if let Message::Assistant(before) = before.to_mut() {
        let mut blocks = std::mem::take(&mut before.message.content);
        let mut line = line.clone();
        blocks.append(&mut line.message.content);
        line.message.content = blocks;
        **before = line;
    }
}

/// Adds the results of a line, and its other blocks after them.
fn add(before: &mut Cow<'_, Message>, line: &UserMessage) {
    if let Message::User(before) = before.to_mut()
        && let (Some(Content::Blocks(blocks)), Some(Content::Blocks(more))) =
            (&mut before.message.content, &line.message.content)
    {
        let end = end_of_results(blocks);
        let (new, others): (Vec<_>, Vec<_>) = more.iter().cloned().partition(is_result);
        blocks.splice(end..end, new);
        blocks.extend(others);
    }
}

/// Returns the index after the last result.
fn end_of_results(blocks: &[ContentBlock]) -> usize {
    let last = blocks.iter().rposition(is_result);
    last.map_or(0, |last| last + 1)
}

/// Matches results with calls. Adds placeholders for missing results.
fn paired<'l>(results: Option<Cow<'l, Message>>, calls: &[&str]) -> Option<Cow<'l, Message>> {
    let mut open: HashSet<&str> = calls.iter().copied().collect();
    let is_wanted: Vec<bool> = results
        .iter()
        .flat_map(|it| result_calls(it))
        .map(|call| call.is_none_or(|call| open.remove(call)))
        .collect();
    let missing: Vec<&str> = calls
        .iter()
        .copied()
        .filter(|call| open.remove(call))
        .collect();
    if missing.is_empty() && !is_wanted.contains(&false) {
        return results;
    }
    let mut results = results.unwrap_or_else(|| Cow::Owned(Message::User(Box::default())));
    if let Message::User(message) = results.to_mut() {
        let mut blocks = match message.message.content.take() {
            Some(Content::Blocks(blocks)) => blocks,
            _ => vec![],
        };
        let mut is_wanted = is_wanted.into_iter();
        blocks.retain(|_| is_wanted.next() == Some(true));
        let end = end_of_results(&blocks);
        blocks.splice(end..end, missing.into_iter().map(placeholder));
        if blocks.is_empty() {
            return None;
        }
        message.message.content = Some(Content::Blocks(blocks));
    }
    Some(results)
}

/// Returns the call of each block that is a result.
fn result_calls(message: &Message) -> impl Iterator<Item = Option<&str>> {
    let blocks = match message {
        Message::User(message) => match &message.message.content {
            Some(Content::Blocks(blocks)) => &blocks[..],
            _ => &[],
        },
        _ => &[],
    };
    blocks
        .iter()
        .map(|block| block.as_tool_result().map(|answer| &*answer.tool_use_id))
}

/// Splits a message into lines. Each block of the model and each result has its own line.
pub(crate) fn lines_of(message: Message, thread: Option<&str>) -> Vec<Line> {
    let messages: Vec<Message> = match message {
        Message::Assistant(message) => {
            let mut message = *message;
            set_thread(&mut message.parent_tool_use_id, &mut message.extra, thread);
            let blocks = std::mem::take(&mut message.message.content);
            split(
                message,
                blocks.into_iter().map(|block| vec![block]),
                |message, blocks| {
                    message.message.content = blocks;
                },
            )
            .map(|message| Message::Assistant(Box::new(message)))
            .collect()
        }
        Message::User(message) => {
            let mut message = *message;
            set_thread(&mut message.parent_tool_use_id, &mut message.extra, thread);
            match message.message.content.take() {
                Some(Content::Blocks(blocks)) if blocks.iter().any(is_result) => {
                    let (results, others): (Vec<_>, Vec<_>) =
                        blocks.into_iter().partition(is_result);
                    let mut lines: Vec<_> = results.into_iter().map(|block| vec![block]).collect();
                    lines.extend((!others.is_empty()).then_some(others));
                    split(message, lines.into_iter(), |message, blocks| {
                        message.message.content = Some(Content::Blocks(blocks));
                    })
                    .map(|message| Message::User(Box::new(message)))
                    .collect()
                }
                content => {
                    message.message.content = content;
                    vec![Message::User(Box::new(message))]
                }
            }
        }
        other => vec![other],
    };
    messages.into_iter().map(Line::from).collect()
}

/// Sets the parent tool call of a line. On the wire, the member exists even if it is `null`.
fn set_thread(
    parent: &mut Option<String>,
    extra: &mut agentwire_protocol::Members,
    thread: Option<&str>,
) {
    *parent = thread.map(str::to_owned);
    if parent.is_none() {
        extra.set("parent_tool_use_id", Json::null());
    }
}

/// Creates a message for each part of content. Without parts, creates one message.
fn split<M: Clone>(
    message: M,
    parts: impl Iterator<Item = Vec<ContentBlock>>,
    fill: impl Fn(&mut M, Vec<ContentBlock>),
) -> impl Iterator<Item = M> {
    let mut parts = parts.peekable();
    let empty = parts.peek().is_none().then(|| message.clone());
    let full = parts.map(move |blocks| {
        let mut message = message.clone();
        fill(&mut message, blocks);
        message
    });
    empty.into_iter().chain(full)
}

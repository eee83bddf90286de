//! Lines that are read together, and the messages that they are.

use super::line::{Line, is_answer};
use super::placeholder::placeholder;
use super::thread;
use crate::Message;
use crate::conversion::Unanswered;
use agentwire_protocol::Json;
use agentwire_protocol::content::{Content, ContentBlock};
use agentwire_protocol::message::{AssistantMessage, UserMessage};
use std::collections::{HashMap, HashSet};

/// Lines that are read together: what the model said in one message, and
/// everything up to the next one, or to the end of the turn. Until then blocks
/// of it can come, and the results of its calls.
#[derive(Debug, Clone, Default)]
pub struct Chunk {
    /// The message's id.
    message: Option<Box<str>>,
    /// Of a message without an id, the place of its last block, as long as nothing else
    /// was said.
    last: Option<Place>,
    /// Whether the turn has ended.
    is_over: bool,
    /// The message's calls, and whether each has a result.
    calls: HashMap<Box<str>, bool>,
}

/// Where a block is in a message of the model. It thinks, speaks, and makes calls, in
/// this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Thinking,
    Text,
    Call,
}

impl Place {
    /// Nothing, where a block can be anywhere.
    fn of(block: &ContentBlock) -> Option<Self> {
        match block {
            ContentBlock::Thinking(_) | ContentBlock::RedactedThinking(_) => Some(Self::Thinking),
            ContentBlock::Text(_) => Some(Self::Text),
            ContentBlock::ToolUse(_) => Some(Self::Call),
            _ => None,
        }
    }

    /// Whether a block in this place can be of the message of the one before. Two
    /// texts are two messages.
    fn follows(self, last: Self) -> bool {
        self > last || self == last && self != Self::Text
    }
}

impl Chunk {
    /// Whether the message makes this call.
    pub(super) fn has_call(&self, call: &str) -> bool {
        self.calls.contains_key(call)
    }

    /// Notes that the turn ends. While a result is missing, it may still come.
    pub(super) fn end_turn(&mut self) {
        self.is_over = true;
    }

    /// Whether a line is read together with those before it. `is_said` says
    /// whether it is part of the conversation.
    pub(super) fn takes(&mut self, line: &Line, is_said: bool) -> bool {
        let Some(said) = line.said().filter(|_| is_said) else {
            return true;
        };
        let is_over = self.is_over && self.calls.values().all(|has_result| *has_result);
        let Message::Assistant(message) = said else {
            self.last = None;
            if is_over {
                *self = Self::default();
            }
            for answer in said
                .blocks()
                .iter()
                .filter_map(ContentBlock::as_tool_result)
            {
                if let Some(has_result) = self.calls.get_mut(&*answer.tool_use_id) {
                    *has_result = true;
                }
            }
            return !is_over;
        };
        // What was imported has no ids, and a line for each block.
        let has_no_id = message.message.id.is_none();
        let mut places = message.message.content.iter().map(Place::of);
        let first = places.next().flatten();
        let last = match (has_no_id, places.next_back()) {
            (false, _) => None,
            (true, Some(last)) => last,
            (true, None) => first,
        };
        let id = message.message.id.as_deref().or(line.uuid());
        let is_same = id.is_some() && id == self.message.as_deref();
        let follows = match (self.last, first) {
            (Some(last), Some(first)) if has_no_id => first.follows(last),
            _ => false,
        };
        let goes_on = !self.is_over && (is_same || follows);
        if !goes_on {
            *self = Self {
                message: id.map(Box::from),
                ..Self::default()
            };
        }
        self.last = last;
        for call in thread::calls(line) {
            self.calls.entry(call.into()).or_insert(false);
        }
        goes_on
    }
}

/// Whether a message has results of tools, and nothing else.
pub(super) fn is_results(message: &Message) -> bool {
    let blocks = message.blocks();
    matches!(message, Message::User(_)) && !blocks.is_empty() && blocks.iter().all(is_answer)
}

/// The calls without a result among lines that are read together. Each line
/// comes with its index.
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
    // A call that is there twice is answered once.
    let calls = calls.into_iter();
    calls
        .filter_map(|(id, call)| answered.insert(id).then_some(call))
        .collect()
}

/// The messages that the lines of a chunk are: what users said before the
/// model did, its message, the answers of its tools, and what users said
/// meanwhile.
pub(crate) fn messages_of<'l>(lines: impl IntoIterator<Item = &'l Message>) -> Vec<Message> {
    let mut messages = Vec::new();
    let mut said: Option<AssistantMessage> = None;
    let mut answers: Option<UserMessage> = None;
    let mut meanwhile = Vec::new();
    for line in lines {
        match line {
            Message::Assistant(message) => merge(&mut said, message),
            Message::User(message) if message.blocks().iter().any(is_answer) => {
                add(&mut answers, message);
            }
            other if said.is_some() => meanwhile.push(other.clone()),
            other => messages.push(other.clone()),
        }
    }
    let calls: Vec<&str> = said.iter().flat_map(calls).collect();
    let answers = paired(answers, &calls);
    messages.extend(said.map(|said| Message::Assistant(Box::new(said))));
    messages.extend(answers.map(|answers| Message::User(Box::new(answers))));
    messages.extend(meanwhile);
    messages
}

fn calls(message: &AssistantMessage) -> impl Iterator<Item = &str> {
    let blocks = message.message.content.iter();
    blocks.filter_map(|block| block.as_tool_use().map(|call| &*call.id))
}

/// Adds a line's blocks to those before. What comes with every line but is not
/// the same each time is that of the last one.
fn merge(said: &mut Option<AssistantMessage>, line: &AssistantMessage) {
    let Some(before) = said else {
        *said = Some(line.clone());
        return;
    };
    let mut merged = line.clone();
    let content = &mut merged.message.content;
    content.splice(0..0, std::mem::take(&mut before.message.content));
    *before = merged;
}

/// Adds a line's answers to those before, and puts what else it says behind
/// them.
fn add(answers: &mut Option<UserMessage>, line: &UserMessage) {
    let Some(before) = answers else {
        *answers = Some(line.clone());
        return;
    };
    if let (Some(Content::Blocks(blocks)), Some(Content::Blocks(more))) =
        (&mut before.message.content, &line.message.content)
    {
        let end = blocks
            .iter()
            .rposition(is_answer)
            .map_or(0, |last| last + 1);
        let (new, beside): (Vec<_>, Vec<_>) = more.iter().cloned().partition(is_answer);
        blocks.splice(end..end, new);
        blocks.extend(beside);
    }
}

/// Answers of these calls, each one once.
fn paired(answers: Option<UserMessage>, calls: &[&str]) -> Option<UserMessage> {
    let mut open: HashSet<&str> = calls.iter().copied().collect();
    let mut message = answers.unwrap_or_default();
    let mut blocks = match message.message.content.take() {
        Some(Content::Blocks(blocks)) => blocks,
        _ => vec![],
    };
    blocks.retain(|block| match block {
        ContentBlock::ToolResult(answer) => open.remove(&*answer.tool_use_id),
        _ => true,
    });
    let end = blocks
        .iter()
        .rposition(is_answer)
        .map_or(0, |last| last + 1);
    let missing = calls.iter().filter(|call| open.remove(**call));
    let missing: Vec<_> = missing.map(|call| placeholder(call)).collect();
    blocks.splice(end..end, missing);
    if blocks.is_empty() {
        return None;
    }
    message.message.content = Some(Content::Blocks(blocks));
    Some(message)
}

/// The lines that a message is: each block that the model said is one, and so
/// is each answer of a tool.
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
                Some(Content::Blocks(blocks)) if blocks.iter().any(is_answer) => {
                    let (answers, beside): (Vec<_>, Vec<_>) =
                        blocks.into_iter().partition(is_answer);
                    let mut lines: Vec<_> = answers.into_iter().map(|block| vec![block]).collect();
                    lines.extend((!beside.is_empty()).then_some(beside));
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

/// The member is there on the wire, also when it says nothing.
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

/// A message for each part of its content, and one for none.
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

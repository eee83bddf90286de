//! Texts, thoughts and tool calls of the model, streamed and complete.

use crate::change::{Member, TextMember};
use crate::entry::{Body, EntryId, LongText, NoticeKind, Text};
use crate::partial_json::PartialJson;
use crate::text::{cut, lines};
use crate::view::View;
use agentwire_protocol::content::ContentBlock;
use agentwire_protocol::message::{
    AssistantMessage, BlockDelta, ContentBlockDelta, StreamEvent, StreamEventMessage,
};
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

/// The last replies of each agent. The last one is being written.
#[derive(Debug, Clone, Default)]
pub(super) struct Replies {
    main: Recent,
    subagents: HashMap<EntryId, Recent>,
}

#[derive(Debug, Clone, Default)]
struct Recent {
    current: Reply,
    earlier: VecDeque<Reply>,
}

/// The number of complete blocks of a reply that are recognized if they arrive again.
const SEEN: usize = 64;

/// The number of earlier replies to which further blocks may belong.
const EARLIER: usize = 8;

/// A reply of the model.
#[derive(Debug, Clone, Default)]
struct Reply {
    /// The API's message ID.
    id: Box<str>,
    texts: Blocks,
    thoughts: Blocks,
    /// The block that is being streamed, with its index.
    open: Option<(u64, Open)>,
}

/// The blocks of one kind in a reply.
#[derive(Debug, Clone, Default)]
struct Blocks {
    /// The number of blocks that have an entry.
    count: u64,
    /// The number of complete blocks, which come first.
    whole: u64,
    /// The last complete blocks: the number of the block, the ID of its message, and its position
    /// in the message. Some gateways use one message ID for all replies.
    seen: VecDeque<(u64, Box<str>, usize)>,
}

/// A block that is being streamed.
#[derive(Debug, Clone)]
enum Open {
    Text(Growing),
    Thought(Growing),
    Input {
        id: EntryId,
        tool: Box<str>,
        json: PartialJson,
        /// The length at which the call was last described.
        described_length: usize,
    },
    Other,
}

/// A text that is being streamed.
#[derive(Debug, Clone)]
enum Growing {
    /// The white space with which the text begins. The agent never sends a text of white space
    /// only.
    Space(String),
    /// The text has an entry. The second value is its length.
    Entry(EntryId, usize),
}

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Thought,
}

impl Reply {
    fn blocks(&mut self, kind: Kind) -> &mut Blocks {
        match kind {
            Kind::Text => &mut self.texts,
            Kind::Thought => &mut self.thoughts,
        }
    }

    fn entry_id(&self, kind: Kind, number: u64) -> EntryId {
        let kind = match kind {
            Kind::Text => "text",
            Kind::Thought => "thought",
        };
        format!("{}/{kind}/{number}", self.id).into()
    }
}

/// The maximum number of sub-agents whose replies are followed at the same time.
const FOLLOWED: usize = 256;

impl View {
    fn reply_of(&mut self, parent: Option<&EntryId>) -> &mut Reply {
        &mut self.replies_of(parent).current
    }

    fn replies_of(&mut self, parent: Option<&EntryId>) -> &mut Recent {
        let replies = &mut self.fold.replies;
        let Some(parent) = parent else {
            return &mut replies.main;
        };
        if replies.subagents.len() >= FOLLOWED && !replies.subagents.contains_key(parent) {
            replies.subagents.clear();
        }
        replies.subagents.entry(parent.clone()).or_default()
    }

    /// Applies a stream event.
    pub(super) fn partial(&mut self, partial: &StreamEventMessage) {
        let parent = partial.parent_tool_use_id.as_deref();
        let parent = parent.map(|id| self.fold.calls.entry(id));
        let parent = parent.as_ref();
        match &partial.event {
            StreamEvent::MessageStart(start) => {
                let id = start.message.id.as_deref().unwrap_or_default();
                self.begin(parent, id);
                self.retried();
            }
            StreamEvent::ContentBlockStart(start) => {
                let open = match &start.content_block {
                    ContentBlock::Text(_) => Open::Text(Growing::Space(String::new())),
                    ContentBlock::Thinking(_) => Open::Thought(Growing::Space(String::new())),
                    ContentBlock::ToolUse(call) => {
                        let id = self.call_begins(&call.id, parent, &call.name);
                        id.map_or(Open::Other, |id| Open::Input {
                            id,
                            tool: call.name.as_str().into(),
                            json: PartialJson::default(),
                            described_length: 0,
                        })
                    }
                    _ => Open::Other,
                };
                self.reply_of(parent).open = Some((start.index, open));
            }
            StreamEvent::ContentBlockDelta(delta) => {
                if self.grow_fast(parent, delta) {
                    return;
                }
                let reply = self.reply_of(parent);
                let Some((index, mut open)) = reply.open.take() else {
                    return;
                };
                if index == delta.index {
                    self.grow(parent, &mut open, &delta.delta);
                }
                self.reply_of(parent).open = Some((index, open));
            }
            StreamEvent::ContentBlockStop(_) => self.reply_of(parent).open = None,
            _ => {}
        }
    }

    /// Appends to a text that has an entry. Returns whether the delta was appended.
    fn grow_fast(&mut self, parent: Option<&EntryId>, delta: &ContentBlockDelta) -> bool {
        let most = self.limits.text;
        let Some((index, open)) = &mut self.reply_of(parent).open else {
            return false;
        };
        let (id, len, text) = match (open, &delta.delta) {
            (Open::Text(Growing::Entry(id, len)), BlockDelta::Text(it)) => (id, len, &it.text),
            (Open::Thought(Growing::Entry(id, len)), BlockDelta::Thinking(it)) => {
                (id, len, &it.thinking)
            }
            _ => return false,
        };
        if *index == delta.index && *len + text.len() <= most {
            *len += text.len();
            let id = id.clone();
            self.append(id, TextMember::Text, lines(text).into_owned());
        } else {
            // What follows would leave a gap. The whole text will replace it.
            *len = usize::MAX / 2;
        }
        true
    }

    /// Starts a reply, unless the current one has this ID.
    fn begin(&mut self, parent: Option<&EntryId>, id: &str) {
        let replies = self.replies_of(parent);
        if *replies.current.id == *id {
            return;
        }
        let known = replies.earlier.iter().position(|it| *it.id == *id);
        let known = known.and_then(|known| replies.earlier.remove(known));
        let next = known.unwrap_or_else(|| Reply {
            id: id.into(),
            ..Reply::default()
        });
        let before = std::mem::replace(&mut replies.current, next);
        if replies.earlier.len() == EARLIER {
            replies.earlier.pop_front();
        }
        replies.earlier.push_back(before);
    }

    fn grow(&mut self, parent: Option<&EntryId>, open: &mut Open, delta: &BlockDelta) {
        match (open, delta) {
            (Open::Text(growing), BlockDelta::Text(delta)) => {
                self.grow_text(parent, Kind::Text, growing, &delta.text);
            }
            (Open::Thought(growing), BlockDelta::Thinking(delta)) => {
                self.grow_text(parent, Kind::Thought, growing, &delta.thinking);
            }
            (
                Open::Input {
                    id,
                    tool,
                    json,
                    described_length,
                },
                BlockDelta::InputJson(delta),
            ) => {
                let before = json.text().len();
                let most = self.limits.output;
                if before + delta.partial_json.len() <= most {
                    let text = lines(&delta.partial_json).into_owned();
                    self.append(id.clone(), TextMember::Input, text);
                }
                json.push(&delta.partial_json);
                let len = json.text().len();
                // Twice as long each time, so that the costs grow linearly.
                if len >= 2 * *described_length && len <= most {
                    *described_length = len;
                    if let Some(value) = json.value() {
                        self.call_grows(id, tool, &value);
                    }
                }
            }
            _ => {}
        }
    }

    fn grow_text(
        &mut self,
        parent: Option<&EntryId>,
        kind: Kind,
        growing: &mut Growing,
        delta: &str,
    ) {
        match growing {
            Growing::Entry(..) => {}
            Growing::Space(space) => {
                space.push_str(delta);
                if space.trim().is_empty() {
                    return;
                }
                let text = std::mem::take(space);
                let reply = self.reply_of(parent);
                let number = reply.blocks(kind).count;
                reply.blocks(kind).count += 1;
                let id = reply.entry_id(kind, number);
                let text_of_entry = LongText {
                    text: lines(&text).into_owned(),
                    omitted: None,
                };
                self.insert_text(&id, parent, kind, text_of_entry, false);
                *growing = Growing::Entry(id, text.len());
            }
        }
    }

    fn insert_text(
        &mut self,
        id: &EntryId,
        parent: Option<&EntryId>,
        kind: Kind,
        text: LongText,
        complete: bool,
    ) {
        let text = Text { text, complete };
        let body = match kind {
            Kind::Text => Body::Text(text),
            Kind::Thought => Body::Thought(text),
        };
        self.insert(id.clone(), parent.cloned(), body);
    }

    /// Applies a message with complete blocks.
    pub(super) fn reply(&mut self, message: &AssistantMessage) {
        let parent = self.parent_of(
            message.parent_tool_use_id.as_deref(),
            message.subagent_type.as_deref(),
            message.task_description.as_deref(),
        );
        let parent = parent.as_ref();
        for superseded in message.supersedes.iter().flatten() {
            self.retract(superseded);
        }
        if let Some(error) = &message.error {
            self.api_error(message, parent, error);
            return;
        }
        if message.extra.get("local_command_source").is_some() {
            let content = &message.message.content;
            let texts: Vec<&str> = content.iter().filter_map(|it| it.as_text()).collect();
            let id = self.id_or_number(message.uuid.as_ref(), "output");
            return self.command_output(id, &texts.join("\n"));
        }
        let uuid = message.uuid.as_deref().unwrap_or_default();
        // Texts of the agent itself have message IDs that a transcript has as well.
        let id = message.message.id.as_deref().unwrap_or(uuid);
        self.begin(parent, id);
        self.retried();
        for (at, block) in message.message.content.iter().enumerate() {
            match block {
                ContentBlock::Text(text) => {
                    self.whole_text(parent, Kind::Text, &text.text, (uuid, at));
                }
                ContentBlock::Thinking(thinking) => {
                    self.whole_text(parent, Kind::Thought, &thinking.thinking, (uuid, at));
                }
                ContentBlock::ToolUse(call) => {
                    self.call((&call.id, &call.name, &call.input), parent, uuid);
                }
                ContentBlock::ServerToolUse(call) => {
                    self.call((&call.id, call.name.as_str(), &call.input), parent, uuid);
                }
                ContentBlock::McpToolUse(call) => {
                    let tool = format!("mcp__{}__{}", call.server_name, call.name);
                    self.call((&call.id, &tool, &call.input), parent, uuid);
                }
                ContentBlock::Fallback(_) => {
                    let id = format!("{uuid}/fallback").into();
                    self.notice(
                        id,
                        parent,
                        NoticeKind::ModelChanged,
                        "Another model responds from here on",
                        None,
                    );
                }
                block => self.server_result(block),
            }
        }
    }

    /// Replaces the text of the next incomplete block.
    fn whole_text(
        &mut self,
        parent: Option<&EntryId>,
        kind: Kind,
        text: &str,
        (uuid, at): (&str, usize),
    ) {
        if text.trim().is_empty() {
            return;
        }
        let most = self.limits.text;
        let reply = self.reply_of(parent);
        let blocks = reply.blocks(kind);
        let mut seen = blocks.seen.iter().rev();
        let seen = seen.find(|it| *it.1 == *uuid && it.2 == at).map(|it| it.0);
        let number = match seen {
            // The same block again.
            Some(number) if !uuid.is_empty() => number,
            _ => {
                if blocks.seen.len() == SEEN {
                    blocks.seen.pop_front();
                }
                blocks.seen.push_back((blocks.whole, uuid.into(), at));
                blocks.whole += 1;
                blocks.whole - 1
            }
        };
        let is_new = number >= blocks.count;
        blocks.count = blocks.count.max(number + 1);
        let id = reply.entry_id(kind, number);
        let text = lines(text);
        if is_new {
            self.insert_text(&id, parent, kind, cut(text, most), true);
            return;
        }
        let Some(Body::Text(shown) | Body::Thought(shown)) = self.get(&id).map(|it| &it.body)
        else {
            return;
        };
        let is_same = match shown.text.omitted {
            None => shown.text.text == *text,
            Some(_) => shown.text == cut(Cow::Borrowed(&*text), most),
        };
        let is_complete = shown.complete;
        if !is_same {
            self.set(&id, Member::Text(cut(text, most)));
        }
        if !is_complete {
            self.set(&id, Member::Complete(true));
        }
    }

    /// Removes the texts of a message that another one replaces.
    pub(super) fn retract(&mut self, uuid: &str) {
        let replies = &self.fold.replies.main;
        let mut entries = vec![EntryId::from(uuid)];
        for reply in replies.earlier.iter().chain([&replies.current]) {
            for (kind, blocks) in [(Kind::Text, &reply.texts), (Kind::Thought, &reply.thoughts)] {
                let seen = blocks.seen.iter().filter(|(_, it, _)| **it == *uuid);
                entries.extend(seen.map(|(number, ..)| reply.entry_id(kind, *number)));
            }
        }
        for id in entries {
            self.remove(&id);
        }
    }
}

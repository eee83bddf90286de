//! Collects the records of a tree.

use crate::Json;
use crate::content::Content;
use crate::transcript::author::Author;
use crate::transcript::entry::{self, Entry};
use crate::transcript::record::Record;
use std::collections::HashMap;

/// The records of a tree. Each ID occurs once, in the order of the first
/// records.
#[derive(Debug, Clone, Default)]
pub(super) struct Nodes {
    pub(super) nodes: Vec<Node>,
    pub(super) by_uuid: HashMap<Box<str>, usize>,
    /// The number of records so far.
    written: usize,
    pub(super) mark: Option<Mark>,
}

/// The record that the last `last-prompt` names.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    pub(super) uuid: Option<Box<str>>,
    /// The number of records before the `last-prompt`, if it rewound the
    /// conversation to the record that it names.
    pub(super) rewound_at: Option<usize>,
}

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) uuid: Box<str>,
    pub(super) parent: Option<Box<str>>,
    pub(super) time: Box<str>,
    pub(super) kind: Kind,
    /// The IDs of the record's tool calls, or of the calls whose results it
    /// contains.
    pub(super) calls: Vec<Box<str>>,
    /// The position of the last record with this ID, and the number of records
    /// with this ID.
    pub(super) written: usize,
    pub(super) copies: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// A block of the model's message with this ID.
    Block(Option<Box<str>>),
    /// A tool result.
    Result,
    /// A compaction, with the last record before it, the summary, and the
    /// preserved messages after the summary.
    Boundary(Box<Boundary>),
    /// The summary of a compaction.
    Summary,
    /// A record that is not a message.
    Between,
    Other,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Boundary {
    pub(super) before: Option<Box<str>>,
    pub(super) anchor: Option<Box<str>>,
    pub(super) preserved: Vec<Box<str>>,
}

impl Node {
    pub(super) fn is_message(&self) -> bool {
        !matches!(self.kind, Kind::Boundary(_) | Kind::Between)
    }
}

impl Nodes {
    /// Adds the next record, if it belongs to the main agent or to this
    /// sub-agent.
    pub(super) fn note(&mut self, record: &Record, agent: Option<&str>) {
        if let Entry::LastPrompt(entry) = record.entry() {
            let is_back = entry.explicit == Some(true) || entry.rewound == Some(true);
            self.mark = Some(Mark {
                uuid: entry.leaf_uuid.as_deref().map(Box::from),
                rewound_at: is_back.then_some(self.written),
            });
            return;
        }
        let Some(node) = record.entry().node() else {
            return;
        };
        if !is_of(&node, agent) {
            return;
        }
        let mut new = Node {
            uuid: node.uuid.into(),
            parent: node.parent.map(Box::from),
            time: node.timestamp.unwrap_or_default().into(),
            kind: kind(record.entry()),
            calls: calls(record.entry()),
            written: self.written,
            copies: 1,
        };
        self.written += 1;
        match self.by_uuid.get(node.uuid) {
            Some(&index) => {
                new.copies += self.nodes[index].copies;
                self.nodes[index] = new;
            }
            None => {
                self.by_uuid.insert(node.uuid.into(), self.nodes.len());
                self.nodes.push(new);
            }
        }
    }
}

fn kind(entry: &Entry) -> Kind {
    match entry {
        Entry::Assistant(entry) => Kind::Block(entry.message.id.as_deref().map(Box::from)),
        Entry::User(entry) => match entry.author() {
            Author::Tool => Kind::Result,
            Author::Summary => Kind::Summary,
            _ => Kind::Other,
        },
        Entry::System(entry) if entry.subtype.as_deref() == Some("compact_boundary") => {
            let metadata = entry.compact_metadata.as_ref();
            let preserved = metadata.and_then(|it| it.member("preservedMessages"));
            let member = |name| preserved.as_ref().and_then(|it: &Json| it.member(name));
            Kind::Boundary(Box::new(Boundary {
                before: entry.logical_parent_uuid.as_deref().map(Box::from),
                anchor: member("anchorUuid").and_then(|it| it.read().ok()),
                preserved: member("uuids")
                    .and_then(|it| it.read().ok())
                    .unwrap_or_default(),
            }))
        }
        _ => Kind::Between,
    }
}

fn calls(entry: &Entry) -> Vec<Box<str>> {
    let content = match entry {
        Entry::Assistant(entry) => {
            let calls = entry.message.content.iter();
            let calls = calls.filter_map(|block| block.as_tool_use());
            return calls.map(|call| call.id.as_str().into()).collect();
        }
        Entry::User(entry) => entry.message.content.as_ref(),
        _ => None,
    };
    let results = content.into_iter().flat_map(Content::tool_results);
    results.map(|it| it.tool_use_id.as_str().into()).collect()
}

/// Returns whether a record belongs to the main agent, or to this sub-agent.
pub(super) fn is_of(node: &entry::Node<'_>, agent: Option<&str>) -> bool {
    match agent {
        Some(agent) => node.agent == Some(agent),
        None => !node.is_sidechain,
    }
}

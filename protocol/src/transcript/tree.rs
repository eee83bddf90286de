//! The tree that a transcript is, and the branch of it that is live.
//!
//! A transcript may be damaged: a crash cut it off, left a hole in it, or wrote a
//! record twice. The branch is what the agent gives the model when it resumes the
//! session, as measured.

mod chain;

use super::author::Author;
use super::entry::Entry;
use super::record::Record;
use crate::Json;
use chain::Links;
use std::collections::HashMap;

/// The records of a transcript as a tree, by their `parentUuid`. Has their IDs and
/// times, and no contents.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// The sub-agent whose tree it is; nothing, for the main agent's.
    agent: Option<Box<str>>,
    nodes: Vec<Node>,
    by_uuid: HashMap<Box<str>, usize>,
    /// How many records of the tree were noted.
    written: usize,
    mark: Option<Mark>,
}

/// The record that the last `last-prompt` names.
#[derive(Debug, Clone)]
struct Mark {
    uuid: Option<Box<str>>,
    /// Whether the conversation was taken back to that record, and how many records
    /// were noted before.
    taken_back: Option<usize>,
}

#[derive(Debug, Clone)]
struct Node {
    uuid: Box<str>,
    parent: Option<Box<str>>,
    time: Box<str>,
    kind: Kind,
    /// Calls that it makes or has the results of.
    calls: Vec<Box<str>>,
    /// The number of the last record with this ID, and how many have it.
    written: usize,
    copies: usize,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// A block of the model's message with this ID.
    Said(Option<Box<str>>),
    /// The result of a tool.
    Answer,
    /// A compaction: the last record before it, the summary, and the messages that
    /// the model has behind the summary as they were.
    Boundary(Box<Boundary>),
    /// The summary that a compaction left.
    Summary,
    /// No message.
    Between,
    Other,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Boundary {
    before: Option<Box<str>>,
    anchor: Option<Box<str>>,
    preserved: Vec<Box<str>>,
}

impl Node {
    fn is_message(&self) -> bool {
        !matches!(self.kind, Kind::Boundary(_) | Kind::Between)
    }
}

/// What of a conversation that was compacted is wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum History {
    /// All of it, without the summaries that stand for parts of it.
    #[default]
    All,
    /// What the model still has: the last summary, and what came after it.
    SinceCompaction,
}

/// Where a record is in its transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// On the live branch.
    Live,
    /// On a branch that the conversation did not go on with.
    Dead,
    /// Not on the live branch, and a record before it is missing: it cannot be known
    /// to which branch it belongs.
    Unlinked,
    /// On the live branch, but it is left out for a summary, or it is a
    /// summary of what is there.
    Summarised,
    /// In a conversation of its own: a sub-agent's.
    Subagent,
    /// Beside the tree.
    Beside,
}

/// The branch of a tree that is live.
#[derive(Debug, Clone, Default)]
pub struct Branch {
    agent: Option<Box<str>>,
    places: HashMap<Box<str>, Place>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    standing: Standing,
    /// Its index among the live messages.
    index: Option<usize>,
    copies: usize,
    /// Whether the record before it is missing.
    is_orphan: bool,
}

impl Tree {
    /// The tree of a sub-agent, by its id: `agentId`.
    pub fn of_agent(agent: impl Into<String>) -> Self {
        Self {
            agent: Some(agent.into().into()),
            ..Self::default()
        }
    }

    /// Takes the next record. Of several with the same ID the last one counts.
    pub fn note(&mut self, record: &Record) {
        if let Entry::LastPrompt(entry) = record.entry() {
            let is_back = entry.explicit == Some(true) || entry.rewound == Some(true);
            self.mark = Some(Mark {
                uuid: entry.leaf_uuid.as_deref().map(Box::from),
                taken_back: is_back.then_some(self.written),
            });
            return;
        }
        let Some(node) = record.entry().node() else {
            return;
        };
        if !is_of(&node, self.agent.as_deref()) {
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

    /// Returns the branch that the conversation went on with last.
    ///
    /// The conversation ends with the last record that leads to a message. If that
    /// record does not descend from the one that the last `last-prompt` names, it ends
    /// with the latter. From there the branch goes by `parentUuid`; where that record
    /// is missing, it goes on with the latest one that is not newer.
    #[must_use]
    pub fn branch(&self, history: History) -> Branch {
        let model = Links::of_model(self);
        let whole = Links::of_whole(self);
        let leaf = model.leaf();
        let all = leaf.map_or_else(Vec::new, |leaf| whole.chain(leaf));
        let (live, summarised): (Vec<_>, Vec<_>) = match history {
            History::All => {
                let mut is_compacted = false;
                all.into_iter().partition(|&index| {
                    let kind = &self.nodes[index].kind;
                    if matches!(kind, Kind::Boundary(_)) {
                        is_compacted = whole.follows(index);
                    }
                    *kind != Kind::Summary || !is_compacted
                })
            }
            History::SinceCompaction => {
                let live = leaf.map_or_else(Vec::new, |leaf| model.chain(leaf));
                (live, all)
            }
        };
        let unlinked = whole.unlinked();
        let places = self.nodes.iter().enumerate().map(|(index, node)| {
            let standing = match unlinked[index] {
                true => Standing::Unlinked,
                false => Standing::Dead,
            };
            let place = Place {
                standing,
                index: None,
                copies: node.copies,
                is_orphan: whole.is_orphan(index),
            };
            (node.uuid.clone(), place)
        });
        let mut places: HashMap<_, _> = places.collect();
        for index in summarised {
            if let Some(place) = places.get_mut(&self.nodes[index].uuid) {
                place.standing = Standing::Summarised;
            }
        }
        let mut messages = 0;
        for index in live {
            let node = &self.nodes[index];
            if let Some(place) = places.get_mut(&node.uuid) {
                place.standing = Standing::Live;
                place.index = node.is_message().then_some(messages);
                messages += usize::from(node.is_message());
            }
        }
        Branch {
            agent: self.agent.clone(),
            places,
        }
    }
}

fn kind(entry: &Entry) -> Kind {
    match entry {
        Entry::Assistant(entry) => Kind::Said(entry.message.id.as_deref().map(Box::from)),
        Entry::User(entry) => match entry.author() {
            Author::Tool => Kind::Answer,
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
    let results = content.into_iter().flat_map(|it| it.tool_results());
    results.map(|it| it.tool_use_id.as_str().into()).collect()
}

/// Whether a record is of the main agent, or of this sub-agent.
fn is_of(node: &super::entry::Node<'_>, agent: Option<&str>) -> bool {
    match agent {
        Some(agent) => node.agent == Some(agent),
        None => !node.is_sidechain,
    }
}

impl Branch {
    fn place(&self, record: &Record) -> Option<&Place> {
        self.places.get(record.uuid()?)
    }

    /// Returns the live messages in the order in which the model has them, which may
    /// not be that of the file. Of several records with the same ID, the last one is
    /// returned.
    pub fn messages<'r>(&self, records: impl IntoIterator<Item = &'r Record>) -> Vec<&'r Record> {
        let mut messages: Vec<(usize, &Record)> = records
            .into_iter()
            .filter(|record| self.standing(record) == Standing::Live)
            .filter_map(|record| Some((self.index(record)?, record)))
            .collect();
        messages.reverse();
        messages.sort_by_key(|(index, _)| *index);
        messages.dedup_by_key(|(index, _)| *index);
        messages.into_iter().map(|(_, record)| record).collect()
    }

    /// Returns the index of a record among the live messages, in the order in which
    /// the model has them; none if it is not one.
    #[must_use]
    pub fn index(&self, record: &Record) -> Option<usize> {
        self.place(record)?.index
    }

    /// Returns how many records of the transcript have the ID of this one.
    #[must_use]
    pub fn copies(&self, record: &Record) -> usize {
        self.place(record).map_or(1, |place| place.copies)
    }

    /// Whether the record before this one is missing, although it names one.
    #[must_use]
    pub fn is_orphan(&self, record: &Record) -> bool {
        self.place(record).is_some_and(|place| place.is_orphan)
    }

    /// Where a record is.
    #[must_use]
    pub fn standing(&self, record: &Record) -> Standing {
        let Some(node) = record.entry().node() else {
            return Standing::Beside;
        };
        if !is_of(&node, self.agent.as_deref()) {
            return Standing::Subagent;
        }
        let place = self.places.get(node.uuid);
        place.map_or(Standing::Dead, |place| place.standing)
    }
}

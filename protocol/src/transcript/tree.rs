//! The tree of a transcript's records, and its live branch.
//!
//! A crash may truncate a transcript, lose records in the middle, or write a
//! record twice. The live branch contains the messages that the agent sends to
//! the model when it resumes the session, as measured.

mod chain;
mod nodes;

use super::record::Record;
use chain::Links;
use nodes::{Kind, Nodes, is_of};
use std::collections::HashMap;

/// The records of a transcript as a tree, by their `parentUuid`. The tree
/// contains IDs and times, not contents.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// The ID of the sub-agent. `None` for the main agent.
    agent: Option<Box<str>>,
    records: Nodes,
}

/// The part of a compacted conversation to return.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum History {
    /// All messages, without the summaries of compactions.
    #[default]
    All,
    /// The model's context: the last summary, and the messages after it.
    SinceCompaction,
}

/// The position of a record relative to the live branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Standing {
    /// The record is on the live branch.
    Live,
    /// The record is on an abandoned branch.
    Dead,
    /// The record is not on the live branch. Its branch is unknown, because an
    /// ancestor is missing.
    Unlinked,
    /// The record is on the live branch, but a summary replaces it, or it is a
    /// summary of messages that are returned.
    Summarised,
    /// The record belongs to the conversation of a sub-agent.
    Subagent,
    /// The record is outside the tree.
    Beside,
}

/// The live branch of a tree.
#[derive(Debug, Clone, Default)]
pub struct Branch {
    agent: Option<Box<str>>,
    places: HashMap<Box<str>, Place>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    standing: Standing,
    /// The index of the record among the live messages.
    index: Option<usize>,
    copies: usize,
    /// Whether the parent of the record is missing.
    is_orphan: bool,
}

impl Tree {
    /// Creates the tree of a sub-agent with this `agentId`.
    pub fn of_agent(agent: impl Into<String>) -> Self {
        Self {
            agent: Some(agent.into().into()),
            ..Self::default()
        }
    }

    /// Adds the next record. Of several records with the same ID, the last one
    /// counts.
    pub fn note(&mut self, record: &Record) {
        self.records.note(record, self.agent.as_deref());
    }

    /// Returns the live branch.
    ///
    /// The branch ends with the last record that leads to a message. If that
    /// record does not descend from the record that the last `last-prompt`
    /// names, the branch ends with the named record. From its end, the branch
    /// follows `parentUuid` to the start. If a parent is missing, the branch
    /// continues with the latest record that is not newer.
    #[must_use]
    pub fn branch(&self, history: History) -> Branch {
        let model = Links::of_model(&self.records);
        let whole = Links::of_whole(&self.records);
        let leaf = model.leaf();
        let all = leaf.map_or_else(Vec::new, |leaf| whole.chain(leaf));
        let (live, summarised): (Vec<_>, Vec<_>) = match history {
            History::All => {
                let mut is_compacted = false;
                all.into_iter().partition(|&index| {
                    let kind = &self.records.nodes[index].kind;
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
        let places = self.records.nodes.iter().enumerate().map(|(index, node)| {
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
            if let Some(place) = places.get_mut(&self.records.nodes[index].uuid) {
                place.standing = Standing::Summarised;
            }
        }
        let mut messages = 0;
        for index in live {
            let node = &self.records.nodes[index];
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

impl Branch {
    fn place(&self, record: &Record) -> Option<&Place> {
        self.places.get(record.uuid()?)
    }

    /// Returns the live messages in the order of the model's context, which may
    /// differ from the order of the file. Of several records with the same ID,
    /// returns the last one.
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

    /// Returns the index of a record among the live messages, in the order of
    /// the model's context. Returns `None` if the record is not a live message.
    #[must_use]
    pub fn index(&self, record: &Record) -> Option<usize> {
        self.place(record)?.index
    }

    /// Returns the number of records that have the same ID as this one.
    #[must_use]
    pub fn copies(&self, record: &Record) -> usize {
        self.place(record).map_or(1, |place| place.copies)
    }

    /// Returns whether this record names a parent that is missing.
    #[must_use]
    pub fn is_orphan(&self, record: &Record) -> bool {
        self.place(record).is_some_and(|place| place.is_orphan)
    }

    /// Returns the position of a record relative to the live branch.
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

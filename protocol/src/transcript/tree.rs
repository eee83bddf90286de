//! The tree that a transcript is, and the branch of it that is live.
//!
//! A transcript may be damaged: a crash cut it off, left a hole in it, or wrote a
//! record twice. The branch is what the agent gives the model when it resumes the
//! session, as measured.

mod chain;
mod nodes;

use super::record::Record;
use chain::Links;
use nodes::{Kind, Nodes, is_of};
use std::collections::HashMap;

/// The records of a transcript as a tree, by their `parentUuid`. Has their IDs and
/// times, and no contents.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// The sub-agent whose tree it is; nothing, for the main agent's.
    agent: Option<Box<str>>,
    records: Nodes,
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
        self.records.note(record, self.agent.as_deref());
    }

    /// Returns the branch that the conversation went on with last.
    ///
    /// The conversation ends with the last record that leads to a message. If that
    /// record does not descend from the one that the last `last-prompt` names, it ends
    /// with the latter. From there the branch goes by `parentUuid`; where that record
    /// is missing, it goes on with the latest one that is not newer.
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

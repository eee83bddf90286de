//! The tree that a transcript is, and the branch of it that is live.

use super::author::Author;
use super::entry::Entry;
use super::record::Record;
use crate::Json;
use std::collections::{HashMap, HashSet};

/// The records of a transcript as a tree, by their `parentUuid`. It keeps ids,
/// and nothing of what was said.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    /// The sub-agent whose tree it is; nothing, for the main agent's.
    agent: Option<Box<str>>,
    nodes: Vec<Node>,
    by_uuid: HashMap<Box<str>, usize>,
    leaf: Option<usize>,
}

#[derive(Debug, Clone)]
struct Node {
    uuid: Box<str>,
    parent: Option<Box<str>>,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
enum Kind {
    /// A block of the model's message with this id.
    Said(Option<Box<str>>),
    /// What a tool answered.
    Answer,
    /// A compaction: the last record before it, and the messages that the
    /// model has behind the summary as they were.
    Boundary(Option<Box<str>>, Vec<Box<str>>),
    /// The summary that a compaction left.
    Summary,
    /// What stands between a call and its answer, and says nothing of either.
    Between,
    Other,
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
    live: HashSet<Box<str>>,
    summarised: HashSet<Box<str>>,
    /// Of what was before the last compaction, what the model has as it was.
    kept: HashSet<Box<str>>,
    /// The summary that the last compaction left.
    summary: Option<Box<str>>,
}

impl Tree {
    /// The tree of a sub-agent, by its id: `agentId`.
    pub fn of_agent(agent: impl Into<String>) -> Self {
        Self {
            agent: Some(agent.into().into()),
            ..Self::default()
        }
    }

    /// Takes the next record.
    pub fn note(&mut self, record: &Record) {
        if let Entry::LastPrompt(entry) = record.entry() {
            // Only where somebody took the conversation back it says more
            // than that the last record is the last.
            if entry.explicit == Some(true) || entry.rewound == Some(true) {
                let leaf = entry.leaf_uuid.as_deref();
                self.leaf = leaf.and_then(|leaf| self.by_uuid.get(leaf).copied());
            }
            return;
        }
        let Some(node) = record.entry().node() else {
            return;
        };
        if !is_of(&node, self.agent.as_deref()) {
            return;
        }
        let kind = match record.entry() {
            Entry::Assistant(entry) => Kind::Said(entry.message.id.as_deref().map(Box::from)),
            Entry::User(entry) => match entry.author() {
                Author::Tool => Kind::Answer,
                Author::Summary => Kind::Summary,
                _ => Kind::Other,
            },
            Entry::System(entry) if entry.subtype.as_deref() == Some("compact_boundary") => {
                let metadata = entry.compact_metadata.as_ref();
                Kind::Boundary(
                    entry.logical_parent_uuid.as_deref().map(Box::from),
                    metadata.map(kept).unwrap_or_default(),
                )
            }
            Entry::Attachment(_) | Entry::System(_) => Kind::Between,
            _ => Kind::Other,
        };
        let index = self.nodes.len();
        self.leaf = Some(index);
        self.by_uuid.insert(node.uuid.into(), index);
        self.nodes.push(Node {
            uuid: node.uuid.into(),
            parent: node.parent.map(Box::from),
            kind,
        });
    }

    /// The branch that the conversation went on with last.
    #[must_use]
    pub fn branch(&self, history: History) -> Branch {
        let mut walk = Walk::default();
        let mut next = self.leaf;
        while let Some(index) = next {
            next = walk.step(self, index, history);
        }
        for index in 0..self.nodes.len() {
            self.add_answered(index, &mut walk);
        }
        let uuids = |indices: HashSet<usize>| {
            let uuids = indices.into_iter();
            uuids.map(|index| self.nodes[index].uuid.clone()).collect()
        };
        Branch {
            agent: self.agent.clone(),
            live: uuids(walk.live),
            summarised: uuids(walk.summarised),
            kept: walk
                .kept
                .into_iter()
                .filter(|kept| {
                    let is_before = |it: &usize| walk.summary.is_some_and(|summary| *it < summary);
                    self.by_uuid.get(*kept).is_some_and(is_before)
                })
                .map(Box::from)
                .collect(),
            summary: walk.summary.map(|summary| self.nodes[summary].uuid.clone()),
        }
    }

    fn parent(&self, node: &Node) -> Option<usize> {
        self.by_uuid.get(node.parent.as_deref()?).copied()
    }

    /// Of several calls in a message each has its answer for a child, and the
    /// conversation goes on from the answer that came last: the other calls
    /// and answers are beside that branch, but of the same message.
    fn add_answered(&self, index: usize, walk: &mut Walk<'_>) {
        let node = &self.nodes[index];
        let answered = |node: &Node| match &node.kind {
            Kind::Said(Some(id)) => walk.answered.get(&**id).copied(),
            _ => None,
        };
        let mut of_it = vec![index];
        let is_live = match &node.kind {
            Kind::Said(_) => answered(node),
            Kind::Answer => {
                let mut parent = self.parent(node);
                // Something may stand between a call and its answer.
                while let Some(between) = parent
                    .filter(|&it| self.nodes[it].kind == Kind::Between && !of_it.contains(&it))
                {
                    of_it.push(between);
                    parent = self.parent(&self.nodes[between]);
                }
                parent.and_then(|call| answered(&self.nodes[call]))
            }
            _ => None,
        };
        match is_live {
            Some(true) => walk.live.extend(of_it),
            Some(false) => walk.summarised.extend(of_it),
            None => {}
        }
    }
}

/// The way from the leaf to the root.
#[derive(Default)]
struct Walk<'t> {
    live: HashSet<usize>,
    summarised: HashSet<usize>,
    /// Messages of the model that the branch goes on from by a tool's answer,
    /// and whether they are live.
    answered: HashMap<&'t str, bool>,
    /// Summaries since the last compaction.
    summaries: Vec<usize>,
    /// Whether what comes is left out for a summary.
    is_summarised: bool,
    /// But for these.
    kept: HashSet<&'t str>,
    /// The summary that the last compaction left.
    summary: Option<usize>,
    /// What was last, but for what stands between a call and its answer.
    below: Option<&'t Kind>,
}

impl<'t> Walk<'t> {
    /// Takes a record, and gives the one before it.
    fn step(&mut self, tree: &'t Tree, index: usize, history: History) -> Option<usize> {
        let node = &tree.nodes[index];
        let is_live = !self.is_summarised || self.kept.contains(&*node.uuid);
        let is_new = !self.live.contains(&index) && !self.summarised.contains(&index);
        // Records that are each other's parents have no end.
        if !is_new {
            return None;
        }
        match is_live {
            true => self.live.insert(index),
            false => self.summarised.insert(index),
        };
        let mut parent = tree.parent(node);
        match &node.kind {
            Kind::Said(Some(id)) if self.below == Some(&Kind::Answer) => {
                self.answered.insert(id, is_live);
            }
            Kind::Summary => self.summaries.push(index),
            Kind::Boundary(logical, kept) => {
                let before = logical.as_deref().and_then(|it| tree.by_uuid.get(it));
                let summaries = std::mem::take(&mut self.summaries);
                match (before, history) {
                    // What it is the summary of is not there.
                    (None, _) => {}
                    (Some(_), History::All) => {
                        for summary in summaries {
                            self.live.remove(&summary);
                            self.summarised.insert(summary);
                        }
                    }
                    (Some(_), History::SinceCompaction) => {
                        if !self.is_summarised {
                            // The one nearest to the compaction.
                            self.summary = summaries.last().copied();
                            self.kept.extend(kept.iter().map(|it| &**it));
                        }
                        self.is_summarised = true;
                    }
                }
                parent = before.copied().or(parent);
            }
            _ => {}
        }
        if node.kind != Kind::Between {
            self.below = Some(&node.kind);
        }
        parent
    }
}

/// The messages that a compaction kept as they were.
fn kept(metadata: &Json) -> Vec<Box<str>> {
    let kept = metadata.member("preservedMessages");
    let uuids = kept.and_then(|kept| kept.member("uuids"));
    uuids
        .and_then(|uuids| uuids.read().ok())
        .unwrap_or_default()
}

/// Whether a record is of the main agent, or of this sub-agent.
fn is_of(node: &super::entry::Node<'_>, agent: Option<&str>) -> bool {
    match agent {
        Some(agent) => node.agent == Some(agent),
        None => !node.is_sidechain,
    }
}

impl Branch {
    /// Whether the last compaction preserved a record: the file has it before the
    /// summary, and the model has it after that.
    #[must_use]
    pub fn is_preserved(&self, record: &Record) -> bool {
        record.uuid().is_some_and(|uuid| self.kept.contains(uuid))
    }

    /// Whether a record is the summary that the last compaction left, of a branch
    /// [since then](History::SinceCompaction).
    #[must_use]
    pub fn is_summary(&self, record: &Record) -> bool {
        let summary = self.summary.as_deref();
        summary.is_some() && record.uuid() == summary
    }

    /// Where a record is.
    #[must_use]
    pub fn standing(&self, record: &Record) -> Standing {
        let Some(node) = record.entry().node() else {
            return Standing::Beside;
        };
        if !is_of(&node, self.agent.as_deref()) {
            Standing::Subagent
        } else if self.live.contains(node.uuid) {
            Standing::Live
        } else if self.summarised.contains(node.uuid) {
            Standing::Summarised
        } else {
            Standing::Dead
        }
    }
}

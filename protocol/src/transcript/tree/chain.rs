//! Follows the chain from a record to the first one.

use super::nodes::{Kind, Node, Nodes};
use std::collections::{HashMap, HashSet};

/// The link from a record to its parent.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Link {
    Nothing,
    Known(usize),
    /// The parent is missing.
    Missing,
}

/// The records of a tree, with the links to their parents.
pub(super) struct Links<'t> {
    tree: &'t Nodes,
    before: Vec<Link>,
    /// Whether the record is included.
    is_included: Vec<bool>,
    /// Whether a compaction moved records.
    is_moved: bool,
}

impl<'t> Links<'t> {
    fn new(tree: &'t Nodes) -> Self {
        let before = tree.nodes.iter().map(|node| match &node.parent {
            None => Link::Nothing,
            Some(parent) => tree
                .by_uuid
                .get(parent)
                .map_or(Link::Missing, |it| Link::Known(*it)),
        });
        Self {
            tree,
            before: before.collect(),
            is_included: vec![true; tree.nodes.len()],
            is_moved: false,
        }
    }

    /// Links all records. A compaction follows the conversation that it
    /// compacted.
    pub(super) fn of_whole(tree: &'t Nodes) -> Self {
        let mut links = Self::new(tree);
        for (link, node) in links.before.iter_mut().zip(&tree.nodes) {
            if let Kind::Boundary(boundary) = &node.kind {
                let before = boundary.before.as_ref();
                if let Some(before) = before.and_then(|it| tree.by_uuid.get(it)) {
                    *link = Link::Known(*before);
                } else if *link == Link::Missing {
                    *link = Link::Nothing;
                }
            }
        }
        links
    }

    /// Links the model's context. It consists of the records since the last
    /// compaction. The records that the compaction preserved follow its
    /// summary.
    pub(super) fn of_model(tree: &'t Nodes) -> Self {
        let mut links = Self::new(tree);
        let is_boundary = |node: &Node| matches!(node.kind, Kind::Boundary(_));
        let Some(start) = tree.nodes.iter().rposition(is_boundary) else {
            return links;
        };
        let Kind::Boundary(boundary) = &tree.nodes[start].kind else {
            return links;
        };
        let preserved = boundary.preserved.iter();
        let preserved = preserved.map(|uuid| tree.by_uuid.get(uuid).copied());
        // If a preserved record is missing, the agent ignores the compaction.
        let Some(preserved) = preserved.collect::<Option<Vec<usize>>>() else {
            return links;
        };
        links.is_included[..start].fill(false);
        for &index in &preserved {
            links.is_included[index] = true;
        }
        links.is_moved = true;
        let (first, last) = (preserved.first(), preserved.last());
        let anchor = boundary.anchor.as_ref();
        for (index, node) in tree.nodes.iter().enumerate() {
            let is_left_out =
                matches!(links.before[index], Link::Known(it) if !links.is_included[it]);
            if is_left_out {
                links.before[index] = match last {
                    Some(&last) if node.is_message() => Link::Known(last),
                    _ => Link::Missing,
                };
            }
            if let Some(&last) = last
                && node.parent.is_some()
                && node.parent.as_ref() == anchor
                && Some(&index) != first
            {
                links.before[index] = Link::Known(last);
            }
        }
        let mut before = anchor.and_then(|it| tree.by_uuid.get(it).copied());
        for &index in &preserved {
            if let Some(before) = before {
                links.before[index] = Link::Known(before);
            }
            before = Some(index);
        }
        links
    }

    pub(super) fn is_orphan(&self, index: usize) -> bool {
        self.before[index] == Link::Missing
    }

    /// Returns whether a record has a parent.
    pub(super) fn follows(&self, index: usize) -> bool {
        matches!(self.before[index], Link::Known(_))
    }

    /// Returns the records from `from` to the first record, or up to a missing
    /// one.
    fn ancestors(&self, from: usize) -> impl Iterator<Item = usize> {
        let mut seen = HashSet::new();
        let mut next = Some(from);
        std::iter::from_fn(move || {
            let index = next.filter(|it| self.is_included[*it] && seen.insert(*it))?;
            next = match self.before[index] {
                Link::Known(before) => Some(before),
                _ => None,
            };
            Some(index)
        })
    }

    /// Returns the record itself, if it is a message. Otherwise returns its
    /// nearest ancestor that is a message.
    fn message(&self, from: usize) -> Option<usize> {
        self.ancestors(from)
            .find(|it| self.tree.nodes[*it].is_message())
    }

    /// Returns the last message of the conversation.
    pub(super) fn leaf(&self) -> Option<usize> {
        let mark = self.tree.mark.as_ref();
        let marked = mark.and_then(|mark| mark.uuid.as_ref());
        let marked = marked.and_then(|it| self.tree.by_uuid.get(it).copied());
        let marked = marked.filter(|it| self.is_included[*it]);
        let rewound_at = mark.and_then(|mark| mark.rewound_at);
        let since = match (mark, marked) {
            (Some(mark), None) if mark.uuid.is_some() => None,
            _ => rewound_at,
        };
        let mut latest: Vec<usize> = (0..self.tree.nodes.len())
            .filter(|it| self.is_included[*it])
            .filter(|it| since.is_none_or(|since| self.tree.nodes[*it].written >= since))
            .collect();
        if !self.is_moved {
            latest.sort_by_key(|it| self.tree.nodes[*it].written);
        }
        let mut without_message = HashSet::new();
        let last = latest.into_iter().rev().find(|it| {
            let mut ancestors = self
                .ancestors(*it)
                .take_while(|it| without_message.insert(*it));
            ancestors.any(|it| self.tree.nodes[it].is_message())
        });
        let marked_message = marked.and_then(|it| self.message(it));
        match (marked, marked_message, last) {
            (Some(marked), Some(_), Some(last)) if self.ancestors(last).any(|it| it == marked) => {
                self.message(last)
            }
            (_, Some(message), _) => Some(message),
            (_, None, last) => last.and_then(|it| self.message(it)),
        }
    }

    /// Returns the records that lead to this one, in the order of the
    /// conversation. The other blocks of the model's messages on the chain, and
    /// their results, are included.
    pub(super) fn chain(&self, leaf: usize) -> Vec<usize> {
        let mut earlier = Earlier::new(self);
        let mut chain = Vec::new();
        let mut next = Some(leaf);
        while let Some(index) = next.filter(|it| self.is_included[*it] && earlier.take(*it)) {
            chain.push(index);
            next = match self.before[index] {
                Link::Nothing => None,
                Link::Known(before) => Some(before),
                Link::Missing => earlier.latest_at(&self.tree.nodes[index].time),
            };
        }
        chain.reverse();
        self.with_parallel(chain)
    }

    /// Adds parallel blocks and results. Each of several calls in a message has
    /// its result as a child, and the conversation continues from only one of
    /// the results.
    ///
    /// A parallel block is inserted after the first block of its message,
    /// before the first record on the chain that was written later.
    fn with_parallel(&self, chain: Vec<usize>) -> Vec<usize> {
        let node = |index: usize| &self.tree.nodes[index];
        let message = |index: usize| match &node(index).kind {
            Kind::Block(Some(id)) => Some(&**id),
            _ => None,
        };
        let mut on_chain: HashSet<usize> = chain.iter().copied().collect();
        let mut last_of: HashMap<&str, usize> = HashMap::new();
        for &index in &chain {
            if let Some(id) = message(index) {
                last_of.insert(id, index);
            }
        }
        let there = || (0..self.tree.nodes.len()).filter(|it| self.is_included[*it]);
        let mut message_of_call: HashMap<&str, &str> = HashMap::new();
        let mut blocks: HashMap<&str, Vec<usize>> = HashMap::new();
        let mut results: HashMap<&str, Vec<usize>> = HashMap::new();
        for index in there() {
            let Some(id) = message(index) else { continue };
            for call in &node(index).calls {
                message_of_call.entry(call).or_insert(id);
            }
            if last_of.contains_key(id) && on_chain.insert(index) {
                blocks.entry(id).or_default().push(index);
            }
        }
        let mut answered: HashSet<&str> = HashSet::new();
        let answers = |index: usize| node(index).calls.iter().map(|it| &**it);
        for index in there().filter(|it| on_chain.contains(it)) {
            if node(index).kind == Kind::Result {
                answered.extend(answers(index));
            }
        }
        let mut far = Vec::new();
        let mut behind: HashMap<usize, Option<usize>> = HashMap::new();
        for index in there() {
            if node(index).kind != Kind::Result || on_chain.contains(&index) {
                continue;
            }
            let (near, between) = self.call_before(index, &mut behind);
            match near.and_then(message).filter(|id| last_of.contains_key(id)) {
                Some(id) => {
                    answered.extend(answers(index));
                    let results = results.entry(id).or_default();
                    results.extend(between.into_iter().chain([index]));
                }
                None => far.push(index),
            }
        }
        for index in far {
            let is_new = |call: &&str| !answered.contains(call);
            let id = answers(index).find(is_new);
            let id = id.and_then(|call| message_of_call.get(call));
            if let Some(id) = id.filter(|id| last_of.contains_key(*id)) {
                answered.extend(answers(index));
                results.entry(id).or_default().push(index);
            }
        }
        let mut whole = Vec::new();
        let mut begun: Option<&str> = None;
        for index in chain {
            if let Some(blocks) = begun.and_then(|id| blocks.get_mut(id)) {
                whole.extend(blocks.drain(..blocks.partition_point(|it| *it < index)));
            }
            whole.push(index);
            let Some(id) = message(index) else { continue };
            begun = Some(id);
            if last_of.get(id) == Some(&index) {
                begun = None;
                whole.extend(blocks.remove(id).unwrap_or_default());
                whole.extend(results.remove(id).unwrap_or_default());
            }
        }
        whole
    }

    /// Returns the call before a result, and the records between them. `behind`
    /// contains the parents of records that were between other records.
    fn call_before(
        &self,
        result: usize,
        behind: &mut HashMap<usize, Option<usize>>,
    ) -> (Option<usize>, Vec<usize>) {
        let mut between = Vec::new();
        let mut call = None;
        for index in self.ancestors(result).skip(1) {
            if let Some(known) = behind.get(&index) {
                call = *known;
                break;
            }
            if self.tree.nodes[index].kind != Kind::Between {
                call = Some(index);
                break;
            }
            between.push(index);
        }
        behind.extend(between.iter().map(|it| (*it, call)));
        between.reverse();
        (call, between)
    }

    /// Returns for each record whether an ancestor is missing.
    pub(super) fn unlinked(&self) -> Vec<bool> {
        let mut known: Vec<Option<bool>> = vec![None; self.before.len()];
        for start in 0..self.before.len() {
            let mut ancestors = Vec::new();
            let mut next = start;
            let is_unlinked = loop {
                if let Some(known) = known[next] {
                    break known;
                }
                // A record that occurs twice may be its own ancestor.
                known[next] = Some(false);
                ancestors.push(next);
                match self.before[next] {
                    Link::Nothing => break false,
                    Link::Missing => break true,
                    Link::Known(before) => next = before,
                }
            };
            for index in ancestors {
                known[index] = Some(is_unlinked);
            }
        }
        known.into_iter().map(|it| it == Some(true)).collect()
    }
}

/// The records that can replace a missing one, by time. Records that lead to
/// the chain are excluded.
struct Earlier<'t> {
    tree: &'t Nodes,
    /// The records from the oldest to the latest. Records with the same time
    /// are in reverse order of the file.
    by_time: Vec<usize>,
    /// The position of each record in `by_time`, counted from 1.
    place: Vec<usize>,
    /// For each position, the next remaining position at or before it, or a
    /// step towards that. Position 0 is before all records.
    remaining: Vec<usize>,
    /// The children of each record.
    after: Vec<Vec<usize>>,
    on_chain: HashSet<usize>,
}

impl<'t> Earlier<'t> {
    fn new(links: &Links<'t>) -> Self {
        let nodes = &links.tree.nodes;
        // The records are needed only if a parent is missing.
        let is_needed = links.before.contains(&Link::Missing);
        let there = (0..nodes.len()).filter(|it| is_needed && links.is_included[*it]);
        let mut by_time: Vec<usize> = there.collect();
        by_time.sort_by(|a, b| nodes[*a].time.cmp(&nodes[*b].time).then(b.cmp(a)));
        let mut place = vec![0; nodes.len()];
        let mut after = vec![Vec::new(); nodes.len()];
        for (at, &index) in by_time.iter().enumerate() {
            place[index] = at + 1;
            if let Link::Known(before) = links.before[index] {
                after[before].push(index);
            }
        }
        Self {
            tree: links.tree,
            remaining: (0..=by_time.len()).collect(),
            by_time,
            place,
            after,
            on_chain: HashSet::new(),
        }
    }

    /// Adds a record to the chain. Returns whether it was not on the chain yet.
    fn take(&mut self, index: usize) -> bool {
        let mut leading_here = vec![index];
        while let Some(next) = leading_here.pop() {
            let place = self.place[next];
            self.remaining[place] = place.saturating_sub(1);
            leading_here.append(&mut self.after[next]);
        }
        self.on_chain.insert(index)
    }

    /// Returns the latest remaining record that is not newer than `time`.
    fn latest_at(&mut self, time: &str) -> Option<usize> {
        let not_newer = |it: &usize| *self.tree.nodes[*it].time <= *time;
        let mut place = self.by_time.partition_point(not_newer);
        while self.remaining[place] != place {
            self.remaining[place] = self.remaining[self.remaining[place]];
            place = self.remaining[place];
        }
        place.checked_sub(1).map(|at| self.by_time[at])
    }
}

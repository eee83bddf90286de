//! Branches of which a copy would go on, although it was to end elsewhere.

use super::super::chain::Chain;
use super::super::graph::{Graph, is_name};
use super::super::row::Row;
use super::boundary::Boundary;
use crate::Members;
use std::collections::{HashMap, HashSet};

/// Removes what would make the copy end with another message than its last one:
/// branches that the conversation left, and compactions that preserved messages
/// which the copy does not have. `id` is an id that no record has.
pub(super) fn prune(rows: &mut Vec<Row>, id: &str) {
    let left_out = match Branches::of(rows, id) {
        Some(branches) => branches.left_out(),
        None => return,
    };
    rows.retain(|row| !left_out.contains(&row.uuid));
}

struct Branches<'r> {
    rows: &'r [Row],
    by_uuid: HashMap<&'r str, &'r Row>,
    first: HashMap<&'r str, usize>,
    /// The conversation that ends with the last record.
    chain: HashSet<&'r str>,
    /// Its records, and those before them.
    live: HashSet<&'r str>,
    /// Where the conversation starts in the file.
    start: usize,
    left_out: HashSet<&'r str>,
}

impl<'r> Branches<'r> {
    fn of(rows: &'r [Row], id: &str) -> Option<Self> {
        let last = rows.last()?;
        let mut members = Members::default();
        members.push("type", "system".into());
        members.push("uuid", id.into());
        let mut end = Row::of(members)?;
        end.parent = Some(last.uuid.clone());
        let chain: Vec<Box<str>> = {
            let mut graph = Graph::new(rows.iter().chain([&end]));
            let chain = Chain::of(&mut graph);
            let uuid = |row: &usize| graph.rows[*row].uuid.clone();
            chain.rows.iter().map(uuid).collect()
        };
        let mut first: HashMap<&str, usize> = HashMap::new();
        for (at, row) in rows.iter().enumerate() {
            first.entry(&row.uuid).or_insert(at);
        }
        let by_uuid: HashMap<&str, &Row> = rows.iter().map(|row| (&*row.uuid, row)).collect();
        let start = *first.get(&**chain.first()?)?;
        let chain = chain
            .iter()
            .filter_map(|uuid| by_uuid.get_key_value(&**uuid));
        let chain: HashSet<&str> = chain.map(|(uuid, _)| *uuid).collect();
        let mut live = HashSet::new();
        for uuid in [&*last.uuid].into_iter().chain(chain.iter().copied()) {
            let mut next = by_uuid.get(uuid).copied();
            while let Some(row) = next.filter(|row| live.insert(&*row.uuid)) {
                next = parent(row).and_then(|it| by_uuid.get(it)).copied();
            }
        }
        Some(Self {
            rows,
            by_uuid,
            first,
            chain,
            live,
            start,
            left_out: HashSet::new(),
        })
    }

    /// The ids of the records that the copy leaves out.
    fn left_out(mut self) -> HashSet<Box<str>> {
        for row in self.rows {
            let preserves_none = |boundary: Boundary| {
                let kept = boundary.preserved();
                !kept.iter().any(|uuid| self.live.contains(&**uuid))
            };
            if self.is_beside(row) && Boundary::of(row).is_some_and(preserves_none) {
                self.leave_out(row);
            }
        }
        while let Some(end) = self.wrong_end() {
            self.leave_out(end);
        }
        self.left_out.into_iter().map(Box::from).collect()
    }

    /// The end of the conversation without what is left out, if that is another
    /// conversation and its end can be left out.
    fn wrong_end(&self) -> Option<&'r Row> {
        let rows = self.rows.iter();
        let rows = rows.filter(|row| !self.left_out.contains(&*row.uuid));
        let mut graph = Graph::new(rows);
        let chain = Chain::of(&mut graph);
        let is_of_chain = |row: &usize| self.chain.contains(&*graph.rows[*row].uuid);
        if chain.rows.len() == self.chain.len() && chain.rows.iter().all(is_of_chain) {
            return None;
        }
        let end = graph.rows[chain.end?];
        self.is_beside(end).then_some(end)
    }

    /// Whether a record is of another branch, and was written after the beginning
    /// of the conversation.
    fn is_beside(&self, row: &Row) -> bool {
        let at = self.first.get(&*row.uuid).copied();
        !self.live.contains(&*row.uuid) && at.unwrap_or(self.start) >= self.start
    }

    /// Leaves out a record with those before it up to where its branch starts, and
    /// with those after any of them.
    fn leave_out(&mut self, row: &'r Row) {
        let mut next = self.by_uuid.get(&*row.uuid).copied();
        while let Some(row) = next.filter(|row| self.is_beside(row)) {
            if !self.left_out.insert(&row.uuid) {
                break;
            }
            next = parent(row).and_then(|it| self.by_uuid.get(it)).copied();
        }
        for row in self.rows {
            if parent(row).is_some_and(|it| self.left_out.contains(it)) {
                self.left_out.insert(&row.uuid);
            }
        }
    }
}

fn parent(row: &Row) -> Option<&str> {
    row.parent.as_deref().filter(|it| is_name(it))
}

//! Removes branches from which a truncated copy would wrongly continue.

use super::super::chain::Chain;
use super::super::graph::{Graph, is_name};
use super::super::row::Row;
use super::boundary::Boundary;
use crate::Members;
use std::collections::{HashMap, HashSet};

/// Removes records that would make the copy end with another message than its
/// last one: the records of abandoned branches, and of compactions that
/// preserved messages which the copy does not have. `id` is an unused ID.
pub(super) fn prune(rows: &mut Vec<Row>, id: &str) {
    let omitted = match Branches::of(rows, id) {
        Some(branches) => branches.omitted(),
        None => return,
    };
    rows.retain(|row| !omitted.contains(&row.uuid));
}

struct Branches<'r> {
    rows: &'r [Row],
    by_uuid: HashMap<&'r str, &'r Row>,
    first: HashMap<&'r str, usize>,
    /// The IDs of the conversation that ends with the last record.
    chain: HashSet<&'r str>,
    /// The IDs of the conversation's records, and of the records before them.
    live: HashSet<&'r str>,
    /// The position of the conversation's start in the file.
    start: usize,
    omitted: HashSet<&'r str>,
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
            omitted: HashSet::new(),
        })
    }

    /// Returns the IDs of the records that the copy omits.
    fn omitted(mut self) -> HashSet<Box<str>> {
        for row in self.rows {
            let preserves_none = |boundary: Boundary| {
                let kept = boundary.preserved();
                !kept.iter().any(|uuid| self.live.contains(&**uuid))
            };
            if self.is_on_other_branch(row) && Boundary::of(row).is_some_and(preserves_none) {
                self.omit(row);
            }
        }
        while let Some(end) = self.wrong_end() {
            self.omit(end);
        }
        self.omitted.into_iter().map(Box::from).collect()
    }

    /// Returns the end of the conversation without the omitted records, if this
    /// end is wrong and can be omitted.
    fn wrong_end(&self) -> Option<&'r Row> {
        let rows = self.rows.iter();
        let rows = rows.filter(|row| !self.omitted.contains(&*row.uuid));
        let mut graph = Graph::new(rows);
        let chain = Chain::of(&mut graph);
        let is_of_chain = |row: &usize| self.chain.contains(&*graph.rows[*row].uuid);
        if chain.rows.len() == self.chain.len() && chain.rows.iter().all(is_of_chain) {
            return None;
        }
        let end = graph.rows[chain.end?];
        self.is_on_other_branch(end).then_some(end)
    }

    /// Returns whether a record is on another branch and was written after the
    /// conversation's start.
    fn is_on_other_branch(&self, row: &Row) -> bool {
        let at = self.first.get(&*row.uuid).copied();
        !self.live.contains(&*row.uuid) && at.unwrap_or(self.start) >= self.start
    }

    /// Omits a record, its ancestors up to the start of its branch, and the
    /// descendants of all these.
    fn omit(&mut self, row: &'r Row) {
        let mut next = self.by_uuid.get(&*row.uuid).copied();
        while let Some(row) = next.filter(|row| self.is_on_other_branch(row)) {
            if !self.omitted.insert(&row.uuid) {
                break;
            }
            next = parent(row).and_then(|it| self.by_uuid.get(it)).copied();
        }
        for row in self.rows {
            if parent(row).is_some_and(|it| self.omitted.contains(it)) {
                self.omitted.insert(&row.uuid);
            }
        }
    }
}

fn parent(row: &Row) -> Option<&str> {
    row.parent.as_deref().filter(|it| is_name(it))
}

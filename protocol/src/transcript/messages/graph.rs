//! The tree of a transcript's records, compatible with the official SDK.

use super::row::{Kind, Row};
use super::value::{elements, key, object};
use crate::Json;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The last message of a conversation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf {
    pub(super) row: usize,
    /// The record without children from which the message was found.
    pub(super) end: Option<usize>,
}

/// The tree of a transcript. The preserved messages of a compaction follow its summary.
pub(super) struct Graph<'r> {
    /// The last record of each ID, in the order of the first records.
    pub(super) rows: Vec<&'r Row>,
    pub(super) by_uuid: HashMap<&'r str, usize>,
    /// The parents of the rows, as keys.
    pub(super) parents: Vec<Option<Rc<str>>>,
    /// The positions of the rows' records in the file.
    written: Vec<usize>,
}

impl<'r> Graph<'r> {
    pub(super) fn new(rows: impl IntoIterator<Item = &'r Row>) -> Self {
        let mut graph = Self {
            rows: Vec::new(),
            by_uuid: HashMap::new(),
            parents: Vec::new(),
            written: Vec::new(),
        };
        for (number, row) in rows.into_iter().enumerate() {
            let next = graph.rows.len();
            let at = *graph.by_uuid.entry(&row.uuid).or_insert(next);
            if at == next {
                graph.rows.push(row);
                graph.written.push(number);
            } else {
                (graph.rows[at], graph.written[at]) = (row, number);
            }
        }
        let parents = graph
            .rows
            .iter()
            .map(|row| row.parent.as_deref().map(Rc::from));
        graph.parents = parents.collect();
        graph
    }

    /// Returns the previous record.
    pub(super) fn parent(&self, row: usize) -> Option<usize> {
        let parent = self.parents[row].as_deref().filter(|it| is_name(it))?;
        self.by_uuid.get(parent).copied()
    }

    /// Returns whether a row names a parent.
    pub(super) fn names_parent(&self, row: usize) -> bool {
        self.parents[row].as_deref().is_some_and(is_name)
    }

    /// Returns the chain of a sub-agent. The chain ends with the last message
    /// in the file, even if another record has the same ID.
    pub(super) fn chain_of_agent(&self, rows: &'r [Row]) -> Vec<&'r Row> {
        let (mut path, mut seen) = (Vec::new(), HashSet::new());
        let mut next = rows.iter().rfind(|row| row.is_message());
        while let Some(row) = next.filter(|row| seen.insert(&row.uuid)) {
            path.push(row);
            let parent = row.parent.as_deref().filter(|it| is_name(it));
            let parent = parent.and_then(|it| self.by_uuid.get(it));
            next = parent.map(|parent| self.rows[*parent]);
        }
        path.reverse();
        path
    }

    /// Returns the rows that lead to this row.
    pub(super) fn path_to(&self, leaf: usize) -> Vec<usize> {
        let (mut path, mut seen, mut next) = (Vec::new(), HashSet::new(), Some(leaf));
        while let Some(row) = next.filter(|row| seen.insert(*row)) {
            path.push(row);
            next = self.parent(row);
        }
        path.reverse();
        path
    }

    /// Moves the preserved messages of each compaction between the compaction's
    /// summary and the messages after the summary.
    pub(super) fn relink(&mut self) {
        for at in 0..self.rows.len() {
            let row = self.rows[at];
            let is_boundary = row.kind == Kind::System
                && super::value::is(row.get("subtype"), "compact_boundary");
            let Some(metadata) = object(row.get("compactMetadata")).filter(|_| is_boundary) else {
                continue;
            };
            if let Some(kept) = object(metadata.get("preservedMessages")) {
                self.relink_messages(&elements(kept.get("uuids")), kept.get("anchorUuid"));
            } else if let Some(kept) = object(metadata.get("preservedSegment")) {
                let head = kept.get("headUuid").map(key);
                let tail = kept.get("tailUuid").map(|it| Rc::from(key(it)));
                let anchor = kept.get("anchorUuid").map(|it| Rc::from(key(it)));
                let head = head.and_then(|head| self.by_uuid.get(&*head).copied());
                if let Some(head) = head {
                    self.parents[head].clone_from(&anchor);
                }
                self.move_behind(anchor.as_ref(), tail.as_ref(), head);
            }
        }
    }

    fn relink_messages(&mut self, uuids: &[Json], anchor: Option<&Json>) {
        let uuids: Vec<Box<str>> = uuids.iter().map(key).collect();
        let kept = uuids.iter().map(|uuid| self.by_uuid.get(&**uuid).copied());
        let Some(kept) = kept.collect::<Option<Vec<usize>>>() else {
            return;
        };
        let (Some(first), Some(last)) = (kept.first(), uuids.last()) else {
            return;
        };
        let anchor = anchor.map(|it| Rc::from(key(it)));
        let mut before = anchor.clone();
        for (row, uuid) in kept.iter().zip(&uuids) {
            self.parents[*row] = before.replace(Rc::from(&**uuid));
        }
        self.move_behind(anchor.as_ref(), Some(&Rc::from(&**last)), Some(*first));
    }

    /// Sets another parent for the children of `anchor`, except for `first`.
    fn move_behind(
        &mut self,
        anchor: Option<&Rc<str>>,
        last: Option<&Rc<str>>,
        first: Option<usize>,
    ) {
        for (row, parent) in self.parents.iter_mut().enumerate() {
            if parent.as_ref() == anchor && Some(row) != first {
                *parent = last.cloned();
            }
        }
    }

    /// Returns the last message of the conversation, which is the last record
    /// without children, or its nearest ancestor that is a message.
    pub(super) fn leaf(&self) -> Option<Leaf> {
        let is_main = |row: &Row| {
            !row.is_of_other_conversation()
                && row.kind != Kind::Progress
                && row.attachment("fork_briefing").is_none()
        };
        let main: Vec<bool> = self.rows.iter().map(|row| is_main(row)).collect();
        let all = 0..self.rows.len();
        let have_main_child: HashSet<&str> = all
            .clone()
            .filter(|row| main[*row])
            .filter_map(|row| self.parents[row].as_deref())
            .filter(|parent| is_name(parent))
            .collect();
        let mut ends: Vec<usize> = all
            .clone()
            .filter(|row| main[*row] && !have_main_child.contains(&*self.rows[*row].uuid))
            .collect();
        ends.sort_by_key(|row| std::cmp::Reverse(self.written[*row]));
        let mut without_message = HashSet::new();
        for end in ends {
            let mut next = Some(end);
            let mut way = HashSet::new();
            while let Some(row) = next.filter(|row| !without_message.contains(row)) {
                if self.rows[row].is_message() {
                    return Some(Leaf {
                        row,
                        end: Some(end),
                    });
                }
                if !way.insert(row) {
                    break;
                }
                next = self.parent(row);
            }
            without_message.extend(way);
        }
        self.other_leaf().map(|row| Leaf { row, end: None })
    }

    /// Returns the last message of a conversation that has no end, because it
    /// is a sub-agent's or a cycle.
    fn other_leaf(&self) -> Option<usize> {
        let have_child: HashSet<&str> = self
            .parents
            .iter()
            .filter_map(Option::as_deref)
            .filter(|it| is_name(it))
            .collect();
        let ends = (0..self.rows.len()).filter(|row| !have_child.contains(&*self.rows[*row].uuid));
        let said = ends.filter_map(|end| {
            let (mut next, mut seen) = (Some(end), HashSet::new());
            while let Some(row) = next.filter(|row| seen.insert(*row)) {
                if self.rows[row].is_message() {
                    return Some(row);
                }
                next = self.parent(row);
            }
            None
        });
        let said: Vec<usize> = said.collect();
        let is_own = |row: &&usize| {
            !self.rows[**row].is_of_other_conversation() && !self.rows[**row].is_meta()
        };
        let last = |row: &&usize| self.written[**row];
        let own = said.iter().filter(is_own).max_by_key(last);
        own.or_else(|| said.iter().max_by_key(last)).copied()
    }
}

/// Returns whether the JSON of a parent is a valid reference.
pub(super) fn is_name(parent: &str) -> bool {
    !matches!(parent, "null" | "false" | "\"\"" | "0")
}

//! Boundary records of compactions, and the messages that they preserved.

use super::super::row::{Kind, Row};
use super::super::value::{elements, is, key, object};
use crate::{Json, Members};

/// A boundary record, which a compaction wrote.
pub(super) struct Boundary {
    metadata: Members,
    /// The ID of the boundary's record, as [`key`].
    uuid: Box<str>,
}

impl Boundary {
    /// Reads a boundary. Returns `None` if the record is not one.
    pub(super) fn of(row: &Row) -> Option<Self> {
        let is_one = row.kind == Kind::System && is(row.get("subtype"), "compact_boundary");
        is_one.then(|| Self {
            metadata: object(row.get("compactMetadata")).unwrap_or_default(),
            uuid: row.uuid.clone(),
        })
    }

    /// Returns the ID of the record that precedes the preserved messages, as [`key`].
    pub(super) fn anchor(&self) -> Option<Box<str>> {
        let is_there = |it: &&Json| !it.is_null();
        let messages = self.metadata.get("preservedMessages").filter(is_there);
        let kept = messages.or_else(|| self.metadata.get("preservedSegment"));
        object(kept)?.get("anchorUuid").map(key)
    }

    /// Returns the IDs of the preserved messages, as [`key`]. For a segment,
    /// returns only the IDs of its ends.
    pub(super) fn preserved(&self) -> Vec<Box<str>> {
        let messages = object(self.metadata.get("preservedMessages")).unwrap_or_default();
        let segment = object(self.metadata.get("preservedSegment")).unwrap_or_default();
        let mut ids: Vec<Box<str>> = elements(messages.get("uuids")).iter().map(key).collect();
        let ends = ["headUuid", "tailUuid"];
        ids.extend(ends.iter().filter_map(|end| segment.get(end).map(key)));
        ids
    }

    /// Returns whether the preserved messages follow the boundary itself.
    pub(super) fn is_own_anchor(&self) -> bool {
        self.anchor().as_ref() == Some(&self.uuid)
    }

    /// Returns whether the boundary was not written by a compaction, but when
    /// the conversation was rewound to a point before one.
    pub(super) fn is_of_rewinding(&self) -> bool {
        let took_no_time = self
            .metadata
            .get("durationMs")
            .is_some_and(|it| it.get().starts_with(['-', '0']) && it.get().parse() == Ok(0.0_f64));
        took_no_time && self.is_own_anchor()
    }
}

//! Determines the end of a copy that has only the messages up to one of them.

use super::super::chain::Chain;
use super::super::delivered::{command, name};
use super::super::graph::Graph;
use super::super::row::{Kind, Row};
use super::super::value::{key, object};
use super::boundary::Boundary;
use crate::Json;
use std::collections::{HashMap, HashSet};

/// Returns the ID of the queued prompt that a record delivers, as [`key`].
pub(super) fn prompt(row: &Row) -> Option<Box<str>> {
    name(&command(row)?, "source_uuid")
}

/// Finds a message by its ID or by the ID of its queued prompt. Searches the
/// conversation and the records after it first, then all records.
pub(super) fn find(rows: &[Row], message: &str) -> Option<usize> {
    let message = key(&Json::from(message));
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (at, row) in rows.iter().enumerate() {
        first.entry(&row.uuid).or_insert(at);
    }
    let mut graph = Graph::new(rows);
    let chain = Chain::of(&mut graph);
    let mut candidates: Vec<&Row> = chain.rows.iter().map(|row| graph.rows[*row]).collect();
    let last = candidates.iter().map(|row| first[&*row.uuid]).max();
    candidates.extend(&rows[last.map_or(0, |last| last + 1)..]);
    let of = |rows: &[&Row]| {
        let by_uuid = rows.iter().position(|row| row.uuid == message);
        let by_prompt = || {
            rows.iter()
                .position(|row| prompt(row).as_ref() == Some(&message))
        };
        by_uuid.or_else(by_prompt)
    };
    match of(&candidates) {
        Some(at) => first.get(&*candidates[at].uuid).copied(),
        None => of(&rows.iter().collect::<Vec<_>>()),
    }
}

/// Returns the number of records that the copy has. If the records end with a
/// compaction whose summary is not among them, the copy ends before the
/// compaction.
pub(super) fn before_compaction(rows: &[Row]) -> usize {
    let said = rows
        .iter()
        .rposition(Row::is_message)
        .map_or(0, |at| at + 1);
    let behind = (said..rows.len()).find_map(|at| Some((at, compaction(&rows[at])?)));
    let Some((end, boundary)) = behind else {
        return rows.len();
    };
    let before = &rows[..end];
    let mut ends: HashSet<Box<str>> = HashSet::new();
    if !boundary.is_own_anchor() {
        ends.extend(boundary.preserved());
        ends.extend(rows[end].get("logicalParentUuid").map(key));
    }
    let last = before.iter().rposition(|row| ends.contains(&row.uuid));
    // Messages preserved by the previous compaction follow its anchor.
    let anchor = last.and_then(|last| {
        let earlier = before.iter().rev().find_map(Boundary::of)?;
        let is_preserved = earlier.preserved().contains(&before[last].uuid);
        let anchor = earlier.anchor().filter(|_| is_preserved)?;
        let is_anchor = |row: &Row| row.uuid == anchor;
        (!earlier.is_of_rewinding()).then(|| before.iter().rposition(is_anchor))?
    });
    let kept = last.max(anchor).map_or(end, |last| last + 1);
    let is_filled = rows[..kept].iter().any(|row| row.kind != Kind::Progress);
    if is_filled { kept } else { rows.len() }
}

/// Removes the preserved messages from the compaction whose summary is
/// `anchor`. They follow the summary, which is the end of the copy.
pub(super) fn forget_preserved(rows: &mut [Row], anchor: &str) {
    for row in rows {
        if compaction(row).and_then(|it| it.anchor()).as_deref() != Some(anchor) {
            continue;
        }
        if let Some(mut metadata) = object(row.get("compactMetadata")) {
            for name in ["preservedMessages", "preservedSegment", "postTokens"] {
                metadata.remove(name);
            }
            let metadata = Json::from_value(&metadata).unwrap_or_default();
            row.members.set("compactMetadata", metadata);
        }
    }
}

/// Returns the boundary, if a compaction wrote it. A rewind also writes
/// boundaries.
fn compaction(row: &Row) -> Option<Boundary> {
    Boundary::of(row).filter(|it| !it.is_of_rewinding())
}

//! Queued prompts that were delivered to the model after the last message.

use super::chain::Chain;
use super::graph::Graph;
use super::row::Row;
use std::collections::{HashMap, HashSet};

/// Returns the queued prompts after the last message that belong to no other
/// branch.
pub(super) fn queued_behind(graph: &Graph<'_>, rows: &[Row], chain: &Chain) -> Vec<usize> {
    let Some(leaf) = chain.leaf else {
        return Vec::new();
    };
    let children = children(graph, rows);
    let mut seen: HashSet<usize> = chain.rows.iter().copied().collect();
    let of_others = of_other_branches(graph, rows, &seen);
    let mut found = Vec::new();
    let mut next: Vec<(usize, Option<usize>)> = vec![(leaf, None)];
    while let Some((node, row)) = next.pop() {
        if let Some(row) = row {
            if !seen.insert(node) {
                continue;
            }
            if rows[row].attachment("queued_command").is_some() && !of_others.contains(&node) {
                found.push((node, row));
            }
        }
        let mut below = children.get(&node).cloned().unwrap_or_default();
        below.sort_by_cached_key(|(_, row)| rows[*row].timestamp());
        let below = below
            .into_iter()
            .rev()
            .filter(|(node, _)| !seen.contains(node));
        next.extend(below.map(|(node, row)| (node, Some(row))));
    }
    found.into_iter().map(|(_, row)| row).collect()
}

/// Returns the records that are not messages, by their parents. A record has
/// the parent in the file, and the parent to which a compaction moved it.
fn children(graph: &Graph<'_>, rows: &[Row]) -> HashMap<usize, Vec<(usize, usize)>> {
    let mut children: HashMap<usize, Vec<(usize, usize)>> = HashMap::new();
    for (number, row) in rows.iter().enumerate().filter(|(_, row)| !row.is_message()) {
        let node = graph.by_uuid[&*row.uuid];
        let written = row
            .parent
            .as_deref()
            .and_then(|it| graph.by_uuid.get(it).copied());
        let moved = graph.parent(node);
        let parents = [written, moved.filter(|_| moved != written)];
        for parent in parents.into_iter().flatten() {
            children.entry(parent).or_default().push((node, number));
        }
    }
    children
}

/// Returns the records that lead to messages outside the chain.
fn of_other_branches(graph: &Graph<'_>, rows: &[Row], chain: &HashSet<usize>) -> HashSet<usize> {
    let parent = |node: usize| {
        let parent = graph.rows[node].parent.as_deref()?;
        graph.by_uuid.get(parent).copied()
    };
    let mut found = HashSet::new();
    for row in rows
        .iter()
        .filter(|row| row.is_message() && !row.is_of_other_conversation())
    {
        let node = graph.by_uuid[&*row.uuid];
        if chain.contains(&node) {
            continue;
        }
        let written = row
            .parent
            .as_deref()
            .and_then(|it| graph.by_uuid.get(it).copied());
        let mut next = written;
        while let Some(node) = next.filter(|it| !chain.contains(it) && found.insert(*it)) {
            next = parent(node);
        }
    }
    found
}

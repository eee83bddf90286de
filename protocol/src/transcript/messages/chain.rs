//! The records that lead to the last one of the conversation.

use super::answered::with_answered;
use super::graph::Graph;

/// A conversation: its rows in order, and the row that it ends with.
pub(super) struct Chain {
    pub(super) rows: Vec<usize>,
    pub(super) leaf: Option<usize>,
    /// The record that led to that row, which nothing comes after.
    pub(super) end: Option<usize>,
}

impl Chain {
    /// The chain of the main conversation. What a compaction preserved is moved in
    /// the graph.
    pub(super) fn of(graph: &mut Graph<'_>) -> Self {
        graph.relink();
        let leaf = graph.leaf();
        let rows = leaf.map_or_else(Vec::new, |leaf| graph.path_to(leaf.row));
        Self {
            rows: with_answered(graph, rows),
            leaf: leaf.map(|leaf| leaf.row),
            end: leaf.and_then(|leaf| leaf.end),
        }
    }
}

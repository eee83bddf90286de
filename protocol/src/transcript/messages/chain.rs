//! Determines the records that lead to the last record of the conversation.

use super::answered::with_parallel_calls;
use super::graph::Graph;

/// A conversation: its rows in order, including its last row.
pub(super) struct Chain {
    pub(super) rows: Vec<usize>,
    pub(super) leaf: Option<usize>,
    /// The record without children from which the last row was found.
    pub(super) end: Option<usize>,
}

impl Chain {
    /// Returns the chain of the main conversation. Moves preserved messages of a
    /// compaction in the graph.
    pub(super) fn of(graph: &mut Graph<'_>) -> Self {
        graph.relink();
        let leaf = graph.leaf();
        let rows = leaf.map_or_else(Vec::new, |leaf| graph.path_to(leaf.row));
        Self {
            rows: with_parallel_calls(graph, rows),
            leaf: leaf.map(|leaf| leaf.row),
            end: leaf.and_then(|leaf| leaf.end),
        }
    }
}

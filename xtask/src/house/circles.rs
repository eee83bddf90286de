//! Finds the circles of a graph: its strongly connected components.

/// The components of more than one node, by Tarjan's algorithm. Node `n` has
/// the arrows `to[n]`.
pub(super) fn circles(to: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut search = Search {
        to,
        numbers: vec![None; to.len()],
        lowest: vec![0; to.len()],
        open: Vec::new(),
        is_open: vec![false; to.len()],
        next: 0,
        found: Vec::new(),
    };
    for node in 0..to.len() {
        if search.numbers[node].is_none() {
            search.visit(node);
        }
    }
    for circle in &mut search.found {
        circle.sort_unstable();
    }
    search.found.sort_unstable();
    search.found
}

struct Search<'a> {
    to: &'a [Vec<usize>],
    /// The order in which nodes were first seen.
    numbers: Vec<Option<usize>>,
    /// The lowest number that is reached from a node and is still open.
    lowest: Vec<usize>,
    open: Vec<usize>,
    is_open: Vec<bool>,
    next: usize,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn visit(&mut self, node: usize) {
        let number = self.next;
        self.next += 1;
        self.numbers[node] = Some(number);
        self.lowest[node] = number;
        self.open.push(node);
        self.is_open[node] = true;
        for &other in &self.to[node] {
            match self.numbers[other] {
                None => {
                    self.visit(other);
                    self.lowest[node] = self.lowest[node].min(self.lowest[other]);
                }
                Some(seen) if self.is_open[other] => {
                    self.lowest[node] = self.lowest[node].min(seen);
                }
                Some(_) => {}
            }
        }
        if self.lowest[node] == number {
            let mut circle = Vec::new();
            while let Some(member) = self.open.pop() {
                self.is_open[member] = false;
                circle.push(member);
                if member == node {
                    break;
                }
            }
            if circle.len() > 1 {
                self.found.push(circle);
            }
        }
    }
}

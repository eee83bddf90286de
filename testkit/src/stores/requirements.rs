//! What contracts demand of entries.

use super::same::is_same;
use agentwire_protocol::Json;

/// What contracts demand.
#[derive(Debug, Clone, Copy)]
pub(super) struct Demands {
    pub(super) is_exact: bool,
    /// How many entries a long log has.
    pub(super) many: usize,
}

impl Demands {
    /// Holds an entry against the one that was appended.
    pub(super) fn is_same(self, number: usize, found: &Json, wanted: &Json) {
        let is_same = match self.is_exact {
            true => found.get() == wanted.get(),
            false => is_same(found, wanted),
        };
        assert!(
            is_same,
            "entry {number} is {}, and was {}",
            shortened(found),
            shortened(wanted)
        );
    }

    /// Holds entries against those that were appended.
    pub(super) fn are_same(self, found: &[Json], wanted: &[Json]) {
        let pairs = found.iter().zip(wanted).enumerate();
        for (number, (found, wanted)) in pairs {
            self.is_same(number, found, wanted);
        }
        assert_eq!(found.len(), wanted.len(), "entries are there");
    }
}

fn shortened(json: &Json) -> String {
    json.get().chars().take(200).collect()
}

//! The requirements of the contracts.

use super::json_eq::json_eq;
use agentwire_protocol::Json;

/// The requirements that the contracts check.
#[derive(Debug, Clone, Copy)]
pub(super) struct Requirements {
    pub(super) is_exact: bool,
    /// The number of entries in a long log.
    pub(super) many: usize,
}

impl Requirements {
    /// Asserts that an entry equals the appended one.
    pub(super) fn assert_entry(self, number: usize, found: &Json, wanted: &Json) {
        let is_equal = match self.is_exact {
            true => found.get() == wanted.get(),
            false => json_eq(found, wanted),
        };
        assert!(
            is_equal,
            "entry {number} is {}, expected {}",
            shortened(found),
            shortened(wanted)
        );
    }

    /// Asserts that entries equal the appended ones.
    pub(super) fn assert_entries(self, found: &[Json], wanted: &[Json]) {
        let pairs = found.iter().zip(wanted).enumerate();
        for (number, (found, wanted)) in pairs {
            self.assert_entry(number, found, wanted);
        }
        assert_eq!(found.len(), wanted.len(), "number of entries");
    }
}

fn shortened(json: &Json) -> String {
    json.get().chars().take(200).collect()
}

//! What was lost, for people.

use super::format::Format;
use agentwire_interop::conversion::{Loss, Lost, Why};
use std::collections::HashMap;
use std::fmt::Write as _;

/// How many kinds of losses are shown.
const SHOWN: usize = 20;

/// Counts what is lost.
#[derive(Debug, Default)]
pub(super) struct Summary {
    made: usize,
    losses: HashMap<(Lost, Why), usize>,
}

impl Summary {
    pub(super) fn add(&mut self, made: usize, losses: &[Loss]) {
        self.made += made;
        for loss in losses {
            // Most have been seen: they are looked up without a copy.
            let key = (loss.what.clone(), loss.why);
            *self.losses.entry(key).or_default() += 1;
        }
    }

    /// The most frequent ones first.
    pub(super) fn told(&self, read: usize, from: Format, to: Format) -> String {
        let mut told = format!("agentwire: {read} of {from} became {} of {to}\n", self.made);
        let mut losses: Vec<_> = self
            .losses
            .iter()
            .map(|((what, why), count)| (*count, what.to_string(), why.to_string()))
            .collect();
        losses.sort_by(|one, other| (other.0, &one.1).cmp(&(one.0, &other.1)));
        if !losses.is_empty() {
            told += "  lost on the way:\n";
        }
        for (count, what, why) in losses.iter().take(SHOWN) {
            _ = writeln!(told, "{count:>10} × {what} ({why})");
        }
        if losses.len() > SHOWN {
            _ = writeln!(told, "  and {} kinds more", losses.len() - SHOWN);
        }
        told
    }
}

//! The summary of a conversion.

use super::format::Format;
use agentwire_interop::conversion::{Loss, Lost, Why};
use std::collections::HashMap;
use std::fmt::Write as _;

/// The maximum number of displayed kinds of losses.
const MAX_KINDS: usize = 20;

/// Counts losses.
#[derive(Debug, Default)]
pub(super) struct Summary {
    outputs: usize,
    losses: HashMap<(Lost, Why), usize>,
}

impl Summary {
    pub(super) fn add(&mut self, outputs: usize, losses: Vec<Loss>) {
        self.outputs += outputs;
        // Losses of the same kind often follow each other.
        let mut losses = losses.into_iter().map(|loss| (loss.what, loss.why));
        let mut next = losses.next();
        while let Some(kind) = next {
            let mut count = 1;
            next = losses.find(|loss| {
                let is_same = *loss == kind;
                count += usize::from(is_same);
                !is_same
            });
            *self.losses.entry(kind).or_default() += count;
        }
    }

    /// Formats the summary, with the most frequent losses first.
    pub(super) fn text(&self, read: usize, from: Format, to: Format) -> String {
        let outputs = self.outputs;
        let mut text =
            format!("agentwire: converted {read} {from} values to {outputs} {to} values\n");
        let mut losses: Vec<_> = self
            .losses
            .iter()
            .map(|((what, why), count)| (*count, what.to_string(), why.to_string()))
            .collect();
        losses.sort_by(|one, other| (other.0, &one.1).cmp(&(one.0, &other.1)));
        if !losses.is_empty() {
            text += "  lost:\n";
        }
        for (count, what, why) in losses.iter().take(MAX_KINDS) {
            _ = writeln!(text, "{count:>10} × {what} ({why})");
        }
        if losses.len() > MAX_KINDS {
            _ = writeln!(text, "  and {} more kinds", losses.len() - MAX_KINDS);
        }
        text
    }
}

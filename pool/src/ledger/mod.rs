//! What sessions have cost.

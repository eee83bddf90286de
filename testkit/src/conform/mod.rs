//! Conformance: whether an agent CLI, or what drives one, keeps to the
//! protocol as it was measured.

pub mod cli;

//! What the tests of all systems need.
#![allow(dead_code, reason = "no test needs all of it")]
#![allow(clippy::unwrap_used, clippy::print_stderr)]

pub(crate) mod cua;
pub(crate) mod exact;
pub(crate) mod lines;
pub(crate) mod oracle;
pub(crate) mod ours;
pub(crate) mod properties;

use serde::Serialize;
use serde_json::Value;

/// A value as a tree, to be compared and printed.
pub(crate) fn tree<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap()
}

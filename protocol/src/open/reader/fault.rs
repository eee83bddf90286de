//! Faults: missing and invalid members.

use crate::open::error::Step;
use std::fmt;

/// A missing or invalid member of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The path of the member, such as `message.content[0].text`.
    pub path: String,
    /// The reason why the member is invalid.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is invalid: {}", self.path, self.reason)
    }
}

impl Fault {
    pub(crate) fn new(path: &str, reason: &str) -> Self {
        Self {
            path: path.to_owned(),
            reason: reason.to_owned(),
        }
    }
}

/// The current path, and the faults so far.
#[derive(Debug, Default)]
pub(in crate::open) struct Trace {
    pub(super) steps: Vec<Step>,
    pub(in crate::open) faults: Vec<Fault>,
}

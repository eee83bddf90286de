//! One process of the table.

use crate::process::SESSION_VARIABLE;

/// A process that is alive: one that has ended and was not reaped yet is none.
#[derive(Clone, Debug, Default)]
pub(in crate::process) struct Process {
    pub(in crate::process) pid: u32,
    pub(in crate::process) parent: Option<u32>,
    pub(in crate::process) group: Option<u32>,
    /// When it started, in a unit of the system's own: tells a process from an earlier or later
    /// one with the same pid.
    pub(in crate::process) start: u64,
    /// The sessions that are named in its environment, separated by colons.
    pub(in crate::process) sessions: Vec<u8>,
}

/// The sessions that `variable`, a `NAME=value`, names, if it is our marker.
pub(super) fn sessions(variable: &[u8]) -> Option<&[u8]> {
    variable
        .strip_prefix(SESSION_VARIABLE.as_bytes())?
        .strip_prefix(b"=")
}

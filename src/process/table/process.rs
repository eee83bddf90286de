//! One process of the table.

use crate::process::SESSION_VARIABLE;

/// A living process. Exited processes that were not reaped do not count.
#[derive(Clone, Debug, Default)]
pub(in crate::process) struct Process {
    pub(in crate::process) pid: u32,
    pub(in crate::process) parent: Option<u32>,
    pub(in crate::process) group: Option<u32>,
    /// The start time in a system-specific unit. Distinguishes processes with the same PID.
    pub(in crate::process) start: u64,
    /// The sessions named in its environment, separated by colons.
    pub(in crate::process) sessions: Vec<u8>,
}

/// Returns the sessions in `variable`, in the form `NAME=value`, if it is the session marker.
pub(super) fn sessions(variable: &[u8]) -> Option<&[u8]> {
    variable
        .strip_prefix(SESSION_VARIABLE.as_bytes())?
        .strip_prefix(b"=")
}

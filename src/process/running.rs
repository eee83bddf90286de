//! The start time of a process.

use super::table;

/// Returns the start time of the process with this PID, in the system's unit; `None` if there
/// is none, or it has exited.
pub(crate) fn start(pid: u32) -> Option<u64> {
    table::start(pid)
}

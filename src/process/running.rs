//! Whether a process runs.

use super::table;

/// Returns when the process with this PID started, as the system counts it; `None` if there
/// is none, or it has exited.
pub(crate) fn start(pid: u32) -> Option<u64> {
    table::start(pid)
}

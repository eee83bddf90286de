//! A process that has the mark of a watched process, on any system.

use std::time::Duration;

/// A process that has the mark.
pub(super) struct Marked {
    pub(super) pid: u32,
    /// The command line of the process, for reports.
    pub(super) argv: String,
    /// The CPU time of the process.
    pub(super) cpu_time: Duration,
    /// Whether the process waits for a CPU or for the disk.
    pub(super) is_runnable: bool,
}

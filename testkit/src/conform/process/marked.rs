//! A process with the mark of a watched one, on any system.

use std::time::Duration;

/// A process with the mark.
pub(super) struct Marked {
    pub(super) pid: u32,
    /// Its command line, for reports.
    pub(super) argv: String,
    /// Its CPU time.
    pub(super) cpu_time: Duration,
    /// Whether it waits for a CPU or for the disk.
    pub(super) is_runnable: bool,
}

//! What is told of a process that has the mark of a watched one, on any system.

use std::time::Duration;

/// A process that has the mark.
pub(super) struct Marked {
    pub(super) pid: u32,
    /// How it was started, for people.
    pub(super) argv: String,
    /// How long processors have worked for it.
    pub(super) worked: Duration,
    /// Whether it waits for a processor or for a disk.
    pub(super) is_kept: bool,
}

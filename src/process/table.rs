//! The system's table of processes, as much of it as is needed to find what a session started.
//!
//! On Linux it is read from `/proc`: the start time comes in clock ticks and the process group in
//! the same line, and `sysinfo`, which serves the other systems, would raise the host's limit of
//! open files there and hold one open for each process.

#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod portable;

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) use linux::{all, start};
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) use portable::{all, start};

use super::SESSION_VARIABLE;

/// A process that is alive: one that has ended and was not reaped yet is none.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) pid: u32,
    pub(super) parent: Option<u32>,
    pub(super) group: Option<u32>,
    /// When it started, in a unit of the system's own: tells a process from an earlier or later
    /// one with the same pid.
    pub(super) start: u64,
    /// Whether the session that was asked for is named in its environment.
    pub(super) marked: bool,
}

/// Whether `variable`, a `NAME=value`, is our marker and names `session`.
fn names(variable: &[u8], session: &str) -> bool {
    variable
        .strip_prefix(SESSION_VARIABLE.as_bytes())
        .and_then(|rest| rest.strip_prefix(b"="))
        .is_some_and(|list| {
            list.split(|byte| *byte == b':')
                .any(|name| name == session.as_bytes())
        })
}

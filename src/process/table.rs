//! The parts of the system's process table that are needed to find the
//! processes of sessions.
//!
//! On Linux it is read from `/proc`, which has the start time in clock ticks and the process
//! group in one line. `sysinfo`, which is used on other systems, would raise the host's limit
//! of open files on Linux, and hold one open for each process.

#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod portable;
mod process;

#[cfg(any(target_os = "linux", target_os = "android"))]
use linux as system;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
use portable as system;
pub(super) use process::Process;
pub(super) use system::{start, usage};

use agentwire_protocol::sorted::SortedMap;
use std::io;

/// All processes except this one, at one moment. It is read once for all
/// closing sessions, and indexed.
#[derive(Debug, Default)]
pub(super) struct Table {
    processes: SortedMap<u32, Process>,
    children: SortedMap<u32, Vec<u32>>,
    groups: SortedMap<u32, Vec<u32>>,
    sessions: SortedMap<Vec<u8>, Vec<u32>>,
}

impl Table {
    /// Reads the system's table.
    ///
    /// Fails if it is unavailable, or belongs to another PID namespace. The environment of other
    /// users' processes cannot be read, so their sessions are unknown.
    pub(super) fn read() -> io::Result<Self> {
        let mut processes = system::all()?;
        // Never includes this process.
        processes.remove(&std::process::id());
        Ok(Self::of(processes))
    }

    pub(super) fn of(processes: SortedMap<u32, Process>) -> Self {
        let mut this = Self::default();
        for (pid, process) in processes.entries() {
            let pid = *pid;
            if let Some(parent) = process.parent {
                this.children.get_or_insert_with(parent, Vec::new).push(pid);
            }
            if let Some(group) = process.group {
                this.groups.get_or_insert_with(group, Vec::new).push(pid);
            }
            for session in process.sessions.split(|byte| *byte == b':') {
                if !session.is_empty() {
                    let named = this.sessions.get_or_insert_with(session.to_vec(), Vec::new);
                    named.push(pid);
                }
            }
        }
        this.processes = processes;
        this
    }

    pub(super) fn get(&self, pid: u32) -> Option<&Process> {
        self.processes.get(&pid)
    }

    /// Returns the processes whose parent is `pid`.
    pub(super) fn children(&self, pid: u32) -> impl Iterator<Item = &Process> {
        self.selected(self.children.get(&pid))
    }

    pub(super) fn group(&self, leader: u32) -> impl Iterator<Item = &Process> {
        self.selected(self.groups.get(&leader))
    }

    /// Returns the processes whose environment names `session`.
    pub(super) fn session(&self, session: &str) -> impl Iterator<Item = &Process> {
        self.selected(self.sessions.get(session.as_bytes()))
    }

    fn selected<'a>(&'a self, pids: Option<&'a Vec<u32>>) -> impl Iterator<Item = &'a Process> {
        pids.into_iter().flatten().filter_map(|pid| self.get(*pid))
    }
}

//! A watched process and its descendants.

#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux;
mod marked;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod portable;

#[cfg(any(target_os = "linux", target_os = "android"))]
use linux::marked;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
use portable::marked;

use marked::Marked;
use std::ffi::{OsStr, OsString};
use std::io;
use std::time::{Duration, Instant};
use tokio::process::{Child, Command};

/// The interval between checks for the exit of a process. There is no portable
/// event for the exit of a process that is not a child.
const PERIOD: Duration = Duration::from_millis(5);

/// The duration of a check for CPU use.
const SAMPLE_TIME: Duration = Duration::from_secs(1);

/// The maximum time until a killed process is gone.
const KILL_TIMEOUT: Duration = Duration::from_secs(10);

/// A watched process. Dropping it kills the process and its descendants.
///
/// The descendants are the processes in its process group, and those that have
/// its mark: an environment variable with a unique value. A process that left
/// the group and cleared its environment is not found, nor is a process of
/// another user.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) child: Child,
    pub(super) mark: Mark,
    leader: Option<u32>,
}

/// An environment variable, `NAME=value`, that a process and its descendants
/// have.
#[derive(Debug)]
pub(super) struct Mark(OsString);

impl Mark {
    fn new(name: &str, value: &OsStr) -> Self {
        let mut mark = OsString::from(format!("{name}="));
        mark.push(value);
        Self(mark)
    }

    /// Returns the processes with the mark, except for zombies.
    fn processes(&self) -> Vec<Marked> {
        marked(&self.0)
    }

    /// Returns whether a process with the mark uses or waits for a CPU. This
    /// takes a second.
    pub(super) async fn is_busy(&self) -> bool {
        let sample = || {
            let processes = self.processes();
            let is_runnable = processes.iter().any(|it| it.is_runnable);
            let cpu_time: Duration = processes.iter().map(|it| it.cpu_time).sum();
            (is_runnable, cpu_time)
        };
        let (was_runnable, before) = sample();
        tokio::time::sleep(SAMPLE_TIME).await;
        let (is_runnable, after) = sample();
        // An idle runtime still uses a little CPU time.
        was_runnable || is_runnable || after.abs_diff(before) > SAMPLE_TIME / 20
    }
}

impl Watched {
    /// Starts a process as the leader of a process group, with this variable as
    /// its mark.
    pub(super) fn start(command: &mut Command, name: &str, value: &OsStr) -> io::Result<Self> {
        command.env(name, value).kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let child = command.spawn()?;
        Ok(Self {
            leader: child.id(),
            child,
            mark: Mark::new(name, value),
        })
    }

    /// Returns the command lines of the descendants that are alive after this
    /// time.
    pub(super) async fn remaining(&self, timeout: Duration) -> Vec<String> {
        let end = Instant::now() + timeout;
        loop {
            let remaining = self.mark.processes();
            if remaining.is_empty() || Instant::now() >= end {
                return remaining.into_iter().map(|it| it.argv).collect();
            }
            tokio::time::sleep(PERIOD).await;
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        if let Some(leader) = self.leader {
            end_group(leader);
        }
        // The process may have exited.
        drop(self.child.start_kill());
        // A process that is being started at the same time has the mark, too.
        let until = Instant::now() + KILL_TIMEOUT;
        while Instant::now() < until {
            let remaining = self.mark.processes();
            if remaining.is_empty() {
                return;
            }
            for process in remaining {
                end(process.pid);
            }
            std::thread::sleep(PERIOD);
        }
    }
}

#[cfg(unix)]
fn end_group(leader: u32) {
    if let Some(pid) = to_pid(leader) {
        // An empty group no longer exists.
        _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
}

#[cfg(unix)]
fn end(process: u32) {
    if let Some(pid) = to_pid(process) {
        _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}

#[cfg(unix)]
fn to_pid(number: u32) -> Option<rustix::process::Pid> {
    i32::try_from(number)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
}

/// Does nothing, because this system has no process groups.
#[cfg(not(unix))]
fn end_group(_leader: u32) {}

#[cfg(not(unix))]
fn end(process: u32) {
    portable::end(process);
}

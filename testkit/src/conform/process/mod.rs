//! A process that is tried out, and all that it started.

#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux;
mod marked;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
mod portable;

#[cfg(any(target_os = "linux", target_os = "android"))]
use linux::marked;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
use portable::marked;

use std::ffi::{OsStr, OsString};
use std::io;
use std::time::{Duration, Instant};
use tokio::process::{Child, Command};

/// How often it is looked whether a process has ended: there is no portable
/// event for the end of one that is not our child.
const PERIOD: Duration = Duration::from_millis(5);

/// How long a process that was killed may take to go.
const LAST: Duration = Duration::from_secs(10);

/// A process. When it is dropped, all that it started goes with it.
///
/// That is what is in its process group, and what has its mark: a variable in
/// the environment that nothing else has. What left the group and cleared its
/// environment is not found, nor what another user runs.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) child: Child,
    leader: Option<u32>,
    /// `NAME=value`.
    mark: OsString,
}

impl Watched {
    /// Starts it, as the leader of a process group, with this variable as its
    /// mark.
    pub(super) fn start(command: &mut Command, name: &str, value: &OsStr) -> io::Result<Self> {
        command.env(name, value).kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let child = command.spawn()?;
        let mut mark = OsString::from(format!("{name}="));
        mark.push(value);
        Ok(Self {
            leader: child.id(),
            child,
            mark,
        })
    }

    /// Which of the processes that it started are alive when as much time has
    /// passed, and how they were started.
    pub(super) async fn left(&self, patience: Duration) -> Vec<String> {
        let end = Instant::now() + patience;
        loop {
            let left = marked(&self.mark);
            if left.is_empty() || Instant::now() >= end {
                return left.into_iter().map(|it| it.argv).collect();
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
        // It may be gone by itself.
        drop(self.child.start_kill());
        // One that is being started while others are ended has the mark too.
        let until = Instant::now() + LAST;
        while Instant::now() < until {
            let left = marked(&self.mark);
            if left.is_empty() {
                return;
            }
            for process in left {
                end(process.pid);
            }
            std::thread::sleep(PERIOD);
        }
    }
}

#[cfg(unix)]
fn end_group(leader: u32) {
    if let Some(pid) = to_pid(leader) {
        // There is none when all of it is gone.
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

/// Elsewhere there are no groups.
#[cfg(not(unix))]
fn end_group(_leader: u32) {}

#[cfg(not(unix))]
fn end(process: u32) {
    portable::end(process);
}

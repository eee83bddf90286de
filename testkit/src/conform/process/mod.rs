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

use marked::Marked;
use std::ffi::{OsStr, OsString};
use std::io;
use std::time::{Duration, Instant};
use tokio::process::{Child, Command};

/// How often it is looked whether a process has ended: there is no portable
/// event for the end of one that is not our child.
const PERIOD: Duration = Duration::from_millis(5);

/// How long a process is looked at to see whether it works.
const LOOK: Duration = Duration::from_secs(1);

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
    pub(super) mark: Mark,
    leader: Option<u32>,
}

/// What a process and all that it started have in their environment: a
/// variable, `NAME=value`.
#[derive(Debug)]
pub(super) struct Mark(OsString);

impl Mark {
    fn of(name: &str, value: &OsStr) -> Self {
        let mut mark = OsString::from(format!("{name}="));
        mark.push(value);
        Self(mark)
    }

    /// The processes that have it, but for zombies.
    fn processes(&self) -> Vec<Marked> {
        marked(&self.0)
    }

    /// Whether what has it works, or would if the machine let it. That takes a
    /// second to see.
    pub(super) async fn works(&self) -> bool {
        let look = || {
            let processes = self.processes();
            let is_kept = processes.iter().any(|it| it.is_kept);
            let worked: Duration = processes.iter().map(|it| it.worked).sum();
            (is_kept, worked)
        };
        let (was_kept, before) = look();
        tokio::time::sleep(LOOK).await;
        let (is_kept, after) = look();
        // No runtime rests altogether.
        was_kept || is_kept || after.abs_diff(before) > LOOK / 20
    }
}

impl Watched {
    /// Starts it, as the leader of a process group, with this variable as its
    /// mark.
    pub(super) fn start(command: &mut Command, name: &str, value: &OsStr) -> io::Result<Self> {
        command.env(name, value).kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        let child = command.spawn()?;
        Ok(Self {
            leader: child.id(),
            child,
            mark: Mark::of(name, value),
        })
    }

    /// Which of the processes that it started are alive when as much time has
    /// passed, and how they were started.
    pub(super) async fn left(&self, patience: Duration) -> Vec<String> {
        let end = Instant::now() + patience;
        loop {
            let left = self.mark.processes();
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
            let left = self.mark.processes();
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

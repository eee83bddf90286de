//! An adapter's process, and all that it started.

use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

/// How often it is looked whether a process has ended.
const PERIOD: Duration = Duration::from_millis(5);

/// How long a process that was killed may take to go.
const LAST: Duration = Duration::from_secs(10);

/// A process that is watched.
#[derive(Debug)]
pub(super) struct Watched {
    child: Child,
    /// A text that only this process and what it started have in their
    /// environment.
    mark: String,
}

impl Watched {
    /// Starts it, as the leader of a process group.
    pub(super) fn start(command: &mut Command, mark: &Path) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        Ok(Self {
            child: command.spawn()?,
            mark: mark.to_string_lossy().into_owned(),
        })
    }

    /// Waits for its exit, until the time is up.
    pub(super) fn wait(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        let end = Instant::now() + limit;
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status));
            }
            if Instant::now() >= end {
                return Ok(None);
            }
            std::thread::sleep(PERIOD);
        }
    }

    /// Which of the processes that it started are alive when as much time has
    /// passed, and how they were started.
    pub(super) fn left(&self, patience: Duration) -> Vec<String> {
        let end = Instant::now() + patience;
        loop {
            let left = marked(&self.mark);
            if left.is_empty() || Instant::now() >= end {
                return left.into_iter().map(|(_, argv)| argv).collect();
            }
            std::thread::sleep(PERIOD);
        }
    }
}

impl Drop for Watched {
    /// Ends it with all that it started.
    fn drop(&mut self) {
        end_group(self.child.id());
        drop(self.child.kill());
        drop(self.child.wait());
        // One that is being started while others are ended has the mark too.
        let until = Instant::now() + LAST;
        while Instant::now() < until {
            let left = marked(&self.mark);
            if left.is_empty() {
                return;
            }
            for (pid, _) in left {
                end(pid);
            }
            std::thread::sleep(PERIOD);
        }
    }
}

/// The processes that have this in their environment, but for zombies. What
/// cleared its environment is not found, nor what another user runs.
#[cfg(target_os = "linux")]
fn marked(mark: &str) -> Vec<(u32, String)> {
    let Ok(processes) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let has_mark = |folder: &Path| {
        let environment = std::fs::read(folder.join("environ")).unwrap_or_default();
        let is_marked = |it: &[u8]| it.ends_with(mark.as_bytes());
        environment.split(|byte| *byte == 0).any(is_marked)
    };
    let mut marked = Vec::new();
    for process in processes.flatten() {
        let name = process.file_name();
        if let Some(pid) = name.to_str().and_then(|name| name.parse().ok())
            && has_mark(&process.path())
        {
            let argv = std::fs::read(process.path().join("cmdline")).unwrap_or_default();
            let argv = String::from_utf8_lossy(&argv).replace('\0', " ");
            marked.push((pid, argv.trim_end().to_owned()));
        }
    }
    marked
}

/// Elsewhere the environment of a process is not told.
#[cfg(not(target_os = "linux"))]
fn marked(_mark: &str) -> Vec<(u32, String)> {
    Vec::new()
}

#[cfg(unix)]
fn end_group(leader: u32) {
    if let Some(pid) = pid(leader) {
        // There is none when all of it is gone.
        _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
}

#[cfg(unix)]
fn end(process: u32) {
    if let Some(pid) = pid(process) {
        _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
}

#[cfg(unix)]
fn pid(number: u32) -> Option<rustix::process::Pid> {
    i32::try_from(number)
        .ok()
        .and_then(rustix::process::Pid::from_raw)
}

#[cfg(not(unix))]
fn end_group(_leader: u32) {}

#[cfg(not(unix))]
fn end(_process: u32) {}

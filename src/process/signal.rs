//! Signals to processes that may have exited.

use super::table;

/// A signal to a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signal {
    /// SIGTERM; on Windows, which has no counterpart, the same as `Kill`.
    Terminate,
    /// SIGKILL, or `TerminateProcess` on Windows.
    Kill,
}

impl Signal {
    /// Sends the signal to the process `pid` if it is still the one that started at `start`. A
    /// failure, for instance for another user's process, shows in the remaining processes.
    pub(super) fn send(self, pid: u32, start: u64) {
        let is_sent = self.send_if(pid, || table::start(pid) == Some(start));
        tracing::debug!(pid, signal = ?self, is_sent, "signalling a descendant");
    }

    /// Sends the signal to `pid` if `is_meant` confirms it. Returns whether it
    /// was sent.
    #[cfg(target_os = "linux")]
    fn send_if(self, pid: u32, is_meant: impl FnOnce() -> bool) -> bool {
        use rustix::io::Errno;
        use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};

        let Some(pid) = raw(pid) else {
            return false;
        };
        // Opened first: the PID may be reused from then on, but the descriptor cannot.
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(process) => is_meant() && pidfd_send_signal(process, self.on_unix()).is_ok(),
            Err(Errno::SRCH) => false,
            // An old kernel, a system call filter, or no free descriptor.
            Err(_) => is_meant() && rustix::process::kill_process(pid, self.on_unix()).is_ok(),
        }
    }

    #[cfg(all(unix, not(target_os = "linux")))]
    fn send_if(self, pid: u32, is_meant: impl FnOnce() -> bool) -> bool {
        let Some(pid) = raw(pid) else {
            return false;
        };
        is_meant() && rustix::process::kill_process(pid, self.on_unix()).is_ok()
    }

    #[cfg(not(unix))]
    fn send_if(self, pid: u32, is_meant: impl FnOnce() -> bool) -> bool {
        if !is_meant() {
            return false;
        }
        let pid = sysinfo::Pid::from_u32(pid);
        let mut system = sysinfo::System::new();
        system.refresh_processes(sysinfo::ProcessesToUpdate::Some(&[pid]), true);
        system.process(pid).is_some_and(sysinfo::Process::kill)
    }

    /// Sends the signal to a process group. Its leader must not be reaped,
    /// because the group ID can be reused after that.
    #[cfg(unix)]
    pub(super) fn send_to_group(self, leader: u32) {
        if let Some(leader) = raw(leader) {
            let sent = rustix::process::kill_process_group(leader, self.on_unix());
            tracing::debug!(?leader, signal = ?self, ?sent, "signalling the process group");
        }
    }

    #[cfg(not(unix))]
    pub(super) fn send_to_group(self, _leader: u32) {}

    #[cfg(unix)]
    pub(super) fn on_unix(self) -> rustix::process::Signal {
        match self {
            Self::Terminate => rustix::process::Signal::TERM,
            Self::Kill => rustix::process::Signal::KILL,
        }
    }
}

/// Converts a PID for system calls.
#[cfg(unix)]
pub(super) fn raw(pid: u32) -> Option<rustix::process::Pid> {
    rustix::process::Pid::from_raw(pid.try_into().ok()?)
}

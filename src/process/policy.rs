//! The time limits of closing, and its result.

use std::process::ExitStatus;
use std::time::Duration;

/// The time limits of the steps that close a session.
///
/// Closing first closes the CLI's stdin, so that it finishes and exits. If it does not, it is
/// terminated (SIGTERM, on which it cleans up its running tools), then killed (SIGKILL). All
/// remaining processes of the session, including those in other process groups and sessions,
/// are then terminated and killed in the same way. Each step ends as soon as no process remains
/// to wait for. In total, closing takes at most `exit` plus twice `terminate + kill`, plus the
/// time to list the processes.
///
/// Time during which a process waits for a CPU does not count if the system
/// reports it (Linux does). Neither does time during which this process is
/// suspended. On an overloaded machine a step takes at most ten times its
/// limit. Changes of the system clock have no effect.
///
/// An agent that was spawned elsewhere
/// ([`Client::connect_over`](crate::Client::connect_over)) gets no signals.
/// Only `finish` and `exit` apply, and `exit` ends with the agent's output.
///
/// Daemons started by tools are ended too: they are found by the variable
/// `AGENTWIRE_SESSION` in their environment. A process is not found if it was
/// started without this variable (`env -i`) by a tool that has ended. No system
/// call lists such processes without side effects on the host; let a supervisor
/// end them (a cgroup or a container).
///
/// On Windows, "terminate" kills, so neither the CLI nor tools can clean up
/// after `exit`. A session's processes are in a job object, which ends them
/// all, also when the host is killed. A process leaves it with
/// `CREATE_BREAKAWAY_FROM_JOB`.
///
/// ```
/// use std::time::Duration;
///
/// let policy = agentwire::ClosePolicy::default().exit(Duration::from_secs(20));
/// assert_eq!(policy.terminate, Duration::from_secs(3));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClosePolicy {
    /// How long a running turn may continue before stdin is closed. 60 s by
    /// default.
    pub finish: Duration,
    /// How long the CLI may take to exit after stdin is closed. 5 s by default.
    pub exit: Duration,
    /// How long a process may take to exit after SIGTERM. 3 s by default.
    pub terminate: Duration,
    /// How long to wait for a process to exit after SIGKILL. 2 s by default.
    pub kill: Duration,
}

impl ClosePolicy {
    /// Kills at once, without waiting.
    pub(super) const AT_ONCE: Self = Self {
        finish: Duration::ZERO,
        exit: Duration::ZERO,
        terminate: Duration::ZERO,
        kill: Duration::ZERO,
    };
}

impl Default for ClosePolicy {
    fn default() -> Self {
        Self {
            finish: Duration::from_secs(60),
            exit: Duration::from_secs(5),
            terminate: Duration::from_secs(3),
            kill: Duration::from_secs(2),
        }
    }
}

impl ClosePolicy {
    /// Sets how long a running turn may continue before stdin is closed.
    #[must_use]
    pub fn finish(mut self, limit: Duration) -> Self {
        self.finish = limit;
        self
    }

    /// Sets how long the CLI may take to exit after stdin is closed.
    #[must_use]
    pub fn exit(mut self, limit: Duration) -> Self {
        self.exit = limit;
        self
    }

    /// Sets how long a process may take to exit after SIGTERM. With zero,
    /// SIGKILL follows at once.
    #[must_use]
    pub fn terminate(mut self, limit: Duration) -> Self {
        self.terminate = limit;
        self
    }

    /// Sets how long to wait for a process to exit after SIGKILL.
    #[must_use]
    pub fn kill(mut self, limit: Duration) -> Self {
        self.kill = limit;
        self
    }
}

/// The result of closing a session.
///
/// For an agent that was spawned elsewhere
/// ([`Client::connect_over`](crate::Client::connect_over)), no process is
/// known. There is no exit status, `swept` and `left` are empty, and
/// [`descendants_unknown`](Self::descendants_unknown) is set. The step is
/// [`CloseStep::Exited`] if its output ended before closing or within
/// [`ClosePolicy::exit`], and [`CloseStep::StillAlive`] otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CloseReport {
    /// The CLI's exit status; `None` if it is still alive or its status is
    /// unknown.
    pub exit: Option<ExitStatus>,
    /// The step at which the CLI itself exited.
    pub step: CloseStep,
    /// The PIDs of the session's other processes that were sent a signal.
    pub swept: Vec<u32>,
    /// The PIDs of the session's processes that are still alive, including the
    /// CLI. These may belong to another user or hang in the kernel.
    pub remaining: Vec<u32>,
    /// How long closing took after stdin was closed.
    pub took: Duration,
    /// Whether the session's processes could not be listed. `swept` and `left`
    /// are then incomplete, and processes started by the CLI may still be
    /// running.
    ///
    /// This happens if `/proc` is not mounted, or is that of another PID
    /// namespace. The CLI's process group is still sent SIGTERM and, after
    /// [`ClosePolicy::terminate`], SIGKILL. Processes outside that group are
    /// not found. Also set for agents that were not spawned by this process.
    pub descendants_unknown: bool,
}

/// The step of closing at which the CLI exited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CloseStep {
    /// The process exited without a signal from the host, or had exited before.
    Exited,
    /// The process exited after SIGTERM. On Windows, it was killed.
    Terminated,
    /// The process exited after SIGKILL.
    Killed,
    /// The process did not exit within the timeout after SIGKILL, or it is unknown whether it did.
    #[default]
    StillAlive,
}

//! How long closing may take, and what it took.

use std::process::ExitStatus;
use std::time::Duration;

/// How long each step of closing a session may take.
///
/// Closing starts with the end of the CLI's stdin, which asks it to finish and exit. If it does
/// not, it is terminated (SIGTERM, on which it cleans up the tools it runs), then killed
/// (SIGKILL). Whatever is left of what the session started, other process groups and sessions
/// included, is terminated and killed after it in the same way. Every step ends as soon as there
/// is nothing left to wait for; together they take no longer than `exit` and twice
/// `terminate + kill`, and the time to list the processes.
///
/// Time in which a process waits for a CPU does not count towards these limits, where the system
/// reports it (Linux does); nor does time in which this process is suspended. On an overloaded
/// machine a step takes at most ten times its limit. Changes of the system clock have no effect.
///
/// An agent that somebody else started ([`Client::connect_over`](crate::Client::connect_over)) is
/// sent no signal: of these steps it has `finish` and `exit`, which ends with its output.
///
/// What a tool started to stay, such as a daemon, goes as well: it is found by a variable
/// `AGENTWIRE_SESSION` in its environment. A tool that is to leave something behind starts it
/// without that variable, in a session of its own, and ends before the agent does.
///
/// On Windows there is no gentle form of "terminate": that step kills, and so no CLI and no tool
/// gets to clean up once `exit` is over. A session's processes are in a job object there, which ends
/// them all, also when the host is killed; a process that is to stay leaves it by
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
    /// How long a turn that still runs may go on before stdin is closed. 60 s by default.
    pub finish: Duration,
    /// How long the CLI may take to exit after its stdin was closed. 5 s by default.
    pub exit: Duration,
    /// How long a process may take to end after SIGTERM. 3 s by default.
    pub terminate: Duration,
    /// How long to wait for a process to be gone after SIGKILL. 2 s by default.
    pub kill: Duration,
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
    /// Sets how long a turn that still runs may go on before stdin is closed.
    #[must_use]
    pub fn finish(mut self, limit: Duration) -> Self {
        self.finish = limit;
        self
    }

    /// Sets how long the CLI may take to exit after its stdin was closed.
    #[must_use]
    pub fn exit(mut self, limit: Duration) -> Self {
        self.exit = limit;
        self
    }

    /// Sets how long a process may take to end after SIGTERM. Zero leaves it no time.
    #[must_use]
    pub fn terminate(mut self, limit: Duration) -> Self {
        self.terminate = limit;
        self
    }

    /// Sets how long to wait for a process to be gone after SIGKILL.
    #[must_use]
    pub fn kill(mut self, limit: Duration) -> Self {
        self.kill = limit;
        self
    }
}

/// What it took to close a session.
///
/// Of an agent that somebody else started
/// ([`Client::connect_over`](crate::Client::connect_over)) no process is known:
/// there is no exit status, nothing is swept, and nothing is known to be left:
/// [`descendants_unknown`](Self::descendants_unknown) is set.
/// The step is [`CloseStep::Exited`] when its output ended, before closing or
/// within [`ClosePolicy::exit`], and [`CloseStep::StillAlive`] when it did not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CloseReport {
    /// The CLI's exit status; `None` if it is still alive or the system did not tell.
    pub exit: Option<ExitStatus>,
    /// How far closing had to go with the CLI itself.
    pub step: CloseStep,
    /// The pids of the other processes of the session that had to be sent a signal.
    pub swept: Vec<u32>,
    /// The pids of processes of the session that are alive after all, the CLI's included: such
    /// as belong to another user, or hang in the kernel.
    pub left: Vec<u32>,
    /// How long it took, from the end of stdin on.
    pub took: Duration,
    /// Whether the session's processes could not be listed, so that `swept` and `left` are
    /// incomplete: processes that the CLI started may still be running.
    ///
    /// This happens where `/proc` is not mounted, or is that of another PID namespace. The CLI's
    /// process group is still sent SIGTERM and, after [`ClosePolicy::terminate`], SIGKILL.
    /// Processes outside that group are not found. Also set for agents that were not spawned by
    /// this process.
    pub descendants_unknown: bool,
}

/// The step of closing at which the CLI ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CloseStep {
    /// It ended without a signal from here: of itself, or it was gone already.
    Exited,
    /// It ended after SIGTERM; on Windows, it was killed.
    Terminated,
    /// It ended after SIGKILL.
    Killed,
    /// It did not end within the time for SIGKILL; or nobody knows whether it did.
    #[default]
    StillAlive,
}

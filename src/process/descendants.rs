//! What a session started, apart from the CLI itself: found, and swept.

use super::table;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::thread;
use std::time::{Duration, Instant};

/// Between two looks in a sweep: there is no portable event for the end of a process that is not
/// our child. The pause grows from the first to the second.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

/// Everything that the session of one child started.
///
/// What belongs to it can be seen in four ways, none of which sees all: it is in the child's
/// process group, it descends from the child, it descends from something that was seen before, or
/// the session is named in its environment. Ancestry is lost when parents end, so
/// [`look`](Self::look) has to be called before each step that may end some.
#[derive(Debug)]
pub(super) struct Descendants {
    session: String,
    /// The child, as long as it is not reaped: until then its pid is its own.
    root: Option<u32>,
    /// Those that were alive at the last look: start times by pid.
    alive: BTreeMap<u32, u64>,
    /// Those that were sent a signal, ever.
    signalled: BTreeSet<u32>,
}

/// What is sent to a descendant.
#[derive(Clone, Copy, Debug)]
pub(super) enum Signal {
    /// SIGTERM; on Windows, which has nothing like it, the same as `Kill`.
    Terminate,
    /// SIGKILL, or the end by `TerminateProcess` on Windows.
    Kill,
}

impl Descendants {
    pub(super) fn new(root: u32, session: &str) -> Self {
        Self {
            session: session.into(),
            root: Some(root),
            alive: BTreeMap::new(),
            signalled: BTreeSet::new(),
        }
    }

    /// Lists the descendants anew. If the system cannot say, those of the last time are kept.
    pub(super) fn look(&mut self) {
        let mut others: Vec<_> = match table::all(&self.session) {
            // Never ourselves.
            Ok(all) => all
                .into_iter()
                .filter(|process| process.pid != std::process::id())
                .collect(),
            Err(error) => {
                tracing::warn!(session = self.session, %error, "cannot list processes");
                return;
            }
        };
        let mut ours = HashMap::new();
        loop {
            let is_ours = |process: &table::Process| {
                self.is_known(process)
                    || process
                        .parent
                        .and_then(|parent| ours.get(&parent))
                        // Windows keeps the pid of a parent that is gone, and that pid may have
                        // gone to somebody younger since.
                        .is_some_and(|parent_start| *parent_start <= process.start)
            };
            let (found, rest): (Vec<_>, Vec<_>) = others.into_iter().partition(is_ours);
            if found.is_empty() {
                break;
            }
            ours.extend(found.iter().map(|process| (process.pid, process.start)));
            others = rest;
        }
        // The child itself is the ladder's business.
        ours.retain(|pid, _| Some(*pid) != self.root);
        self.alive = ours.into_iter().collect();
    }

    fn is_known(&self, process: &table::Process) -> bool {
        let in_group = self
            .root
            .is_some_and(|root| process.pid == root || process.group == Some(root));
        in_group || process.marked || self.alive.get(&process.pid) == Some(&process.start)
    }

    /// To be called when the child is reaped: from now on its pid may be another's.
    pub(super) fn forget_root(&mut self) {
        self.root = None;
    }

    /// Sends `signal` once to every descendant, those that appear in the meantime included, until
    /// none is left or `limit` is over. Says whether none is left.
    pub(super) fn sweep(&mut self, signal: Signal, limit: Duration) -> bool {
        let started = Instant::now();
        let mut sent = BTreeSet::new();
        let (mut pause, longest) = PAUSES;
        loop {
            self.look();
            if self.alive.is_empty() {
                return true;
            }
            for (&pid, &start) in &self.alive {
                if sent.insert((pid, start)) {
                    self.signalled.insert(pid);
                    signal.send(pid, start);
                }
            }
            let left = limit.saturating_sub(started.elapsed());
            if left.is_zero() {
                return false;
            }
            thread::sleep(pause.min(left));
            pause = (pause * 2).min(longest);
        }
    }

    /// Those that were alive at the last look, by pid.
    pub(super) fn alive(&self) -> Vec<u32> {
        self.alive.keys().copied().collect()
    }

    /// Those that were sent a signal, by pid.
    pub(super) fn signalled(&self) -> Vec<u32> {
        self.signalled.iter().copied().collect()
    }
}

impl Signal {
    /// Sends it to the process `pid` if that is still the one that started at `start`. That it
    /// could not be sent (somebody else's process, say) shows in who is left.
    fn send(self, pid: u32, start: u64) {
        if table::start(pid) != Some(start) {
            return;
        }
        tracing::debug!(pid, signal = ?self, "signalling a descendant");
        self.deliver(pid);
    }

    #[cfg(unix)]
    fn deliver(self, pid: u32) {
        let signal = match self {
            Self::Terminate => rustix::process::Signal::TERM,
            Self::Kill => rustix::process::Signal::KILL,
        };
        if let Some(pid) = pid.try_into().ok().and_then(rustix::process::Pid::from_raw)
            && let Err(error) = rustix::process::kill_process(pid, signal)
        {
            tracing::debug!(?pid, %error, "cannot signal");
        }
    }

    #[cfg(not(unix))]
    fn deliver(self, pid: u32) {
        let pid = sysinfo::Pid::from_u32(pid);
        let mut system = sysinfo::System::new();
        system.refresh_processes(sysinfo::ProcessesToUpdate::Some(&[pid]), true);
        if !system.process(pid).is_some_and(sysinfo::Process::kill) {
            tracing::debug!(%pid, "cannot kill");
        }
    }
}

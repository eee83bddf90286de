//! The time limit of a closing step, which counts only time in which processes
//! could run.

use agentwire_protocol::sorted::SortedMap;
use std::time::Duration;

/// The most times its limit that a step may take while processes wait for a CPU.
pub(super) const STRETCH: u32 = 10;

/// A limit is counted in this many parts. After each, the time spent waiting for a CPU is
/// measured.
const PARTS: u32 = 4;

/// The shortest part, since little of a limit may remain.
const SHORTEST: Duration = Duration::from_millis(1);

/// How a process has spent its time, as reported by the system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// The time on a CPU.
    pub(super) ran: Duration,
    /// The time spent waiting for a CPU, without the current wait.
    pub(super) waited: Duration,
    /// Whether it is running or waiting for a CPU now.
    pub(super) is_runnable: bool,
}

/// A limit that is being counted down by the closer's clock.
#[derive(Debug)]
pub(super) struct Countdown {
    limit: Duration,
    started: Duration,
    /// The start of the current part.
    since: Duration,
    counted: Duration,
    /// The usage of each process at that time.
    before: SortedMap<u32, Usage>,
}

impl Countdown {
    /// Starts counting down `limit` for some processes.
    pub(super) fn start(
        now: Duration,
        limit: Duration,
        processes: &[u32],
        usage: &dyn Fn(u32) -> Option<Usage>,
    ) -> Self {
        let mut this = Self {
            limit,
            started: now,
            since: now,
            counted: Duration::ZERO,
            before: SortedMap::new(),
        };
        if !limit.is_zero() {
            this.before = measure(processes, usage);
        }
        this
    }

    /// Returns when to call [`advance`](Self::advance) next.
    pub(super) fn due(&self) -> Duration {
        let part = self.limit / PARTS;
        let remaining = self.limit.saturating_sub(self.counted);
        self.since.saturating_add(part.min(remaining).max(SHORTEST))
    }

    /// Counts the time since the last part in which every process could run.
    pub(super) fn advance(
        &mut self,
        now: Duration,
        processes: &[u32],
        usage: &dyn Fn(u32) -> Option<Usage>,
    ) {
        if now < self.due() {
            return;
        }
        let passed = now.saturating_sub(self.since);
        let after = measure(processes, usage);
        let could_run = after.entries().iter().filter_map(|(pid, after)| {
            let before = self.before.get(pid)?;
            Some(could_run(passed, before, after))
        });
        self.counted += could_run.min().unwrap_or(passed);
        self.since = now;
        self.before = after;
    }

    pub(super) fn is_over(&self) -> bool {
        self.counted >= self.limit
            || self.since.saturating_sub(self.started) >= self.limit.saturating_mul(STRETCH)
    }
}

fn measure(processes: &[u32], usage: &dyn Fn(u32) -> Option<Usage>) -> SortedMap<u32, Usage> {
    let mut all = SortedMap::new();
    for &pid in processes {
        if let Some(usage) = usage(pid) {
            all.insert(pid, usage);
        }
    }
    all
}

/// Returns the part of the passed time in which a process could run. A runnable process may
/// have waited whenever it did not run, because a wait is only reported after it ends.
fn could_run(passed: Duration, before: &Usage, after: &Usage) -> Duration {
    if after.is_runnable {
        passed.min(after.ran.saturating_sub(before.ran))
    } else {
        passed.saturating_sub(after.waited.saturating_sub(before.waited))
    }
}

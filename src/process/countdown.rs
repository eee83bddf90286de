//! The time that a step of closing may take, of which only that counts in which processes could
//! run.

use std::collections::HashMap;
use std::time::Duration;

/// How many times its limit a step may take when processes wait for a CPU all the time.
pub(super) const STRETCH: u32 = 10;

/// A limit is counted in so many parts; whether a process waits for a CPU is asked after each.
const PARTS: u32 = 4;

/// The shortest part: what is left of a limit may be next to nothing.
const SHORTEST: Duration = Duration::from_millis(1);

/// What a process has made of its time so far, by what the system counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Usage {
    /// For how long it had a CPU.
    pub(super) ran: Duration,
    /// For how long it waited for one, the present wait excepted.
    pub(super) waited: Duration,
    /// Whether it runs or waits for a CPU right now.
    pub(super) is_runnable: bool,
}

/// A limit that is being counted down. The time is that of the closer, which does not jump.
#[derive(Debug)]
pub(super) struct Countdown {
    limit: Duration,
    started: Duration,
    /// Where the part began that is not counted yet.
    since: Duration,
    counted: Duration,
    /// What each process had made of its time by then.
    before: HashMap<u32, Usage>,
}

impl Countdown {
    /// Starts to count down `limit` for some processes.
    pub(super) fn start(
        now: Duration,
        limit: Duration,
        processes: impl Iterator<Item = u32>,
        usage: &dyn Fn(u32) -> Option<Usage>,
    ) -> Self {
        let mut this = Self {
            limit,
            started: now,
            since: now,
            counted: Duration::ZERO,
            before: HashMap::new(),
        };
        if !limit.is_zero() {
            this.before = measure(processes, usage);
        }
        this
    }

    /// When [`advance`](Self::advance) has something to count.
    pub(super) fn due(&self) -> Duration {
        let part = self.limit / PARTS;
        let left = self.limit.saturating_sub(self.counted);
        self.since.saturating_add(part.min(left).max(SHORTEST))
    }

    /// Counts the time since the last part as far as each of the processes could run in it.
    pub(super) fn advance(
        &mut self,
        now: Duration,
        processes: impl Iterator<Item = u32>,
        usage: &dyn Fn(u32) -> Option<Usage>,
    ) {
        if now < self.due() {
            return;
        }
        let passed = now.saturating_sub(self.since);
        let after = measure(processes, usage);
        let could_run = after.iter().filter_map(|(pid, after)| {
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

fn measure(
    processes: impl Iterator<Item = u32>,
    usage: &dyn Fn(u32) -> Option<Usage>,
) -> HashMap<u32, Usage> {
    processes
        .filter_map(|pid| Some((pid, usage(pid)?)))
        .collect()
}

/// How much of the time that passed a process could run in. One that is runnable may have waited
/// all the time that it did not run: a wait is not counted before it is over.
fn could_run(passed: Duration, before: &Usage, after: &Usage) -> Duration {
    if after.is_runnable {
        passed.min(after.ran.saturating_sub(before.ran))
    } else {
        passed.saturating_sub(after.waited.saturating_sub(before.waited))
    }
}

//! The closing ladder: the CLI exits, is terminated, is killed; then its
//! remaining processes are swept.
//!
//! A state machine without I/O and without a clock. The [closer](super::closer)
//! reports events and the time, provides the table of processes when requested,
//! and executes the actions of [`poll`](Ladder::poll).

use super::countdown::{Countdown, Usage};
use super::descendants::Descendants;
use super::policy::{ClosePolicy, CloseStep};
use super::signal::Signal;
use super::table::Table;
use agentwire_protocol::sorted::SortedMap;
use std::collections::VecDeque;
use std::time::Duration;

/// The shortest and longest pause between two listings of a sweep. There is no portable event
/// for the exit of a process that is not a child.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

/// Returns how a process has spent its time, if the system reports it.
pub(super) type UsageOf<'a> = &'a dyn Fn(u32) -> Option<Usage>;

/// The state of closing one session.
#[derive(Debug)]
pub(super) struct Ladder {
    child: u32,
    descendants: Descendants,
    policy: ClosePolicy,
    stage: Stage,
    /// Whether the child has exited, and whether that was reported.
    has_exited: bool,
    is_exit_reported: bool,
    /// When the processes must be listed, at the earliest.
    listing_due: Option<Duration>,
    /// All processes that were sent a signal.
    signalled: SortedMap<u32, ()>,
    /// Whether listing the processes ever failed.
    is_unknown: bool,
    actions: VecDeque<Action>,
}

#[derive(Debug)]
enum Stage {
    /// Closing has not started.
    Open,
    /// The descendants are listed before the input is closed.
    Beginning,
    /// The child must exit. If it does, this is the step at which it exited.
    Waiting(CloseStep, Countdown),
    /// The child did not exit. The descendants are listed before it is signalled.
    Overdue(CloseStep),
    Sweeping(SignalRound),
    Closed,
}

/// One signal to every descendant, including new ones.
#[derive(Debug)]
struct SignalRound {
    /// The step at which the child exited.
    step: CloseStep,
    signal: Signal,
    countdown: Countdown,
    sent: SortedMap<(u32, u64), ()>,
    is_group_signalled: bool,
    pause: Duration,
}

/// An action for the closer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Report that the child has exited.
    ReportExit,
    CloseInput,
    SignalChild(Signal),
    /// Send a signal to the process with this PID, if it started at `start`.
    SignalDescendant {
        pid: u32,
        start: u64,
        signal: Signal,
    },
    /// Send a signal to the child's process group. The child has exited, and is not reaped.
    SignalGroup(Signal),
    /// The session is closed: reap the child, and report.
    Report(Outcome),
}

/// The contents of a [`CloseReport`](super::CloseReport).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) step: CloseStep,
    pub(super) swept: Vec<u32>,
    pub(super) remaining: Vec<u32>,
    pub(super) descendants_unknown: bool,
}

impl Ladder {
    pub(super) fn new(child: u32, session: &str) -> Self {
        Self {
            child,
            descendants: Descendants::new(child, session),
            policy: ClosePolicy::default(),
            stage: Stage::Open,
            has_exited: false,
            is_exit_reported: false,
            listing_due: None,
            signalled: SortedMap::new(),
            is_unknown: false,
            actions: VecDeque::new(),
        }
    }

    /// Starts closing. Only the first call counts.
    pub(super) fn close(&mut self, now: Duration, policy: ClosePolicy) {
        if matches!(self.stage, Stage::Open) {
            self.policy = policy;
            self.stage = Stage::Beginning;
            self.listing_due = Some(now);
        }
    }

    /// Starts closing, or skips to killing: no process gets time to exit by itself. Only waits for
    /// killed processes to exit, as `policy` says.
    pub(super) fn hasten(&mut self, now: Duration, policy: ClosePolicy, usage: UsageOf<'_>) {
        let policy = ClosePolicy {
            kill: policy.kill,
            ..ClosePolicy::AT_ONCE
        };
        self.close(now, policy);
        self.policy = policy;
        match &mut self.stage {
            // It has already been killed.
            Stage::Waiting(CloseStep::Killed | CloseStep::StillAlive, _) => return,
            Stage::Waiting(step, _) => self.stage = Stage::Overdue(*step),
            Stage::Sweeping(sweep) if sweep.signal == Signal::Terminate => {
                sweep.countdown = Countdown::start(now, Duration::ZERO, &[], usage);
            }
            Stage::Open | Stage::Beginning | Stage::Overdue(_) => {}
            Stage::Sweeping(_) | Stage::Closed => return,
        }
        self.listing_due = Some(now);
    }

    /// Handles the child's exit. `is_reaped` says whether it was already reaped, so that its PID
    /// may be reused.
    pub(super) fn handle_exit(&mut self, now: Duration, is_reaped: bool) {
        self.has_exited = true;
        if is_reaped {
            self.descendants.forget_root();
        }
        if matches!(self.stage, Stage::Closed) {
            self.report_exit();
        } else {
            self.listing_due = Some(now);
        }
    }

    /// Handles a listing of all processes; `None` if they cannot be listed.
    pub(super) fn handle_listing(
        &mut self,
        now: Duration,
        table: Option<&Table>,
        usage: UsageOf<'_>,
    ) {
        self.listing_due = None;
        match table {
            Some(table) => self.descendants.update(table),
            None => self.is_unknown = true,
        }
        if self.has_exited {
            self.report_exit();
        }
        match &self.stage {
            Stage::Open | Stage::Closed => {}
            Stage::Beginning => {
                self.actions.push_back(Action::CloseInput);
                self.wait(CloseStep::Exited, now, usage);
            }
            Stage::Waiting(step, _) | Stage::Overdue(step) if self.has_exited => {
                self.signal_descendants(*step, Signal::Terminate, now, usage);
            }
            Stage::Waiting(..) => {}
            Stage::Overdue(CloseStep::Exited) => {
                self.signal_child(Signal::Terminate);
                self.wait(CloseStep::Terminated, now, usage);
            }
            Stage::Overdue(CloseStep::Terminated) => {
                self.signal_child(Signal::Kill);
                self.wait(CloseStep::Killed, now, usage);
            }
            Stage::Overdue(_) => {
                self.signal_descendants(CloseStep::StillAlive, Signal::Terminate, now, usage);
            }
            Stage::Sweeping(_) => self.count(now, usage),
        }
        self.sweep_on(now, table.is_some(), usage);
    }

    /// Handles a timeout, see [`due`](Self::due).
    pub(super) fn handle_timeout(&mut self, now: Duration, usage: UsageOf<'_>) {
        self.count(now, usage);
        match &self.stage {
            Stage::Waiting(step, countdown) if countdown.is_over() => {
                self.stage = Stage::Overdue(*step);
                self.listing_due = Some(now);
            }
            _ => {}
        }
    }

    /// Returns when to call [`handle_timeout`](Self::handle_timeout).
    pub(super) fn due(&self) -> Option<Duration> {
        match &self.stage {
            // A listing is due.
            Stage::Waiting(..) if self.has_exited => None,
            Stage::Waiting(_, countdown) => Some(countdown.due()),
            _ => None,
        }
    }

    /// Returns when the processes must be listed, at the earliest. An earlier
    /// listing is accepted too.
    pub(super) fn listing_due(&self) -> Option<Duration> {
        self.listing_due
    }

    /// Returns the next action.
    pub(super) fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// Returns the child's PID, which is also its process group ID, as long as
    /// it cannot have been reused.
    pub(super) fn group(&self) -> Option<u32> {
        self.descendants.root()
    }

    /// Drops the child's PID and process group. Call this when the child is reaped.
    pub(super) fn forget_group(&mut self) {
        self.descendants.forget_root();
    }

    /// Returns whether closing is finished.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Closed) && self.is_exit_reported
    }

    /// Stops closing.
    pub(super) fn give_up(&mut self) {
        self.stage = Stage::Closed;
        self.listing_due = None;
        self.actions.clear();
        if self.has_exited {
            self.report_exit();
        }
    }

    fn report_exit(&mut self) {
        if !self.is_exit_reported {
            self.is_exit_reported = true;
            self.actions.push_back(Action::ReportExit);
        }
    }

    fn signal_child(&mut self, signal: Signal) {
        self.actions.push_back(Action::SignalChild(signal));
    }

    /// Waits for the child. `step` is reported if it exits meanwhile.
    fn wait(&mut self, step: CloseStep, now: Duration, usage: UsageOf<'_>) {
        if self.has_exited {
            self.signal_descendants(step, Signal::Terminate, now, usage);
            return;
        }
        let limit = match step {
            CloseStep::Exited => self.policy.exit,
            CloseStep::Terminated => self.policy.terminate,
            CloseStep::Killed | CloseStep::StillAlive => self.policy.kill,
        };
        let countdown = Countdown::start(now, limit, &[self.child], usage);
        self.stage = Stage::Waiting(step, countdown);
    }

    fn signal_descendants(
        &mut self,
        step: CloseStep,
        signal: Signal,
        now: Duration,
        usage: UsageOf<'_>,
    ) {
        let limit = match signal {
            Signal::Terminate => self.policy.terminate,
            Signal::Kill => self.policy.kill,
        };
        let processes = self.descendants.pids();
        self.stage = Stage::Sweeping(SignalRound {
            step,
            signal,
            countdown: Countdown::start(now, limit, &processes, usage),
            sent: SortedMap::new(),
            is_group_signalled: false,
            pause: PAUSES.0,
        });
    }

    /// Counts down the current limit.
    fn count(&mut self, now: Duration, usage: UsageOf<'_>) {
        match &mut self.stage {
            Stage::Waiting(_, countdown) => {
                countdown.advance(now, &[self.child], usage);
            }
            Stage::Sweeping(sweep) => {
                let processes = self.descendants.pids();
                sweep.countdown.advance(now, &processes, usage);
            }
            _ => {}
        }
    }

    /// Signals the processes just found. If none remain or the limit is reached, continues with the
    /// next step.
    fn sweep_on(&mut self, now: Duration, is_known: bool, usage: UsageOf<'_>) {
        while let Stage::Sweeping(sweep) = &mut self.stage {
            let remaining = self.descendants.remaining();
            if is_known && remaining.is_empty() {
                return self.report();
            }
            if !is_known && !sweep.is_group_signalled && self.descendants.root().is_some() {
                sweep.is_group_signalled = true;
                self.actions.push_back(Action::SignalGroup(sweep.signal));
            }
            let remaining = if is_known { remaining.entries() } else { &[] };
            for &(pid, start) in remaining {
                if sweep.sent.insert((pid, start), ()).is_none() {
                    self.signalled.insert(pid, ());
                    self.actions.push_back(Action::SignalDescendant {
                        pid,
                        start,
                        signal: sweep.signal,
                    });
                }
            }
            // Waiting is useless if no process remains, or if exits cannot be observed.
            let can_wait =
                is_known || (sweep.is_group_signalled && sweep.signal == Signal::Terminate);
            if can_wait && !sweep.countdown.is_over() {
                self.listing_due = Some(now.saturating_add(sweep.pause));
                sweep.pause = (sweep.pause * 2).min(PAUSES.1);
                return;
            }
            let step = sweep.step;
            match sweep.signal {
                Signal::Terminate => self.signal_descendants(step, Signal::Kill, now, usage),
                Signal::Kill => self.report(),
            }
        }
    }

    fn report(&mut self) {
        let step = match &self.stage {
            Stage::Sweeping(sweep) => match sweep.step {
                CloseStep::StillAlive if self.has_exited => CloseStep::Killed,
                step => step,
            },
            _ => CloseStep::StillAlive,
        };
        let mut remaining_pids = self.descendants.pids();
        if step == CloseStep::StillAlive {
            remaining_pids.push(self.child);
        }
        self.stage = Stage::Closed;
        self.listing_due = None;
        self.actions.push_back(Action::Report(Outcome {
            step,
            swept: self.signalled.keys().copied().collect(),
            remaining: remaining_pids,
            descendants_unknown: self.is_unknown,
        }));
    }
}

#[cfg(test)]
mod tests;

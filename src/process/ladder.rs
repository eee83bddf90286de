//! The closing ladder: the CLI exits, is terminated, is killed; then what it left is swept.
//!
//! A state machine without I/O and without a clock: the [closer](super::closer) tells it what
//! happened and what time it is, shows it the table of processes when it wants to look, and does
//! what [`poll`](Ladder::poll) says.

use super::countdown::{Countdown, Usage};
use super::descendants::Descendants;
use super::policy::{ClosePolicy, CloseStep};
use super::signal::Signal;
use super::table::Table;
use std::collections::{BTreeSet, VecDeque};
use std::iter;
use std::time::Duration;

/// Between two looks in a sweep: there is no portable event for the end of a process that is not
/// our child. The pause grows from the first to the second.
const PAUSES: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

/// What a process has made of its time, as far as the system tells.
pub(super) type UsageOf<'a> = &'a dyn Fn(u32) -> Option<Usage>;

/// How far the closing of one session is.
#[derive(Debug)]
pub(super) struct Ladder {
    child: u32,
    descendants: Descendants,
    policy: ClosePolicy,
    stage: Stage,
    /// Whether the child has exited, and whether that was told.
    has_exited: bool,
    is_exit_told: bool,
    /// When the processes are to be listed, at the earliest.
    look_due: Option<Duration>,
    /// Those that were sent a signal, ever.
    signalled: BTreeSet<u32>,
    /// Whether the processes could not be listed once.
    is_unknown: bool,
    actions: VecDeque<Action>,
}

#[derive(Debug)]
enum Stage {
    /// Nobody wants to end the session.
    Open,
    /// The descendants are listed before the input is closed.
    Beginning,
    /// The child is to exit. If it does, this is the step at which it ended.
    Waiting(CloseStep, Countdown),
    /// It did not, and the descendants are listed before it is sent a signal.
    Overdue(CloseStep),
    Sweeping(Sweep),
    Closed,
}

/// One signal to every descendant, those that appear in the meantime included.
#[derive(Debug)]
struct Sweep {
    /// The step at which the child ended.
    step: CloseStep,
    signal: Signal,
    countdown: Countdown,
    sent: BTreeSet<(u32, u64)>,
    is_group_signalled: bool,
    pause: Duration,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Tell that the child has exited.
    TellExit,
    CloseInput,
    SignalChild(Signal),
    /// To the process that has this pid, if it started at `start`.
    SignalDescendant {
        pid: u32,
        start: u64,
        signal: Signal,
    },
    /// To the child's process group; the child has exited and is not reaped.
    SignalGroup(Signal),
    /// The session is closed: reap the child, and tell.
    Report(Outcome),
}

/// What a [`CloseReport`](super::CloseReport) is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) step: CloseStep,
    pub(super) swept: Vec<u32>,
    pub(super) left: Vec<u32>,
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
            is_exit_told: false,
            look_due: None,
            signalled: BTreeSet::new(),
            is_unknown: false,
            actions: VecDeque::new(),
        }
    }

    /// The session is to end. Only the first call counts.
    pub(super) fn close(&mut self, now: Duration, policy: ClosePolicy) {
        if matches!(self.stage, Stage::Open) {
            self.policy = policy;
            self.stage = Stage::Beginning;
            self.look_due = Some(now);
        }
    }

    /// The child has exited. `is_reaped` says whether somebody else has reaped it: then its pid
    /// may be another's from now on.
    pub(super) fn handle_exit(&mut self, now: Duration, is_reaped: bool) {
        self.has_exited = true;
        if is_reaped {
            self.descendants.forget_root();
        }
        if matches!(self.stage, Stage::Closed) {
            self.tell_exit();
        } else {
            self.look_due = Some(now);
        }
    }

    /// All processes as they are now; `None` if they cannot be listed.
    pub(super) fn handle_look(&mut self, now: Duration, table: Option<&Table>, usage: UsageOf<'_>) {
        self.look_due = None;
        match table {
            Some(table) => self.descendants.look(table),
            None => self.is_unknown = true,
        }
        if self.has_exited {
            self.tell_exit();
        }
        match &self.stage {
            Stage::Open | Stage::Closed => {}
            Stage::Beginning => {
                self.actions.push_back(Action::CloseInput);
                self.wait(CloseStep::Exited, now, usage);
            }
            Stage::Waiting(step, _) | Stage::Overdue(step) if self.has_exited => {
                self.sweep(*step, Signal::Terminate, now, usage);
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
            Stage::Overdue(_) => self.sweep(CloseStep::StillAlive, Signal::Terminate, now, usage),
            Stage::Sweeping(_) => self.count(now, usage),
        }
        self.sweep_on(now, table.is_some(), usage);
    }

    /// It is time, see [`due`](Self::due).
    pub(super) fn handle_timeout(&mut self, now: Duration, usage: UsageOf<'_>) {
        self.count(now, usage);
        match &self.stage {
            Stage::Waiting(step, countdown) if countdown.is_over() => {
                self.stage = Stage::Overdue(*step);
                self.look_due = Some(now);
            }
            _ => {}
        }
    }

    /// When [`handle_timeout`](Self::handle_timeout) is to be called.
    pub(super) fn due(&self) -> Option<Duration> {
        match &self.stage {
            // Its exit waits to be looked at.
            Stage::Waiting(..) if self.has_exited => None,
            Stage::Waiting(_, countdown) => Some(countdown.due()),
            _ => None,
        }
    }

    /// When it wants to look at the table of processes, at the earliest. It may be shown one
    /// before that.
    pub(super) fn look_due(&self) -> Option<Duration> {
        self.look_due
    }

    /// What is to be done next.
    pub(super) fn poll(&mut self) -> Option<Action> {
        self.actions.pop_front()
    }

    /// The child's pid, which is its process group's number as well, while it surely is the
    /// child's.
    pub(super) fn group(&self) -> Option<u32> {
        self.descendants.root()
    }

    /// To be called when the child is reaped.
    pub(super) fn forget_group(&mut self) {
        self.descendants.forget_root();
    }

    /// Whether nothing more will happen.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Closed) && self.is_exit_told
    }

    /// Gives up.
    pub(super) fn give_up(&mut self) {
        self.stage = Stage::Closed;
        self.look_due = None;
        self.actions.clear();
        if self.has_exited {
            self.tell_exit();
        }
    }

    fn tell_exit(&mut self) {
        if !self.is_exit_told {
            self.is_exit_told = true;
            self.actions.push_back(Action::TellExit);
        }
    }

    fn signal_child(&mut self, signal: Signal) {
        self.actions.push_back(Action::SignalChild(signal));
    }

    /// Waits for the child, which ends at `step` if it ends now.
    fn wait(&mut self, step: CloseStep, now: Duration, usage: UsageOf<'_>) {
        if self.has_exited {
            self.sweep(step, Signal::Terminate, now, usage);
            return;
        }
        let limit = match step {
            CloseStep::Exited => self.policy.exit,
            CloseStep::Terminated => self.policy.terminate,
            CloseStep::Killed | CloseStep::StillAlive => self.policy.kill,
        };
        let countdown = Countdown::start(now, limit, iter::once(self.child), usage);
        self.stage = Stage::Waiting(step, countdown);
    }

    fn sweep(&mut self, step: CloseStep, signal: Signal, now: Duration, usage: UsageOf<'_>) {
        let limit = match signal {
            Signal::Terminate => self.policy.terminate,
            Signal::Kill => self.policy.kill,
        };
        let processes = self.descendants.alive().keys().copied();
        self.stage = Stage::Sweeping(Sweep {
            step,
            signal,
            countdown: Countdown::start(now, limit, processes, usage),
            sent: BTreeSet::new(),
            is_group_signalled: false,
            pause: PAUSES.0,
        });
    }

    /// Counts the time that has passed.
    fn count(&mut self, now: Duration, usage: UsageOf<'_>) {
        match &mut self.stage {
            Stage::Waiting(_, countdown) => {
                countdown.advance(now, iter::once(self.child), usage);
            }
            Stage::Sweeping(sweep) => {
                let processes = self.descendants.alive().keys().copied();
                sweep.countdown.advance(now, processes, usage);
            }
            _ => {}
        }
    }

    /// Signals what was found just now; when nothing is left, or the time is over, goes on.
    fn sweep_on(&mut self, now: Duration, is_known: bool, usage: UsageOf<'_>) {
        while let Stage::Sweeping(sweep) = &mut self.stage {
            let alive = self.descendants.alive();
            if is_known && alive.is_empty() {
                return self.report();
            }
            if !is_known && !sweep.is_group_signalled && self.descendants.root().is_some() {
                sweep.is_group_signalled = true;
                self.actions.push_back(Action::SignalGroup(sweep.signal));
            }
            for (&pid, &start) in alive.iter().filter(|_| is_known) {
                if sweep.sent.insert((pid, start)) {
                    self.signalled.insert(pid);
                    self.actions.push_back(Action::SignalDescendant {
                        pid,
                        start,
                        signal: sweep.signal,
                    });
                }
            }
            // To wait is of no use where there is nobody to wait for, or who is gone cannot be seen.
            let can_wait =
                is_known || (sweep.is_group_signalled && sweep.signal == Signal::Terminate);
            if can_wait && !sweep.countdown.is_over() {
                self.look_due = Some(now.saturating_add(sweep.pause));
                sweep.pause = (sweep.pause * 2).min(PAUSES.1);
                return;
            }
            let step = sweep.step;
            match sweep.signal {
                Signal::Terminate => self.sweep(step, Signal::Kill, now, usage),
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
        let mut left: Vec<_> = self.descendants.alive().keys().copied().collect();
        if step == CloseStep::StillAlive {
            left.push(self.child);
        }
        self.stage = Stage::Closed;
        self.look_due = None;
        self.actions.push_back(Action::Report(Outcome {
            step,
            swept: self.signalled.iter().copied().collect(),
            left,
            descendants_unknown: self.is_unknown,
        }));
    }
}

#[cfg(test)]
mod tests;

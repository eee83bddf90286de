//! Ladders in a simulated system with a simulated clock.

#![allow(clippy::unwrap_used)]

use super::{Action, Ladder, Outcome};
use crate::process::countdown::{STRETCH, Usage};
use crate::process::policy::{ClosePolicy, CloseStep};
use crate::process::signal::Signal;
use crate::process::table::{Process, Table};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

const CHILD: u32 = 100;
const SESSION: &str = "session";
const SECOND: Duration = Duration::from_secs(1);

/// How a process spends its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Activity {
    /// It sleeps.
    Sleeping,
    /// The process is runnable, and gets no CPU.
    Starving,
    /// The process runs all the time.
    Running,
}

#[derive(Debug)]
struct Simulated {
    process: Process,
    doing: Activity,
    usage: Usage,
    /// A current wait is not reported.
    waiting: Duration,
    heeds_terminate: bool,
    /// The time between SIGKILL and its exit.
    dies_in: Duration,
}

/// A simulated event and its time.
type Event = (Duration, fn(&mut World));

struct World {
    now: Duration,
    starts: u64,
    processes: BTreeMap<u32, Simulated>,
    /// Unrelated processes, by PID and start time.
    strangers: BTreeSet<(u32, u64)>,
    ladder: Ladder,
    /// Whether the processes can be listed.
    has_table: bool,
    /// The remaining events, in order.
    events: Vec<Event>,
    log: Vec<(Duration, Action)>,
}

impl World {
    fn new() -> Self {
        let mut this = Self {
            now: Duration::ZERO,
            starts: 0,
            processes: BTreeMap::new(),
            strangers: BTreeSet::new(),
            ladder: Ladder::new(CHILD, SESSION),
            has_table: true,
            events: Vec::new(),
            log: Vec::new(),
        };
        this.start(CHILD, None, CHILD, true);
        this
    }

    fn start(&mut self, pid: u32, parent: Option<u32>, group: u32, is_marked: bool) {
        self.starts += 1;
        let sessions = if is_marked { SESSION } else { "" };
        let process = Process {
            pid,
            parent,
            group: Some(group),
            start: self.starts,
            sessions: sessions.into(),
        };
        let simulated = Simulated {
            process,
            doing: Activity::Sleeping,
            usage: Usage::default(),
            waiting: Duration::ZERO,
            heeds_terminate: true,
            dies_in: Duration::ZERO,
        };
        let before = self.processes.insert(pid, simulated);
        assert!(before.is_none(), "{pid} is taken");
    }

    fn start_stranger(&mut self, pid: u32) {
        self.start(pid, Some(1), pid, false);
        self.strangers.insert((pid, self.starts));
    }

    fn end(&mut self, pid: u32) {
        self.processes.remove(&pid);
        for other in self.processes.values_mut() {
            if other.process.parent == Some(pid) {
                other.process.parent = Some(1);
            }
        }
        if pid == CHILD {
            self.ladder.handle_exit(self.now, false);
        }
    }

    fn end_child(&mut self) {
        self.end(CHILD);
    }

    fn hasten(&mut self) {
        let processes = &self.processes;
        let usage = |pid: u32| Some(processes.get(&pid)?.usage);
        self.ladder.hasten(self.now, policy(), &usage);
    }

    fn child(&mut self) -> &mut Simulated {
        self.processes.get_mut(&CHILD).unwrap()
    }

    fn at(mut self, when: Duration, event: fn(&mut Self)) -> Self {
        self.events.push((when, event));
        self
    }

    /// Closes the session, and returns the report.
    fn close(&mut self, policy: ClosePolicy) -> Outcome {
        self.ladder.close(self.now, policy);
        // Every event happens within an hour.
        while self.now < 3600 * SECOND {
            while let Some(action) = self.ladder.poll() {
                self.log.push((self.now, action.clone()));
                if let Action::Report(outcome) = action {
                    return outcome;
                }
                self.act(&action);
            }
            self.round();
        }
        panic!("no report: {:?}", self.log);
    }

    fn round(&mut self) {
        let event = self.events.iter().map(|(when, _)| *when).min();
        let due = [self.ladder.due(), self.ladder.listing_due(), event];
        let next = due.into_iter().flatten().min().unwrap();
        self.pass(next.saturating_sub(self.now));
        let now = self.now;
        let (happening, later) = self.events.iter().partition(|(when, _)| *when <= now);
        self.events = later;
        let happening: Vec<Event> = happening;
        happening.into_iter().for_each(|(_, happen)| happen(self));
        let processes = &self.processes;
        let usage = |pid: u32| Some(processes.get(&pid)?.usage);
        if self.ladder.due().is_some_and(|due| due <= self.now) {
            self.ladder.handle_timeout(self.now, &usage);
        }
        if self.ladder.listing_due().is_some_and(|due| due <= self.now) {
            let table = self.has_table.then(|| {
                let processes = self.processes.values();
                Table::of(
                    processes
                        .map(|it| (it.process.pid, it.process.clone()))
                        .collect(),
                )
            });
            self.ladder.handle_listing(self.now, table.as_ref(), &usage);
        }
    }

    fn pass(&mut self, time: Duration) {
        self.now += time;
        for process in self.processes.values_mut() {
            process.usage.is_runnable = process.doing != Activity::Sleeping;
            match process.doing {
                Activity::Sleeping => {}
                Activity::Starving => process.waiting += time,
                Activity::Running => process.usage.ran += time,
            }
        }
    }

    fn act(&mut self, action: &Action) {
        let group = || {
            let those = self.processes.values();
            let those = those.filter(|it| it.process.group == Some(CHILD));
            those.map(|it| it.process.pid).collect()
        };
        let (pids, signal): (Vec<u32>, _) = match *action {
            Action::SignalChild(signal) => (vec![CHILD], signal),
            // As the system does: only the process with this start time gets the signal.
            Action::SignalDescendant { pid, start, signal } => {
                assert!(!self.strangers.contains(&(pid, start)), "{:?}", self.log);
                let is_it = |it: &&Simulated| it.process.start == start;
                let found = self.processes.get(&pid).filter(is_it);
                (found.iter().map(|it| it.process.pid).collect(), signal)
            }
            Action::SignalGroup(signal) => (group(), signal),
            _ => return,
        };
        for pid in pids {
            let Some(process) = self.processes.get(&pid) else {
                continue;
            };
            let is_stranger = self.strangers.contains(&(pid, process.process.start));
            assert!(!is_stranger, "{pid} is a stranger: {:?}", self.log);
            if signal == Signal::Kill && !process.dies_in.is_zero() {
                // Only the child exits.
                let end = (self.now + process.dies_in, Self::end_child as fn(&mut Self));
                self.events.push(end);
            } else if signal == Signal::Kill || process.heeds_terminate {
                self.end(pid);
            }
        }
    }

    fn actions(&self) -> Vec<Action> {
        self.log.iter().map(|(_, action)| action.clone()).collect()
    }

    /// Returns the time of the child's first signal.
    fn signalled(&self) -> Option<Duration> {
        let is_signal = |(_, action): &&(_, Action)| matches!(action, Action::SignalChild(_));
        Some(self.log.iter().find(is_signal)?.0)
    }
}

fn policy() -> ClosePolicy {
    ClosePolicy::default()
        .exit(2 * SECOND)
        .terminate(SECOND)
        .kill(SECOND)
}

fn gone(step: CloseStep, swept: &[u32]) -> Outcome {
    Outcome {
        step,
        swept: swept.into(),
        remaining: vec![],
        descendants_unknown: false,
    }
}

#[test]
fn a_child_that_ignores_the_end_of_its_input_is_signalled_at_the_limit() {
    let mut world = World::new();
    let outcome = world.close(policy());
    assert_eq!(outcome, gone(CloseStep::Terminated, &[]));
    assert_eq!(world.signalled(), Some(2 * SECOND));
}

#[test]
fn kill_skips_the_other_steps_and_waits_for_the_exit() {
    for at in [Duration::ZERO, SECOND, 5 * SECOND / 2] {
        let mut world = World::new();
        world.child().heeds_terminate = false;
        world.child().dies_in = SECOND / 10;
        world.start(7, Some(CHILD), 7, true);
        world.processes.get_mut(&7).unwrap().heeds_terminate = false;
        world = world.at(at, World::hasten);
        if at.is_zero() {
            world.events.clear();
            world.hasten();
        }
        let outcome = world.close(policy());
        assert_eq!(outcome, gone(CloseStep::Killed, &[7]), "at {at:?}");
        let took = world.now - at;
        assert!(took < SECOND / 5, "{took:?} after {at:?}: {:?}", world.log);
    }
}

#[test]
fn waiting_for_a_cpu_is_not_ignoring_a_step() {
    let mut world = World::new().at(15 * SECOND, |world| world.end(CHILD));
    world.child().doing = Activity::Starving;
    let outcome = world.close(policy());
    assert_eq!(outcome, gone(CloseStep::Exited, &[]));
    assert_eq!(world.signalled(), None);
}

#[test]
fn finished_waits_for_a_cpu_do_not_count() {
    let mut world = World::new()
        .at(SECOND / 10, |world| {
            world.child().doing = Activity::Starving;
        })
        .at(5 * SECOND, |world| {
            let child = world.child();
            child.usage.waited += child.waiting;
            child.doing = Activity::Sleeping;
        })
        .at(6 * SECOND, |world| world.end(CHILD));
    let outcome = world.close(policy());
    assert_eq!(outcome, gone(CloseStep::Exited, &[]));
}

#[test]
fn a_child_that_keeps_running_is_signalled_at_the_limit() {
    let mut world = World::new();
    world.child().doing = Activity::Running;
    let outcome = world.close(policy());
    assert_eq!(outcome, gone(CloseStep::Terminated, &[]));
    assert_eq!(world.signalled(), Some(2 * SECOND));
}

#[test]
fn a_process_that_never_gets_a_cpu_is_still_signalled() {
    let mut world = World::new();
    world.child().doing = Activity::Starving;
    let outcome = world.close(policy());
    assert_eq!(outcome, gone(CloseStep::Terminated, &[]));
    assert_eq!(world.signalled(), Some(2 * SECOND * STRETCH));
}

#[test]
fn waiting_for_a_cpu_does_not_get_a_descendant_killed() {
    let mut world = World::new()
        .at(SECOND, |world| world.end(CHILD))
        .at(8 * SECOND, |world| world.end(CHILD + 1));
    world.start(CHILD + 1, Some(CHILD), CHILD + 1, true);
    let descendant = world.processes.get_mut(&(CHILD + 1)).unwrap();
    descendant.doing = Activity::Starving;
    descendant.heeds_terminate = false;
    let outcome = world.close(policy());
    assert_eq!(outcome, gone(CloseStep::Exited, &[CHILD + 1]));
    let kill = |action: &Action| {
        let signal = Signal::Kill;
        matches!(action, Action::SignalDescendant { signal: it, .. } if *it == signal)
    };
    assert!(!world.actions().iter().any(kill), "{:?}", world.log);
}

#[test]
fn the_reused_pid_of_a_descendant_is_not_signalled() {
    let mut world = World::new()
        .at(SECOND, |world| {
            world.end(CHILD + 1);
            world.start_stranger(CHILD + 1);
        })
        .at(2 * SECOND - SECOND / 10, |world| world.end(CHILD));
    world.start(CHILD + 1, Some(CHILD), CHILD + 1, true);
    let outcome = world.close(policy());
    assert_eq!(outcome, gone(CloseStep::Exited, &[]));
    assert!(world.processes.contains_key(&(CHILD + 1)));
}

#[test]
fn the_pid_of_a_child_reaped_elsewhere_is_not_used() {
    for has_table in [true, false] {
        let mut world = World::new().at(SECOND, |world| {
            world.processes.remove(&CHILD);
            world.ladder.handle_exit(world.now, true);
            // It leads a group with the same number, as a shell's job would.
            world.start_stranger(CHILD);
            world.start(CHILD + 2, Some(CHILD), CHILD, false);
            world.strangers.insert((CHILD + 2, world.starts));
        });
        world.has_table = has_table;
        let outcome = world.close(policy());
        assert_eq!((outcome.step, outcome.swept), (CloseStep::Exited, vec![]));
        assert_eq!(outcome.descendants_unknown, !has_table);
        assert!(world.processes.contains_key(&CHILD));
    }
}

#[test]
fn without_a_table_the_group_is_swept_and_the_report_says_so() {
    let mut world = World::new().at(SECOND, |world| world.end(CHILD));
    world.has_table = false;
    world.start(CHILD + 1, Some(CHILD), CHILD, true);
    world.start(CHILD + 2, Some(CHILD), CHILD, true);
    world.start(CHILD + 3, Some(CHILD), CHILD + 3, true);
    world
        .processes
        .get_mut(&(CHILD + 2))
        .unwrap()
        .heeds_terminate = false;
    let outcome = world.close(policy());
    assert!(outcome.descendants_unknown);
    assert_eq!(outcome.step, CloseStep::Exited);
    let left: Vec<_> = world.processes.keys().copied().collect();
    assert_eq!(left, [CHILD + 3]);
    let expected = [
        Action::CloseInput,
        Action::ReportExit,
        Action::SignalGroup(Signal::Terminate),
        Action::SignalGroup(Signal::Kill),
        Action::Report(outcome),
    ];
    assert_eq!(world.actions(), expected);
}

#[test]
fn a_child_that_cannot_be_killed_is_reported_and_so_is_its_later_exit() {
    let mut world = World::new();
    // It hangs in the kernel: signals have no effect.
    world.processes.clear();
    let outcome = world.close(policy());
    assert_eq!(outcome.step, CloseStep::StillAlive);
    assert_eq!(outcome.remaining, [CHILD]);
    assert!(!world.ladder.is_over());
    world.ladder.handle_exit(world.now, false);
    assert_eq!(world.ladder.poll(), Some(Action::ReportExit));
    assert!(world.ladder.is_over());
}

/// An event while a session is closed.
#[derive(Clone, Copy, Debug)]
enum Change {
    /// A process of the session starts another one: in its group or in a new one, with the marker
    /// or without.
    Fork(u32, bool, bool),
    End(u32),
    /// A process of the session exits, and an unrelated process reuses its PID at once.
    Reuse(u32),
}

fn change() -> impl Strategy<Value = Change> {
    let pid = 0..8_u32;
    prop_oneof![
        (pid.clone(), any::<bool>(), any::<bool>())
            .prop_map(|(pid, own_group, marked)| Change::Fork(pid, own_group, marked)),
        pid.clone().prop_map(Change::End),
        pid.prop_map(Change::Reuse),
    ]
}

impl World {
    /// Returns a process of the session by number.
    fn one_of_ours(&self, number: u32) -> Option<u32> {
        let those = self.processes.values().map(|it| &it.process);
        let ours = those.filter(|it| !self.strangers.contains(&(it.pid, it.start)));
        let ours: Vec<u32> = ours.map(|it| it.pid).collect();
        let index = usize::try_from(number).ok()?.checked_rem(ours.len())?;
        ours.get(index).copied()
    }

    fn change(&mut self, change: Change) {
        match change {
            Change::Fork(number, own_group, is_marked) => {
                let Some(parent) = self.one_of_ours(number) else {
                    return;
                };
                let pid = (CHILD..).find(|pid| !self.processes.contains_key(pid));
                // A child's PID is not reused until it is reaped.
                let pid = pid.filter(|pid| *pid != CHILD).unwrap_or(CHILD + 1_000);
                if self.processes.contains_key(&pid) {
                    return;
                }
                let inherited = self.processes[&parent].process.group.unwrap();
                let group = if own_group { pid } else { inherited };
                self.start(pid, Some(parent), group, is_marked);
            }
            Change::End(number) => {
                if let Some(pid) = self.one_of_ours(number) {
                    self.end(pid);
                }
            }
            Change::Reuse(number) => {
                let pid = self.one_of_ours(number).filter(|pid| *pid != CHILD);
                if let Some(pid) = pid {
                    self.end(pid);
                    self.start_stranger(pid);
                }
            }
        }
    }
}

proptest! {
    /// `act` panics if an unrelated process is signalled.
    #[test]
    fn no_unrelated_process_is_signalled_and_no_marked_one_remains(
        before in prop::collection::vec(change(), 0..12),
        during in prop::collection::vec((0..9_000_u64, change()), 0..24),
        has_table in any::<bool>(),
    ) {
        let mut world = World::new();
        world.has_table = has_table;
        before.into_iter().for_each(|change| world.change(change));
        let mut during = during;
        during.sort_by_key(|(when, _)| *when);
        world.ladder.close(world.now, policy());
        let mut during = during.into_iter().peekable();
        let outcome = 'closed: loop {
            prop_assert!(world.now < 60 * SECOND, "{:?}", world.log);
            while let Some(action) = world.ladder.poll() {
                world.log.push((world.now, action.clone()));
                if let Action::Report(outcome) = action {
                    break 'closed outcome;
                }
                world.act(&action);
                while let Some((_, change)) =
                    during.next_if(|(when, _)| Duration::from_millis(*when) <= world.now)
                {
                    world.change(change);
                }
            }
            world.round();
        };
        prop_assert_eq!(outcome.descendants_unknown, !has_table);
        if has_table {
            let marked = |it: &&Simulated| it.process.sessions == SESSION.as_bytes();
            let left: Vec<_> = world.processes.values().filter(marked).collect();
            prop_assert!(left.is_empty(), "{:?} of {:?}", left, world.log);
            prop_assert!(outcome.remaining.is_empty());
        }
    }
}

//! The thread that closes all sessions of this process, and watches their children until then.
//!
//! One for all: what takes long in closing, the look at all processes of the system, is done once
//! for all sessions that want one at that time. It is there as long as there are children.

use super::closing::Closing;
use super::events::{Events, Watched};
use super::exit::wait_unreaped;
use super::policy::{ClosePolicy, CloseReport};
use super::table::{self, Table};
use super::{lock, spawn_thread};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use std::{fmt, io, mem};
use tokio::sync::watch;

/// How long the closer sleeps at most while it counts time.
const ROUND: Duration = Duration::from_millis(50);

/// How much time a round counts at most. One that takes longer was not let run: this process was
/// stopped or the machine suspended, or it is so busy that others could not run either.
const LONGEST_ROUND: Duration = Duration::from_millis(100);

/// Listing the processes takes at most one part in so many of the time, unless that takes long.
const LOOKING: u32 = 5;

/// How long after a look the next one comes at the latest, where one is wanted.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// The thread's name.
const NAME: &str = "agentwire-closer";

/// Kills at once, and waits for nothing.
const AT_ONCE: ClosePolicy = ClosePolicy {
    finish: Duration::ZERO,
    exit: Duration::ZERO,
    terminate: Duration::ZERO,
    kill: Duration::ZERO,
};

/// The closer of this process.
pub(super) static CLOSER: Closer = Closer::new(Table::read, Watched::new);

/// The thread, if there is one, and what it shares with others.
pub(super) struct Closer {
    state: Mutex<State>,
    read_table: fn() -> io::Result<Table>,
    pub(super) watched: fn(u32) -> Option<Watched>,
}

struct State {
    /// Those that are not closed and reaped, by their numbers.
    children: BTreeMap<u64, Arc<Closing>>,
    asked: Vec<(u64, Asked)>,
    thread: Option<Thread>,
}

struct Thread {
    events: Arc<Events>,
    /// The process that has it. A fork of that has none.
    process: u32,
}

/// What the thread is asked to do for a child.
enum Asked {
    Watch,
    Close,
    /// Another thread says that the child has exited.
    SeeExit,
}

impl Closer {
    /// One for which the system is what these two say.
    pub(super) const fn new(
        read_table: fn() -> io::Result<Table>,
        watched: fn(u32) -> Option<Watched>,
    ) -> Self {
        let state = State {
            children: BTreeMap::new(),
            asked: Vec::new(),
            thread: None,
        };
        Self {
            state: Mutex::new(state),
            read_table,
            watched,
        }
    }

    /// Watches the child from now on, until it is closed and reaped.
    ///
    /// Fails if there can be no more threads or file descriptors.
    pub(super) fn watch(&'static self, child: &Arc<Closing>) -> io::Result<()> {
        let mut state = lock(&self.state);
        state.forget_those_of_a_parent();
        if child.watched.is_none() {
            self.watch_by_thread(child)?;
        }
        self.start(&mut state)?;
        state.children.insert(child.number, Arc::clone(child));
        if child.watched.is_some() {
            state.ask(child.number, Asked::Watch);
        }
        Ok(())
    }

    /// Starts to close a child that is watched, and everything that it started. The closer first
    /// lists what there is and then calls `close_input`: a process in a session of its own and
    /// without our marker can only be found as long as its parents live. When stdin stays open the
    /// child is terminated when the policy's `exit` is over.
    ///
    /// The report is there when it is `Some`; the channel closes without one only if something
    /// panicked on the way, a subscriber of `tracing` for instance. A second call only calls
    /// `close_input`, and gets the same report. If there can be no more threads, and the closer is
    /// gone, the child is killed at once, with all its descendants, and nobody waits for them to be
    /// gone.
    pub(super) fn close(
        &'static self,
        child: &Arc<Closing>,
        close_input: impl FnOnce() + Send + 'static,
    ) -> watch::Receiver<Option<CloseReport>> {
        if child.begin(close_input) {
            self.ask_to_close(child);
        }
        child.report()
    }

    fn ask_to_close(&'static self, child: &Arc<Closing>) {
        let mut state = lock(&self.state);
        match self.start(&mut state) {
            Ok(()) => state.ask(child.number, Asked::Close),
            Err(error) => {
                drop(state);
                let pid = child.child.id();
                tracing::warn!(pid, %error, "killing at once for want of a thread");
                self.close_at_once(child);
            }
        }
    }

    /// All children that are not closed and reaped.
    pub(super) fn children(&self) -> Vec<Arc<Closing>> {
        lock(&self.state).children.values().cloned().collect()
    }

    /// Starts the thread if there is none: it ends with the last child, or by a panic.
    fn start(&'static self, state: &mut State) -> io::Result<()> {
        if state.thread.is_some() {
            return Ok(());
        }
        let events = Arc::new(Events::new()?);
        let work = Work::new(self, Arc::clone(&events));
        spawn_thread(NAME, move || work.run())?;
        for (&number, child) in &state.children {
            state.asked.push((number, Asked::Watch));
            if child.has_begun() {
                state.asked.push((number, Asked::Close));
            }
        }
        state.thread = Some(Thread {
            events,
            process: std::process::id(),
        });
        Ok(())
    }

    /// Has a thread wait for the child: where its exit is no event.
    fn watch_by_thread(&'static self, child: &Arc<Closing>) -> io::Result<()> {
        let child = Arc::clone(child);
        spawn_thread("agentwire-exit", move || {
            wait_unreaped(&child.child);
            lock(&self.state).ask(child.number, Asked::SeeExit);
        })
    }

    /// Kills the child and its descendants in the thread that calls this.
    pub(super) fn close_at_once(&self, child: &Arc<Closing>) {
        let mut now = Duration::ZERO;
        child.ladder().close(now, AT_ONCE);
        loop {
            let table = (self.read_table)().ok();
            let mut ladder = child.ladder();
            ladder.handle_look(now, table.as_ref(), &table::usage);
            drop(ladder);
            act(child);
            now += LONGEST_ROUND;
            let mut ladder = child.ladder();
            ladder.handle_timeout(now, &table::usage);
            if ladder.look_due().is_none() {
                return;
            }
        }
    }
}

impl fmt::Debug for Closer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Closer")
    }
}

impl State {
    fn ask(&mut self, number: u64, what: Asked) {
        self.asked.push((number, what));
        if let Some(thread) = &self.thread {
            thread.events.wake();
        }
    }

    /// In a fork of the process that had the thread there is no thread, and there are no children.
    fn forget_those_of_a_parent(&mut self) {
        let process = std::process::id();
        if self.thread.as_ref().is_some_and(|it| it.process != process) {
            self.children.clear();
            self.asked.clear();
            self.thread = None;
        }
    }
}

/// Whether the thread of a closer calls this.
pub(super) fn is_this_thread() -> bool {
    thread::current().name() == Some(NAME)
}

/// What the thread does.
struct Work {
    closer: &'static Closer,
    events: Arc<Events>,
    clock: Clock,
    /// Those of which something is to be done soon.
    busy: BTreeMap<u64, Arc<Closing>>,
    /// Those whose exit is no event and that no thread waits for.
    polled: BTreeMap<u64, Arc<Closing>>,
    next_look: Instant,
    has_warned: bool,
}

impl Work {
    fn new(closer: &'static Closer, events: Arc<Events>) -> Self {
        Self {
            closer,
            events,
            clock: Clock::new(),
            busy: BTreeMap::new(),
            polled: BTreeMap::new(),
            next_look: Instant::now(),
            has_warned: false,
        }
    }

    fn run(mut self) {
        let _ended = Ended(self.closer);
        loop {
            let exited = self.events.wait(self.pause());
            self.clock.advance();
            self.take_what_is_asked(exited);
            self.pass_time();
            self.look();
            if !self.keep_the_busy() {
                return;
            }
        }
    }

    /// For how long nothing is to be done, if nothing happens.
    fn pause(&self) -> Option<Duration> {
        let until_look = self.next_look.saturating_duration_since(Instant::now());
        let pauses = self.busy.values().flat_map(|child| {
            let ladder = child.ladder();
            let look = ladder.look_due();
            let look = look.map(|due| due.saturating_sub(self.clock.now).max(until_look));
            let due = ladder.due();
            [look, due.map(|due| due.saturating_sub(self.clock.now))]
        });
        let poll = (!self.polled.is_empty()).then_some(ROUND);
        Some(pauses.flatten().chain(poll).min()?.min(ROUND))
    }

    fn take_what_is_asked(&mut self, exited: Vec<u64>) {
        let mut state = lock(&self.closer.state);
        let asked = mem::take(&mut state.asked).into_iter();
        let exited = exited.into_iter().map(|number| (number, Asked::SeeExit));
        let asked: Vec<_> = asked
            .chain(exited)
            .filter_map(|(number, what)| Some((state.children.get(&number)?.clone(), what)))
            .collect();
        drop(state);
        let now = self.clock.now;
        for (child, what) in asked {
            match what {
                Asked::Watch => self.watch(child),
                Asked::SeeExit => self.see_exit(child),
                Asked::Close => {
                    child.ladder().close(now, child.policy());
                    self.busy.insert(child.number, child);
                }
            }
        }
        for child in mem::take(&mut self.polled).into_values() {
            self.see_exit(child);
        }
    }

    fn watch(&mut self, child: Arc<Closing>) {
        match &child.watched {
            Some(watched) if self.events.watch(watched, child.number).is_ok() => {}
            _ => drop(self.polled.insert(child.number, child)),
        }
    }

    fn see_exit(&mut self, child: Arc<Closing>) {
        if let Some(is_reaped) = child.see_exit() {
            child.ladder().handle_exit(self.clock.now, is_reaped);
            guard(&child, || act(&child));
            self.busy.insert(child.number, child);
        } else {
            // A debugger has to hear of it first.
            self.polled.insert(child.number, child);
        }
    }

    fn pass_time(&mut self) {
        let now = self.clock.now;
        for child in self.busy.values() {
            guard(child, || {
                let mut ladder = child.ladder();
                if ladder.due().is_some_and(|due| due <= now) {
                    ladder.handle_timeout(now, &table::usage);
                }
            });
        }
    }

    /// Has all look that want to, if one cannot wait.
    fn look(&mut self) {
        let now = self.clock.now;
        let is_due = |due: Duration| due <= now;
        let mut busy = self.busy.values();
        let is_wanted = busy.any(|child| child.ladder().look_due().is_some_and(is_due));
        let started = Instant::now();
        if !is_wanted || started < self.next_look {
            return;
        }
        let table = catch_unwind(self.closer.read_table);
        let table = table.unwrap_or_else(|_| Err(io::Error::other("listing them panicked")));
        let pause = started.elapsed().saturating_mul(LOOKING - 1);
        self.next_look = Instant::now() + pause.min(LONGEST_PAUSE);
        if let Err(error) = &table
            && !mem::replace(&mut self.has_warned, true)
        {
            let warn = || tracing::warn!(%error, "cannot list processes");
            let _ = catch_unwind(AssertUnwindSafe(warn));
        }
        self.clock.advance();
        for child in self.busy.values() {
            guard(child, || {
                let mut ladder = child.ladder();
                if ladder.look_due().is_some() {
                    ladder.handle_look(self.clock.now, table.as_ref().ok(), &table::usage);
                }
            });
            guard(child, || act(child));
        }
    }

    /// Forgets those that are over, and for now those that wait for their children. Says whether
    /// there are any left.
    fn keep_the_busy(&mut self) -> bool {
        let mut over = Vec::new();
        self.busy.retain(|number, child| {
            let ladder = child.ladder();
            if ladder.is_over() {
                over.push(*number);
            }
            ladder.look_due().is_some() || ladder.due().is_some()
        });
        let mut state = lock(&self.closer.state);
        let over: Vec<_> = over.iter().map(|it| state.children.remove(it)).collect();
        let is_over = state.children.is_empty();
        if is_over {
            state.thread = None;
        }
        drop(state);
        drop(over);
        !is_over
    }
}

/// Makes room for another thread when this one ends by a panic.
struct Ended(&'static Closer);

impl Drop for Ended {
    fn drop(&mut self) {
        if thread::panicking() {
            lock(&self.0.state).thread = None;
        }
    }
}

/// The time that has passed for the closer. It is not that of the system's clock, which may be
/// set, and does not jump.
struct Clock {
    now: Duration,
    last: Instant,
}

impl Clock {
    fn new() -> Self {
        Self {
            now: Duration::ZERO,
            last: Instant::now(),
        }
    }

    fn advance(&mut self) {
        self.advance_to(Instant::now());
    }

    fn advance_to(&mut self, instant: Instant) {
        let passed = instant.saturating_duration_since(self.last);
        self.last += passed;
        self.now += passed.min(LONGEST_ROUND);
    }
}

/// Does something for one child; a panic in it is none of the others' business.
fn guard(child: &Arc<Closing>, work: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(work)).is_err() {
        for last in [Closing::abandon, act] {
            let _ = catch_unwind(AssertUnwindSafe(|| last(child)));
        }
    }
}

fn act(child: &Arc<Closing>) {
    // Not in the condition: it would stay locked.
    loop {
        let action = child.ladder().poll();
        let Some(action) = action else { return };
        child.act(action);
    }
}

#[cfg(test)]
mod tests;

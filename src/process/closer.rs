//! The thread that closes all sessions of this process, and watches their
//! children until then.
//!
//! One thread serves all sessions, so that the expensive part of closing, listing all processes
//! of the system, is done once for all sessions that need it. The thread runs while there are
//! children.

use super::closing::Closing;
use super::events::{Events, Watched};
use super::exit::wait_unreaped;
use super::policy::{ClosePolicy, CloseReport};
use super::table::{self, Table};
use super::{lock, spawn_thread};
use agentwire_protocol::sorted::SortedMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};
use std::{fmt, io, mem};
use tokio::sync::watch;

/// The maximum length of a sleep while a timeout of closing runs.
const ROUND: Duration = Duration::from_millis(50);

/// The most time that a round counts. If it takes longer, this process was stopped, the machine
/// was suspended, or it was too busy for other processes as well.
const LONGEST_ROUND: Duration = Duration::from_millis(100);

/// At most this fraction of the time is spent on listing the processes, unless a listing is
/// slow.
const LISTING_SHARE: u32 = 5;

/// The longest pause between two listings while one is needed.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// The thread's name.
const NAME: &str = "agentwire-closer";

/// The closer of this process.
pub(super) static CLOSER: Closer = Closer::new(Table::read, Watched::new);

/// The closer: its thread, if running, and the state shared with other threads.
pub(super) struct Closer {
    state: Mutex<State>,
    read_table: fn() -> io::Result<Table>,
    pub(super) watched: fn(u32) -> Option<Watched>,
}

struct State {
    /// The children that are not closed and reaped, by their numbers.
    children: SortedMap<u64, Arc<Closing>>,
    commands: Vec<(u64, Command)>,
    thread: Option<Thread>,
}

struct Thread {
    events: Arc<Events>,
    /// The process that started the thread. A process that was forked from it has no such thread.
    process: u32,
}

/// A command to the thread, about a child.
enum Command {
    Watch,
    Close,
    Kill,
    /// Another thread reports that the child has exited.
    SeeExit,
}

impl Closer {
    /// Creates a closer with these two functions to observe the system.
    pub(super) const fn new(
        read_table: fn() -> io::Result<Table>,
        watched: fn(u32) -> Option<Watched>,
    ) -> Self {
        let state = State {
            children: SortedMap::new(),
            commands: Vec::new(),
            thread: None,
        };
        Self {
            state: Mutex::new(state),
            read_table,
            watched,
        }
    }

    /// Watches the child until it is closed and reaped.
    ///
    /// # Errors
    ///
    /// If the system is out of threads or file descriptors.
    pub(super) fn watch(&'static self, child: &Arc<Closing>) -> io::Result<()> {
        let mut state = lock(&self.state);
        state.forget_inherited();
        if child.watched.is_none() {
            self.watch_by_thread(child)?;
        }
        self.start(&mut state)?;
        state.children.insert(child.number, Arc::clone(child));
        if child.watched.is_some() {
            state.command(child.number, Command::Watch);
        }
        Ok(())
    }

    /// Starts closing a watched child and its descendants. The closer first
    /// lists the processes and then calls `close_input`: a process in its own
    /// session and without the marker can only be found while its parents live.
    /// If stdin stays open, the child is terminated after the policy's `exit`.
    ///
    /// The channel holds `Some` once there is a report. It closes without one
    /// only if something panicked, for instance a `tracing` subscriber. Further
    /// calls only call `close_input`, and return the same report. If the closer
    /// has stopped and no thread can be started, the child and its descendants
    /// are killed at once, without waiting for their exit.
    pub(super) fn close(
        &'static self,
        child: &Arc<Closing>,
        close_input: impl FnOnce() + Send + 'static,
    ) -> watch::Receiver<Option<CloseReport>> {
        if child.begin(close_input) {
            self.request_close(child, Command::Close);
        }
        child.report()
    }

    /// Kills the child and its descendants immediately, also if they are already being closed. They
    /// are listed first, as in [`close`](Self::close).
    pub(super) fn kill(&'static self, child: &Arc<Closing>) {
        child.begin(|| ());
        if child.is_ours() {
            self.request_close(child, Command::Kill);
        }
    }

    fn request_close(&'static self, child: &Arc<Closing>, how: Command) {
        let mut state = lock(&self.state);
        match self.start(&mut state) {
            Ok(()) => state.command(child.number, how),
            Err(error) => {
                drop(state);
                let pid = child.child.id();
                tracing::warn!(pid, %error, "killing at once for want of a thread");
                self.close_at_once(child);
            }
        }
    }

    /// Returns all children that are not closed and reaped.
    pub(super) fn children(&self) -> Vec<Arc<Closing>> {
        lock(&self.state).children.values().cloned().collect()
    }

    /// Starts the thread if there is none. It exits after the last child, or with a panic.
    fn start(&'static self, state: &mut State) -> io::Result<()> {
        if state.thread.is_some() {
            return Ok(());
        }
        let events = Arc::new(Events::new()?);
        let work = CloserState::new(self, Arc::clone(&events));
        spawn_thread(NAME, move || work.run())?;
        for (number, child) in state.children.entries() {
            let number = *number;
            state.commands.push((number, Command::Watch));
            if child.has_begun() {
                state.commands.push((number, Command::Close));
            }
        }
        state.thread = Some(Thread {
            events,
            process: std::process::id(),
        });
        Ok(())
    }

    /// Starts a thread that waits for a child whose exit cannot be an event.
    fn watch_by_thread(&'static self, child: &Arc<Closing>) -> io::Result<()> {
        let child = Arc::clone(child);
        spawn_thread("agentwire-exit", move || {
            wait_unreaped(&child.child);
            lock(&self.state).command(child.number, Command::SeeExit);
        })
    }

    /// Kills the child and its descendants in the calling thread.
    pub(super) fn close_at_once(&self, child: &Arc<Closing>) {
        let mut now = Duration::ZERO;
        child.ladder().close(now, ClosePolicy::AT_ONCE);
        loop {
            let table = (self.read_table)().ok();
            let mut ladder = child.ladder();
            ladder.handle_listing(now, table.as_ref(), &table::usage);
            drop(ladder);
            act(child);
            now += LONGEST_ROUND;
            let mut ladder = child.ladder();
            ladder.handle_timeout(now, &table::usage);
            if ladder.listing_due().is_none() {
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
    fn command(&mut self, number: u64, what: Command) {
        self.commands.push((number, what));
        if let Some(thread) = &self.thread {
            thread.events.wake();
        }
    }

    /// Drops the state that a forked process has inherited: it has neither the thread nor the
    /// children.
    fn forget_inherited(&mut self) {
        let process = std::process::id();
        if self.thread.as_ref().is_some_and(|it| it.process != process) {
            self.children.clear();
            self.commands.clear();
            self.thread = None;
        }
    }
}

/// Returns whether the current thread is a closer.
pub(super) fn is_this_thread() -> bool {
    thread::current().name() == Some(NAME)
}

/// The state of the thread.
struct CloserState {
    closer: &'static Closer,
    events: Arc<Events>,
    clock: Clock,
    /// Children that need action soon.
    busy: SortedMap<u64, Arc<Closing>>,
    /// Children whose exit is not an event, and which no thread waits for.
    polled: SortedMap<u64, Arc<Closing>>,
    next_listing: Instant,
    has_warned: bool,
}

impl CloserState {
    fn new(closer: &'static Closer, events: Arc<Events>) -> Self {
        Self {
            closer,
            events,
            clock: Clock::new(),
            busy: SortedMap::new(),
            polled: SortedMap::new(),
            next_listing: Instant::now(),
            has_warned: false,
        }
    }

    fn run(mut self) {
        let _ended = Ended(self.closer);
        loop {
            let exited = self.events.wait(self.pause());
            self.clock.advance();
            self.take_commands(exited);
            self.pass_time();
            self.list_processes();
            if !self.retain_busy() {
                return;
            }
        }
    }

    /// Returns how long to sleep if no event arrives.
    fn pause(&self) -> Option<Duration> {
        let until_listing = self.next_listing.saturating_duration_since(Instant::now());
        let mut pause = (!self.polled.is_empty()).then_some(ROUND);
        for child in self.busy.values() {
            let ladder = child.ladder();
            let until = |due: Duration| due.saturating_sub(self.clock.now);
            let look = ladder
                .listing_due()
                .map(|due| until(due).max(until_listing));
            for due in [look, ladder.due().map(until)].into_iter().flatten() {
                pause = Some(due.min(pause.unwrap_or(ROUND)));
            }
        }
        Some(pause?.min(ROUND))
    }

    fn take_commands(&mut self, exited: Vec<u64>) {
        let mut state = lock(&self.closer.state);
        let mut all = mem::take(&mut state.commands);
        for number in exited {
            all.push((number, Command::SeeExit));
        }
        let mut commands = Vec::with_capacity(all.len());
        for (number, what) in all {
            if let Some(child) = state.children.get(&number) {
                commands.push((Arc::clone(child), what));
            }
        }
        drop(state);
        let now = self.clock.now;
        for (child, what) in commands {
            match what {
                Command::Watch => self.watch(child),
                Command::SeeExit => self.see_exit(child),
                Command::Close => {
                    child.ladder().close(now, child.policy());
                    self.busy.insert(child.number, child);
                }
                Command::Kill => {
                    child.ladder().hasten(now, child.policy(), &table::usage);
                    self.busy.insert(child.number, child);
                }
            }
        }
        for (_, child) in mem::take(&mut self.polled).into_entries() {
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
            // A debugger must be notified first.
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

    /// Lists the processes for all children that need it, once one of them cannot wait longer.
    fn list_processes(&mut self) {
        let now = self.clock.now;
        let is_due = |due: Duration| due <= now;
        let mut busy = self.busy.values();
        let is_wanted = busy.any(|child| child.ladder().listing_due().is_some_and(is_due));
        let started = Instant::now();
        if !is_wanted || started < self.next_listing {
            return;
        }
        let table = catch_unwind(self.closer.read_table);
        let table = table.unwrap_or_else(|_| Err(io::Error::other("listing them panicked")));
        let pause = started.elapsed().saturating_mul(LISTING_SHARE - 1);
        self.next_listing = Instant::now() + pause.min(LONGEST_PAUSE);
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
                if ladder.listing_due().is_some() {
                    ladder.handle_listing(self.clock.now, table.as_ref().ok(), &table::usage);
                }
            });
            guard(child, || act(child));
        }
    }

    /// Removes finished children, and sets aside those that wait for an event. Returns whether any
    /// remain.
    fn retain_busy(&mut self) -> bool {
        let mut over = Vec::new();
        self.busy.retain(|number, child| {
            let ladder = child.ladder();
            if ladder.is_over() {
                over.push(*number);
            }
            ladder.listing_due().is_some() || ladder.due().is_some()
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

/// Allows another thread to be started after a panic.
struct Ended(&'static Closer);

impl Drop for Ended {
    fn drop(&mut self) {
        if thread::panicking() {
            lock(&self.0.state).thread = None;
        }
    }
}

/// The closer's clock. It is independent of the system clock, which may be set,
/// and does not jump.
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

/// Runs an action for one child. A panic does not affect the others.
fn guard(child: &Arc<Closing>, work: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(work)).is_err() {
        for last in [Closing::abandon, act] {
            let _ = catch_unwind(AssertUnwindSafe(|| last(child)));
        }
    }
}

fn act(child: &Arc<Closing>) {
    // In a `while` condition, the lock would be held during the body.
    loop {
        let action = child.ladder().poll();
        let Some(action) = action else { return };
        child.act(action);
    }
}

#[cfg(test)]
mod tests;

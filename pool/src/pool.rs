//! The pool, and its keeper: the task that puts sessions to sleep, waits for deadlines and measures
//! memory.

use crate::account::{self, LimitReport};
use crate::caller::{Caller, Session};
use crate::event::{PoolError, PoolEvent, PoolEvents};
use crate::ledger::Ledger;
use crate::limits::Limits;
use crate::machine::{Decision, Machine};
use crate::memory;
use agentwire::protocol::message::ResultMessage;
use agentwire::{Handle, Options, UserMessage};
use agentwire_protocol::Frame;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime};
use tokio::runtime::Handle as Runtime;
use tokio::sync::{Notify, broadcast, oneshot, watch};
use tokio::time::sleep_until;

/// The interval at which memory is measured, if it is limited.
const MEASURE: Duration = Duration::from_millis(500);

/// The number of buffered events for a slow reader.
const EVENTS: usize = 1024;

/// Sessions that share a machine, with limits of processes, starts and memory.
///
/// Callers wait in a queue. Tenants are served in turn. Within a tenant, the highest
/// [priority](Caller::priority) is served first, then the caller that has waited longest. While
/// callers wait, idle sessions are put to sleep, the least recently used first. The next message to
/// a sleeping session puts it into the queue.
///
/// ```no_run
/// # async fn example() -> Result<(), agentwire_pool::PoolError> {
/// use agentwire::Options;
/// use agentwire_pool::{Limits, Pool};
///
/// let pool = Pool::new(Limits::new(8).starting(2));
/// let result = pool.prompt("What day is it?", Options::new()).await?;
///
/// let acme = pool.caller().tenant("acme").priority(1);
/// let session = acme.connect(Options::new()).await?;
/// session.prompt("Hello").await?;
/// # Ok(())
/// # }
/// ```
///
/// A caller that waits for a session while it has one, such as an in-process tool, can deadlock:
/// set a [timeout](Caller::within). A message that wakes another session has no timeout.
///
/// Clones are the same pool.
#[derive(Clone)]
pub struct Pool(Arc<Inner>);

pub(crate) struct Inner {
    this: Weak<Inner>,
    state: Mutex<State>,
    /// Notified to wake the keeper.
    changed: Arc<Notify>,
    /// Notified when the keeper has stopped with its runtime, so that a waiter starts another.
    keeper_stopped: Arc<Notify>,
    events: broadcast::Sender<PoolEvent>,
    /// Notified when an account is available again.
    pub(crate) lifted: watch::Sender<()>,
    pub(crate) ledger: Option<Ledger>,
}

pub(crate) struct State {
    pub(crate) machine: Machine,
    waiters: HashMap<u64, oneshot::Sender<Result<(), PoolError>>>,
    /// The waiters that have no session yet.
    pub(crate) callers: HashSet<u64>,
    /// The process IDs of sessions with a local process.
    pids: HashMap<u64, u32>,
    handles: HashMap<u64, Handle>,
    /// The sessions that the keeper puts to sleep next.
    sleeps: Vec<u64>,
    has_keeper: bool,
    pub(crate) is_closed: bool,
    measures: bool,
}

/// The current state of a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStatus {
    /// The number of processes, including those that start or are about to exit.
    pub processes: usize,
    /// The number of starting processes.
    pub starting: usize,
    /// The number of waiting callers, including waking sessions.
    pub waiting: usize,
    /// The resident memory at the last measurement, in bytes; 0 if it is not limited.
    pub memory: u64,
    /// The accounts whose requests are refused, with the time when their limit resets if that
    /// is known.
    pub refused: Vec<(Arc<str>, Option<SystemTime>)>,
}

impl Pool {
    /// Creates a pool with these limits. It needs no runtime until it is used.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self::create(limits, None)
    }

    /// Creates a pool that records the costs of its sessions in a ledger, by tenant. If the
    /// [budget](Ledger::set_budget) of a tenant is spent, its calls fail, and messages of its
    /// sessions are deferred. Do not set a recorder of the ledger in the options as well: it would
    /// count everything twice.
    #[must_use]
    pub fn with_ledger(limits: Limits, ledger: Ledger) -> Self {
        Self::create(limits, Some(ledger))
    }

    fn create(limits: Limits, ledger: Option<Ledger>) -> Self {
        let state = State {
            machine: Machine::new(limits),
            waiters: HashMap::new(),
            callers: HashSet::new(),
            pids: HashMap::new(),
            handles: HashMap::new(),
            sleeps: Vec::new(),
            has_keeper: false,
            is_closed: false,
            measures: limits.memory.is_some(),
        };
        Self(Arc::new_cyclic(|this| Inner {
            this: this.clone(),
            state: Mutex::new(state),
            changed: Arc::default(),
            keeper_stopped: Arc::default(),
            events: broadcast::Sender::new(EVENTS),
            lifted: watch::Sender::default(),
            ledger,
        }))
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.0
    }

    /// Returns a caller without a tenant, with priority 0 and without a deadline.
    #[must_use]
    pub fn caller(&self) -> Caller {
        Caller::new(self.clone())
    }

    /// Connects as [`Caller::connect`] does, for a caller without a tenant.
    ///
    /// # Errors
    ///
    /// As [`Caller::connect`].
    pub async fn connect(&self, options: Options) -> Result<Session, PoolError> {
        self.caller().connect(options).await
    }

    /// Sends a prompt to a new agent as [`Caller::prompt`] does, for a caller without a tenant.
    ///
    /// # Errors
    ///
    /// As [`Caller::prompt`].
    pub async fn prompt(
        &self,
        prompt: impl Into<UserMessage>,
        options: Options,
    ) -> Result<ResultMessage, PoolError> {
        self.caller().prompt(prompt, options).await
    }

    /// Returns the current state.
    #[must_use]
    pub fn status(&self) -> PoolStatus {
        let state = self.0.state();
        let machine = &state.machine;
        PoolStatus {
            processes: machine.processes(),
            starting: machine.starting(),
            waiting: machine.waiting(),
            memory: machine.memory(),
            refused: machine.refused_accounts(),
        }
    }

    /// Returns a receiver of all events from now on.
    #[must_use]
    pub fn events(&self) -> PoolEvents {
        PoolEvents(self.0.events.subscribe())
    }

    /// Closes the pool: waiting and later calls fail. Running sessions continue.
    pub fn close(&self) {
        let mut state = self.0.state();
        state.is_closed = true;
        for id in std::mem::take(&mut state.callers) {
            state.machine.gone(id);
            state.answer(id, Err(PoolError::Closed));
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Pool").field(&self.status()).finish()
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inner").finish_non_exhaustive()
    }
}

impl Inner {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and executes the decisions that follow.
    fn change<T>(&self, change: impl FnOnce(&mut State, Instant) -> T) -> T {
        let mut state = self.state();
        let now = now();
        let value = change(&mut state, now);
        for decision in state.machine.decide(now) {
            match decision {
                Decision::Start(id) => state.answer(id, Ok(())),
                Decision::Expire(id, waited, reason) => {
                    state.answer(id, Err(PoolError::Deadline { waited, reason }));
                }
                Decision::Sleep(id) => state.sleeps.push(id),
            }
        }
        for event in state.machine.events.drain(..) {
            if matches!(event, PoolEvent::Available { .. }) {
                self.lifted.send_replace(());
            }
            let _ = self.events.send(event);
        }
        let runtime = Runtime::try_current().ok().zip(self.this.upgrade());
        let sleeps = match runtime {
            Some(_) => state.take_sleeps(),
            None => Vec::new(),
        };
        drop(state);
        if let Some((runtime, this)) = runtime {
            for (id, handle) in sleeps {
                runtime.spawn(fall_asleep(FallsAsleep(Arc::clone(&this), id), handle));
            }
        }
        self.changed.notify_one();
        value
    }

    /// Waits until a process may start.
    pub(crate) async fn wait(
        self: &Arc<Self>,
        id: u64,
        within: Option<Duration>,
    ) -> Result<(), PoolError> {
        let (waiter, mut answer) = oneshot::channel();
        let deadline = within.and_then(|it| now().checked_add(it));
        self.change(|state, now| {
            if state.machine.wait(now, id, deadline) {
                state.waiters.insert(id, waiter);
            } else {
                let _ = waiter.send(Ok(()));
            }
        });
        self.report_waiting(id);
        loop {
            let mut keeper_stopped = pin!(self.keeper_stopped.notified());
            keeper_stopped.as_mut().enable();
            Self::ensure_keeper(self);
            tokio::select! {
                answered = &mut answer => return answered.unwrap_or(Err(PoolError::Closed)),
                () = keeper_stopped => {}
                // The keeper's runtime may not be driven.
                () = sleep_until(deadline.unwrap_or_else(now).into()), if deadline.is_some() => {
                    self.change(|_, _| ());
                }
            }
        }
    }

    /// Sends the event that a session or caller waits, if it does.
    pub(crate) fn report_waiting(&self, id: u64) {
        self.change(|state, now| state.machine.report_waiting(now, id));
    }

    pub(crate) fn leave(&self, id: u64) {
        self.change(|state, _| {
            state.waiters.remove(&id);
            state.callers.remove(&id);
            state.pids.remove(&id);
            state.handles.remove(&id);
            state.machine.leave(id);
        });
    }

    pub(crate) fn gone(&self, id: u64) {
        self.change(|state, _| {
            state.pids.remove(&id);
            state.machine.gone(id);
        });
    }

    pub(crate) fn started(&self, id: u64, pid: Option<u32>) {
        if let Some(pid) = pid {
            self.state().pids.insert(id, pid);
        }
    }

    pub(crate) fn ready(&self, id: u64) {
        self.change(|state, now| state.machine.ready(now, id));
    }

    pub(crate) fn connected(&self, id: u64, handle: Handle) {
        self.change(|state, now| {
            state.machine.can_sleep(id);
            state.handles.insert(id, handle);
            state.machine.ready(now, id);
        });
    }

    pub(crate) fn used(&self, id: u64) {
        self.change(|state, now| state.machine.used(now, id));
    }

    /// Returns when the limit of the session's account resets, if it is limited.
    pub(crate) fn limited(&self, id: u64) -> Option<Instant> {
        let state = self.state();
        let account = state.machine.account(id)?;
        Some(state.machine.limited(now(), account)?.0)
    }

    /// Returns whether the budget of the session's tenant is spent.
    pub(crate) fn is_over_budget(&self, id: u64) -> bool {
        let tenant = self.state().machine.tenant(id);
        let ledger = self.ledger.as_ref().zip(tenant);
        ledger.is_some_and(|(ledger, tenant)| ledger.check(&tenant).is_err())
    }

    /// Updates the session's account from a message.
    pub(crate) fn received(&self, id: u64, frame: &Frame) {
        let Some(report) = account::limit_report(frame) else {
            return;
        };
        self.change(|state, now| {
            let Some(account) = state.machine.account(id).cloned() else {
                return;
            };
            match report {
                LimitReport::Accepted => state.machine.accepted(&account),
                LimitReport::Succeeded => state.machine.succeeded(&account),
                LimitReport::Refused(until) => {
                    let until = until.and_then(|until| {
                        let left = until.duration_since(SystemTime::now()).ok()?;
                        Some((now.checked_add(left)?, until))
                    });
                    state.machine.refused(&account, until);
                }
            }
        });
    }

    /// Starts the keeper on this runtime, unless one runs.
    fn ensure_keeper(this: &Arc<Self>) {
        if std::mem::replace(&mut this.state().has_keeper, true) {
            return;
        }
        // A runtime that shuts down drops it at once.
        let guard = KeeperGuard(Arc::downgrade(this), Arc::clone(&this.keeper_stopped));
        tokio::spawn(run_keeper(
            Arc::downgrade(this),
            Arc::clone(&this.changed),
            guard,
        ));
    }
}

impl State {
    /// Takes the sessions to put to sleep.
    fn take_sleeps(&mut self) -> Vec<(u64, Option<Handle>)> {
        let ids = std::mem::take(&mut self.sleeps);
        let with_handle = |id| (id, self.handles.get(&id).cloned());
        ids.into_iter().map(with_handle).collect()
    }

    /// Sends a waiter the outcome of its wait. Without a waiter, the member is about to leave.
    fn answer(&mut self, id: u64, answer: Result<(), PoolError>) {
        self.callers.remove(&id);
        if let Some(waiter) = self.waiters.remove(&id) {
            let _ = waiter.send(answer);
        }
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.changed.notify_one();
    }
}

/// Notifies the waiters when the keeper is dropped, so that one of them starts another.
struct KeeperGuard(Weak<Inner>, Arc<Notify>);

impl Drop for KeeperGuard {
    fn drop(&mut self) {
        if let Some(pool) = self.0.upgrade() {
            pool.state().has_keeper = false;
        }
        self.1.notify_waiters();
    }
}

/// Returns the time of the runtime's timers.
pub(crate) fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Runs the keeper: puts sessions to sleep, waits for deadlines, measures memory.
async fn run_keeper(pool: Weak<Inner>, changed: Arc<Notify>, _guard: KeeperGuard) {
    let mut measure_at = tokio::time::Instant::now();
    loop {
        let Some(inner) = pool.upgrade() else { return };
        let (sleeps, next, measures) = {
            let mut state = inner.state();
            let sleeps = state.take_sleeps();
            let measures = state.measures && state.machine.processes() > 0;
            (sleeps, state.machine.next_decision(), measures)
        };
        for (id, handle) in sleeps {
            let falls_asleep = FallsAsleep(Arc::clone(&inner), id);
            tokio::spawn(fall_asleep(falls_asleep, handle));
        }
        if measures && measure_at <= tokio::time::Instant::now() {
            measure(&inner).await;
            measure_at = tokio::time::Instant::now() + MEASURE;
        }
        drop(inner);
        tokio::select! {
            () = changed.notified() => {}
            () = sleep_until(next.map_or(measure_at, Into::into)), if next.is_some() => {
                if let Some(inner) = pool.upgrade() {
                    inner.change(|_, _| ());
                }
            }
            () = sleep_until(measure_at), if measures => {}
        }
    }
}

/// A session that is put to sleep. On drop, it is reported as busy unless it sleeps. The runtime
/// may drop it.
struct FallsAsleep(Arc<Inner>, u64);

impl Drop for FallsAsleep {
    fn drop(&mut self) {
        self.0
            .change(|state, now| state.machine.is_busy(now, self.1));
    }
}

async fn fall_asleep(falls_asleep: FallsAsleep, handle: Option<Handle>) {
    if let Some(handle) = handle {
        // Its process has exited by then, or it goes on.
        let _ = handle.sleep().await;
    }
    drop(falls_asleep);
}

async fn measure(pool: &Inner) {
    let pids: Vec<u32> = pool.state().pids.values().copied().collect();
    let count = pids.len();
    let measured = tokio::task::spawn_blocking(move || memory::resident(&pids)).await;
    if let Ok(Some(bytes)) = measured {
        pool.change(|state, _| state.machine.measured(bytes, count));
    }
}

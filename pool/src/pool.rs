//! The pool, and the callers that use it.

use crate::account::{self, Account, Told};
use crate::event::{Place, PoolError, PoolEvent, PoolEvents};
use crate::ledger::Ledger;
use crate::limits::Limits;
use crate::machine::{Decision, Machine};
use crate::member::{Joins, Member};
use crate::memory;
use agentwire::protocol::message::ResultMessage;
use agentwire::{Client, Handle, Options, UserMessage};
use agentwire_protocol::Frame;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime};
use tokio::runtime::Handle as Runtime;
use tokio::sync::{Notify, broadcast, oneshot, watch};
use tokio::time::sleep_until;

/// How often memory is measured, if it is limited.
const MEASURE: Duration = Duration::from_millis(500);

/// How many events are kept for a reader that is late.
const EVENTS: usize = 1024;

/// Sessions that share a machine: at most so many processes, starts and bytes at once.
///
/// Callers wait in a queue. Tenants go on one after the other; within a tenant the highest
/// [priority](Caller::priority) first, then who came first. While others wait, idle sessions
/// sleep, the least recently used first; the next message wakes them, in the queue again.
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
/// A caller that waits for a session while it has one, such as an in-process tool, can wait for
/// itself: give it a [deadline](Caller::within). A message that wakes another session has none.
///
/// Clones are the same pool.
#[derive(Clone)]
pub struct Pool(Arc<Inner>);

pub(crate) struct Inner {
    this: Weak<Inner>,
    state: Mutex<State>,
    /// Wakes the keeper.
    changed: Arc<Notify>,
    /// Wakes those that wait, when the keeper's runtime is gone.
    unkept: Arc<Notify>,
    events: broadcast::Sender<PoolEvent>,
    /// Changes when an account is available again.
    pub(crate) lifted: watch::Sender<()>,
    ledger: Option<Ledger>,
}

struct State {
    machine: Machine,
    waiters: HashMap<u64, oneshot::Sender<Result<(), PoolError>>>,
    /// Those of them that have no session yet.
    callers: HashSet<u64>,
    /// The sessions with a process that the system knows.
    pids: HashMap<u64, u32>,
    handles: HashMap<u64, Handle>,
    /// The sessions that the keeper is to put to sleep.
    sleeps: Vec<u64>,
    is_kept: bool,
    is_closed: bool,
    measures: bool,
}

/// What a pool has at the moment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStatus {
    /// The processes, those that start or are about to exit included.
    pub processes: usize,
    /// The processes that start.
    pub starting: usize,
    /// The callers that wait, sessions that are woken included.
    pub waiting: usize,
    /// The resident memory at the last measurement, in bytes; 0 if it is not limited.
    pub memory: u64,
    /// The accounts whose requests are refused, with the time when their limit resets if that
    /// is known.
    pub refused: Vec<(Arc<str>, Option<SystemTime>)>,
}

impl Pool {
    /// Makes a pool with these limits. It needs no runtime until it is used.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self::create(limits, None)
    }

    /// Makes a pool whose sessions are recorded in a ledger, for their tenants. A tenant whose
    /// [budget](Ledger::set_budget) is spent is refused; messages of its sessions wait. Do not set
    /// a recorder of the ledger in the options as well: it would count everything twice.
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
            is_kept: false,
            is_closed: false,
            measures: limits.memory.is_some(),
        };
        Self(Arc::new_cyclic(|this| Inner {
            this: this.clone(),
            state: Mutex::new(state),
            changed: Arc::default(),
            unkept: Arc::default(),
            events: broadcast::Sender::new(EVENTS),
            lifted: watch::Sender::default(),
            ledger,
        }))
    }

    /// Returns a caller without a tenant, with priority 0 and without a deadline.
    #[must_use]
    pub fn caller(&self) -> Caller {
        Caller {
            pool: self.clone(),
            tenant: "".into(),
            priority: 0,
            within: None,
            accounts: Vec::new(),
            retries: 0,
            ticket: Ticket::default(),
        }
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

    /// Returns what there is at the moment.
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

    /// Returns the events from now on.
    #[must_use]
    pub fn events(&self) -> PoolEvents {
        PoolEvents(self.0.events.subscribe())
    }

    /// Refuses callers from now on, those that wait included. Sessions go on.
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

/// Who calls a pool, and how it waits.
#[derive(Debug, Clone)]
pub struct Caller {
    pool: Pool,
    tenant: Arc<str>,
    priority: i32,
    within: Option<Duration>,
    accounts: Vec<Account>,
    retries: u32,
    ticket: Ticket,
}

impl Caller {
    /// Sets the tenant. Tenants that wait go on one after the other.
    #[must_use]
    pub fn tenant(mut self, tenant: impl AsRef<str>) -> Self {
        self.tenant = tenant.as_ref().into();
        self
    }

    /// Sets the priority among the callers of the tenant: the highest goes on first. By default 0.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// Gives up if there is no process after this time. The time in which it starts does not
    /// count, nor does that of a session that is woken later.
    #[must_use]
    pub fn within(mut self, time: Duration) -> Self {
        self.within = Some(time);
        self
    }

    /// Adds an account that may be used. A session uses the first of them that is not limited
    /// when it starts, and stays with it.
    #[must_use]
    pub fn account(mut self, account: Account) -> Self {
        self.accounts.push(account);
        self
    }

    /// Tries a [prompt](Caller::prompt) again so often if it failed because the account's requests
    /// were refused (429, 529), when its limit has reset or with another account. The agent has
    /// repeated its requests by then. By default 0.
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Reports the place in the queue to this ticket.
    #[must_use]
    pub fn ticket(mut self, ticket: &Ticket) -> Self {
        self.ticket = ticket.clone();
        self
    }

    /// Waits until there is a process for it, and connects as [`Client::connect`] does.
    ///
    /// # Errors
    ///
    /// [`PoolError::Deadline`] if it has waited too long, [`PoolError::OverBudget`] if the tenant's
    /// budget is spent, [`PoolError::Closed`] if the pool is closed, and the errors of
    /// [`Client::connect`].
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, its place is free for others.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime with timers and I/O.
    pub async fn connect(&self, options: Options) -> Result<Session, PoolError> {
        let (member, account, options) = self.admitted(options).await?;
        let (pool, id) = (Arc::clone(&member.pool), member.id);
        let joins = Joins::new(member, None);
        let client = Client::connect(options.attachment(joins)).await?;
        if let Some(ledger) = &pool.ledger {
            ledger.follow(&client);
        }
        pool.connected(id, client.handle());
        Ok(Session {
            client,
            id,
            pool,
            tenant: Arc::clone(&self.tenant),
            account,
        })
    }

    /// Waits until there is a process for it, and sends a prompt as [`agentwire::prompt`] does.
    ///
    /// # Errors
    ///
    /// As [`Caller::connect`], and those of [`agentwire::prompt`]. A failed turn is no error.
    ///
    /// # Cancel safety
    ///
    /// As [`Caller::connect`].
    ///
    /// # Panics
    ///
    /// As [`Caller::connect`].
    pub async fn prompt(
        &self,
        prompt: impl Into<UserMessage>,
        options: Options,
    ) -> Result<ResultMessage, PoolError> {
        let prompt = prompt.into();
        let mut retries = self.retries;
        loop {
            let (member, _, options) = self.admitted(options.clone()).await?;
            let (gated, is_gated) = oneshot::channel();
            let joins = Joins::new(member, Some(gated));
            let prompted = agentwire::prompt(prompt.clone(), options.attachment(joins));
            let mut prompted = pin!(prompted);
            let result = tokio::select! {
                result = &mut prompted => result?,
                // A limit was told while the agent started: again in the queue, and with
                // another account if there is one.
                Ok(()) = is_gated => continue,
            };
            if retries == 0 || !account::is_refused(&result) {
                return Ok(result);
            }
            retries -= 1;
        }
    }

    /// Waits until a process may start. Returns the options for it.
    async fn admitted(
        &self,
        options: Options,
    ) -> Result<(Member, Option<Arc<str>>, Options), PoolError> {
        let pool = &self.pool.0;
        let accounts = self.accounts.iter().map(|it| Arc::clone(it.name()));
        let id = {
            let mut state = pool.state();
            if state.is_closed {
                return Err(PoolError::Closed);
            }
            let tenant = Arc::clone(&self.tenant);
            let accounts = accounts.collect();
            let machine = &mut state.machine;
            let id = machine.join(now(), tenant, self.priority, accounts);
            state.callers.insert(id);
            id
        };
        let member = Member {
            id,
            pool: Arc::clone(pool),
        };
        self.ticket.set(id, pool);
        pool.wait(id, self.within).await?;
        let account = pool.state().machine.account(id).cloned();
        let used = self
            .accounts
            .iter()
            .find(|it| Some(it.name()) == account.as_ref());
        let mut options = match used {
            Some(account) => account.apply(options),
            None => options,
        };
        if let Some(ledger) = &pool.ledger {
            ledger.check(&self.tenant)?;
            options = options.attachment(ledger.of(Arc::clone(&self.tenant)));
        }
        Ok((member, account, options))
    }
}

/// A session of a pool. It dereferences to its [`Client`]; dropping it ends the session and frees
/// its place.
#[derive(Debug)]
pub struct Session {
    client: Client,
    id: u64,
    pool: Arc<Inner>,
    tenant: Arc<str>,
    account: Option<Arc<str>>,
}

impl Session {
    /// Returns its number, which [events](PoolEvent) have.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Returns the tenant.
    #[must_use]
    pub fn tenant(&self) -> &str {
        &self.tenant
    }

    /// Returns the account, if the caller has named accounts.
    #[must_use]
    pub fn account(&self) -> Option<&str> {
        self.account.as_deref()
    }

    /// Returns the place in the queue of the session that is woken; `None` if it does not wait
    /// for a process.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        self.pool.state().machine.place(now(), self.id)
    }
}

impl Deref for Session {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl DerefMut for Session {
    fn deref_mut(&mut self) -> &mut Client {
        &mut self.client
    }
}

/// Reads the place of a caller in the queue, from anywhere. Give it to one call at a time:
/// [`Caller::ticket`].
#[derive(Debug, Clone, Default)]
pub struct Ticket(Arc<Mutex<Option<Call>>>);

/// The number of a caller, and its pool.
type Call = (u64, Weak<Inner>);

impl Ticket {
    fn set(&self, id: u64, pool: &Arc<Inner>) {
        *self.lock() = Some((id, Arc::downgrade(pool)));
    }

    fn lock(&self) -> MutexGuard<'_, Option<Call>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of the caller, which [events](PoolEvent) have.
    #[must_use]
    pub fn id(&self) -> Option<u64> {
        Some(self.lock().as_ref()?.0)
    }

    /// Returns the place in the queue; `None` if the caller does not wait.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        let (id, pool) = self.lock().clone()?;
        let pool = pool.upgrade()?;
        let state = pool.state();
        state.machine.place(now(), id)
    }
}

impl Inner {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes the state, and does what follows from it.
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
            let mut unkept = pin!(self.unkept.notified());
            unkept.as_mut().enable();
            Self::keep(self);
            tokio::select! {
                answered = &mut answer => return answered.unwrap_or(Err(PoolError::Closed)),
                () = unkept => {}
                // The keeper's runtime may not be driven.
                () = sleep_until(deadline.unwrap_or_else(now).into()), if deadline.is_some() => {
                    self.change(|_, _| ());
                }
            }
        }
    }

    /// Reports that a session or caller waits, if it does.
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

    fn connected(&self, id: u64, handle: Handle) {
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

    /// Reads what a message says of the session's account.
    pub(crate) fn received(&self, id: u64, frame: &Frame) {
        let Some(told) = account::told(frame) else {
            return;
        };
        self.change(|state, now| {
            let Some(account) = state.machine.account(id).cloned() else {
                return;
            };
            match told {
                Told::Accepted => state.machine.accepted(&account),
                Told::Succeeded => state.machine.succeeded(&account),
                Told::Refused(until) => {
                    let until = until.and_then(|until| {
                        let left = until.duration_since(SystemTime::now()).ok()?;
                        Some((now.checked_add(left)?, until))
                    });
                    state.machine.refused(&account, until);
                }
            }
        });
    }

    /// Runs the keeper, on this runtime if that of the last one is gone.
    fn keep(this: &Arc<Self>) {
        if std::mem::replace(&mut this.state().is_kept, true) {
            return;
        }
        // A runtime that shuts down drops it at once.
        let kept = Kept(Arc::downgrade(this), Arc::clone(&this.unkept));
        tokio::spawn(keep(Arc::downgrade(this), Arc::clone(&this.changed), kept));
    }
}

impl State {
    /// Takes the sessions that are to be put to sleep.
    fn take_sleeps(&mut self) -> Vec<(u64, Option<Handle>)> {
        let ids = std::mem::take(&mut self.sleeps);
        let with_handle = |id| (id, self.handles.get(&id).cloned());
        ids.into_iter().map(with_handle).collect()
    }

    /// Tells a waiter how its wait has ended. If it is gone, the member is about to leave.
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

/// Tells those that wait when the keeper is dropped, so that one of them runs another.
struct Kept(Weak<Inner>, Arc<Notify>);

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(pool) = self.0.upgrade() {
            pool.state().is_kept = false;
        }
        self.1.notify_waiters();
    }
}

/// Returns the time of the runtime's timers.
fn now() -> Instant {
    tokio::time::Instant::now().into_std()
}

/// Does what takes time: puts sessions to sleep, waits for deadlines, measures memory.
async fn keep(pool: Weak<Inner>, changed: Arc<Notify>, _kept: Kept) {
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

/// A session that is put to sleep. If it does not sleep, it is busy, also if the runtime is gone.
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

//! Callers of a pool, the sessions that they get, and their places in the queue.

use crate::account::{self, Account};
use crate::event::{Place, PoolError};
use crate::member::{JoinOnOpen, Member};
use crate::pool::{Inner, Pool, now};
use agentwire::protocol::message::ResultMessage;
use agentwire::{Client, Options, UserMessage};
use std::ops::{Deref, DerefMut};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::oneshot;

/// A caller of a pool: its tenant, priority, deadline and accounts.
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
    pub(crate) fn new(pool: Pool) -> Self {
        Self {
            pool,
            tenant: "".into(),
            priority: 0,
            within: None,
            accounts: Vec::new(),
            retries: 0,
            ticket: Ticket::default(),
        }
    }

    /// Sets the tenant. Waiting tenants are served in turn.
    #[must_use]
    pub fn tenant(mut self, tenant: impl AsRef<str>) -> Self {
        self.tenant = tenant.as_ref().into();
        self
    }

    /// Sets the priority among the callers of the tenant: the highest is served first. By default
    /// 0.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// Sets the timeout of waiting for a process. It covers neither the start of the process nor
    /// the waiting of a session that is woken later.
    #[must_use]
    pub fn within(mut self, time: Duration) -> Self {
        self.within = Some(time);
        self
    }

    /// Adds an account that may be used. A session uses the first account that has not reached its
    /// limit when the session starts, and does not change it.
    #[must_use]
    pub fn account(mut self, account: Account) -> Self {
        self.accounts.push(account);
        self
    }

    /// Sets the number of retries of a [prompt](Caller::prompt) that failed because the account's
    /// requests were refused (429, 529). A retry uses another account, or starts when the limit has
    /// reset. The agent itself has retried its requests before. By default 0.
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Sets the ticket that reads the caller's place in the queue.
    #[must_use]
    pub fn ticket(mut self, ticket: &Ticket) -> Self {
        self.ticket = ticket.clone();
        self
    }

    /// Waits until a process may start, and connects as [`Client::connect`] does.
    ///
    /// # Errors
    ///
    /// [`PoolError::Deadline`] if it has waited too long, [`PoolError::OverBudget`] if the tenant's
    /// budget is spent, [`PoolError::Closed`] if the pool is closed, and the errors of
    /// [`Client::connect`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future frees the place in the queue.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime with timers and I/O.
    pub async fn connect(&self, options: Options) -> Result<Session, PoolError> {
        let (member, account, options) = self.admitted(options).await?;
        let (pool, id) = (Arc::clone(&member.pool), member.id);
        let joins = JoinOnOpen::new(member, None);
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

    /// Waits until a process may start, and sends a prompt as [`agentwire::prompt`] does.
    ///
    /// # Errors
    ///
    /// As [`Caller::connect`], and those of [`agentwire::prompt`]. A failed turn is not an error.
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
            let joins = JoinOnOpen::new(member, Some(gated));
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

    /// Waits until a process may start. Returns the options of the session.
    async fn admitted(
        &self,
        options: Options,
    ) -> Result<(Member, Option<Arc<str>>, Options), PoolError> {
        let pool = self.pool.inner();
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
    /// Returns the number that identifies the session in [events](crate::PoolEvent).
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

    /// Returns the place of a waking session in the queue; `None` if it does not wait for a
    /// process.
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

/// Reads the place of a caller in the queue from any task. Use it for one call at a time:
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

    /// Returns the number that identifies the caller in [events](crate::PoolEvent).
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

//! What a pool reports, and its errors.

use crate::ledger::OverBudget;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::broadcast;

/// Why a caller waits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// As many processes run as the [limits](crate::Limits::new) allow, and no idle session can
    /// sleep, or it is another caller's turn.
    #[error("all processes are in use")]
    Processes,
    /// As many processes start as the [limits](crate::Limits::starting) allow.
    #[error("other processes start")]
    Starting,
    /// Another process would exceed the [memory](crate::Limits::memory).
    #[error("the memory is in use")]
    Memory,
    /// The account has a rate limit.
    #[error("the account {account} is limited")]
    #[non_exhaustive]
    Account {
        /// The account that is available first.
        account: Arc<str>,
        /// When its limit resets.
        until: SystemTime,
    },
}

/// The place of a caller in the queue.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// How many callers go on before it, if nobody joins them.
    pub ahead: usize,
    /// How many callers wait.
    pub waiting: usize,
    /// Why it waits.
    pub reason: Reason,
    /// How long it has waited.
    pub waited: Duration,
}

/// What has happened in a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PoolEvent {
    /// A caller, a session that is woken, or a message of a session whose account is limited,
    /// has to wait.
    #[non_exhaustive]
    Waits {
        /// The number of the caller, and later of its session.
        id: u64,
        /// Its tenant.
        tenant: Arc<str>,
        /// Why.
        reason: Reason,
    },
    /// A process may start.
    #[non_exhaustive]
    Starts {
        /// The number of its session.
        id: u64,
        /// The tenant.
        tenant: Arc<str>,
        /// The account, if the caller has named accounts.
        account: Option<Arc<str>>,
        /// How long it has waited.
        waited: Duration,
    },
    /// A session is asked to sleep, because its process is needed. [`Exited`](Self::Exited)
    /// follows unless it is busy.
    #[non_exhaustive]
    Sleeps {
        /// The number of the session.
        id: u64,
    },
    /// The process of a session has exited.
    #[non_exhaustive]
    Exited {
        /// The number of the session.
        id: u64,
    },
    /// Requests of an account were refused.
    #[non_exhaustive]
    Limited {
        /// The account.
        account: Arc<str>,
        /// When its limit resets; `None` if the agent does not tell.
        until: Option<SystemTime>,
    },
    /// Requests of an account are accepted again.
    #[non_exhaustive]
    Available {
        /// The account.
        account: Arc<str>,
    },
    /// So many events were dropped, because they were not read in time.
    Missed(u64),
}

/// The events of a pool from now on.
#[derive(Debug)]
pub struct PoolEvents(pub(crate) broadcast::Receiver<PoolEvent>);

impl PoolEvents {
    /// Returns the next event; `None` when the pool is gone.
    ///
    /// # Cancel safety
    ///
    /// Cancel safe: no event is lost if the future is dropped.
    pub async fn next(&mut self) -> Option<PoolEvent> {
        match self.0.recv().await {
            Ok(event) => Some(event),
            Err(broadcast::error::RecvError::Lagged(missed)) => Some(PoolEvent::Missed(missed)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}

/// Why a caller of a pool has no session or no result.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum PoolError {
    /// The caller has waited as long as [it wanted to](crate::Caller::within).
    #[error("no process was free within {waited:?}: {reason}")]
    #[non_exhaustive]
    Deadline {
        /// How long it has waited.
        waited: Duration,
        /// Why.
        reason: Reason,
    },
    /// The pool was [closed](crate::Pool::close).
    #[error("the pool is closed")]
    Closed,
    /// The tenant's budget is spent.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// The session could not be started, or has ended.
    #[error(transparent)]
    Session(#[from] agentwire::Error),
}

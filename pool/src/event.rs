//! Events and errors of a pool.

use crate::ledger::OverBudget;
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use tokio::sync::broadcast;

/// The reason why a caller waits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The [limit](crate::Limits::new) of processes is reached, and no idle session can sleep; or
    /// another caller is next.
    #[error("all processes are in use")]
    Processes,
    /// The [limit](crate::Limits::starting) of starting processes is reached.
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
    /// The number of callers ahead. Later callers can add to it.
    pub ahead: usize,
    /// The number of waiting callers.
    pub waiting: usize,
    /// The reason why it waits.
    pub reason: Reason,
    /// How long it has waited.
    pub waited: Duration,
}

/// An event of a pool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum PoolEvent {
    /// A caller, a waking session, or a message of a session whose account has reached its limit,
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
    /// A session is put to sleep, because another session needs a process. [`Exited`](Self::Exited)
    /// follows, unless the session is busy.
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
        /// The time at which the limit resets; `None` if it is unknown.
        until: Option<SystemTime>,
    },
    /// Requests of an account are accepted again.
    #[non_exhaustive]
    Available {
        /// The account.
        account: Arc<str>,
    },
    /// This many events were discarded, because they were not read in time.
    Missed(u64),
}

/// A receiver of the events of a pool.
#[derive(Debug)]
pub struct PoolEvents(pub(crate) broadcast::Receiver<PoolEvent>);

impl PoolEvents {
    /// Returns the next event; `None` after the pool was dropped.
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

/// An error of a call to a pool.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum PoolError {
    /// The [timeout](crate::Caller::within) of waiting has elapsed.
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

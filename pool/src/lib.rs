//! Many agent sessions on one machine: limits of processes, starts and memory, a queue that starves
//! no tenant, the rate limits of accounts, costs by tenant, and a separate home for each tenant.
//!
//! [`Pool`] is the entry.

mod account;
mod caller;
mod event;
pub mod home;
pub mod ledger;
mod limits;
mod machine;
mod member;
mod memory;
mod pool;
mod queue;

pub use account::Account;
pub use caller::{Caller, Session, Ticket};
pub use event::{Place, PoolError, PoolEvent, PoolEvents, Reason};
pub use limits::Limits;
pub use pool::{Pool, PoolStatus};

/// The examples of the documentation.
#[cfg(doctest)]
#[doc = include_str!("../../docs/pool.md")]
struct Documentation;

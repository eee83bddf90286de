//! Many agent sessions on one machine: at most so many processes, starts and bytes at once, with
//! a queue that starves no tenant, the limits of accounts, what each tenant pays, and a home of
//! its own for each.
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

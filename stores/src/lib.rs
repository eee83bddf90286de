//! Session stores for [`agentwire`] on databases, object stores and files.
//!
//! | store | feature | engine | suited for |
//! |---|---|---|---|
//! | [`MemoryLog`] | | none | tests |
//! | `Directory` | `directory` | files | one machine |
//! | `Sqlite` | `sqlite` | SQLite | one machine |
//! | `Postgres` | `postgres` | PostgreSQL | many hosts |
//! | `Nats` | `nats` | NATS JetStream | many hosts |
//! | `Redis` | `redis` | Redis | many hosts, without failover |
//! | `Objects` | `objects` | an object store: S3, Google Cloud Storage, Azure | many hosts |
//!
//! Each engine is a [`LogStore`](session_log::LogStore) and passes the conformance suite of
//! `agentwire-testkit`. [`LogBacked`] turns a log store into a store for
//! [`Options::session_store`](agentwire::Options::session_store), optionally with [leases](Leases),
//! which give each session to one host at a time. [`Layered`] redacts or encrypts entries.
//!
//! [`copy_to_store`] and [`copy_from_store`] copy sessions between the agent's files and a store.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod copy;
#[cfg(feature = "directory")]
mod directory;
#[cfg(feature = "encryption")]
mod encrypted;
#[cfg(any(feature = "nats", feature = "objects", feature = "redis"))]
mod entries;
mod layered;
mod leases;
mod log_backed;
mod memory;
#[cfg(any(feature = "nats", feature = "objects"))]
mod names;
#[cfg(feature = "nats")]
pub mod nats;
#[cfg(feature = "objects")]
pub mod objects;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(feature = "redis")]
pub mod redis;
pub mod session_log;
#[cfg(feature = "sqlite")]
mod sqlite;

pub use copy::{Copied, CopyError, copy_from_store, copy_to_store};
#[cfg(feature = "directory")]
#[cfg_attr(docsrs, doc(cfg(feature = "directory")))]
pub use directory::Directory;
#[cfg(feature = "encryption")]
#[cfg_attr(docsrs, doc(cfg(feature = "encryption")))]
pub use encrypted::{DecryptError, DecryptProblem, Encrypted};
pub use layered::{Layer, Layered, Place};
pub use leases::{Claim, ClaimRenewer, Claimed, LeasedStore, Leases};
pub use log_backed::LogBacked;
pub use memory::MemoryLog;
#[cfg(feature = "nats")]
#[cfg_attr(docsrs, doc(cfg(feature = "nats")))]
pub use nats::Nats;
#[cfg(feature = "objects")]
#[cfg_attr(docsrs, doc(cfg(feature = "objects")))]
pub use objects::Objects;
#[cfg(feature = "postgres")]
#[cfg_attr(docsrs, doc(cfg(feature = "postgres")))]
pub use postgres::Postgres;
#[cfg(feature = "redis")]
#[cfg_attr(docsrs, doc(cfg(feature = "redis")))]
pub use redis::Redis;
#[cfg(feature = "sqlite")]
#[cfg_attr(docsrs, doc(cfg(feature = "sqlite")))]
pub use sqlite::Sqlite;

//! Tests of the stores on their servers. `scripts/stores` installs and starts the servers, and runs
//! these tests.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod batches;
mod bucket;
mod conformance;
mod crashes;
mod nats;
mod postgres;
mod redis;
mod server;
mod support;

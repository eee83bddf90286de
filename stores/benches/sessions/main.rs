//! Turns per second of a session with and without a store; and a thousand concurrent sessions with one
//! store. Linux only.
//!
//! ```text
//! cargo bench -p agentwire-stores --features directory,sqlite --bench sessions
//! ```
//!
//! measures the local stores. `scripts/stores --bench sessions` also installs, starts and measures
//! the servers, with their data in `TMPDIR`.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod many;
#[allow(dead_code, reason = "other benchmarks use all of it")]
mod memory;
#[allow(dead_code, reason = "the tests use all of it")]
#[path = "../../../tests/support/peer.rs"]
mod peer;
mod stores;
mod turns;

use agentwire_testkit::fake_agent;

fn main() {
    // This program is its own fake agent.
    if std::env::var_os(fake_agent::SCRIPT).is_some() {
        fake_agent::main();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread();
    let runtime = { runtime }.enable_all().build().unwrap();
    if let Ok(store) = std::env::var(many::STORE) {
        return runtime.block_on(many::run(&store));
    }
    runtime.block_on(turns::compare_all());
    many::run_all();
}

//! Tests with the fake agent.

#![allow(clippy::unwrap_used, reason = "a failure fails the test")]

mod home;
mod ledger;

/// Returns the path of the fake agent. Cargo builds a package's examples with its tests.
fn fake_agent_path() -> std::path::PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().unwrap().parent().unwrap();
    path.join("examples/pool_fake_agent")
}

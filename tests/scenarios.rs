//! Tests every scenario file on the fake agent. `tests/live.rs` runs the same files on
//! the real CLI.

#![allow(clippy::unwrap_used)]

use crate::support;

use support::scenario;

#[tokio::test]
async fn every_scenario_file_passes_on_the_fake_agent() {
    scenario::run_all(scenario::run_on_fake).await;
}

//! The real CLI with a scripted model. `scripts/live` installs the CLI and
//! runs these.

#![allow(clippy::unwrap_used)]

mod support;

use support::scenario;

#[tokio::test]
async fn every_scenario_file_passes_on_the_real_cli() {
    for file in scenario::files() {
        scenario::run_on_real(&file).await;
    }
}

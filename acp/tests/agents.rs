//! Tests with real agents and a scripted model. `scripts/real acp` installs the agents and runs
//! these tests without a network.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests print tables, and a failure fails the test"
)]

#[path = "agents/differential.rs"]
mod differential;
#[path = "agents/driven.rs"]
mod driven;
#[path = "agents/kinds.rs"]
mod kinds;
#[path = "agents/processes.rs"]
mod processes;
mod support;
#[path = "agents/table.rs"]
mod table;

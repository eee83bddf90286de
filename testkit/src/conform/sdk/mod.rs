//! Tests whether an SDK handles the behavior of agents.
//!
//! In each case an **adapter**, a small program written with the SDK, drives
//! the fake agent. The adapter follows the instructions of the case and prints
//! what its user would see. The fake agent behaves as the scenario of the case
//! says, and logs the SDK's lines. The output of the adapter and the log are
//! compared with the expected lines. `testkit/CONFORM.md` describes how to
//! write an adapter.
//!
//! The command `agentwire conform sdk` runs the cases.
//!
//! ```no_run
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> std::io::Result<()> {
//! use agentwire_testkit::conform::sdk::cases;
//! use std::time::Duration;
//!
//! let adapter = ["python".into(), "adapter.py".into()];
//! for case in cases() {
//!     let outcome = case
//!         .run("path/to/fake-agent".as_ref(), &adapter, Duration::from_secs(30))
//!         .await?;
//!     for departure in outcome.stuck.iter().chain(&outcome.departures) {
//!         println!("{}: {departure}", case.name());
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod case;
mod check;
mod run;

pub use case::{Case, cases};
pub use run::Outcome;

/// Names the variable with the path of the CLI for the adapter.
pub const CLI: &str = "AGENTWIRE_CONFORM_CLI";

/// Names the variable with the path of the adapter's instructions.
pub const CASE: &str = "AGENTWIRE_CONFORM_CASE";

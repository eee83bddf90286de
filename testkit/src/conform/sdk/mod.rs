//! Does an SDK cope with what agents do? A suite of cases that says so.
//!
//! In each case a small program that is written with the SDK, its **adapter**,
//! drives the fake agent. The adapter does what the case tells it to, and
//! prints what its user saw; the fake agent does what is odd or goes wrong in
//! the case, and writes down what the SDK sent. Both are held against what is
//! right. `testkit/CONFORM.md` says how an adapter is written.
//!
//! The command is `agentwire conform sdk`.
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
//!         .hold("path/to/fake-agent".as_ref(), &adapter, Duration::from_secs(30))
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

/// The environment variable that tells the adapter which executable is the
/// CLI.
pub const CLI: &str = "AGENTWIRE_CONFORM_CLI";

/// The environment variable that names the file with what the adapter is to
/// do.
pub const CASE: &str = "AGENTWIRE_CONFORM_CASE";

//! Compares a CLI with the measured protocol.
//!
//! A [`Case`] is a session: the model's replies and the host's actions.
//! [`play`] runs the case with a CLI over pipes, in a clean environment and a
//! temporary home.
//! [`Normal`] removes IDs, times, paths and prose from the [`Recording`], which
//! makes its lines reproducible. [`Golden`] contains the lines of the real CLI,
//! and [`hunks`] returns the differences.
//!
//! ```no_run
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use agentwire_testkit::conform::cli::Golden;
//! use std::time::Duration;
//!
//! let golden = Golden::embedded()?;
//! for measured in &golden.cases {
//!     let outcome = measured.run(&["my-cli".into()], Duration::from_secs(60)).await?;
//!     if let Some(why) = &outcome.stuck {
//!         println!("{} is stuck: {why}", measured.case.name());
//!     } else if let Some(first) = outcome.differences.first() {
//!         println!("{} differs: {first}", measured.case.name());
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod case;
mod diff;
mod display;
mod golden;
mod host;
mod idle;
mod ignored;
mod normal;
mod process;
mod servers;
#[cfg(test)]
mod tests;

pub use case::{Case, CaseError};
pub use diff::{Hunk, hunks};
pub use golden::{Golden, GoldenError, Measured, Outcome};
pub use host::{Entry, Recording, play};
pub use ignored::IgnoredMembers;
pub use normal::Normal;

//! Holds a CLI against the measured protocol.
//!
//! A [`Case`] is a session: what the model says, and what the host does. It is
//! [played](play) to a CLI over bare pipes, in a clean environment and a home
//! of its own; what is left of the [`Recording`] without ids, times, paths and
//! prose ([`Normal`]) is a sequence of lines that does not change from run to
//! run. [`Golden`] has the sequences of the real CLI, and [`hunks`] says where
//! another one differs.
//!
//! ```no_run
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use agentwire_testkit::conform::cli::Golden;
//! use std::time::Duration;
//!
//! let golden = Golden::embedded()?;
//! for measured in &golden.cases {
//!     let outcome = measured.hold(&["my-cli".into()], Duration::from_secs(60)).await?;
//!     if let Some(why) = &outcome.stuck {
//!         println!("{} is stuck: {why}", measured.case.name());
//!     } else if let Some(first) = outcome.differences.first() {
//!         println!("{} departs: {first}", measured.case.name());
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod case;
mod diff;
mod golden;
mod host;
mod left_out;
mod normal;
mod process;
mod rest;
mod servers;
mod tell;
#[cfg(test)]
mod tests;

pub use case::{Case, CaseError};
pub use diff::{Hunk, hunks};
pub use golden::{Golden, GoldenError, Measured, Outcome};
pub use host::{Entry, Recording, play};
pub use left_out::LeftOut;
pub use normal::Normal;

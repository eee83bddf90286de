//! Compares a CLI with the fake agent, which `scripts/real calibrate` compares
//! with the real CLI.
//!
//! A [`Case`] is a session: the model's replies and the host's actions.
//! [`play`] runs the case with a CLI over pipes, in a clean environment and a
//! temporary home. [`Normal`] removes IDs, times, paths and prose from the
//! [`Recording`], which makes its lines reproducible. [`hunks`] returns the
//! differences between the lines of two recordings. [`compare`] does all of
//! this.
//!
//! ```no_run
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use agentwire_testkit::conform::cli::{Case, compare};
//! use std::time::Duration;
//!
//! let (fake_agent, cli) = (["fake-agent".into()], ["my-cli".into()]);
//! for case in Case::embedded()? {
//!     let outcome = compare(&case, &fake_agent, &cli, Duration::from_secs(60)).await?;
//!     if let Some(why) = &outcome.stuck {
//!         println!("{} is stuck: {why}", case.name());
//!     } else if let Some(first) = outcome.differences.first() {
//!         println!("{} differs: {first}", case.name());
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod accepted;
mod case;
mod compare;
mod diff;
mod display;
mod host;
mod idle;
mod ignored;
mod normal;
mod process;
mod servers;
#[cfg(test)]
mod tests;

pub use accepted::AcceptedDifference;
pub use case::{Case, CaseError};
pub use compare::{Outcome, compare};
pub use diff::{Hunk, hunks};
pub use host::{Entry, Recording, play};
pub use ignored::IgnoredMembers;
pub use normal::Normal;

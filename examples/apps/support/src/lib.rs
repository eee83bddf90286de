//! Helpers of the tests of these programs: an agent with a script and gates, the real CLI
//! with a scripted model, a terminal, and processes.
//!
//! Every function panics if it fails, because only tests call it.

mod agent;
mod live;
mod processes;
mod terminal;

pub use agent::Agent;
pub use live::Live;
pub use processes::{processes_with, signal, terminate};
pub use terminal::Terminal;

use std::time::Duration;

/// A timeout that keeps a broken test from hanging.
pub const LONG: Duration = Duration::from_secs(120);

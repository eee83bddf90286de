//! The agent CLI as a process: locating it, its version and environment, and
//! shutting it down with everything that it started.
//!
//! Closing escalates ([`ClosePolicy`]): the CLI gets time to exit, is
//! terminated, is killed; then its remaining processes are swept. The
//! [`CloseReport`] says which step was needed.

// One plain thread, the closer, closes all children. So closing works inside an async runtime,
// outside of one, and while one shuts down. The child's exit is watched independently of the
// end of its output.

mod all;
mod child;
mod closer;
mod closing;
mod countdown;
mod descendants;
mod environment;
mod events;
mod exit;
mod guard;
#[cfg(windows)]
mod job;
mod ladder;
mod locate;
pub(crate) mod mask;
mod panic;
mod policy;
mod resource;
mod running;
mod signal;
mod table;
mod task;
#[cfg(all(test, unix))]
mod tests;
mod version;

pub use crate::handle::CloseFuture;
pub(crate) use agentwire_files::{PrivateFolder, WriteError};
pub use all::close_all;
pub(crate) use child::ChildProcess;
pub(crate) use environment::harmful_variables;
pub use environment::{Environment, HOST_TOOLS, OUTER_SESSION, PassedEnvironment};
#[cfg(feature = "telemetry")]
pub(crate) use environment::{TRACEPARENT, TRACESTATE, same};
pub use guard::ExitGuard;
#[cfg(unix)]
pub(crate) use locate::explain;
#[cfg(feature = "check")]
pub(crate) use locate::locate_cli;
pub(crate) use locate::{Cli, find_cli};
pub use locate::{CliNotFound, CliSource};
pub(crate) use panic::panic_text;
pub use policy::{ClosePolicy, CloseReport, CloseStep};
pub(crate) use running::start;
pub(crate) use task::{blocking, blocking_result, spawn};
pub use version::{CliVersion, InvalidVersion};

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{io, thread};

/// The environment variable that marks all processes of a session, including
/// those that left its process group or lost their parents. Its value is a
/// colon-separated list of session names, the outermost first, because an agent
/// may run a program that runs an agent.
pub(crate) const SESSION_VARIABLE: &str = "AGENTWIRE_SESSION";

/// Only virtual memory. `tracing` subscribers run in these threads too.
const STACK_SIZE: usize = 256 * 1024;

fn spawn_thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let builder = thread::Builder::new().name(name.into());
    builder.stack_size(STACK_SIZE).spawn(work).map(drop)
}

/// Closing must continue after a panic elsewhere, which cannot leave a partial change here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

//! The agent CLI as a process: started, watched, and closed with everything it started.
//!
//! [`ChildProcess`] spawns the CLI and hands out its pipes. Its exit is watched apart from the end
//! of its output. Closing goes down a ladder ([`ClosePolicy`]): the CLI is given time to exit by
//! itself, is terminated, is killed; then whatever it left behind is swept. All of it is done by one
//! plain thread, the closer, for all children, so that it works in an async runtime, outside of
//! one, and while one shuts down.
//!
//! Beside that, what a session needs of the system before the CLI runs: where the CLI is
//! (`locate`), its version, the environment that it gets and how that is printed, private files.

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
mod kept;
mod ladder;
mod locate;
pub(crate) mod mask;
mod panic;
mod policy;
mod private_folder;
mod signal;
mod table;
#[cfg(all(test, unix))]
mod tests;
mod version;

pub use all::close_all;
pub(crate) use child::{ChildProcess, Pipes};
pub use environment::{Environment, OUTER_SESSION, PassedEnvironment};
pub use guard::ExitGuard;
pub use locate::CliNotFound;
pub(crate) use locate::{Cli, find_cli};
pub(crate) use panic::said_by;
pub use policy::{ClosePolicy, CloseReport, CloseStep};
pub(crate) use private_folder::{PrivateFolder, WriteError};
pub use version::{CliVersion, InvalidVersion};

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::{io, thread};

/// The environment variable by which everything that a session started can be found again, even
/// what left its process group and lost its parents. Its value is a list of session names,
/// separated by colons, the outermost first: an agent may well run a program that runs an agent.
pub(crate) const SESSION_VARIABLE: &str = "AGENTWIRE_SESSION";

/// Virtual memory only; room enough for what a subscriber of `tracing` may do in these threads.
const STACK_SIZE: usize = 256 * 1024;

fn spawn_thread(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let builder = thread::Builder::new().name(name.into());
    builder.stack_size(STACK_SIZE).spawn(work).map(drop)
}

/// Closing has to go on after a panic elsewhere, and nothing here is left half changed by one.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

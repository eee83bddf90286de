//! A guard for the end of the program.

use super::all::close_all;
use std::panic;
use std::sync::Once;

/// Ends every session of this process when it is dropped, by [`close_all`],
/// and waits until everything that they started has gone.
///
/// Dropping a client begins to end its session, and what was begun ends with
/// the process. A program that holds a guard in `main` cannot exit too early,
/// whichever way it leaves `main`: at the end, by `?`, or by a panic. It is best
/// made before the runtime, so that it is dropped after it:
///
/// ```no_run
/// # async fn work() -> Result<(), Box<dyn std::error::Error>> { Ok(()) }
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let _guard = agentwire::ExitGuard::new();
///     tokio::runtime::Runtime::new()?.block_on(work())
/// }
/// ```
///
/// With `panic = "abort"` nothing is dropped in a panic, and every panic is the
/// end of the program. There the guard sets a panic hook that calls
/// [`close_all`] after the one that was there. With unwinding it sets none: a
/// panic that is caught, in a task for instance, concerns nobody's sessions but
/// those that it drops.
///
/// `std::process::exit` drops nothing, and signals end a process without
/// dropping anything: before the one, and in the handlers of the others, call
/// [`close_all`].
///
/// # When the host is killed
///
/// SIGKILL, which the system also sends when memory runs out, leaves a host no
/// time for anything, and a signal without a handler no more. The pipes to its
/// CLIs close, and that is all that happens. The real CLI exits when it is at
/// rest. In the middle of a turn it goes on to the end of that first, so that a
/// tool which never ends stays, and the CLI with it. `scripts/orphans` measures
/// it. What can be done about it is up to those who outlive the host:
///
/// - a supervisor, which has the host and everything that it starts in one
///   control group and ends that as a whole: a systemd unit
///   (`KillMode=control-group` is what it does by itself; for something short
///   `systemd-run --scope`);
/// - a container, or a pid namespace (`unshare --pid --fork --kill-child`):
///   with its first process all others go;
/// - the next start of the host: every process of a session has
///   `AGENTWIRE_SESSION` in its environment, by which it can be found.
///
/// On Windows the job object of a session ends everything in it when the host is
/// killed (seen under Wine with a host killed by SIGKILL).
///
/// Linux can send a child a signal when its parent dies (`PR_SET_PDEATHSIG`).
/// agentwire does not ask for it: it has to be set between fork and exec, which
/// takes unsafe code; it goes by the thread that started the child, not by the
/// process, so that a runtime that retires a thread would kill a session; and it
/// reaches the CLI alone, none of what that started.
#[derive(Debug)]
#[must_use = "the sessions are ended when it is dropped"]
pub struct ExitGuard(());

impl ExitGuard {
    /// A guard. More than one do no harm: the first to be dropped ends all
    /// sessions.
    #[expect(clippy::new_without_default, reason = "a guard is made on purpose")]
    pub fn new() -> Self {
        static HOOK: Once = Once::new();
        if cfg!(panic = "abort") {
            HOOK.call_once(|| {
                let before = panic::take_hook();
                panic::set_hook(Box::new(move |panicked| {
                    before(panicked);
                    close_all();
                }));
            });
        }
        Self(())
    }
}

impl Drop for ExitGuard {
    fn drop(&mut self) {
        close_all();
    }
}

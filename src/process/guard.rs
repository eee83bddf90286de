//! A guard that closes all sessions at the end of the program.

use super::all::close_all;
use std::panic;
use std::sync::Once;

/// Closes every session of this process when it is dropped, by [`close_all`],
/// and waits until all processes that they started have exited.
///
/// Dropping a client only starts closing its session; that stops when the
/// process exits. With a guard in `main`, the program cannot exit too early,
/// whether it leaves `main` at the end, by `?`, or by a panic. Create the guard
/// before the runtime, so that it is dropped after it:
///
/// ```no_run
/// # async fn work() -> Result<(), Box<dyn std::error::Error>> { Ok(()) }
/// fn main() -> Result<(), Box<dyn std::error::Error>> {
///     let _guard = agentwire::ExitGuard::new();
///     tokio::runtime::Runtime::new()?.block_on(work())
/// }
/// ```
///
/// With `panic = "abort"`, a panic drops nothing and ends the program. There
/// the guard sets a panic hook that calls [`close_all`] after the previous
/// hook. With unwinding it sets none: a panic that is caught, for instance in a
/// task, affects only the sessions that it drops.
///
/// `std::process::exit` and signals end a process without dropping anything. Call [`close_all`]
/// before `exit` and in signal handlers.
///
/// # When the host is killed
///
/// A host that is killed by SIGKILL, which the system also sends when memory runs out, or by a
/// signal without a handler, cannot clean up. Only the pipes to its CLIs close. An idle CLI
/// then exits. During a turn it continues to the end of the turn, so a tool that never ends
/// keeps the CLI alive. `scripts/real orphans` measures this. Remedies are outside the host:
///
/// - A supervisor that runs the host and its children in one control group and
///   ends that as a whole: a systemd unit (`KillMode=control-group`, the
///   default), or `systemd-run --scope` for short jobs.
/// - A container, or a PID namespace (`unshare --pid --fork --kill-child`):
///   when its first process exits, all others are killed.
/// - The next start of the host: every process of a session has
///   `AGENTWIRE_SESSION` in its environment and can be found by it.
///
/// On Windows, the job object of a session ends all its processes when the host
/// is killed (observed under Wine with a host killed by SIGKILL).
///
/// Linux can send a child a signal when its parent dies (`PR_SET_PDEATHSIG`).
/// agentwire does not use it, for three reasons: setting it between fork and
/// exec takes unsafe code; it follows the thread that started the child, not
/// the process, so a runtime that retires a thread would kill a session; and it
/// reaches only the CLI, not the processes that the CLI started.
#[derive(Debug)]
#[must_use = "the sessions are closed when it is dropped"]
pub struct ExitGuard(());

impl ExitGuard {
    /// Creates a guard. With several guards, the first one dropped closes all
    /// sessions.
    #[expect(clippy::new_without_default, reason = "a guard is created explicitly")]
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

//! Observing the child's exit without reaping it.
//!
//! Until the child is reaped, its PID, and so the ID of its process group,
//! cannot be reused. So it is reaped last, after its remaining processes are
//! swept.

use shared_child::SharedChild;
use std::io;
use std::process::ExitStatus;
use std::sync::Arc;

/// How the child exited. An error means that its status is unavailable, for instance because
/// the host ignores SIGCHLD.
pub(crate) type Exit = Result<ExitStatus, Arc<io::Error>>;

/// The observed state of a child.
#[derive(Debug)]
pub(super) enum ChildState {
    /// The child has not exited, or a debugger has to be notified first.
    Running,
    /// The child has exited, and is not reaped.
    Unreaped(ExitStatus),
    /// The child has exited, and its PID may have been reused.
    Reaped(Exit),
}

/// Observes the child without reaping it.
#[cfg(unix)]
pub(super) fn child_state(child: &SharedChild) -> ChildState {
    match wait(child, rustix::process::WaitIdOptions::NOHANG) {
        Ok(None) => ChildState::Running,
        Ok(Some(exit)) => ChildState::Unreaped(exit),
        Err(_) => ChildState::Reaped(child.wait().map_err(Arc::new)),
    }
}

/// Observes the child. Its PID is not reused while there is a handle to it.
#[cfg(not(unix))]
pub(super) fn child_state(child: &SharedChild) -> ChildState {
    match child.try_wait() {
        Ok(None) => ChildState::Running,
        Ok(Some(exit)) => ChildState::Unreaped(exit),
        Err(error) => ChildState::Reaped(Err(Arc::new(error))),
    }
}

/// Blocks until the child has exited, without reaping it. If this fails,
/// waiting for the status fails too.
pub(super) fn wait_unreaped(child: &SharedChild) {
    #[cfg(unix)]
    let _ = wait(child, rustix::process::WaitIdOptions::empty());
    #[cfg(not(unix))]
    let _ = child.wait();
}

#[cfg(unix)]
fn wait(
    child: &SharedChild,
    how: rustix::process::WaitIdOptions,
) -> rustix::io::Result<Option<ExitStatus>> {
    use rustix::process::{WaitId, WaitIdOptions, waitid};
    use std::os::unix::process::ExitStatusExt;

    const CORE: i32 = 0x80;
    let pid = super::signal::raw(child.id()).ok_or(rustix::io::Errno::SRCH)?;
    let how = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | how;
    let status = rustix::io::retry_on_intr(|| waitid(WaitId::Pid(pid), how))?;
    Ok(status.map(|status| {
        let code = status.exit_status().map_or(0, |code| (code & 0xff) << 8);
        let signal = status.terminating_signal().unwrap_or(0);
        let core = if status.dumped() { CORE } else { 0 };
        ExitStatus::from_raw(code | signal | core)
    }))
}

//! The exit of the child: how it is seen without reaping it.
//!
//! As long as the child is not reaped, its pid, and so the number of its process group, is its own.
//! So it is reaped last, when what it left has been swept.

use shared_child::SharedChild;
use std::io;
use std::process::ExitStatus;
use std::sync::Arc;

/// How the child ended. An error means that it is gone but its status could not be had, for
/// instance because the host ignores SIGCHLD.
pub(crate) type Exit = Result<ExitStatus, Arc<io::Error>>;

/// What is to be seen of a child that may have exited.
#[derive(Debug)]
pub(super) enum Seen {
    /// It has not, or a debugger has to hear of it first.
    Running,
    /// It has, and is not reaped.
    Unreaped(ExitStatus),
    /// It has, and its pid may be another's.
    Reaped(Exit),
}

/// Looks at the child without reaping it.
#[cfg(unix)]
pub(super) fn see(child: &SharedChild) -> Seen {
    match wait(child, rustix::process::WaitIdOptions::NOHANG) {
        Ok(None) => Seen::Running,
        Ok(Some(exit)) => Seen::Unreaped(exit),
        Err(_) => Seen::Reaped(child.wait().map_err(Arc::new)),
    }
}

/// Looks at a child that has exited. Its pid stays taken as long as there is a handle to it.
#[cfg(not(unix))]
pub(super) fn see(child: &SharedChild) -> Seen {
    match child.try_wait() {
        Ok(None) => Seen::Running,
        Ok(Some(exit)) => Seen::Unreaped(exit),
        Err(error) => Seen::Reaped(Err(Arc::new(error))),
    }
}

/// Blocks until the child has exited, and does not reap it. If that fails, so does the wait for the
/// status.
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

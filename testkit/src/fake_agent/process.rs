//! Faults of the agent's process.

use crate::scenario::{Child, Signal};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::process::{Command, exit};
use std::time::Duration;

/// Names the variable that turns this program into the child of
/// [`Fault::LeaveChild`](crate::Fault::LeaveChild). Its value is the child's
/// process group.
const LEFT_CHILD: &str = "FAKE_AGENT_LEFT_CHILD";

/// How long the child lives.
const LIFETIME: Duration = Duration::from_secs(600);

/// Spawns a command that inherits standard output.
pub(super) fn spawn(argv: &[String]) -> io::Result<()> {
    let (program, args) = argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    Command::new(program).args(args).spawn().map(drop)
}

/// Spawns this program as a child that outlives the agent.
pub(super) fn leave_child(group: Child) -> io::Result<()> {
    let name = match group {
        Child::InSession => "in_session",
        Child::InOwnSession => "in_own_session",
    };
    let mut child = Command::new(std::env::current_exe()?)
        .env(LEFT_CHILD, name)
        .spawn()?;
    if group == Child::InOwnSession {
        unix::wait_for_session(&mut child)?;
    }
    Ok(())
}

/// Runs as the child of [`leave_child`], if the environment says so.
pub(super) fn run_left_child() {
    let Some(group) = std::env::var_os(LEFT_CHILD) else {
        return;
    };
    if group == OsStr::new("in_own_session") {
        unix::begin_session();
    }
    std::thread::sleep(LIFETIME);
    exit(0)
}

/// Writes this many KiB to standard error.
pub(super) fn flood_stderr(size: usize) -> io::Result<()> {
    let mut stderr = io::stderr().lock();
    for number in 0..size * 16 {
        writeln!(stderr, "flood {number:09} {:.>47}", "")?;
    }
    Ok(())
}

/// Kills this process with a signal.
pub(super) fn die(signal: Signal) -> io::Result<()> {
    unix::die(signal)
}

pub(super) use unix::{close_stderr, close_stdout};

#[cfg(unix)]
mod unix {
    use crate::scenario::Signal;
    use rustix::process::{Pid, getpid, kill_process, setsid, test_kill_process_group};
    use rustix::stdio::{dup2_stderr, dup2_stdout};
    use signal_hook::consts::{SIGABRT, SIGSEGV, SIGTERM};
    use std::fs::File;
    use std::io;
    use std::process::Child;
    use std::time::Duration;

    /// Opens a file that replaces a closed pipe.
    fn dev_null() -> io::Result<File> {
        File::options().write(true).open("/dev/null")
    }

    pub(in super::super) fn close_stdout() -> io::Result<()> {
        Ok(dup2_stdout(dev_null()?)?)
    }

    pub(in super::super) fn close_stderr() -> io::Result<()> {
        Ok(dup2_stderr(dev_null()?)?)
    }

    pub(super) fn die(signal: Signal) -> io::Result<()> {
        // Rust handles some signals itself.
        let signal = match signal {
            Signal::Kill => return Ok(kill_process(getpid(), rustix::process::Signal::KILL)?),
            Signal::Abrt => SIGABRT,
            Signal::Segv => SIGSEGV,
            Signal::Term => SIGTERM,
        };
        signal_hook::low_level::emulate_default_handler(signal)
    }

    pub(super) fn begin_session() {
        // The call fails if the process already leads a session.
        _ = setsid();
    }

    /// Waits until a child leads its own session, or has exited.
    ///
    /// The check is whether the child leads a process group, as a session
    /// leader does. The group is visible in every container. The session ID is
    /// not: it is 0 if the session began outside the container.
    pub(super) fn wait_for_session(child: &mut Child) -> io::Result<()> {
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        while group.is_some_and(|group| test_kill_process_group(group).is_err())
            && child.try_wait()?.is_none()
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }
}

#[cfg(not(unix))]
mod unix {
    use crate::scenario::Signal;
    use std::io;
    use std::process::Child;

    fn unsupported() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(in super::super) fn close_stdout() -> io::Result<()> {
        unsupported()
    }

    pub(in super::super) fn close_stderr() -> io::Result<()> {
        unsupported()
    }

    pub(super) fn die(_: Signal) -> io::Result<()> {
        std::process::exit(1)
    }

    pub(super) fn begin_session() {}

    pub(super) fn wait_for_session(_: &mut Child) -> io::Result<()> {
        Ok(())
    }
}

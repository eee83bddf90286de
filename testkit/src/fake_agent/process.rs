//! What a script does to the agent's process.

use crate::scenario::{Child, Signal};
use std::ffi::OsStr;
use std::io::{self, Write};
use std::process::{Command, exit};
use std::time::Duration;

/// The environment variable that makes this program a child that is left
/// behind, and says what it belongs to.
const LEFT_BEHIND: &str = "FAKE_AGENT_LEFT_BEHIND";

/// How long such a child lives, if nobody ends it.
const LIFE: Duration = Duration::from_secs(600);

/// Starts a command that stays behind with our standard output in its hands.
pub(super) fn spawn(argv: &[String]) -> io::Result<()> {
    let (program, args) = argv.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    Command::new(program).args(args).spawn().map(drop)
}

/// Leaves a child behind: this program, started anew.
pub(super) fn leave_child(belongs: Child) -> io::Result<()> {
    let name = match belongs {
        Child::InSession => "in_session",
        Child::InOwnSession => "in_own_session",
    };
    let mut child = Command::new(std::env::current_exe()?)
        .env(LEFT_BEHIND, name)
        .spawn()?;
    if belongs == Child::InOwnSession {
        unix::wait_for_session(&mut child)?;
    }
    Ok(())
}

/// If this is a child that is left behind, does as such one does.
pub(super) fn stay_behind() {
    let Some(belongs) = std::env::var_os(LEFT_BEHIND) else {
        return;
    };
    if belongs == OsStr::new("in_own_session") {
        unix::begin_session();
    }
    std::thread::sleep(LIFE);
    exit(0)
}

/// Writes so many KiB to standard error.
pub(super) fn flood_stderr(size: usize) -> io::Result<()> {
    let mut stderr = io::stderr().lock();
    for number in 0..size * 16 {
        writeln!(stderr, "flood {number:09} {:.>47}", "")?;
    }
    Ok(())
}

/// Dies by a signal.
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

    /// A file in which nothing arrives, which is put in the place of a pipe:
    /// ours is then closed.
    fn nowhere() -> io::Result<File> {
        File::options().write(true).open("/dev/null")
    }

    pub(in super::super) fn close_stdout() -> io::Result<()> {
        Ok(dup2_stdout(nowhere()?)?)
    }

    pub(in super::super) fn close_stderr() -> io::Result<()> {
        Ok(dup2_stderr(nowhere()?)?)
    }

    pub(super) fn die(signal: Signal) -> io::Result<()> {
        // Rust has a handler of its own for some, which must not be asked.
        let signal = match signal {
            Signal::Kill => return Ok(kill_process(getpid(), rustix::process::Signal::KILL)?),
            Signal::Abrt => SIGABRT,
            Signal::Segv => SIGSEGV,
            Signal::Term => SIGTERM,
        };
        signal_hook::low_level::emulate_default_handler(signal)
    }

    pub(super) fn begin_session() {
        // It fails in one that has begun its own already.
        _ = setsid();
    }

    /// Waits until a child has begun its session, or is gone.
    ///
    /// A session's leader leads a process group too, and that there is such a
    /// group can be asked in any container. The number of a session cannot:
    /// where a session was begun outside of the container, it is 0.
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

//! The child: spawned with its pipes, closed or dropped.

use super::SESSION_VARIABLE;
use super::closer::{CLOSER, Closer};
use super::closing::Closing;
use super::exit::Exit;
#[cfg(windows)]
use super::job::Job;
use super::policy::{ClosePolicy, CloseReport};
use shared_child::SharedChild;
use std::ffi::{OsStr, OsString};
use std::io;
use std::process::{ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use tokio::sync::watch;

/// The agent CLI, running or not.
///
/// Dropping it closes it: see [`close`](Self::close). That neither blocks nor needs a runtime,
/// but it takes a host that goes on living; whoever is about to exit awaits a `close` instead, or
/// calls [`close_all`](super::close_all).
#[derive(Debug)]
pub(crate) struct ChildProcess {
    pid: u32,
    closer: &'static Closer,
    pub(super) closing: Arc<Closing>,
}

/// The child's ends of the three pipes. stdin is to be closed before the child is.
#[derive(Debug)]
pub(crate) struct Pipes {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

impl ChildProcess {
    /// Spawns `command` with three pipes, in a process group of its own on Unix, in a job
    /// object of its own and without a window on Windows.
    ///
    /// `session` marks the child and what it starts, in its environment; it is unique to this
    /// child and has no colon in it, or closing this child would end others.
    ///
    /// Fails if the program cannot be started, if there can be no more threads, or with
    /// `InvalidInput` if `session` is empty or has a colon in it.
    pub(crate) fn spawn(
        command: Command,
        session: &str,
        policy: ClosePolicy,
    ) -> io::Result<(Self, Pipes)> {
        Self::spawn_for(&CLOSER, command, session, policy)
    }

    /// The same with a closer of one's own.
    pub(super) fn spawn_for(
        closer: &'static Closer,
        mut command: Command,
        session: &str,
        policy: ClosePolicy,
    ) -> io::Result<(Self, Pipes)> {
        if session.is_empty() || session.contains(':') {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "not a name for a session",
            ));
        }
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let sessions = sessions(&command, session);
        command.env(SESSION_VARIABLE, sessions);
        detach(&mut command);
        // Not made of a child that was spawned: that would reap one that has exited at once.
        #[cfg(not(windows))]
        let child = SharedChild::spawn(&mut command)?;
        #[cfg(windows)]
        let child = command.spawn()?;
        #[cfg(windows)]
        let job = Job::of(&child)
            .inspect_err(|error| tracing::warn!(%error, "the child has no job object"))
            .ok();
        #[cfg(windows)]
        let child = SharedChild::new(child)?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.take_stdin(), child.take_stdout(), child.take_stderr())
        else {
            unreachable!("all three were asked for");
        };
        let pid = child.id();
        let closing = Closing::new(child, (closer.watched)(pid), session, policy);
        #[cfg(windows)]
        let closing = closing.in_job(job);
        let closing = Arc::new(closing);
        closer.watch(&closing).inspect_err(|_| {
            // A child whose end nobody would notice is none to have.
            let _ = closing.child.kill();
            let _ = closing.child.wait();
        })?;
        tracing::debug!(pid, session, "child started");
        let pipes = Pipes {
            stdin,
            stdout,
            stderr,
        };
        let this = Self {
            pid,
            closer,
            closing,
        };
        Ok((this, pipes))
    }

    /// The child's pid. Somebody else may have it once the child has exited.
    pub(crate) fn id(&self) -> u32 {
        self.pid
    }

    /// The report of a close that somebody has started, or will start. `None` only if
    /// something panicked on the way, a subscriber of `tracing` for instance.
    pub(crate) async fn closed(&self) -> Option<CloseReport> {
        let mut report = self.closing.report();
        report.wait_for(Option::is_some).await.ok()?.clone()
    }

    /// Whether the child was sent a signal from here, which may be why it exited as it did.
    pub(crate) fn was_signalled(&self) -> bool {
        self.closing.was_signalled()
    }

    /// Is `Some` once the child has exited, whoever may still hold its output open.
    pub(crate) fn exit(&self) -> watch::Receiver<Option<Exit>> {
        self.closing.exit()
    }

    /// Starts to close the child and everything that it started: see [`Closer::close`].
    pub(crate) fn close(
        &self,
        close_input: impl FnOnce() + Send + 'static,
    ) -> watch::Receiver<Option<CloseReport>> {
        self.closer.close(&self.closing, close_input)
    }

    /// What [`close_all`](super::close_all) does to have the child's input closed.
    pub(crate) fn closed_with_all_by(&self, close_input: impl FnOnce() + Send + 'static) {
        self.closing.closed_with_all_by(close_input);
    }

    /// Keeps what the child works with until it has exited, and drops it before anybody hears of
    /// that. What is left of a child that could not be closed is dropped as well.
    pub(crate) fn keep(&self, what: impl Send + 'static) {
        self.closing.kept.keep(what);
    }

    #[cfg(test)]
    pub(super) fn set_policy(&mut self, policy: ClosePolicy) {
        self.closing.set_policy(policy);
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        self.close(|| ());
    }
}

/// The marker's value: the sessions that the child would have inherited, and its own.
fn sessions(command: &Command, session: &str) -> OsString {
    let set = command
        .get_envs()
        .find(|(name, _)| *name == OsStr::new(SESSION_VARIABLE));
    let inherited = match set {
        Some((_, value)) => value.map(OsStr::to_owned),
        None => std::env::var_os(SESSION_VARIABLE),
    };
    match inherited {
        Some(mut sessions) => {
            sessions.push(":");
            sessions.push(session);
            sessions
        }
        None => session.into(),
    }
}

#[cfg(unix)]
fn detach(command: &mut Command) {
    use std::os::unix::process::CommandExt;

    command.process_group(0);
}

#[cfg(windows)]
fn detach(command: &mut Command) {
    use std::os::windows::process::CommandExt;

    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    command.creation_flags(CREATE_NO_WINDOW);
}

#[cfg(not(any(unix, windows)))]
fn detach(_command: &mut Command) {}
